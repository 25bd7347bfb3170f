"""A chat with a model: prompts in, text out, and the history that it folds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import to_jsonable_python

from flows.config.prompts import Prompt, load_prompts
from flows.core.chat import CUTS, ChatModel, ChatRequest, Finish, Message, Turn
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
from flows.core.ports import PortsSpec, check_ports, ports_model
from flows.core.reply import Reply, ReplySchema
from flows.core.run import Run
from flows.data.catalog import Catalog, describe_text
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.models import SemanticModels
from flows.semantics.summary import summarize

PROMPTS = Path(__file__).parent / "prompts"
CORRECTION = "correction"
PROMPT_KEYS = ("system_prompt", "human_prompt", "first_human_prompt", "correction_prompt")
Context = Literal["tables", "semantics", "form", "methods"]
T = TypeVar("T")


class Window(BaseModel):
    """Which earlier messages the model still sees: the first k, the last k; all without both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first_k: int | None = Field(default=None, ge=0)
    last_k: int | None = Field(default=None, ge=0)

    def keep(self, messages: tuple[T, ...]) -> tuple[T, ...]:
        """The messages of the window, each once, in order."""
        if self.first_k is None and self.last_k is None:
            return messages
        first, after = self.first_k or 0, len(messages) - (self.last_k or 0)
        return tuple(m for i, m in enumerate(messages) if i < first or i >= after)


class ChatKeys(BaseModel):
    """The keys that say what a model is asked. Prompts are names of files (`NAME.j2`)."""

    model: Service | None = Field(default=None, description="its own model; the run's without it")
    role: str = Field(default="chat", description="the part that the model plays")
    system_prompt: str | None = None
    human_prompt: str = Field(default="chat.human.j2", description="the prompt of each message")
    first_human_prompt: str | None = Field(default=None, description="the first message's instead")
    correction_prompt: str = Field(
        default="chat.correction.j2", description="says what is wrong with the last reply"
    )
    previous_messages: Window = Window()
    input_interface: Annotated[PortsSpec, AfterValidator(check_ports)] | None = Field(
        default=None, description="the inputs; the variables of its prompts without it"
    )
    context: tuple[Context, ...] = Field(
        default=(), description="what the system prompt may use beside the inputs"
    )
    json_reply: bool = Field(default=False, description="ask for one JSON object")
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)


class ChatConfig(ChatKeys, AtomicConfig):
    """The keys of a chat flow. Prompts are names of files (`NAME.j2`)."""


class ChatOutputs(Ports):
    """The reply. `finish` says why it ended; only `stop` means that it is whole."""

    api_output: str
    finish: Finish = "stop"


@dataclass(frozen=True, slots=True)
class ChatState:
    """The chat so far, as messages and as the values that they were made from."""

    messages: tuple[Message, ...] = ()
    turns: tuple[Turn, ...] = ()

    def transcript(self) -> tuple[str, ...]:
        return tuple(f"{message.role}: {message.content}" for message in self.messages)


