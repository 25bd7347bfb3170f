"""All that a team has found, as a summary looks at it: tables by their shapes, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from flows.analysis.methods.findings import (
    CorrelatedPair,
    Drivers,
    Findings,
    Relationships,
    Statements,
)
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.goals.kinds import End
from flows.analysis.team.rules.comparison import Gap, gaps_of, is_by_measure
from flows.analysis.team.rules.correlations import Twin, target_of, twins_of
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.scope import TaskScope
from flows.core.observation import Caution

_NAMED: Final = re.compile(r"\{\{.*?\}\}")
_BULLET: Final = re.compile(r"^(?:[-*•])\s+")


@dataclass(frozen=True)
class Outcome:
    """What came of one task: the fields of the shared memory, and its table."""

    given: Mapping[str, Any]
    sheet: Sheet

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Outcome:
        return cls(given, Sheet.of(given))

    @property
    def task(self) -> str:
        return str(self.given.get("sub_task") or "")

    @property
    def status(self) -> str:
        return str(self.given.get("status") or "")

    @property
    def cautions(self) -> tuple[Caution, ...]:
        return tuple(map(Caution.model_validate, self.given.get("cautions") or ()))

    @cached_property
    def insights(self) -> tuple[str, ...]:
        """Its sentences; those of a goal's summary are its lines."""
        lines = (line for each in self.given.get("insights") or () for line in each.splitlines())
        return tuple(text for each in lines if (text := _BULLET.sub("", each.strip())))

    @cached_property
    def scope(self) -> TaskScope:
        return TaskScope.of(self.given.get("request"))

    @cached_property
    def findings(self) -> Findings | None:
        return self.scope.findings_in(self.sheet)

    @property
    def links(self) -> tuple[CorrelatedPair, ...]:
        return self.findings.found if isinstance(self.findings, Relationships) else ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the data that it is about, and those of its result."""
        pairs = self.findings.names if isinstance(self.findings, Relationships) else ()
        return (*self.sheet.columns, *self.scope.fields, *pairs)

    @property
    def states(self) -> bool:
        """Whether its method says itself what its rows mean."""
        return isinstance(self.findings, Statements)

    @property
    def model(self) -> Drivers | None:
        return self.findings if isinstance(self.findings, Drivers) else None


@dataclass(frozen=True)
class TaskEvidence:
    """The outcomes of a question's tasks, those of one table together."""

    goal: BusinessGoal
    outcomes: tuple[Outcome, ...]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> TaskEvidence:
        outcomes = tuple(Outcome.of(each) for each in given.get("results") or ())
        return cls(BusinessGoal(str(given.get("question") or "")), outcomes)

    @cached_property
    def done(self) -> tuple[Outcome, ...]:
        return tuple(each for each in self.outcomes if each.status == "done")

    @cached_property
    def tables(self) -> tuple[Outcome, ...]:
        """What was done, each table once, by the task that made it."""
        found: dict[str, Outcome] = {}
        for at, each in enumerate(self.done):
            if each.sheet.rows:
                found.setdefault(each.sheet.name or f"#{at}", each)
        return tuple(found.values())

    @cached_property
    def entity(self) -> str:
        """The one that the question is about: a name in what was found, or a value of rows that
        were asked for."""
        for each in self.tables:
            plain = not each.links and each.model is None and not each.states
            if plain and not is_by_measure(each.sheet):
                found = next(filter(self.goal.has_value, _texts(each.sheet)), "")
                if found and found.casefold() not in map(str.casefold, each.sheet.columns):
                    return found
        named = (v for each in self.outcomes for v in (*each.scope.compared, *each.scope.values))
        return next(filter(self.goal.has_value, named), "")

    @cached_property
    def end(self) -> End:
        """Which end of an order was asked for."""
        return next((each.scope.end for each in self.done if each.scope.end), "")

    @cached_property
    def gaps(self) -> tuple[str, list[Gap]]:
        """How the one that the question is about stands beside the others."""
        for each in self.tables:
            if each.links or each.model is not None or each.states or not each.sheet.whole:
                continue
            who, found = gaps_of(each.sheet, self.goal, each.scope)
            if found:
                return who, found
        return "", []

    @cached_property
    def models(self) -> tuple[Outcome, ...]:
        """The outcomes with a model, of all rows before those of the one that is asked about."""
        found = [each for each in self.tables if each.model is not None]
        return tuple(sorted(found, key=lambda each: self.is_narrow(each)))

    @cached_property
    def correlated(self) -> tuple[Outcome, ...]:
        found = [each for each in self.tables if each.links]
        return tuple(sorted(found, key=lambda each: (self.is_narrow(each), -len(each.links))))

    def is_narrow(self, each: Outcome) -> bool:
        """Whether a task was only about a part of the rows, or the one that the question names."""
        return any(each.scope.bound) or each.scope.is_about(self.entity)

    @cached_property
    def twins(self) -> list[tuple[str, str]]:
        """The columns that say the same as others: copy and original."""
        found: dict[str, str] = {}
        for each in self.correlated:
            target = target_of(each.links, self.goal, each.scope)
            pairs: Sequence[Twin] = twins_of(each.links, target)
            found.update((copy, original) for copy, original, _ in pairs if copy not in found)
        for each in self.models:
            if each.model is not None:
                for copy, original in each.model.twins:
                    found.setdefault(copy, original)
        return [(copy, original) for copy, original in found.items() if original not in found]

    def mentions(self, name: str) -> bool:
        """Whether anything that was done speaks of it."""
        folded = name.casefold()
        for each in self.done:
            said = (str(each.given.get("response") or ""), *each.insights)
            if each.scope.is_about(name) or any(folded in text.casefold() for text in said):
                return True
            if any(folded == cell.casefold() for cell in _texts(each.sheet)):
                return True
        return False


def _texts(sheet: Sheet) -> Iterator[str]:
    return (cell for row in sheet.rows for cell in row if isinstance(cell, str))


def skeleton(text: str) -> str:
    """A sentence without its numbers, to see whether another says the same."""
    return " ".join(_NAMED.sub("#", text).casefold().split())


def references(text: str) -> frozenset[str]:
    """The references of a text, without their formats."""
    return frozenset(each.partition("|")[0].strip("{} ") for each in _NAMED.findall(text))
