"""Commands that a run file adds to the loop's own: found by their descriptions and arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from flows.analysis.functions.argument_values import Filling
from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.choice import question_for, value_of
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.filling import fill
from flows.analysis.functions.matching import FunctionFit, match_functions, may_be_called
from flows.analysis.functions.schema import FunctionArgument
from flows.analysis.functions.telling import tell
from flows.analysis.loop.commands import CommandOption, Commands
from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.loop.step import LoopStep
from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation

# The least match of a command that is called, and of one that is asked an argument for.
_FITS: Final = 0.35
_ASKED_FOR: Final = 0.45
_YEAR: Final = re.compile(
    r"\b(?:in|since|during|until|before|after)\s+(?:the\s+year\s+)?((?:19|20)\d\d)\b", re.IGNORECASE
)
_OF_TIME: Final = re.compile(
    r"year|date|time|period|since|until|before|after|from|start|end|when|day", re.IGNORECASE
)
_TYPES: Final[Mapping[str, str]] = {
    "string": "string", "str": "string", "text": "string", "integer": "integer", "int": "integer",
    "number": "number", "float": "number", "boolean": "boolean", "bool": "boolean",
    "object": "object",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Choice:
    command: CommandOption
    match: FunctionFit
    filling: Filling


def own_step(part: GoalPart, progress: Progress, commands: Commands) -> LoopStep | None:
    """The call of a command of the run file's own, where one fits what a part asks; else None.

    Where one fits and an argument is missing, the person is asked by the command for that, or the
    part's `why` says what is missing.
    """
    forced = commands.named(part.forced) if part.forced else None
    offered = [forced] if forced in commands.own else list(commands.own)
    choice = _best([each for each in offered if each is not None], part, forced is not None)
    if choice is None:
        return None
    command = choice.command
    if choice.filling.missing:
        return _asking(part, choice, commands)
    part.kind = "command"
    arguments = dict(choice.filling.arguments)
    if progress.was_called(command.name, arguments):
        return None
    words = ", ".join(choice.match.words) or command.name
    return LoopStep(
        part, command, arguments, f'"{part.text}" is what {command.name} is for.',
        f"It speaks of {words}.",
    )  # fmt: skip


def _best(offered: list[CommandOption], part: GoalPart, forced: bool) -> _Choice | None:
    """The command that fits best: complete ones first, then one that lacks an argument."""
    options = {each.name: each for each in offered}
    found = [
        _Choice(options[each.function.name], each, _filled(each.function, part))
        for each in match_functions(part.text, [described(each) for each in offered])
    ]
    for choice in found:
        sure = any(each >= 1.2 for each in choice.filling.scores.values())
        fits = forced or choice.match.score >= _FITS - 0.15 * sure
        if (
            fits
            and not choice.filling.missing
            and not _takes_year(choice, part.text)
            and may_be_called(choice.match.function, choice.match.words)
        ):
            return choice
    first = next(iter(found), None)
    if first is None or not (forced or first.match.score >= _ASKED_FOR):
        return None
    return first if first.filling.missing else None


def _takes_year(choice: _Choice, text: str) -> bool:
    """Whether an argument that speaks of no time would be given a year that the text speaks of, as
    in "What was the tax in 2024?"."""
    years = {int(each) for each in _YEAR.findall(text)}
    return any(
        isinstance(value, int) and value in years and not _OF_TIME.search(_words_of(choice, name))
        for name, value in choice.filling.arguments.items()
    )


def _words_of(choice: _Choice, argument: str) -> str:
    """The name and the description of an argument."""
    declared = [each for each in choice.command.declared if each["name"] == argument]
    return " ".join([argument, *(str(each.get("description", "")) for each in declared)])


def _filled(function: FunctionDescription, part: GoalPart) -> Filling:
    """The arguments from the part's words, and from what a person said when asked."""
    filling = fill(function.parameters, part.text)
    arguments = dict(filling.arguments)
    missing: list[FunctionArgument] = []
    for argument in filling.missing:
        said = part.given.get(argument.name)
        value = value_of(argument, said) if said else None
        if value is None:
            missing.append(argument)
        else:
            arguments[argument.name] = value
    return replace(filling, arguments=arguments, missing=tuple(missing))


def _asking(part: GoalPart, choice: _Choice, commands: Commands) -> LoopStep | None:
    """The question to the person for the first argument that is missing."""
    argument = choice.filling.missing[0]
    question = question_for(choice.match.function, argument)
    part.lacking = argument.name
    names = ", ".join(each.name for each in choice.filling.missing)
    part.why = f"{choice.command.name} would tell it and needs {names}: {question}"
    person = commands.person
    if person is None or argument.name in part.given:
        return None
    part.kind = "command"
    return LoopStep(
        part, person, {"question": question}, f"{choice.command.name} fits, and needs {names}.",
        "Nothing that was said gives it.",
    )  # fmt: skip


def take_answer(progress: Progress, commands: Commands) -> None:
    """Give a person's answer to the part that it was asked for, which is open again then."""
    part, person = progress.last, commands.person
    if part is None or person is None or not part.lacking or part.command != person.name:
        return
    if part.status == "done" and part.result is not None:
        part.given[part.lacking] = _said(part.result)
        part.status, part.result, part.lacking, part.why = "open", None, "", ""


def take_missing(progress: Progress, text: str) -> bool:
    """Take a person's remark as the argument that a part lacks, if one lacks any."""
    part = next((each for each in progress.parts if each.lacking and each.status == "failed"), None)
    if part is None or len(text.split()) > 6:
        return False
    part.given[part.lacking] = text
    progress.remarks.append(f'I take "{text}" as the {part.lacking}.')
    part.status, part.lacking, part.why = "open", "", ""
    return True


def _said(result: Observation) -> str:
    try:
        found = json.loads(result.text)
    except ValueError:
        return result.text.strip()
    return str(found.get("answer", "")) if isinstance(found, dict) else str(found)


def told(part: GoalPart) -> str:
    """What a command of the run file's own said to a part: the value that was asked for, or its
    text."""
    if part.result is None:
        return ""
    result = CallResult(number=1, name=part.command, kind="ok", text=part.result.text)
    found = tell(wanted_of(part.text), result)
    return found.text if found is not None and found.score >= _FITS else part.result.text


def described(command: CommandOption) -> FunctionDescription:
    """A command as the description of a function."""
    return FunctionDescription(
        name=command.name,
        description=command.description,
        effect=command.effect,
        parameters={
            "type": "object",
            "properties": {str(each["name"]): _schema(each) for each in command.declared},
            "required": [
                str(each["name"]) for each in command.declared if each.get("required", True)
            ],
        },
    )


def _schema(declared: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an argument that is declared with its type in words."""
    kind, said = str(declared.get("type") or "string"), str(declared.get("description") or "")
    if kind.startswith("one of "):
        options = json.loads(f"[{kind.removeprefix('one of ')}]")
        return {"type": "string", "enum": options, "description": said}
    if kind.startswith("list"):
        inner = _TYPES.get(kind.removeprefix("list of "), "string")
        return {"type": "array", "items": {"type": inner}, "description": said}
    return {"type": _TYPES.get(kind.split(" or ")[0], "string"), "description": said}