class ChatFlow(AtomicFlow):
    """Asks the model and remembers the exchange.

    Its inputs are the variables of its prompts. The optional input `correction` asks again, with
    the correction prompt, about what was wrong with the last reply. `reply` is the shape of a JSON
    reply, which is asked for by more than the prompt where the model has a way to; `schema_of`
    gives it where it depends on the inputs. `role_of` says which part the model plays for inputs.
    If a reply is `cumulative`, it stands for all before it.

    Of its `context` a system prompt may use `tables`, what the columns hold; `semantics`, what the
    data mean; `form`, the shape of a reply; `methods`, what an analysis may name.
    """

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "semantics": "semantics",
    }  # fmt: skip
    # A reply has been paid for: it is on the disk before the run goes on.
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = ChatConfig
    Outputs: ClassVar[type[Ports]] = ChatOutputs

    def __init__(
        self,
        config: ChatConfig,
        parts: Parts,
        inputs: type[Ports] | None = None,
        reply: type[Reply] | ReplySchema | None = None,
        role_of: Callable[[Any], str] | None = None,
        schema_of: Callable[[Any], ReplySchema | None] | None = None,
        cumulative: bool = False,
    ) -> None:
        super().__init__(config, parts)
        schema = ReplySchema.of(reply) if isinstance(reply, type) else reply
        self.schema = schema if config.json_reply else None
        self.model: ChatModel = parts.service("model", ChatModel)  # type: ignore[type-abstract]
        self.catalog = parts.service("data", Catalog) if config.context else None
        self.semantics = parts.service("semantics", SemanticModels) if config.context else None
        folders = (*parts.prompt_folders, PROMPTS)
        loaded = load_prompts({key: getattr(config, key) for key in PROMPT_KEYS}, folders)
        self.system, self.human = loaded.get("system_prompt"), loaded["human_prompt"]
        self.first = loaded.get("first_human_prompt", self.human)
        self.correction = loaded["correction_prompt"]
        self.schema_of = schema_of or (lambda _: schema)
        self.role_of = role_of or (lambda _: str(config.role))
        self.cumulative = cumulative
        self._typed = inputs
        self.set_inputs(inputs or self._ports(config))

    def _ports(self, config: ChatConfig) -> type[Ports]:
        spec = config.input_interface
        if spec is None:
            loaded = [p for p in (self.system, self.human, self.first) if p]
            used = frozenset().union(*(prompt.variables for prompt in loaded))
            spec = tuple(sorted(used - set(config.context)))
        types = spec if isinstance(spec, dict) else dict.fromkeys(spec, "any")
        return ports_model(self.name, {**types, CORRECTION: "str?"})

    def prompts(self) -> Mapping[str, str]:
        loaded = (self.system, self.human, self.first, self.correction)
        return {each.source.name: each.text for each in loaded if each is not None}

    def use_prompts(self, texts: Mapping[str, str]) -> None:
        """Go by these texts, by the names of their files, instead of by what the files hold now."""
        self.system = self.system and self.system.with_text(texts)
        self.human = self.human.with_text(texts)
        self.first = self.first.with_text(texts)
        self.correction = self.correction.with_text(texts)
        self.set_inputs(self._typed or self._ports(self.config))

    def key_problems(self) -> list[Problem]:
        """The variables of prompts that no input fills."""
        known = set(self.port_names)
        allowed = {
            "system_prompt": (self.system, known | set(self.config.context)),
            "human_prompt": (self.human, known),
            "first_human_prompt": (self.first if self.first is not self.human else None, known),
            "correction_prompt": (self.correction, known),
        }
        return [
            Problem(
                f"{prompt.source.name} uses {name!r}, which is no input of {self.name}",
                (key,),
                tuple(sorted(names)),
            )
            for key, (prompt, names) in allowed.items()
            if prompt
            for name in sorted(prompt.variables - names)
        ]

    def initial_state(self) -> ChatState:
        return ChatState()

    def apply(self, state: ChatState, inputs: Any, outputs: ChatOutputs) -> ChatState:
        asked = Message(role="user", content=self._ask(state, inputs))
        answered = Message(role="assistant", content=outputs.api_output)
        turn = Turn(inputs=to_jsonable_python(inputs.__dict__), reply=outputs.api_output)
        return ChatState((*state.messages, asked, answered), (*state.turns, turn))

    def shortfall(self, before: str, inputs: Any, outputs: ChatOutputs) -> str:
        """That a reply was cut, unless the one that was asked for in its place is whole."""
        if outputs.finish != "stop":
            return f"the model's reply in {self.path or self.name} {CUTS[outputs.finish]}"
        return "" if self.cumulative or inputs.__dict__.get(CORRECTION) else before

    async def run(self, inputs: Any, run: Run) -> ChatOutputs:
        tables: tuple[Table, ...] = ()
        meaning: SemanticModel | None = None
        if self.catalog is not None and self.semantics is not None:
            tables = await asyncio.to_thread(self.catalog.tables)
            meaning = await asyncio.to_thread(self.semantics.model)
            for each in self.semantics.take_notices():
                run.notice(each)
        reply = await run.ask_model(self.model, self.request(run.state, inputs, tables, meaning))
        if reply.finish != "stop" and not self.config.json_reply:  # those who read JSON say it
            run.notice(f"The model's reply {CUTS[reply.finish]}.")
        return ChatOutputs(api_output=reply.text, finish=reply.finish)

    def request(
        self,
        state: ChatState,
        inputs: Any,
        tables: tuple[Table, ...] = (),
        meaning: SemanticModel | None = None,
    ) -> ChatRequest:
        """What the model is asked in that state; `tables` are those of the run's data sources,
        `meaning` is what they mean."""
        values = dict(inputs.__dict__)
        if self.catalog is not None:
            values["tables"] = tuple(table.without_sample() for table in tables)
        return ChatRequest(
            messages=self._messages(state, inputs, values, meaning),
            role=self.role_of(inputs),
            inputs={
                **to_jsonable_python(inputs.__dict__),
                "tables": values.get("tables", ()),
                "semantic_model": meaning,
            },
            turns=state.turns,
            json_reply=self.config.json_reply,
            schema=self.schema_of(inputs) if self.config.json_reply else None,
            temperature=self.config.temperature,
            max_tokens=self.config.max_tokens,
        )

    def _messages(
        self, state: ChatState, inputs: Any, values: dict[str, Any], meaning: SemanticModel | None
    ) -> tuple[Message, ...]:
        asked = Message(role="user", content=self._ask(state, inputs))
        kept = self.config.previous_messages.keep(state.messages)
        if self.system is None:
            return (*kept, asked)
        shown, used = dict(values), self.system.variables
        tables = values.get("tables", ())
        if "tables" in used and "tables" in shown:
            shown["tables"] = describe_text(tables)
        if "semantics" in used:
            shown["semantics"] = summarize(meaning, tables) if meaning is not None else ""
        shown |= self.of_code(self.system)
        system = Message(role="system", content=_render(self.system, shown))
        return (system, *kept, asked)

    def of_code(self, prompt: Prompt) -> dict[str, str]:
        """What a prompt is told of requests that is the same for all data: their types, and the
        methods of analyses."""
        form = self.schema.notation if self.schema is not None else ""
        made = {"form": lambda: form, "methods": _methods}
        return {name: each() for name, each in made.items() if name in prompt.variables}

    def prompt_for(self, state: ChatState, inputs: Any) -> Prompt:
        """The prompt that the next message is made from."""
        if inputs.__dict__.get(CORRECTION):
            return self.correction
        return self.human if state.messages else self.first

    def _ask(self, state: ChatState, inputs: Any) -> str:
        return _render(self.prompt_for(state, inputs), inputs.__dict__)


def _methods() -> str:
    from flows.analysis.methods.listing import list_methods  # all methods, which most chats pass by

    return list_methods()


def _render(prompt: Prompt, values: Mapping[str, Any]) -> str:
    return prompt.render({name: values[name] for name in prompt.variables})
