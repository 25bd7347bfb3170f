"""Tasks of a visualizer: which chart is wanted, of which columns, over which rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.about import rows_words, words_of_rows
from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.arguments import groups, plots
from flows.analysis.methods.box_plot.arguments import BoxPlot
from flows.analysis.methods.chart.arguments import Chart as ChartArguments
from flows.analysis.methods.correlation.arguments import Correlation
from flows.analysis.methods.distribution.arguments import Distribution
from flows.analysis.methods.method import CHART, Cue, Request, words
from flows.analysis.methods.read import read_as, read_study
from flows.analysis.methods.scatter_plot.arguments import ScatterPlot
from flows.analysis.methods.specification import Specification
from flows.analysis.plan import AnyOf
from flows.analysis.reading.draft import is_time
from flows.analysis.reading.read import Unread
from flows.analysis.requests.plans import BeyondPlans, plan_of
from flows.analysis.team.localization import localized, specified
from flows.analysis.team.wording import plainly, quoted
from flows.data.tables import Column, Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Expression, FieldRef, Query
from flows.semantics.request import Analysis, Chart
from flows.semantics.tables import model_of_result

_NOTHING: Final = SemanticModel(datasets=())
MOST_MEASURES, MOST_CORRELATED, MOST_COLOURS = 6, 30, 24
_BARS: Final = 60
# The kinds of charts, by what says so; what is said more clearly comes first.
_KINDS: Final = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("correlations", r"heat ?-?map|correlation (?:matrix|chart|plot|bar)"),
        ("scatter", rf"\b(?:scatter|bubble)\w*(?:[- ]{CHART})?"),
        ("box", rf"\b(?:box|violin)(?:[- ]?(?:and[- ]whiskers?[- ]?)?{CHART})"),
        ("histogram", r"\bhistograms?\b"),
        ("pie", rf"\b(?:pie|donut|doughnut)(?:[- ]{CHART})?"),
        ("area", rf"\barea[- ]{CHART}"),
        ("line", rf"\b(?:line|time[- ]series|trend)[- ]?{CHART}|\btime[- ]series\b"),
        ("bar", rf"\b(?:bar|column)s?[- ]{CHART}|\bbars\b"),
        ("correlations", r"\bcorrelations?\b"),
        ("histogram", r"\bdistributions?\b|\bspread\b"),
        ("line", r"\b(?:over (?:the )?(?:time|years|months|weeks|days)|trends?|evolution|"
                 r"development|history)\b"),
        ("scatter", r"\b(?:relationship|association|against|versus|vs\.?)(?!\w)"),
    )
)  # fmt: skip
_AXES: Final = re.compile(
    r"\s*,?\s*(?:(?:with|having|where|and)\s+)?(?P<x>\"[^\"]+\"|\w+)\s+(?:is |as )?on (?:the )?"
    r"x[- ]?axis\s*,?\s*(?:and|against|versus|vs\.?)\s+(?P<y>\"[^\"]+\"|\w+)\s+(?:is |as )?on "
    r"(?:the )?y[- ]?axis",
    re.IGNORECASE,
)
_DRAW: Final = re.compile(
    r"^\s*(?:please\s+)?(?:generate|create|draw|plot|make|produce|show|visuali[sz]e|display|build|"
    r"prepare|render|chart|graph|illustrate|compare)\s+(?:an?\s+|the\s+|me\s+)*(?:interactive\s+)?",
    re.IGNORECASE,
)
_NAMES: Final = re.compile(r"\"[^\"]*\"|`[^`]*`")
_OVER_TIME: Final = re.compile(
    r"\b(?:over|across|by|per|along)\s+(?:the\s+)?(?:time|years?|months?|weeks?|days?|dates?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Axes:
    """The columns that a chart is to draw, and what they are compared with, coloured or ordered
    by; an empty name stands for none."""

    columns: tuple[str, ...]
    target: str = ""
    group: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart, read. Of `correlations` with a `target` the columns are the others; of a `line` the
    columns are drawn over `time`; `study` is the grouped result that bars, pies and areas draw.

    `note` says what of the task was not read.
    """

    kind: str
    table: Table
    columns: tuple[str, ...] = ()
    target: str = ""
    group: str = ""
    time: str = ""
    filters: tuple[AnyOf, ...] = ()
    rows: str = ""
    study: Specification[ChartArguments] | None = None
    heat: bool = False
    note: str = ""


