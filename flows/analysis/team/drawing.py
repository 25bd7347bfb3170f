"""Charts as they are drawn of one table: which columns, over which rows, in which form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flows.analysis.compiler.frames import FrameLimit, filter_lines, query_lines
from flows.analysis.methods.arguments import plots
from flows.analysis.methods.box_plot.arguments import BoxPlot
from flows.analysis.methods.correlation.arguments import Correlation
from flows.analysis.methods.distribution.arguments import Distribution
from flows.analysis.methods.picture import picture_query
from flows.analysis.methods.scatter_plot.arguments import ScatterPlot
from flows.analysis.methods.subject import words_of_rows
from flows.analysis.reading.draft import is_time
from flows.analysis.team.localization import localized, specified
from flows.data.tables import Column, Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Expression, FieldRef, Period, Predicate, Query
from flows.semantics.request import Analysis, Chart
from flows.semantics.tables import model_of_result
from flows.semantics.tree import parts

_NOTHING: Final = SemanticModel(datasets=())
MOST_MEASURES, MOST_CORRELATED, MOST_COLOURS = 6, 30, 24
_KINDS: Final = {ScatterPlot: "scatter", BoxPlot: "box", Distribution: "histogram"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart of the rows of a table for which `where` holds.

    Of `correlations` with a `target` the columns are the others; of a `line` the columns are drawn
    over `time`; `figures` is the query whose groups bars, pies and areas draw. `note` says why the
    chart is another one than the task asks for.
    """

    kind: str
    table: Table
    columns: tuple[str, ...] = ()
    target: str = ""
    group: str = ""
    time: str = ""
    where: Predicate | None = None
    figures: Query | None = None
    note: str = ""

    @property
    def rows(self) -> str:
        """The rows in words: ` with site Site 22`; empty for all."""
        return words_of_rows(self.table, self.where)


def drawing_of(chart: Chart, data: Table) -> Drawing:
    """A chart as it is drawn of the table of a task. Raises ValueError with what hinders it."""
    local = localized(chart, data)
    assert isinstance(local, Chart)
    known = {each.name: each for each in data.columns}
    named = (each.field for each in parts(local) if isinstance(each, FieldRef))
    if absent := [each for each in dict.fromkeys(named) if each not in known]:
        raise ValueError(f"the data has no column {' and no '.join(map(repr, absent))} (columns: "
                         f"{', '.join(known)})")  # fmt: skip
    if isinstance(local.of, Analysis):
        return _of_analysis(local.of, data)
    try:
        model = model_of_result(data)
        filter_lines(local.of.where, data.name, model, today_of(model.calendar, (data,)))
        if local.of.metrics or local.of.by:
            return _of_figures(local.of, local.type, data)
    except FrameLimit as error:
        raise ValueError(str(error)) from error
    return _of_rows(local.of, local.type, data, known)


def _of_analysis(asked: Analysis, data: Table) -> Drawing:
    study = specified(asked, data, (), _NOTHING)
    given, where = study.arguments, study.where
    if isinstance(given, Correlation):
        others = tuple(each for each in given.fields if each != given.target)
        return Drawing("correlations", data, others[:MOST_CORRELATED], given.target, where=where)
    if (kind := _KINDS.get(type(given))) is None:
        raise ValueError(f"there is no chart of {given.label()}")
    return Drawing(kind, data, study.columns, group=study.group, where=where)


def _of_rows(query: Query, form: str, data: Table, known: dict[str, Column]) -> Drawing:
    """Points, boxes, bars of how often: of columns as they stand."""
    names = [_name(each) for each in query.show]
    numbers = [each for each in names if plots(known[each])]
    group = next((each for each in names if each not in numbers), "")
    if form in ("", "scatter") and len(numbers) >= 2:
        colour = group or next(iter(numbers[2:]), "")
        return Drawing("scatter", data, tuple(numbers[:2]), group=colour, where=query.where)
    if form in ("", "box", "histogram") and numbers:
        by = group or next(iter(numbers[1:]), "")
        return Drawing(form or "histogram", data, (numbers[0],), group=by, where=query.where)
    raise ValueError("it does not say what is to be drawn")


def _of_figures(query: Query, form: str, data: Table) -> Drawing:
    """Figures by groups: as they stand in a result, or computed of rows."""
    figures, when = query.metrics, next(iter(query.by), None)
    times = {each.name for each in data.columns if is_time(each)}
    over_time = isinstance(when, Period) or (isinstance(when, FieldRef) and when.field in times)
    form = form or ("line" if over_time else "bar")
    standing = [each for each in figures if isinstance(each, FieldRef)]
    means = [
        each.of for each in figures
        if isinstance(each, Aggregate) and each.function == "average" and each.where is None
    ]  # fmt: skip
    by = [each.field for each in query.by if isinstance(each, FieldRef)]
    plain = bool(by) and len(by) == len(query.by) and bool(figures)
    if plain and form == "line" and len(figures) in (len(standing), len(means)):
        names = tuple(_name(each) for each in (standing or means) if each is not None)
        group = by[1] if len(by) > 1 else ""
        return Drawing("line", data, names[:MOST_MEASURES], group=group, time=by[0],
                       where=query.where)  # fmt: skip
    if plain and len(figures) == len(standing):
        return Drawing(form, data, (_name(figures[0]),), group=by[0], where=query.where)
    model = model_of_result(data)
    whole = picture_query(query, model)
    query_lines(whole, model)
    if not whole.by:
        raise ValueError("a chart needs a measure and what it is grouped by")
    return Drawing(form, data, where=query.where, figures=whole)


def _name(of: Expression) -> str:
    if isinstance(of, FieldRef):
        return of.field
    raise ValueError("only columns of the data can be drawn as they are")


def fitting(table: Table, why: str) -> Drawing | None:
    """The chart that fits a table by its columns; None for one that has nothing to draw."""
    note = f"The task could not be read over this table ({why}); the chart that fits it was drawn."
    measures = [c.name for c in table.columns if plots(c) and c.role not in ("id", "time")]
    times = [c.name for c in table.columns if is_time(c)]
    parted = [c for c in table.columns if not plots(c) and not is_time(c) and c.distinct > 1]
    if not measures or table.rows < 2:
        return None
    if times and table.rows > 2:
        return Drawing("line", table, tuple(measures[:2]), time=times[0], note=note)
    if parted:
        most = max(parted, key=lambda each: each.distinct)
        return Drawing("bar", table, (measures[0],), group=most.name, note=note)
    if len(measures) > 1:
        return Drawing("scatter", table, tuple(measures[:2]), note=note)
    return Drawing("histogram", table, (measures[0],), note=note)
