"""What a task computed, as its request says it: of which columns and rows, by which method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from flows.analysis.language.phrasebook import COMPARISONS
from flows.analysis.methods.catalog import BY_NAME, find_findings
from flows.analysis.methods.findings import Drivers, Findings, Metrics, Purpose, Statements
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.goals.kinds import End
from flows.semantics.query import And, Comparison, Constant, FieldRef, OneOf, Predicate, Query
from flows.semantics.request import REQUEST, Analysis, Chart, Prepare, Request, Unparsed
from flows.semantics.tree import parts

_TARGET: Final = "target"


@dataclass(frozen=True)
class TaskScope:
    """The request of a task. `values` are those of categories that its rows have, `compared` those
    of the group that is set beside others; `bound` is how a number of its rows is limited, as
    (`hours`, `at most 9`), `end` is which end of a figure comes first. A task without a request
    has no scope that is known."""

    method: str = ""
    target: str = ""
    fields: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    bound: tuple[str, str] = ("", "")
    end: End = ""
    answers: frozenset[Purpose] = field(default=frozenset({"question"}))

    @classmethod
    def of(cls, given: object) -> TaskScope:
        """The scope of a request, or of its fields as JSON; empty where nothing was read."""
        if given is None:
            return cls()
        request: Request = REQUEST.validate_python(given)
        if isinstance(request, Unparsed):
            return cls()
        done = request
        while isinstance(done, Chart | Prepare):
            done = done.of if isinstance(done, Chart) else done.then
        query = done.over if isinstance(done, Analysis) else done
        where = query.where if isinstance(query, Query) else None
        named = [each for each in parts(request) if isinstance(each, FieldRef)]
        held = tuple(_held(where))
        return cls(
            method=done.method if isinstance(done, Analysis) else "",
            target=next(iter(done.fields(_TARGET)), "") if isinstance(done, Analysis) else "",
            fields=tuple(dict.fromkeys(each.field for each in named)),
            tables=tuple(dict.fromkeys(each.dataset for each in named)),
            values=tuple(dict.fromkeys(_values(held))),
            compared=_compared(query) if isinstance(query, Query) else (),
            bound=next(_bounds(held), ("", "")),
            end=_end(query) if isinstance(query, Query) else "",
            answers=_answers(done),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The tables, columns and values that it is about."""
        return (*self.tables, *self.fields, *self.values, *self.compared)

    @property
    def is_part(self) -> bool:
        """Whether it is of a part of the rows."""
        return bool(self.values) or any(self.bound)

    def findings_in(self, sheet: Sheet) -> Findings | None:
        """What its result says; of a result of which only some rows are here, its metrics, and
        what its first rows are enough for."""
        found = find_findings(sheet, self.method) if sheet.rows else None
        told = isinstance(found, Metrics) or (isinstance(found, Statements) and found.partial)
        if not sheet.whole and not told:
            return None
        if isinstance(found, Drivers | Metrics) and not found.target:
            return replace(found, target=self.target)
        return found

    def is_about(self, name: str) -> bool:
        """Whether a value of its rows is that name."""
        return name.casefold() in map(str.casefold, (*self.values, *self.compared))


def _answers(done: Request) -> frozenset[Purpose]:
    """The kinds of question that a task answers."""
    found: frozenset[Purpose] = frozenset({"question"})
    if isinstance(done, Query) and done.rank is not None:
        return found | {"ranking"}
    method = BY_NAME.get(done.method) if isinstance(done, Analysis) else None
    return found | method.answers if method is not None else found


def _end(query: Query) -> End:
    """Which end of a figure its rows come in the order of."""
    orders = query.rank.by if query.rank is not None and query.rank.by else query.sort
    first = next(iter(orders), None)
    if first is None or first.by in query.by:
        return ""
    return "high" if first.descending else "low"


def _held(where: Predicate | None) -> Iterator[Predicate]:
    """The conditions that all hold."""
    if isinstance(where, And):
        for each in where.of:
            yield from _held(each)
    elif where is not None:
        yield where


def _values(held: tuple[Predicate, ...]) -> Iterator[str]:
    for each in held:
        match each:
            case Comparison(operator="=", right=Constant(value=str() as value)):
                yield value
            case OneOf():
                yield from (value for value in each.values if isinstance(value, str))


def _bounds(held: tuple[Predicate, ...]) -> Iterator[tuple[str, str]]:
    for each in held:
        match each:
            case Comparison(
                left=FieldRef(field=name), right=Constant(value=float() | int() as bound)
            ):
                if each.operator not in ("=", "!="):
                    yield name, f"{COMPARISONS.write(each.operator)} {bound:,}"


def _compared(query: Query) -> tuple[str, ...]:
    """The values of the first of two groups that are set side by side."""
    return tuple(_values(tuple(_held(query.compare.a.where)))) if query.compare else ()
