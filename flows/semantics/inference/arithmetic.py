"""Figures that are computed from others of their row, confirmed by every row that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

from flows.data.tables import Table
from flows.semantics.inference.evidence import MOST_ROWS, Evidence
from flows.semantics.inference.quantities import is_difference, is_proportion
from flows.semantics.inference.totals import figure_of
from flows.semantics.model import SemanticField

Form = Literal["a * b", "a * b * (1 - c)", "a * b * (1 - c / 100)", "a + b", "a - b", "a / b",
               "a / b * 100", "(a - b) / a"]  # fmt: skip
Figures = Sequence[float]
_FORMS: dict[Form, Callable[..., float]] = {
    "a * b": lambda a, b: a * b,
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a / b": lambda a, b: a / b,
    "a / b * 100": lambda a, b: a / b * 100,
    "(a - b) / a": lambda a, b: (a - b) / a,
    "a * b * (1 - c)": lambda a, b, c: a * b * (1 - c),
    "a * b * (1 - c / 100)": lambda a, b, c: a * b * (1 - c / 100),
}
_BOTH_WAYS = ("a - b", "a / b", "a / b * 100", "(a - b) / a")
RATIOS = ("a / b", "a / b * 100", "(a - b) / a")
_MOST_FIELDS = 9
_LEAST_ROWS = 8
_PLACES = 10
_SLACK = 1.05


@dataclass(frozen=True, slots=True)
class Identity:
    """The field `of` is `form` of the fields `parts` (a, b and c) in all rows."""

    of: str
    form: Form
    parts: tuple[str, ...]


def identities_of(
    table: Table, fields: Sequence[SemanticField], evidence: Evidence
) -> tuple[Identity, ...]:
    """The figures that others of their row give, one way for each: the first that all rows
    confirm, up to the last decimal place in which they are written. Only what is called a
    proportion, a rate or an average is found as the ratio of two others."""
    measures = [each for each in fields if each.role == "measure"][:_MOST_FIELDS]
    if len(measures) < 3:
        return ()
    rows = evidence.rows(table, [each.column for each in measures], MOST_ROWS)
    read = [[figure_of(c, f) for c, f in zip(row, measures, strict=True)] for row in rows or ()]
    known = {
        each.name: [row[at] for row in read]
        for at, each in enumerate(measures)
        if _varies(read, at)
    }
    slacks = {name: _slack(set(figures)) for name, figures in known.items()}
    shares = {each.name for each in measures if is_proportion(each.name, each.unit)}
    found: list[Identity] = []
    for form in _FORMS:
        for name in known:
            if (name in shares) is (form in RATIOS) and all(name != each.of for each in found):
                first = next(_confirmed(name, form, known, shares, slacks[name]), None)
                if first is not None and not _turned(first, found):
                    found.append(first)
    return tuple(found)


def _varies(rows: Sequence[Sequence[float | None]], at: int) -> bool:
    return len({row[at] for row in rows} - {None}) > 1


def _confirmed(
    name: str,
    form: Form,
    known: Mapping[str, Sequence[float | None]],
    shares: set[str],
    slack: float,
) -> Iterator[Identity]:
    others = [each for each in known if each != name]
    for parts in _choices(others, form):
        if not set(parts[:2]) & shares and _is_turned_right(name, form, parts):
            columns = [known[each] for each in (name, *parts)]
            if _holds(columns, _FORMS[form], slack):
                yield Identity(name, form, parts)


def _is_turned_right(name: str, form: Form, parts: tuple[str, ...]) -> bool:
    """Whether a difference is found as one, and not as a part of what it was taken from."""
    differences = [each for each in (name, *parts) if is_difference(each)]
    if form not in ("a + b", "a - b") or not differences:
        return True
    return form == "a - b" and differences == [name]


def _choices(names: Sequence[str], form: Form) -> Iterator[tuple[str, ...]]:
    if "c" not in form:
        yield from (permutations if form in _BOTH_WAYS else combinations)(names, 2)
        return
    for pair in combinations(names, 2):
        yield from ((*pair, third) for third in names if third not in pair)


def _slack(figures: Collection[float | None]) -> float:
    """Half of the last decimal place in which any of the figures is written."""
    written = (f"{each:.{_PLACES}f}".rstrip("0").partition(".")[2] for each in figures if each)
    return 0.5 * 10.0 ** -max((len(each) for each in written), default=0) * _SLACK


def _holds(
    columns: Sequence[Sequence[float | None]], compute: Callable[..., float], slack: float
) -> bool:
    """Whether it holds in all rows that have all figures, which have to be most rows."""
    looked = 0
    for row in zip(*columns, strict=True):
        if None in row:
            continue
        looked += 1
        result, *parts = row
        try:
            away = abs(compute(*parts) - result)
        except ZeroDivisionError:
            return False
        if away > max(slack, 1e-9 * abs(result or 0.0)):
            return False
    return looked >= max(_LEAST_ROWS, 0.5 * len(columns[0]))


def _turned(identity: Identity, found: Sequence[Identity]) -> bool:
    """Whether an equation says what another one says the other way round: a = b + c, b = a - c."""
    sides = {identity.of, *identity.parts}
    return any(sides == {each.of, *each.parts} for each in found)