def drawing_of(chart: Chart, data: Table) -> Drawing:
    """A chart as it is drawn of the table of a task. Raises ValueError with what hinders it."""
    local = localized(chart, data)
    assert isinstance(local, Chart)
    if isinstance(local.of, Analysis):
        found = _of_analysis(local, data)
    elif local.of.metrics or local.of.by:
        found = _of_figures(local.of, local, data)
    else:
        found = _of_rows(local.of, local, data)
    absent = [each for each in (*found.columns, found.target, found.group, found.time)
              if each and each not in {c.name for c in data.columns}]  # fmt: skip
    if absent:
        raise ValueError(f"the data has no column {' and no '.join(map(repr, absent))} (columns: "
                         f"{', '.join(c.name for c in data.columns)})")  # fmt: skip
    return found


def _of_analysis(chart: Chart, data: Table) -> Drawing:
    assert isinstance(chart.of, Analysis)
    study = specified(chart.of, data, (), _NOTHING)
    given, filters = study.arguments, study.filters
    said = words_of_rows(data, filters)
    if isinstance(given, Correlation):
        others = tuple(each for each in given.fields if each != given.target)
        heat = chart.type == "heatmap"
        return Drawing("correlations", data, others[:MOST_CORRELATED], given.target,
                       filters=filters, rows=said, heat=heat)  # fmt: skip
    kinds = {ScatterPlot: "scatter", BoxPlot: "box", Distribution: "histogram"}
    kind = kinds.get(type(given))
    if kind is None:
        raise ValueError(f"there is no chart of {given.label()}")
    return Drawing(kind, data, study.columns, group=study.group, filters=filters, rows=said)


def _of_rows(query: Query, chart: Chart, data: Table) -> Drawing:
    """Points, boxes, bars of how often: of columns as they stand."""
    filters = _filters(query, data)
    names, said = [_name(each) for each in query.show], words_of_rows(data, filters)
    if chart.type == "scatter" and len(names) >= 2:
        group = names[2] if len(names) > 2 else ""
        return Drawing("scatter", data, tuple(names[:2]), group=group, filters=filters, rows=said)
    if chart.type in ("box", "histogram") and names:
        by = names[1] if len(names) > 1 else ""
        return Drawing(chart.type, data, (names[0],), group=by, filters=filters, rows=said)
    raise ValueError("it does not say what is to be drawn")


def _of_figures(query: Query, chart: Chart, data: Table) -> Drawing:
    """Figures by groups: as they stand in a result, or computed of rows."""
    fields = [*query.by, *query.metrics]
    if all(isinstance(each, FieldRef) for each in fields) and query.by and query.metrics:
        names, by = tuple(map(_name, query.metrics)), list(map(_name, query.by))
        if chart.type == "line":
            return Drawing("line", data, names, time=by[0], group=by[1] if len(by) > 1 else "")
        return Drawing(chart.type or "bar", data, names[:1], group=by[0])
    means = [
        each.of
        for each in query.metrics
        if isinstance(each, Aggregate) and each.function == "average" and each.where is None
    ]
    plain = len(means) == len(query.metrics) and all(isinstance(e, FieldRef) for e in query.by)
    if chart.type == "line" and plain and query.by:
        filters, by = _filters(query, data), list(map(_name, query.by))
        names = tuple(_name(each) for each in means if each is not None)
        return Drawing(
            "line", data, names[:MOST_MEASURES], time=by[0], group=by[1] if len(by) > 1 else "",
            filters=filters, rows=words_of_rows(data, filters),
        )  # fmt: skip
    try:
        study = study_of(chart, model_of_result(data), (data,))
    except (LookupError, BeyondPlans) as error:
        raise ValueError(str(error)) from error
    given = study.arguments
    assert isinstance(given, ChartArguments)
    assert study.chart is not None
    return Drawing(
        given.style or "bar", study.table, study.columns, group=study.group,
        rows=rows_words(study), filters=study.chart.filters,
        study=Specification(study.table, given, study.filters, study.notes, study.chart),
    )  # fmt: skip


def _filters(query: Query, data: Table) -> tuple[AnyOf, ...]:
    rows = Query(dataset=data.name, where=query.where)
    try:
        return plan_of(rows, model_of_result(data), (data,)).filters
    except (LookupError, BeyondPlans) as error:
        raise ValueError(str(error)) from error


def _name(of: Expression) -> str:
    if isinstance(of, FieldRef):
        return of.field
    raise ValueError("only columns of the data can be drawn as they are")


