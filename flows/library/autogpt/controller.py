"""Choosing the next command toward a goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, TypeAdapter, ValidationError

from flows.core.chat import Finish
from flows.core.command import Command
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports, Service
from flows.core.observation import Observation
from flows.core.reply import Reply, ReplySchema
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import nearest
from flows.library.blocks.chat import ChatConfig, ChatFlow, Window
from flows.library.blocks.correction import NoUsableReply, accept, propose
from flows.library.blocks.decision_schema import decision_schema
from flows.library.blocks.reading import ReplyProblem, read_object, short
from flows.library.blocks.rewrite import NAME as GLOSSARY
from flows.library.blocks.rewrite import rewriting_flow
from flows.semantics.request import REQUEST, Request

PROMPTS = Path(__file__).parent / "prompts"
PROSE = ("thought", "reasoning", "plan", "criticism", "speak")


class ControllerConfig(FlowConfig):
    """The keys of a controller."""

    description: str = "Chooses the next command."
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str = "controller.system.j2"
    first_human_prompt: str = "controller.first.j2"
    human_prompt: str = "controller.human.j2"
    correction_prompt: str = "chat.correction.j2"
    previous_messages: Window = Window()
    corrections: int = Field(default=2, ge=0, le=10, description="corrective messages a round")
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)


class ControllerInputs(Ports):
    """The goal, the commands there are, and what the last round gave."""

    goal: str = Field(min_length=1)
    commands: tuple[Command, ...]
    memory: tuple[str, ...] = ()
    observation: Observation | None = None
    human_feedback: str = ""


class ChatInputs(ControllerInputs):
    """As the controller's, and what was wrong with the reply before."""

    correction: str = ""


class ControllerOutputs(Ports):
    """The decision. `request` is what the command's text was read as, from a model that reads it;
    `problem` says why there is no command that can be carried out."""

    thought: str = ""
    reasoning: str = ""
    plan: str = ""
    criticism: str = ""
    speak: str = ""
    command: str = ""
    command_args: dict[str, Any] = Field(default={})
    request: Request | None = None
    problem: str = ""


class ControllerReply(Reply):
    """The shape that is asked for; what comes is read more leniently."""

    thought: str
    reasoning: str
    plan: str
    criticism: str
    speak: str
    command: str
    command_args: dict[str, Any]


