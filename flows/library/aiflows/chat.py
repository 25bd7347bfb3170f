"""The chat of aiflows' FlowVerse: prompts of its config in, the model's answer out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_jsonable_python

from flows.core.chat import (
    CUTS,
    ChatModel,
    ChatRequest,
    ImagePart,
    Message,
    MessageRole,
    Turn,
)  # fmt: skip
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    Effect,
    FlowConfig,
    Parts,
    Ports,
    Problem,
    Service,
)
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.errors import PortError
from flows.library.aiflows.cache import CallCache, cached
from flows.library.aiflows.keys import AiflowsKeys
from flows.library.aiflows.prompts import CompiledPrompt, PromptTemplate, unfilled_variables
from flows.library.blocks.chat import Window
from flows.models.litellm import LiteLLMModel

DEMONSTRATIONS = "demonstrations"
_MESSAGES = "previous_messages"
P = TypeVar("P", bound=Ports)


class ChatModuleKeys(AiflowsKeys):
    """The keys of a `ChatAtomicFlow`."""

    backend: Service | None = Field(default=None, description="its model; the run's without it")
    system_message_prompt_template: PromptTemplate | None = None
    init_human_message_prompt_template: PromptTemplate | None = Field(
        default=None, description="the first message; as the others without it"
    )
    human_message_prompt_template: PromptTemplate = PromptTemplate(
        template="{{query}}", input_variables=("query",)
    )
    input_interface: tuple[str, ...] | None = Field(default=None, description="the inputs")
    input_interface_non_initialized: tuple[str, ...] | None = Field(
        default=None, description="the inputs of the first message"
    )
    input_interface_initialized: tuple[str, ...] | None = Field(
        default=None, description="the inputs of the messages after it"
    )
    output_interface: tuple[str, ...] = ("api_output",)
    previous_messages: Window = Window()
    system_name: str = Field(default="system", description="what the model is told as this role")
    user_name: str = Field(default="user", description="what the model is told as this role")
    assistant_name: str = Field(default="assistant", description="what it is told as this role")
    n_api_retries: int = Field(default=6, ge=0, description="tries of its backend, at most 20")
    wait_time_between_retries: float = Field(
        default=20, ge=0, le=600, description="seconds between two tries, at most"
    )


class ChatModuleConfig(ChatModuleKeys, AtomicConfig):
    """The keys of a `ChatAtomicFlow`."""


class Demonstration(BaseModel):
    """An exchange that the chat begins with, as an example of what is wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str
    response: str


class ChatModuleOutputs(Ports):
    """The model's answer."""

    api_output: str


@dataclass(frozen=True, slots=True)
class ChatHistory:
    """The messages so far, the system's first; and the values that they were made from."""

    messages: tuple[Message, ...] = ()
    turns: tuple[Turn, ...] = ()

    def transcript(self) -> tuple[str, ...]:
        return tuple(f"{each.sent_role}: {each.content}" for each in self.messages)


class ChatModuleFlow(AtomicFlow):
    """Asks the model, and remembers the exchange.

    The first call sends the system's message, the demonstrations and the first human message; each
    later one the next human message, with the earlier ones that `previous_messages` keeps, the
    system's counted among them. Under `compat: aiflows-0.1` a message that both `first_k` and
    `last_k` keep is sent twice, as it is there.
    """

    needs: ClassVar[Mapping[str, str]] = {"backend": "model", "model": "model"}
    effect: Effect = "idempotent"
    role: ClassVar[str] = "chat"
    Config: ClassVar[type[FlowConfig]] = ChatModuleConfig
    Outputs: ClassVar[type[Ports]] = ChatModuleOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = Chat(config, parts)
        self.model = self.chat.model
        self.set_inputs(self.chat.ports())

    def prompts(self) -> Mapping[str, str]:
        return self.chat.texts()

    def key_problems(self) -> list[Problem]:
        return self.chat.problems()

    def initial_state(self) -> ChatHistory:
        return ChatHistory()

    def apply(self, state: ChatHistory, inputs: Any, outputs: ChatModuleOutputs) -> ChatHistory:
        return self.chat.after(state, inputs.__dict__, outputs.api_output)

    async def run(self, inputs: Any, run: Run) -> ChatModuleOutputs:
        async def ask() -> ChatModuleOutputs:
            request = self.chat.request(run.state, inputs.__dict__, role=self.role)
            return ChatModuleOutputs(api_output=await self.chat.ask(request, run))

        return await self.chat.cached(ChatModuleOutputs, inputs.__dict__, run, ask)


