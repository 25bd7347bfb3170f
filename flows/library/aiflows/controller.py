"""The controller of aiflows' FlowVerse: a chat that answers with the next command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.core.chat import ChatRequest, Message
from flows.core.command import Command, CommandArgument
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Problem
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import nearest
from flows.library.aiflows.chat import Chat, ChatHistory, ChatModuleKeys
from flows.library.aiflows.prompts import PromptTemplate
from flows.library.blocks.reading import ReplyProblem, read_object

FINISH: Final = "finish"
COMMANDS: Final = "commands"
_PROSE: Final = ("thought", "reasoning", "plan", "criticism", "speak")


class CommandSpec(BaseModel):
    """A command as a controller is told of it: what it does, and the names of its arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: str
    input_args: tuple[str, ...] = ()


class ControllerModuleConfig(ChatModuleKeys, AtomicConfig):
    """The keys of a `ControllerAtomicFlow`."""

    commands: dict[str, CommandSpec] = Field(default={}, description="what it may ask for")
    finish: CommandSpec | None = Field(default=None, description="the command that ends the flow")
    output_interface: tuple[str, ...] = (*_PROSE, "command", "command_args")
    corrections: int = Field(
        default=2, ge=0, le=10, description="messages about a reply that cannot be read"
    )


class ControllerModuleOutputs(Ports):
    """The decision, and the reply that it was read from."""

    thought: str = ""
    reasoning: str = ""
    plan: str = ""
    criticism: str = ""
    speak: str = ""
    command: str
    command_args: dict[str, Any] = Field(default={})
    api_output: str = Field(default="", description="the reply that it was read from")


class ControllerModuleFlow(AtomicFlow):
    """Asks the model for one of its commands, as JSON.

    A reply that holds none is answered with what is wrong with it, a few times; aiflows ends the
    run at the first. The offline rules read the commands and the goal as typed values.
    """

    needs: ClassVar[Mapping[str, str]] = {"backend": "model", "model": "model"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = ControllerModuleConfig
    Outputs: ClassVar[type[Ports]] = ControllerModuleOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        specs = dict(config.commands)
        if config.finish is not None:
            specs[FINISH] = config.finish
        self.commands = tuple(
            Command(
                name=name,
                description=spec.description,
                input_args=tuple(CommandArgument(name=each) for each in spec.input_args),
            )
            for name, spec in specs.items()
        )
        self.chat = Chat(_with_manual(config, manual_of(self.commands)), parts)
        self.model = self.chat.model
        self.set_inputs(self.chat.ports())

    def most_model_calls(self) -> float:
        corrections: int = self.config.corrections
        return corrections + 1

    def prompts(self) -> Mapping[str, str]:
        return self.chat.texts()

    def key_problems(self) -> list[Problem]:
        found = self.chat.problems()
        if not self.commands:
            found.append(Problem(f"{self.name} has no commands to choose from", (COMMANDS,)))
        return found

    def initial_state(self) -> ChatHistory:
        return ChatHistory()

    def apply(
        self, state: ChatHistory, inputs: Any, outputs: ControllerModuleOutputs
    ) -> ChatHistory:
        values = inputs.__dict__
        typed = self._typed(state, values)
        return self.chat.after(state, values, outputs.api_output, inputs=typed)

    async def run(self, inputs: Any, run: Run) -> ControllerModuleOutputs:
        return await self.chat.cached(
            ControllerModuleOutputs, inputs.__dict__, run, lambda: self._decide(inputs, run)
        )

    async def _decide(self, inputs: Any, run: Run) -> ControllerModuleOutputs:
        values, state = inputs.__dict__, run.state
        request = self.chat.request(
            state, values, role="controller", inputs=self._typed(state, values), json_reply=True
        )
        for _ in range(self.config.corrections):
            text = await self.chat.ask(request, run)
            try:
                return self._read(text)
            except ReplyProblem as problem:
                said = (
                    Message(role="assistant", content=text),
                    Message(role="user", content=f"That reply cannot be used: {problem}"),
                )
                request = _with_messages(request, (*request.messages, *said), str(problem))
        return self._read(await self.chat.ask(request, run))

    def _typed(self, state: ChatHistory, values: Mapping[str, Any]) -> Values:
        """What the rules go by: the goal of the first message, the commands, what came of the
        last."""
        first = state.turns[0].inputs if state.turns else values
        told = {key: value for key, value in values.items() if value is not None}
        commands = tuple(each.model_dump(mode="json") for each in self.commands)
        typed: Values = {**told, "goal": str(first.get("goal") or ""), COMMANDS: commands}
        if "observation" in told:
            typed["observation"] = observation_of(told["observation"])
        return typed

    def _read(self, text: str) -> ControllerModuleOutputs:
        reply = read_object(text, "stop")
        name = reply.get("command")
        known = {each.name: each for each in self.commands}
        if not isinstance(name, str) or name not in known:
            meant = nearest(str(name), known)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise ReplyProblem(f'"command" must be one of {", ".join(known)}{hint}')
        given = reply.get("command_args") or {}
        if not isinstance(given, dict):
            raise ReplyProblem('"command_args" must be an object')
        names = [each.name for each in known[name].input_args]
        if missing := [each for each in names if each not in given]:
            raise ReplyProblem(f"{name} wants the arguments {', '.join(missing)}")
        prose = {key: str(reply.get(key) or "") for key in _PROSE}
        return ControllerModuleOutputs(command=name, command_args=given, api_output=text, **prose)


def manual_of(commands: tuple[Command, ...]) -> str:
    """The commands as the system prompt lists them, one in a line."""
    return "\n".join(
        f"{number}. {each.name}: {each.description} "
        f"Input arguments (given in the JSON schema): "
        f"{json.dumps({arg.name: 'YOUR_' + arg.name.upper() for arg in each.input_args})}"
        for number, each in enumerate(commands, 1)
    )


def observation_of(given: Any) -> Values:
    """What a command gave back, as the rules read it."""
    if isinstance(given, Mapping) and {"kind", "text"} <= given.keys():
        return dict(given)
    if isinstance(given, Mapping) and (problem := given.get("problem")):
        return {"kind": "error", "text": str(problem)}
    text = given if isinstance(given, str) else _text_of(given)
    return {"kind": "ok" if text.strip() else "empty", "text": text}


def _text_of(given: Any) -> str:
    if isinstance(given, Mapping) and len(given) == 1:
        (value,) = given.values()
        return value if isinstance(value, str) else _text_of(value)
    return str(given)


def _with_manual(config: Any, manual: str) -> Any:
    """The config whose system prompt knows the commands."""
    source: PromptTemplate | None = config.system_message_prompt_template
    if source is None or COMMANDS not in source.input_variables:
        return config
    inputs = tuple(each for each in source.input_variables if each != COMMANDS)
    values = {**source.partial_variables, COMMANDS: manual}
    told = source.model_copy(update={"input_variables": inputs, "partial_variables": values})
    return config.model_copy(update={"system_message_prompt_template": told})


def _with_messages(
    request: ChatRequest, messages: tuple[Message, ...], correction: str
) -> ChatRequest:
    inputs = {**request.inputs, "correction": correction}
    return replace(request, messages=messages, inputs=inputs)