class ControllerFlow(CompositeFlow):
    """Asks the model for one command, as JSON, and reads the reply in layers.

    Strictly, then with a repair that cannot change what is meant, then after a message with the
    exact fault. When that is used up the round gets a `problem` instead of a command.
    """

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "glossary": "glossary",
        "semantics": "semantics",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = ControllerConfig
    Inputs: ClassVar[type[Ports]] = ControllerInputs
    Outputs: ClassVar[type[Ports]] = ControllerOutputs

    def __init__(self, config: ControllerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        chat = ChatConfig(
            role="controller",
            description="Asks the model.",
            system_prompt=config.system_prompt,
            first_human_prompt=config.first_human_prompt,
            human_prompt=config.human_prompt,
            correction_prompt=config.correction_prompt,
            previous_messages=config.previous_messages,
            context=("tables",),
            json_reply=True,
            temperature=config.temperature,
            max_tokens=config.max_tokens,
        )
        below = Parts(
            name="chat",
            services=parts.services,
            prompt_folders=(*parts.prompt_folders, PROMPTS),
        )
        self.chat = ChatFlow(chat, below, ChatInputs, ControllerReply, schema_of=_schema_of)
        self.subflows = {"chat": self.chat}
        self.rewrite = rewriting_flow(parts)
        if self.rewrite is not None:
            self.subflows[GLOSSARY] = self.rewrite

    async def run(self, inputs: ControllerInputs, run: Run) -> Values:
        asked = dict(inputs.__dict__)
        if self.rewrite is not None:
            asked["goal"] = (await run.call(self.rewrite, {"question": inputs.goal}))["question"]

        def read(text: str, finish: Finish) -> ControllerOutputs:
            return read_decision(text, finish, inputs.commands)

        try:
            decision = await propose(
                run, self.chat, asked, read, accept, new_chat=False,
                corrections=self.config.corrections, otherwise=_no_command,
                speaker="The model's reply",
            )  # fmt: skip
        except NoUsableReply as error:
            decision = ControllerOutputs(problem=str(error))
        return dict(decision.__dict__)


def _schema_of(inputs: ChatInputs) -> ReplySchema:
    """The shape of a reply that gives one of the commands; of any, where there are none."""
    if not inputs.commands:
        return ReplySchema.of(ControllerReply)
    return decision_schema(ControllerReply.__name__, PROSE, inputs.commands)


def _no_command(problems: str) -> NoUsableReply:
    return NoUsableReply(f"the controller gave no command that can be carried out: {problems}")


def read_decision(text: str, finish: Finish, commands: Sequence[Command]) -> ControllerOutputs:
    """The decision that a reply holds. Errors: `ReplyProblem` with what is wrong and allowed."""
    reply = read_object(text, finish)
    command = find_command(reply.get("command"), commands)
    arguments = read_arguments(command, _given_arguments(command, reply))
    prose = {name: _prose(reply.get(name, "")) for name in PROSE}
    request = _request(reply.get("request"))
    return ControllerOutputs(**prose, command=command.name, command_args=arguments, request=request)


def _request(given: object) -> Request | None:
    if given is None:
        return None
    try:
        return REQUEST.validate_python(given)
    except ValidationError as error:
        raise ReplyProblem(f'"request" is none: {short(given)}; leave it out') from error


def _given_arguments(command: Command, reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object under `command_args`; it may not be under another key, which is left alone.

    Only where a command takes no arguments an object as prose can be nothing else.
    """
    given = reply.get("command_args")
    if given is None:
        objects = [name for name, each in reply.items() if isinstance(each, dict) and each]
        others = [name for name in objects if name not in PROSE or command.input_args]
        if others:
            raise ReplyProblem(
                f'the arguments must be under "command_args", not {short(others[0])}'
            )
        return {}
    if not isinstance(given, dict):
        raise ReplyProblem('"command_args" must be an object, with the arguments by their names')
    return given


def find_command(name: object, commands: Sequence[Command]) -> Command:
    """The command of that name. Errors: `ReplyProblem` with the list and the nearest."""
    names = [command.name for command in commands]
    if not isinstance(name, str) or not name:
        raise ReplyProblem(f'"command" must be one of: {", ".join(names)}')
    for command in commands:
        if command.name == name:
            return command
    meant = nearest(name, names)
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise ReplyProblem(f"there is no command {short(name)}{hint} (commands: {', '.join(names)})")


def read_arguments(command: Command, given: Mapping[str, Any]) -> Values:
    """The arguments; an optional one that is null is left out.

    Errors: `ReplyProblem` for one that is missing, unknown or of another type.
    """
    known = {argument.name: argument for argument in command.input_args}
    optional = {name for name, each in known.items() if not each.required}
    kept = {
        name: value for name, value in given.items() if value is not None or name not in optional
    }
    missing = [name for name in known if name not in kept and name not in optional]
    unknown = [short(name) for name in kept if name not in known]
    wrong = [name for name in kept if name in known and not _fits(known[name].type, kept[name])]
    if missing or unknown or wrong:
        parts = [f"missing: {', '.join(missing)}"] * bool(missing)
        parts += [f"unknown: {', '.join(unknown)}"] * bool(unknown)
        parts += [f"{name!r} must be {known[name].type}, not {short(kept[name])}" for name in wrong]
        allowed = ", ".join(known) or "none"
        raise ReplyProblem(
            f"the arguments of {command.name!r} are wrong: {'; '.join(parts)} (it takes: {allowed})"
        )
    return kept


_PLAIN_TYPES: Mapping[str, TypeAdapter[Any]] = {
    "string": TypeAdapter(str),
    "integer": TypeAdapter(int),
    "number": TypeAdapter(float),
    "boolean": TypeAdapter(bool),
}


def _fits(kind: str, value: object) -> bool:
    """Whether a port of that type will take the value. Other types are left to the port."""
    adapter = _PLAIN_TYPES.get(kind)
    if adapter is None:
        return True
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


def _prose(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(f"- {each}" for each in value)
    return "" if value is None else str(value)
