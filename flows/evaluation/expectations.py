"""What a case expects an analysis to find: each kind can say why it was not found."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from flows.data.answers.citations import Citation
from flows.evaluation.analysis import TOLD, AnalystOutcome, Part
from flows.evaluation.compare import numbers_of
from flows.evaluation.evidence import rankings, signs, superlative
from flows.evaluation.names import names

Name = Annotated[str, Field(min_length=1)]
_READ: Final[tuple[Part, ...]] = ("summary", "insights", "cautions", "limits")


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"it is no regular expression: {error}") from error
    return pattern


Pattern = Annotated[Name, AfterValidator(_compiles)]


class Expected(BaseModel):
    """One finding that is expected."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    def guards(self) -> bool:
        """Whether it also holds where nothing was found at all."""
        return False

    def missing(self, found: AnalystOutcome) -> str:
        """Why it is not there; empty when it is."""
        raise NotImplementedError


class DriverFound(Expected):
    """A column is among the first that count, and the reader is told of it."""

    driver: Name
    among: int = Field(default=3, ge=1)
    target: str = ""

    def missing(self, found: AnalystOutcome) -> str:
        ranked = list(rankings(found, self.target))
        if not any(self.driver in each[: self.among] for each in ranked):
            seen = "; ".join(", ".join(each[: self.among]) for each in ranked) or "no ranking"
            return f"{self.driver} is not among the first {self.among}: {seen}"
        told = any(names(each, self.driver) for each in found.texts(TOLD))
        return "" if told else f"{self.driver} is named in no told text"


class NoDriver(Expected):
    """A column is in no ranking among the first."""

    no_driver: Name
    among: int = Field(default=3, ge=1)

    @property
    def guards(self) -> bool:
        return True

    def missing(self, found: AnalystOutcome) -> str:
        for each in rankings(found):
            if self.no_driver in each[: self.among]:
                return f"{self.no_driver} is among the first {self.among}: {', '.join(each[:9])}"
        return ""


class DirectionFound(Expected):
    """With more of a column there is more or less of another; nothing that is told says otherwise.

    What the reader is told counts; where that names no direction, what models and tables hold.
    """

    direction: Name
    sign: Literal["+", "-"]
    of: str = ""

    def missing(self, found: AnalystOutcome) -> str:
        told, computed = signs(found, self.direction, self.of)
        wanted = 1 if self.sign == "+" else -1
        seen = told or computed
        if seen and sum(sign == wanted for sign in seen) * 2 > len(seen):
            named = any(names(each, self.direction) for each in found.texts(TOLD))
            return "" if named else f"{self.direction} is named in no told text"
        what = f"of {self.direction} the direction is {self.sign}"
        return f"{what}, and found was {seen}" if seen else f"{what}, and none was found"


class NumberFound(Expected):
    """A number that the reader is told, and whose origin is known, is one of these, within a share
    of it."""

    number: float | tuple[float, ...]
    within: float = Field(default=0.01, ge=0)
    absolute: float = Field(default=0.0, ge=0)

    def missing(self, found: AnalystOutcome) -> str:
        wanted = self.number if isinstance(self.number, tuple) else (self.number,)
        cited = [each for told in found.told for each in told.citations if each.traced]
        if any(self._is(value, each) for each in cited for value in wanted):
            return ""
        shown = " or ".join(f"{each:g}" for each in wanted)
        said = ", ".join(each.text for each in cited[:12]) or "none"
        return f"no number with an origin is {shown}; there are {said}"

    def _is(self, wanted: float, cited: Citation) -> bool:
        room = max(self.absolute, abs(wanted) * self.within)
        return any(math.isclose(each, wanted, rel_tol=1e-9, abs_tol=room) for each in _read(cited))


class Says(Expected):
    """A text of these parts of the report fits the pattern, in any case."""

    says: Pattern
    where: tuple[Part, ...] = _READ

    def missing(self, found: AnalystOutcome) -> str:
        for each in found.texts(self.where):
            if re.search(self.says, each, re.IGNORECASE):
                return ""
        return f"nothing in {', '.join(self.where)} fits {self.says!r}"


class NeverSays(Expected):
    """No text of these parts fits the pattern, in any case."""

    never_says: Pattern
    where: tuple[Part, ...] = _READ

    @property
    def guards(self) -> bool:
        return True

    def missing(self, found: AnalystOutcome) -> str:
        for each in found.texts(self.where):
            if match := re.search(self.never_says, each, re.IGNORECASE):
                return f"it says {match[0]!r}"
        return ""