def model_of(parts: Parts) -> ChatModel:
    """The model that a flow asks: its backend, if there is a key for it. Without one the run's; and
    a run's model that is not the rules is a person's choice, over a backend whose `api_infos` the
    file leaves empty. Errors: `ConfigError` where there is neither."""
    backend, own = parts.services.get("backend"), parts.services.get("model")
    if isinstance(backend, LiteLLMModel) and isinstance(own, ChatModel) and not backend.filled:
        return backend if backend.answers and own.free else own
    key = "backend" if backend is not None else "model"
    return parts.service(key, ChatModel)  # type: ignore[type-abstract]


class Chat:
    """What the chats of the FlowVerse share: the prompts, the history, the request."""

    def __init__(self, config: Any, parts: Parts) -> None:
        self.config: ChatModuleKeys = config
        self.name = parts.name
        self.model = model_of(parts)
        self.system = _compiled(config, "system_message_prompt_template")
        human = _compiled(config, "human_message_prompt_template")
        assert human is not None  # it has a default
        self.human: CompiledPrompt = human
        self.first = _compiled(config, "init_human_message_prompt_template") or human
        who = f"{type(config).__name__}\0{getattr(self.model, 'name', '')}"
        self.cache = CallCache.of(who, config.model_dump(by_alias=True))

    def texts(self) -> Mapping[str, str]:
        """The texts of its prompts, by their keys."""
        return {each.name: each.text for each in (self.system, self.human, self.first) if each}

    def ports(self, extra: Mapping[str, str] | None = None) -> type[Ports]:
        """All inputs that some message takes; which of them a call needs, its message says."""
        config = self.config
        declared = (
            config.input_interface,
            config.input_interface_non_initialized,
            config.input_interface_initialized,
        )
        prompts = [each.inputs for each in (self.system, self.human, self.first) if each]
        names = [name for names in (*declared, *prompts) for name in names or ()]
        always = set.intersection(*map(set, self._needs()))
        spec = {name: "any" if name in always else "any?" for name in dict.fromkeys(names)}
        return ports_model(self.name, {**spec, DEMONSTRATIONS: "any?", **(extra or {})})

    def _needs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The inputs of a first message and of a later one."""
        first = self.config.input_interface_non_initialized or self.config.input_interface
        later = self.config.input_interface_initialized or self.config.input_interface
        system = self.system.inputs if self.system else ()
        return (
            (*(first or ()), *self.first.inputs, *system),
            (*(later or ()), *self.human.inputs),
        )

    def problems(self) -> list[Problem]:
        """The inputs of prompts that the interface of their message does not take, and a name that
        aiflows refuses."""
        config = self.config
        speakers = (config.system_name, config.user_name, config.assistant_name)
        own = getattr(config, "name", "") or self.name
        named = f"{own!r} is the name of a speaker too: call the flow otherwise"
        found = [Problem(named, ("name",))] if own in speakers else []
        pairs = (
            ("init_human_message_prompt_template", self.first,
             config.input_interface_non_initialized or config.input_interface),
            ("human_message_prompt_template", self.human,
             config.input_interface_initialized or config.input_interface),
        )  # fmt: skip
        found += unfilled_variables((self.system, self.first, self.human))
        return found + [
            Problem(
                f"{key} takes {name!r}, which the inputs of its message do not hold",
                (key, "input_variables"),
                tuple(taken),
            )
            for key, prompt, taken in pairs
            if taken is not None and prompt.name == key
            for name in prompt.inputs
            if name not in taken
        ]

    def request(
        self,
        state: ChatHistory,
        values: Mapping[str, Any],
        *,
        role: str = "chat",
        images: tuple[ImagePart, ...] = (),
        inputs: Mapping[str, Any] | None = None,
        json_reply: bool = False,
    ) -> ChatRequest:
        """What the model is asked. `inputs` are typed values for a model that reads no prose."""
        return ChatRequest(
            messages=self._kept((*state.messages, *self._next(state, values, images))),
            role=role,
            inputs=to_jsonable_python(dict(values if inputs is None else inputs)),
            turns=state.turns,
            json_reply=json_reply,
        )

    async def cached(
        self,
        kind: type[P],
        inputs: Mapping[str, Any],
        run: Run,
        make: Callable[[], Awaitable[P]],
    ) -> P:
        """The outputs of an earlier call with the same messages before it and the same inputs, if
        the file has them kept, or those that are made now."""
        return await cached(self.cache, kind, {_MESSAGES: run.state.messages}, inputs, run, make)

    async def ask(self, request: ChatRequest, run: Run) -> str:
        """The model's answer; one that was cut is told. Errors: `ModelError`, `LimitReached`."""
        reply = await run.ask_model(self.model, request)
        if reply.finish != "stop":
            run.notice(f"The model's reply {CUTS[reply.finish]}.")
        return reply.text

    def after(
        self,
        state: ChatHistory,
        values: Mapping[str, Any],
        answer: str,
        images: tuple[ImagePart, ...] = (),
        inputs: Mapping[str, Any] | None = None,
    ) -> ChatHistory:
        """The history with one exchange more."""
        answered = self._message("assistant", answer)
        turn = Turn(to_jsonable_python(dict(values if inputs is None else inputs)), answer)
        asked = self._next(state, values, images)
        return ChatHistory((*state.messages, *asked, answered), (*state.turns, turn))

    def _next(
        self, state: ChatHistory, values: Mapping[str, Any], images: tuple[ImagePart, ...]
    ) -> tuple[Message, ...]:
        """The messages that a call adds before the answer."""
        given = {key: value for key, value in values.items() if value is not None}
        if state.messages:
            return (self._message("user", self.human.render(given), images),)
        begun: list[Message] = []
        if self.system is not None:
            begun.append(self._message("system", self.system.render(given)))
        for each in read_demonstrations(given.get(DEMONSTRATIONS)):
            begun.append(self._message("user", each.query))
            begun.append(self._message("assistant", each.response))
        return (*begun, self._message("user", self.first.render(given), images))

    def _message(self, role: MessageRole, text: str, images: tuple[ImagePart, ...] = ()) -> Message:
        """A message of that role, under the name that the config gives it."""
        name = getattr(self.config, f"{role}_name")
        named = "" if name == role else name
        return Message(role=role, content=text, images=images, role_name=named)

    def _kept(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        window = self.config.previous_messages
        if not self.config.compat or (window.first_k is None and window.last_k is None):
            return window.keep(messages)
        first = messages[: window.first_k] if window.first_k else ()
        last = messages[-window.last_k :] if window.last_k else ()
        return (*first, *last)


def read_demonstrations(given: object) -> tuple[Demonstration, ...]:
    """The exchanges of the input `demonstrations`. Errors: `PortError`."""
    if given is None:
        return ()
    if not isinstance(given, list | tuple):
        raise PortError(f"demonstrations is a list of exchanges, not a {type(given).__name__}")
    try:
        return tuple(Demonstration.model_validate(dict(each)) for each in given)
    except (ValueError, TypeError) as error:
        raise PortError("each demonstration has a query and a response") from error


def _compiled(config: Any, key: str) -> CompiledPrompt | None:
    source: PromptTemplate | None = getattr(config, key)
    return source.compile(key) if source is not None else None