def read_drawing(task: str, tables: Sequence[Table], *, given: bool) -> Drawing | Unread:
    """The chart that a task asks for. `given` is a table that was made for it: when its words
    cannot be read over that, the chart that fits the table is drawn, and says so."""
    text = plainly(task, tables)
    said = _NAMES.sub(" ", text)
    kind = next((kind for kind, pattern in _KINDS if pattern.search(said)), "")
    found = _read_kind(kind, text, tables)
    if isinstance(found, Unread) and kind not in ("bar", "pie", "area"):
        drawn = _grouped(kind, text, tables)
        found = found if isinstance(drawn, Unread) else drawn
    if isinstance(found, Unread) and given:
        missing = [
            each
            for each in quoted(task)
            if not _holds(tables[0], each) and not any(map(str.isdigit, each))
        ]
        if missing:
            return Unread(f"the data has no column {' and no '.join(map(repr, missing))} (columns: "
                          f"{', '.join(c.name for c in tables[0].columns)})")  # fmt: skip
        return fitting(tables[0], str(found), text) or found
    return found


def _read_kind(kind: str, text: str, tables: Sequence[Table]) -> Drawing | Unread:
    if kind in ("bar", "pie", "area", ""):
        return _grouped(kind, text, tables)
    swapped = False
    if axes := _AXES.search(text):
        text = f"{text[: axes.start()]} of {axes['x']} and {axes['y']} {text[axes.end() :]}"
    elif kind == "scatter":
        swapped = bool(re.search(r"\b(?:against|versus|vs\.?)(?=\s)", text, re.IGNORECASE))
    plain = _plain(kind, text)
    found = read_as(_CUES[kind], plain, tables)
    if isinstance(found, Unread):
        return found
    axes_of = found.made
    columns = axes_of.columns[::-1] if swapped else axes_of.columns
    return Drawing(
        kind, found.table, columns, axes_of.target, axes_of.group, axes_of.time, found.filters,
        words_of_rows(found.table, found.filters),
        heat=bool(re.search(r"heat ?-?map|matrix", text, re.IGNORECASE)),
    )  # fmt: skip


def _plain(kind: str, text: str) -> str:
    """The text without the words that say which chart it is."""
    plain = _DRAW.sub("", text, count=1)
    for name, pattern in _KINDS:
        if name == kind:
            plain = _outside_names(pattern, plain)
    plain = re.sub(r"\b(?:against|versus|vs\.?)(?=\s)", "and", plain, flags=re.IGNORECASE)
    if kind == "line":
        plain = _OVER_TIME.sub(" ", plain)
    if kind in ("correlations", "scatter"):
        plain = re.sub(r"\b(?:trend|regression|fitted)[- ]?lines?\b", " ", plain, flags=re.I)
    return " ".join(plain.split())


def _outside_names(pattern: re.Pattern[str], text: str) -> str:
    """The text without what the pattern finds in it, but for what stands in quoted names."""
    parts = re.split(rf"({_NAMES.pattern})", text)
    return "".join(each if i % 2 else pattern.sub(" ", each) for i, each in enumerate(parts))


def _grouped(kind: str, text: str, tables: Sequence[Table]) -> Drawing | Unread:
    """What is drawn of the result of a question: bars of groups, parts of a whole, a trend."""
    named = kind or "bar"
    said = re.search(rf"\b{named}", _NAMES.sub(" ", text), re.IGNORECASE)
    asked = text if said else f"{text} as a {named} chart"
    study = read_study(asked, tables)
    if isinstance(study, Specification) and study.chart is not None:
        given = study.arguments
        assert isinstance(given, ChartArguments)
        drawn = Specification(study.table, given, study.filters, study.notes, study.chart)
        return Drawing(
            given.style, study.table, study.columns, group=study.group, rows=rows_words(study),
            filters=study.chart.filters, study=drawn,
        )  # fmt: skip
    plain = read_as(_BAR_ROWS, _plain(kind, text), tables)
    if not isinstance(plain, Unread) and plain.table.rows <= _BARS:
        return Drawing("bar" if kind != "pie" else kind, plain.table, plain.made.columns,
                       group=plain.made.group, filters=plain.filters)  # fmt: skip
    return study if isinstance(study, Unread) else Unread("it does not say what is to be drawn")


def _holds(table: Table, name: str) -> bool:
    """Whether a name is a column of the table, or a value in it."""
    wanted = " ".join(name.casefold().replace("_", " ").split())
    names = (c.name.casefold().replace("_", " ") for c in table.columns)
    values = (v.casefold().replace("_", " ") for c in table.columns for v in c.values)
    return wanted in names or wanted in values


