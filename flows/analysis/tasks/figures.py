"""The figures of a result, each with what it is of: its statistic, its row, its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flows.analysis.tasks.bins import BinsText, bin_of
from flows.analysis.tasks.statistics import spoken, statistic_in
from flows.core.observation import Cell
from flows.semantics.query import Aggregate, Constant, Expression, FieldRef, Match, OneOf, Query
from flows.semantics.request import Analysis, Prepare, Request
from flows.semantics.tree import parts

# The figure that a method is about, where a field does not say which it wants.
_PRINCIPAL = {"correlation": "correlation", "missing_values": "missing", "outliers": "outliers"}
# Aggregate functions whose figure has another name.
_FUNCTIONS = {"share": "percent"}
# Words for what comes first of all groups.
_RANKED = frozenset(("top", "first", "best", "highest", "lowest", "group", "category", "name"))


@dataclass(frozen=True, slots=True)
class RequestResult:
    """What one request of a task came to."""

    request: Request | None
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class ResultFigure:
    """A cell. `labels` are the words that tell its row from others, `about` those of the columns
    and values that it was computed of; the `principal` figure is the one that was asked for."""

    statistic: str
    value: Cell
    row: int
    labels: frozenset[str]
    about: frozenset[str]
    principal: bool
    column: str = ""


def figures_of(result: RequestResult, bins: tuple[BinsText, ...] = ()) -> tuple[ResultFigure, ...]:
    """All figures of a result; those of a named range have its name as a label."""
    request, about = result.request, frozenset[str]()
    if isinstance(request, Prepare):
        about, request = _words_in(request.steps), request.then
    if isinstance(request, Query):
        return tuple(_of_query(request, result, about, bins))
    if isinstance(request, Analysis):
        return tuple(_of_analysis(request, result, about))
    return ()


def _of_query(
    query: Query, result: RequestResult, about: frozenset[str], bins: tuple[BinsText, ...]
) -> Iterator[ResultFigure]:
    about |= _words_in((query.where, query.having)) | set(spoken(query.dataset).split())
    if query.by and not query.metrics and query.rank is not None and len(result.rows) > 1:
        for row, cells in enumerate(result.rows):  # the first, the second
            words, place = about | _words_in(query.by), frozenset([str(row + 1)])
            yield ResultFigure("", cells[0], row, place, words, True, result.columns[0])
        return
    if query.by and not query.metrics and query.rank is not None and query.rank.n == 1:
        for cells in result.rows[:1]:  # what comes first of all is the answer
            words = about | _words_in(query.by)
            yield ResultFigure("mode", cells[0], 0, frozenset(), words, True, result.columns[0])
        return
    shown = query.show or (*query.by, *query.metrics)
    if len(shown) != len(result.columns) or query.compare is not None or query.combine:
        return
    figures = [at for at, each in enumerate(shown) if each not in query.by]
    if query.by and query.rank is not None and query.rank.n == 1 and len(result.rows) == 1:
        about |= _RANKED
        for at in set(range(len(shown))) - set(figures):
            words = about | _words_in(query.by)
            yield ResultFigure("", result.rows[0][at], 0, frozenset(), words, False,
                               result.columns[at])  # fmt: skip
    first = len({_unbinned(shown[at]) for at in figures}) < 2
    alone = not figures and len(shown) == 1
    for row, cells in enumerate(result.rows):
        labels = frozenset(
            word for at, cell in enumerate(cells) if at not in figures for word in _label(cell)
        )
        for at in figures or ([0] if alone else []):
            of = shown[at]
            words = about | _words_in(of) | _words_in(query.by)
            named = _label(bin_of(of, bins)) if isinstance(of, Aggregate) else ()
            name = result.columns[at]
            yield ResultFigure(
                _statistic(of), cells[at], row, labels.union(named), words, first, name
            )


def _unbinned(of: Expression) -> Expression:
    return of.model_copy(update={"where": None}) if isinstance(of, Aggregate) else of


def _statistic(of: Expression) -> str:
    if isinstance(of, Aggregate):
        return _FUNCTIONS.get(of.function, of.function)
    return ""


def _of_analysis(
    analysis: Analysis, result: RequestResult, about: frozenset[str]
) -> Iterator[ResultFigure]:
    about |= _words_in(analysis.over) | _words_in(analysis.arguments)
    principal = _PRINCIPAL.get(analysis.method, "")
    groups = {*analysis.fields("group"), "column", "first", "second"}
    for row, cells in enumerate(result.rows):
        given = dict(zip(result.columns, cells, strict=True))
        if "metric" in given:  # a measure of a model, where it was tested
            measure, held = str(given["metric"]).lower(), given.get("held_out")
            yield ResultFigure(measure, held, row, frozenset(), about, False, measure)
            continue
        labels = frozenset(w for name in groups & given.keys() for w in _label(given[name]))
        for name, value in given.items():
            if name in groups:
                continue
            said, more = statistic_in(name)
            statistic = name if more or not said else said
            yield ResultFigure(statistic, value, row, labels, about, statistic == principal, name)


def _label(cell: Cell) -> list[str]:
    return spoken(str(cell)).split()


def _words_in(node: object) -> frozenset[str]:
    """The words of the fields and values that stand in a part of a request."""
    texts: list[str] = []
    for each in parts(node):
        if isinstance(each, FieldRef):
            texts += [each.dataset, each.field]
        elif isinstance(each, Constant):
            texts.append(str(each.value))
        elif isinstance(each, OneOf):
            texts += map(str, each.values)
        elif isinstance(each, Match):
            texts.append(each.text)
        elif isinstance(name := getattr(each, "name", None), str):
            texts.append(name)
    return frozenset(word for text in texts for word in spoken(text).split())
