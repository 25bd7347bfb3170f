"""The answer to a question in one or two sentences, made from the cells of its result only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeGuard

from flows.analysis.telling.cells import CitedCell, Row, derived, foreign, tell
from flows.analysis.telling.query_words import QueryWords, in_words, plural_of
from flows.core.observation import Cell
from flows.semantics.kinds import columns_of, with_evidence
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Expression, FieldRef, OneOf, Order, Period, Query
from flows.semantics.series import is_series

Rows = Sequence[Row]
_LISTED = 12
_SERIES = 6


def answer(
    query: Query,
    model: SemanticModel,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total_rows: int | None = None,
    result: str | None = None,
) -> str:
    """Say what a query's result says. `rows` may be the first of `total_rows`.

    The cells must be those that the query shows, in order, and may be followed by the figures by
    which the first rows came first; other results are listed as they are. With the name of the
    `result` that keeps them, numbers are written as references to its cells.
    """
    total = len(rows) if total_rows is None else total_rows
    return answer_of_cells(query, model, columns, tell(columns, rows, result), total)


def answer_of_cells(
    query: Query, model: SemanticModel, columns: Sequence[str], rows: Rows, total: int
) -> str:
    """The same of cells that are already told."""
    said = _Answer(query, model, len(columns))
    if not rows:
        return foreign(f"No row of {query.dataset}{said.words.about()} answers this.")
    if len(rows) == 1 and all(cell.value is None for cell in rows[0]):
        return foreign(said.nothing())
    if len(said.terms) != len(columns) or query.transforms or query.compare:
        return _listing(columns, rows, total)
    return said.told(rows, total)


def listing(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int | None = None,
    result: str | None = None,
) -> str:
    """The rows of any result, the first of them written out."""
    return _listing(columns, tell(columns, rows, result), len(rows) if total is None else total)


def _listing(columns: Sequence[str], rows: Rows, total: int) -> str:
    if not rows:
        return "The result is empty."
    names = [foreign(name) for name in columns]
    if len(rows) == 1 and total == 1:
        return "; ".join(f"{n} is {c.text()}" for n, c in zip(names, rows[0], strict=True)) + "."
    shown = [", ".join(cell.text() for cell in row) for row in rows[:_LISTED]]
    more = f" ({_first(len(shown))} of {total:,} rows)" if total > len(shown) else ""
    return _ended(f"{', '.join(names)}{more}: " + "; ".join(shown))


def _first(size: int) -> str:
    return f"the first {in_words(size)}"


def _cell(term: Expression, cell: CitedCell) -> str:
    if isinstance(term, Aggregate) and term.function == "share" and cell.value is not None:
        return f"{cell.text()} %"
    if not isinstance(term, Aggregate) and isinstance(cell.value, int):
        return cell.text("plain" if abs(cell.value) < 1_000_000 else "")
    return cell.text()


def _ended(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


_OPENERS = re.compile(r"(?:in|since|after|before|until|between|the|there|those|year) ")
_ORDINALS = {1: "second ", 2: "third ", 3: "fourth ", 4: "fifth "}


class _Answer:
    """Tells the rows of one query. `terms` are what their cells are of."""

    def __init__(self, query: Query, model: SemanticModel, width: int) -> None:
        self.query = query
        self.words = QueryWords(query, model)
        shown = columns_of(query, model)
        proven = columns_of(with_evidence(query, model), model)
        self.terms = proven if len(proven) == width else shown
        self.asked = shown
        leading = shown[: len(query.by)] == query.by
        self.is_series = is_series(query, model) and leading and not _comes_again(shown[0])
        taken = (query.rank.by or query.sort) if query.rank else ()
        self.first: Order | None = taken[0] if taken else None

    def told(self, rows: Rows, total: int) -> str:
        if self.is_series:
            return self.trend(rows, total)
        if self.first is not None:
            return self.ranking(rows)
        if self.query.by:
            return self.groups(rows, total)
        return self.single(rows[0]) if self.query.metrics else self.list(rows, total)

    def is_figure(self, term: Expression) -> bool:
        """Whether a column holds figures of groups, and not what tells groups apart."""
        grouped = bool(self.query.by or self.query.metrics)
        return grouped and term not in (*self.query.by, *self.query.identity)

    def nothing(self) -> str:
        """One row in which nothing stands: rows were found, or groups, but no value in them."""
        about = self.words.about()
        asked = [term for term in self.asked if not self.is_figure(term)]
        if self.first is not None and asked:
            names = " and the ".join(map(self.words.term, asked))
            return f"The {names} with {self.superlative(self.first.by)}{about} is missing."
        measured = [each.of for each in self.asked if isinstance(each, Aggregate) and each.of]
        if not measured or self.query.by:
            return f"No row of {self.query.dataset}{about} answers this."
        names = " or ".join(dict.fromkeys(map(self.words.term, measured)))
        return f"No row of {self.query.dataset}{about} has a value of {names}."

    def sentence(self, text: str) -> str:
        """A sentence that begins with the time that it is about, if it is about one."""
        when = self.words.time()
        text = f"{when}, {text}" if when else text
        # A name that comes first stays as the data writes it.
        return _ended(f"{text[:1].upper()}{text[1:]}" if _OPENERS.match(text) else text)

    def pairs(self, row: Row) -> list[tuple[Expression, CitedCell]]:
        return list(zip(self.terms, row, strict=True))

    def single(self, row: Row) -> str:
        """One row of figures: a count as `there are`, others as `the average M is`."""
        about = self.words.others()
        be = "was" if self.words.time() else "is"
        said = []
        for place, (term, cell) in enumerate(self.pairs(row)):
            if _counts(term) and not place and isinstance(cell.value, int):
                said.append(self.there(term, cell) + about)
                continue
            words = self.words.term(term)
            said.append(f"the {words}{'' if place else about} {be} {_cell(term, cell)}")
        return self.sentence("; ".join(said))

    def there(self, term: Expression, cell: CitedCell) -> str:
        past = bool(self.words.time())
        one = cell.value == 1
        be = ("was" if past else "is") if one else ("were" if past else "are")
        return f"there {be} {cell.text()} {self.things(term, 1 if one else 2)}"

    def things(self, term: Expression, size: int) -> str:
        """What a count counts: rows of a dataset, or the different values of a field."""
        of = term.of if isinstance(term, Aggregate) else term
        one = size == 1
        if of is None:
            return f"{'row' if one else 'rows'} of {self.query.dataset}"
        words = self.words.term(of)
        if isinstance(term, Aggregate) and term.function == "count":
            return f"{'value' if one else 'values'} of {words}"
        several = plural_of(words)
        if one:
            return words if several else f"value of {words}"
        return f"different {several or f'values of {words}'}"

    def ranking(self, rows: Rows) -> str:
        """Who came first, and with which value: `Marsh had the highest average mass: 40.2.`"""
        assert self.first is not None
        by, about = self.first.by, self.words.others()
        key = self.superlative(by)
        found = []
        for row in rows[:_LISTED]:
            pairs = self.pairs(row)
            asked = [self.named(t, c) for t, c in pairs if t in self.asked and t != by]
            proof = [_cell(t, c) for t, c in pairs if t == by]
            found.append((", ".join(asked), ", ".join(proof)))
        winner, value = found[0]
        if len(found) == 1 and winner:
            have = "had" if self.words.time() else "has"
            return self.sentence(f"{winner} {have} {key}{about}" + (f": {value}" if value else ""))
        if len(found) == 1:
            return self.sentence(f"{key}{about} is {value}")
        lines = [f"{asked}: {proof}" if asked and proof else asked or proof
                 for asked, proof in found]  # fmt: skip
        several = key.replace("the ", f"the {in_words(len(rows))} ", 1)
        if _counts(by) and by.of is None:
            several = f"those with {key}"
        return self.sentence(f"{several}{about}: " + "; ".join(lines))

    def superlative(self, by: Expression) -> str:
        assert self.first is not None
        assert self.query.rank is not None
        most, skip = self.first.descending, self.query.rank.skip
        place = _ORDINALS.get(skip, f"number {skip + 1} ") if skip else ""
        if _counts(by) and (by.of is None or by.function == "count distinct"):
            return f"the {place}{'most' if most else 'fewest'} {self.things(by, 2)}"
        return f"the {place}{'highest' if most else 'lowest'} {self.words.term(by)}"

    def named(self, term: Expression, cell: CitedCell) -> str:
        """A winner that is only a number is given with what it is a number of."""
        text = _cell(term, cell)
        number = isinstance(cell.value, int | float)
        return f"{self.words.term(term)} {text}" if number else text

    def trend(self, rows: Rows, total: int) -> str:
        """First, last, difference and percent of each series."""
        if total > len(rows):
            return _listing([self.words.term(t) for t in self.terms], rows, total)
        width = len(self.query.by)
        about = self.words.others()
        series: dict[tuple[Cell, ...], list[Row]] = {}
        for row in rows:
            series.setdefault(tuple(cell.value for cell in row[1:width]), []).append(row)
        parts = []
        for points in list(series.values())[:_SERIES]:
            name = ", ".join(cell.text() for cell in points[0][1:width])
            for place, term in enumerate(self.terms[width:], width):
                what = f"the {self.words.term(term)}{about}"
                parts.append(_change(name, what, points, place))
        more = f" ({_first(_SERIES)} of {len(series)} series)" if len(series) > _SERIES else ""
        text = "; ".join(parts) + more
        return _ended(f"{text[:1].upper()}{text[1:]}" if text.startswith("the ") else text)

    def groups(self, rows: Rows, total: int) -> str:
        """Each group with its figures; of two that were compared, the difference."""
        shown = rows[:_LISTED]
        figures = [i for i, term in enumerate(self.terms) if self.is_figure(term)]
        fields = [i for i in range(len(self.terms)) if i not in figures]
        lines = []
        for row in shown:
            key = ", ".join(_cell(self.terms[i], row[i]) for i in fields)
            value = ", ".join(_cell(self.terms[i], row[i]) for i in figures)
            lines.append(f"{key}: {value}" if value else key)
        keys = " and ".join(self.words.term(self.terms[i]) for i in fields)
        what = " and the ".join(self.words.term(self.terms[i]) for i in figures)
        head = f"the {what} for each {keys}" if what else f"the groups of {keys}"
        more = f" ({_first(len(shown))} of {total:,} groups)" if total > len(shown) else ""
        difference = self.difference(rows, figures)
        # The difference stands in one sentence with the two values that it comes from.
        text = f"{head}{self.words.others()}{more}: "
        return self.sentence(text + (" and " if difference else "; ").join(lines) + difference)

    def difference(self, rows: Rows, figures: Sequence[int]) -> str:
        chosen = {each.of for each in self.words.conditions if isinstance(each, OneOf)}
        if len(rows) != 2 or len(figures) != 1 or not chosen & set(self.query.by):
            return ""
        more, less = rows[0][figures[0]], rows[1][figures[0]]
        one, other = more.value, less.value
        if not isinstance(one, int | float) or not isinstance(other, int | float) or one == other:
            return ""
        if one < other:
            more, less = less, more
        return f" (a difference of {derived('difference', more, less, '', abs(one - other))})"

    def list(self, rows: Rows, total: int) -> str:
        """The rows of a list: how many there are of what, and the first of them."""
        shown = rows[:_LISTED]
        lines = [", ".join(_cell(t, c) for t, c in self.pairs(row)) for row in shown]
        what = " and the ".join(map(self.words.term, self.terms))
        about, past = self.words.others(), bool(self.words.time())
        if total == 1:
            return self.sentence(f"the {what}{about} {'was' if past else 'is'} {lines[0]}")
        more = f", of which {_first(len(shown))}" if total > len(shown) else ""
        unique = self.query.unique
        unique |= len({tuple(c.value for c in row) for row in rows}) == total
        first = self.terms[0]
        unlike = plural_of(first.field) if isinstance(first, FieldRef) else None
        sorted_by = {order.by for order in self.query.sort}
        if unique and len(self.terms) == 1 and unlike and first not in sorted_by:
            be = "were" if past else "are"
            text = f"there {be} {total:,} {unlike}{about}{more}: "
            return self.sentence(text + "; ".join(lines))
        return self.sentence(f"the {what}{about} ({total:,} rows{more}): " + "; ".join(lines))


def _comes_again(term: Expression) -> bool:
    """Whether a period is one of each year, week or day, between whose ends nothing changes."""
    return isinstance(term, Period) and (" of " in term.grain or term.grain == "weekday")


def _counts(term: Expression) -> TypeGuard[Aggregate]:
    return isinstance(term, Aggregate) and term.function in ("count", "count distinct")


def _change(name: str, what: str, points: Rows, place: int) -> str:
    known = [
        point for point in points if point[place].value is not None and point[0].value is not None
    ]
    head = f"{name}: {what}" if name else what
    if not known:
        return f"{head} is missing throughout"
    (since, begin), (until, end) = (
        (row[0].text("plain"), row[place]) for row in (known[0], known[-1])
    )
    one, other = begin.value, end.value
    if len(known) == 1 or not isinstance(one, int | float) or not isinstance(other, int | float):
        return f"{head} is {begin.text()} in {since}, the only point in time"
    if one == other:
        return f"{head} was {begin.text()} in {since} and the same in {until}"
    difference = derived("difference", end, begin, "+", other - one)
    percent = ""
    if one:
        percent = ", " + derived("change", begin, end, "+.1%", (other - one) / abs(one))
    return (
        f"{head} {'rose' if other > one else 'fell'} from {begin.text()} in {since} to "
        f"{end.text()} in {until} (a difference of {difference}{percent})"
    )