def fitting(table: Table, why: str, text: str = "") -> Drawing | None:
    """The chart that fits a table by its columns, those first that a text names; None for one that
    has nothing to draw."""
    note = f"The task could not be read over this table ({why}); the chart that fits it was drawn."
    measures = [c.name for c in table.columns if plots(c) and c.role not in ("id", "time")]
    said = text.casefold().replace("_", " ")
    named = [each for each in measures if each.casefold().replace("_", " ") in said]
    measures = named or measures
    times = [c.name for c in table.columns if is_time(c)]
    texts = [c for c in table.columns if not plots(c) and not is_time(c)]
    if not measures or table.rows < 2:
        return None
    if times and table.rows > 2:
        return Drawing("line", table, tuple(measures[:2]), time=times[0], note=note)
    parted = [c for c in texts if c.distinct > 1]
    if parted:
        most = max(parted, key=lambda each: each.distinct)
        return Drawing("bar", table, (measures[0],), group=most.name, note=note)
    if len(measures) > 1:
        return Drawing("scatter", table, tuple(measures[:2]), note=note)
    return Drawing("histogram", table, (measures[0],), note=note)


# --- one cue for each kind ------------------------------------------------------------------


def _numbers(request: Request) -> list[Column]:
    return [c for c in request.columns if plots(c) and c.name != request.group]


def _correlations(request: Request) -> Axes | Unread:
    numbers = _numbers(request)
    measures = [name for name in request.measures if name != request.group]
    named = [c.name for c in numbers]
    target = named[0] if len(named) == 1 else ""
    if len(named) < 2:
        named = [name for name in measures if name != target]
    if len(named) < (1 if target else 2):
        return Unread(f"{request.draft.schema.table.name} has no two columns of numbers")
    return Axes(tuple(named[:MOST_CORRELATED]), target=target)


def _scatter(request: Request) -> Axes | Unread:
    numbers = _numbers(request)
    if len(numbers) != 2:
        return Unread(f"a scatter plot needs two columns of numbers, and {len(numbers)} are named")
    colour = request.group or next(
        (c.name for c in request.columns if c not in numbers and groups(c, MOST_COLOURS)), ""
    )
    return Axes(tuple(c.name for c in numbers), group=colour)


def _line(request: Request) -> Axes | Unread:
    named = [c for c in request.columns if is_time(c)]
    time = named[0] if named else request.draft.time_column()
    if time is None:
        return Unread(f"{request.draft.schema.table.name} has no column that says when")
    numbers = [c.name for c in _numbers(request) if c.name != time.name]
    if not numbers and len(request.measures) == 1:
        numbers = list(request.measures)
    if not numbers:
        return Unread("it does not say which column is to be drawn over time")
    group = request.group if request.group != time.name else ""
    return Axes(tuple(numbers[:MOST_MEASURES]), group=group, time=time.name)


def _histogram(request: Request) -> Axes | Unread:
    columns = [c for c in request.columns if c.name != request.group]
    if not columns:
        return Unread("it does not say which column's distribution is to be drawn")
    if not plots(columns[0]):
        return Unread(f"{columns[0].name} holds no numbers")
    return Axes((columns[0].name,), group=request.group)


def _box(request: Request) -> Axes | Unread:
    numbers = _numbers(request)
    texts = [c.name for c in request.columns if c not in numbers and groups(c)]
    if not numbers:
        return Unread("it does not say which column's spread is to be drawn")
    if not request.group and len(numbers) == 2 and groups(numbers[1], MOST_COLOURS):
        return Axes((numbers[0].name,), group=numbers[1].name)
    group = request.group or (texts[0] if texts else "")
    return Axes(tuple(c.name for c in numbers[:MOST_MEASURES]), group=group)


def _bar_rows(request: Request) -> Axes | Unread:
    """Rows as they stand, each a bar: of a table that is a result already."""
    table = request.draft.schema.table
    numbers = _numbers(request) or [request.of(name) for name in request.measures[:1]]
    texts = [c for c in request.columns if c not in numbers]
    if not texts:
        texts = [c for c in table.columns if not plots(c) and c.distinct == table.rows]
    if not numbers or not texts:
        return Unread("bars need a column of names and one of numbers")
    return Axes((numbers[0].name,), group=texts[0].name)


_AROUND: Final = words(
    """generate create draw plot make produce visualize display chart graph figure interactive
    metrics metric monthly weekly daily time series over trend trends relationship correlation
    correlations between with all other others numerical numeric features feature variables
    variable columns values of the and for to on axis x y versus against compare comparing
    comparison distribution spread performance average mean each different map heat heatmap
    matrix line lines bar bars box pie area histogram scatter points trendline including showing
    shows highlighting where as rows most important importance importances ranked ranking
    sorted bins frequency colored coloured by across together same their its using based"""
)


_CUES: Final = {
    "correlations": Cue(_correlations, around=_AROUND),
    "scatter": Cue(_scatter, around=_AROUND),
    "line": Cue(_line, around=_AROUND),
    "histogram": Cue(_histogram, around=_AROUND),
    "box": Cue(_box, around=_AROUND),
}
_BAR_ROWS: Final = Cue(_bar_rows, around=_AROUND)
