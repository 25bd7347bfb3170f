"""Which command of a run file's own fits a text, and what fills its arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from flows.analysis.functions.argument_values import Filling
from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.choice import value_of
from flows.analysis.functions.filling import fill
from flows.analysis.functions.hints import measure_of
from flows.analysis.functions.matching import FunctionFit, match_functions, may_be_called, text_of
from flows.analysis.functions.mentions import ValueMention, mentions_of
from flows.analysis.functions.schema import FunctionArgument, arguments_of
from flows.analysis.functions.terms import is_content, term, terms
from flows.analysis.loop.commands import CommandOption
from flows.core.function_description import FunctionDescription

# The least score of a command that is called, and the least match of one that is asked an argument
# for; fitted on the first half of `benchmarks/own_commands.py`.
_FITS: Final = 0.3
_ASKED_FOR: Final = 0.45
# What the values of a text say of a command beside its words: how surely each fills an argument,
# that a command takes several of them, and that it takes none of one.
_EVIDENCE, _SEVERAL, _UNUSED = 0.25, 0.12, 0.15
_OTHERS: Final = 0.25  # what it costs that only other commands know what is counted
# The score of a filled argument that only its type speaks for, and what a certain one has more.
_BY_TYPE, _CERTAIN = 0.7, 0.8
_VALUES: Final = ("number", "code", "quoted", "name", "date", "month", "email", "url", "list")
_COUNTED: Final = re.compile(
    r"\b(?:how (?:much|many)|(?:number|amount|quantity|weight) of) ([^\W\d_]+)"
)
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
_FORMATS: Final = ("date", "date-time", "time")  # of texts


@dataclass(frozen=True, slots=True)
class OwnChoice:
    """A command with what fills its arguments. `score` is from 0 to about 1.5, `by_words` how well
    its words fit, `by_values` how many values of the text more than a type speaks for."""

    command: CommandOption
    match: FunctionFit
    filling: Filling
    score: float
    by_values: int

    @property
    def is_complete(self) -> bool:
        return not self.filling.missing

    @property
    def is_meant(self) -> bool:
        """Whether words or values of the text speak for the command: one word that is no unit, or
        two values of the very kinds that it takes."""
        return self.by_values > 1 or any(not _is_unit(each) for each in self.match.words)


def choose(
    offered: Sequence[CommandOption], text: str, given: Mapping[str, str], *, forced: bool = False
) -> OwnChoice | None:
    """The command that fits a text best: complete ones first, then one that lacks an argument.
    `given` is what a person said for arguments."""
    options = {each.name: each for each in offered}
    matches = match_functions(
        text, [described(each) for each in offered], hints=wanted_of(text).hints
    )
    counted = _counted(text)
    known = any(term(counted) in text_of(each.function).said for each in matches)
    found = [
        _choice(options[each.function.name], each, text, given, counted if known else "")
        for each in matches
    ]
    found.sort(key=lambda each: -each.score)
    for choice in found:
        if (
            (forced or (choice.score >= _FITS and choice.is_meant))
            and choice.is_complete
            and not _takes_year(choice, text)
            and may_be_called(choice.match.function, choice.match.words)
        ):
            return choice
    first = max(found, key=lambda each: each.match.score, default=None)
    if first is None or not (forced or first.match.score >= _ASKED_FOR):
        return None
    return None if first.is_complete else first


def _choice(
    command: CommandOption, match: FunctionFit, text: str, given: Mapping[str, str], counted: str
) -> OwnChoice:
    function = match.function
    filling = _filled(function, text, given)
    needed = [each for each in arguments_of(function.parameters) if each.required]
    sure = [
        max(0.0, min(1.0, (filling.scores.get(each.name, 0.0) - _BY_TYPE) / _CERTAIN))
        for each in needed
    ]
    values = _values_of(text)
    unused = sum(not _is_used(each, filling, match) for each in values)
    taken = sum(any(each.overlaps(*place) for place in filling.used) for each in values)
    by_values = min(taken, sum(each > 0.0 for each in sure))
    score = match.score + _EVIDENCE * (sum(sure) / len(sure) if sure else 0.0)
    if not filling.missing and not unused:
        score += _SEVERAL * max(0, by_values - 1)
    if counted and counted not in match.words:
        score -= _OTHERS
    return OwnChoice(command, match, filling, score - _UNUSED * unused, by_values)


def _counted(text: str) -> str:
    """The word for what a text asks the number or the amount of, "" where that is a unit."""
    match = _COUNTED.search(text.casefold())
    word = match[1] if match is not None else ""
    return word if is_content(word) and not _is_unit(word) else ""


def _is_unit(word: str) -> bool:
    return bool(measure_of(word)) or word in ("square", "cubic")


def _values_of(text: str) -> list[ValueMention]:
    return [each for each in mentions_of(text) if each.kind in _VALUES]


def _is_used(value: ValueMention, filling: Filling, match: FunctionFit) -> bool:
    """Whether a command takes a value, or speaks of it. A number in words often only counts."""
    if any(value.overlaps(*each) for each in filling.used):
        return True
    if value.kind == "name":
        known = text_of(match.function)
        return any(each in known.worth for each in terms(value.text.casefold()))
    return value.kind == "number" and value.text.isalpha()


def _takes_year(choice: OwnChoice, text: str) -> bool:
    """Whether an argument that speaks of no time would be given a year that the text speaks of, as
    in "What was the tax in 2024?"."""
    years = {int(each) for each in _YEAR.findall(text)}
    return any(
        isinstance(value, int) and value in years and not _OF_TIME.search(_words_of(choice, name))
        for name, value in choice.filling.arguments.items()
    )


def _words_of(choice: OwnChoice, argument: str) -> str:
    """The name and the description of an argument."""
    declared = [each for each in choice.command.declared if each["name"] == argument]
    return " ".join([argument, *(str(each.get("description", "")) for each in declared)])


def _filled(function: FunctionDescription, text: str, given: Mapping[str, str]) -> Filling:
    """The arguments from the words of a text, and from what a person said when asked."""
    filling = fill(function.parameters, text, function.description)
    arguments = dict(filling.arguments)
    missing: list[FunctionArgument] = []
    for argument in filling.missing:
        said = given.get(argument.name)
        value = value_of(argument, said) if said else None
        if value is None:
            missing.append(argument)
        else:
            arguments[argument.name] = value
    return replace(filling, arguments=arguments, missing=tuple(missing))


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
    first = kind.split(" or ")[0]
    form = {"format": first} if first in _FORMATS else {}
    return {"type": _TYPES.get(first, "string"), "description": said, **form}