class HighestFound(Expected):
    """Of some groups this one is said to have the most; no sentence says it of another."""

    highest: Name
    among: tuple[Name, ...] = Field(min_length=2)

    def missing(self, found: AnalystOutcome) -> str:
        return _not_named(found, "highest", self.highest, self.among)


class LowestFound(Expected):
    """Of some groups this one is said to have the least; no sentence says it of another."""

    lowest: Name
    among: tuple[Name, ...] = Field(min_length=2)

    def missing(self, found: AnalystOutcome) -> str:
        return _not_named(found, "lowest", self.lowest, self.among)


class ModelFound(Expected):
    """A model of that target is so good on rows that it has not seen, and no better."""

    model: Name
    metric: Name
    at_least: float = -math.inf
    at_most: float = math.inf

    def missing(self, found: AnalystOutcome) -> str:
        held = {
            f"{each.kind} {metric.name}": metric.held_out
            for each in found.models if each.target == self.model for metric in each.metrics
            if _plain(metric.name) == _plain(self.metric) and metric.held_out is not None
        }  # fmt: skip
        good = [each for each in held.values() if self.at_least <= each <= self.at_most]
        if held and len(good) == len(held):
            return ""
        seen = ", ".join(f"{name} {value:.4g}" for name, value in held.items()) or "none"
        return (
            f"{self.metric} of {self.model} is not in {self.at_least:g} to {self.at_most:g}: {seen}"
        )


class AnsweredAs(Expected):
    """The summary says of itself that it answers, partly or not at all."""

    answered: tuple[Literal["answered", "partly", "unanswered"], ...] = Field(min_length=1)

    @property
    def guards(self) -> bool:
        return "unanswered" not in self.answered

    def missing(self, found: AnalystOutcome) -> str:
        return "" if found.status in self.answered else f"it is {found.status}"


class DocumentRead(Expected):
    """A passage of a document is among the first that were found to help."""

    document: Name
    among: int = Field(default=3, ge=1)

    def missing(self, found: AnalystOutcome) -> str:
        seen = [each.document for each in found.passages[: self.among]]
        if any(each == self.document or each.endswith(f"/{self.document}") for each in seen):
            return ""
        return f"no passage of {self.document}, but of {', '.join(seen) or 'no document'}"


KINDS: Final[Mapping[str, type[Expected]]] = {
    "driver": DriverFound, "no_driver": NoDriver, "direction": DirectionFound,
    "number": NumberFound, "says": Says, "never_says": NeverSays, "highest": HighestFound,
    "lowest": LowestFound, "model": ModelFound, "answered": AnsweredAs, "document": DocumentRead,
}  # fmt: skip


def expected_of(values: object) -> Expected:
    """A finding as a file has it. Errors: `ValueError`, which says what is wrong."""
    kinds = [name for name in KINDS if isinstance(values, Mapping) and name in values]
    if len(kinds) != 1:
        said = " and ".join(kinds) or "none"
        raise ValueError(f"a finding has one of {', '.join(KINDS)}; it has {said}")
    try:
        return KINDS[kinds[0]].model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"`{where}` of a finding: {first['msg']}") from error


def _not_named(found: AnalystOutcome, which: str, group: str, among: tuple[str, ...]) -> str:
    said = list(superlative(found, which, tuple(dict.fromkeys((*among, group)))))
    if said and sum(each == group for each in said) * 2 > len(said):
        return ""
    named = ", ".join(dict.fromkeys(said)) or "of none"
    return f"{group} is the {which}, and that is said of {named}"


def _read(cited: Citation) -> Iterator[float]:
    """What a cited number may be: its cell, without its sign where the words say it ("falls by");
    else as it is written."""
    if isinstance(cited.value, int | float) and not isinstance(cited.value, bool):
        value = float(cited.value)
        yield from (value, abs(value)) if cited.text[:1].isdigit() else (value,)
    else:
        yield from numbers_of(cited.text)


def _plain(name: str) -> str:
    word = re.sub(r"[\W_]", "", name.replace("²", "2")).casefold()
    return {"rsquared": "r2", "determination": "r2"}.get(word, word)
