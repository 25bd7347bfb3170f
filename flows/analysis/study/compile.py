"""A study as Python code: the functions it needs, the rows it is about, one call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from flows.analysis.compile import term_name
from flows.analysis.plan import Measure, Plan
from flows.analysis.study.filters import field_text, filter_lines
from flows.analysis.study.plan import Study
from flows.analysis.telling.wording import filters_of, other_words, time_words
from flows.data.frames import frame_name
from flows.data.tables import Table

_RECIPES = Path(__file__).with_name("recipes.py")
_IMPORTS = "import matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\n"
_AGGREGATED = {
    "avg": "mean", "median": "median", "sum": "sum", "min": "min", "max": "max", "count": "count",
    "count_distinct": "nunique",
}  # fmt: skip
RESULT = "result"
# What the code itself calls so: a table of that name is reached through `tables`.
_NAMES = frozenset(["study", "data", "grouped", "keys", RESULT, "points", "matrix", "outlying",
                    "pd", "np", "plt"])  # fmt: skip


def compile_study(study: Study, tables: Sequence[Table]) -> str:
    """The code, in which the result is the data frame `result` and figures are matplotlib's."""
    frame = frame_name(study.table, tables)
    filters = study.chart.filters if study.chart else study.filters
    taken = frame in _library() or frame in _NAMES
    lines = [
        f"data = {f'tables[{frame!r}]' if taken else frame}",
        *filter_lines(filters, study.table),
    ]
    lines += _checked(study)
    if study.chart is not None:
        lines += _chart_lines(study.chart, study.table)
    calls = _calls(study)
    names = [name for _, name, _ in calls]
    body = "\n    ".join([*lines, *(f"{at} = {call}" for at, _, call in calls)])
    made = ", ".join(at for at, _, _ in calls)
    about = " ".join(f"{study.kind}: {title_of(study)}".split())
    pieces = [
        f"# {about}\n{_IMPORTS}",
        *_functions(names),
        f"def study():\n    {body}\n    return {made}",
        f"{made} = study()\nprint({RESULT}.head(40).to_string(index=False))\n",
    ]
    return "\n\n\n".join(pieces)


def _checked(study: Study) -> list[str]:
    about = title_of(study)
    return ["if data.empty:", f"    raise ValueError({f'no row is left for {about}'!r})"]


def title_of(study: Study) -> str:
    """What a figure is called: the columns, the group and the filters."""
    plan = study.chart or _as_plan(study)
    if study.chart:
        measures = [t for t in study.chart.select if isinstance(t, Measure)]
        what = " and ".join(term_name(each) for each in measures)
        by = " and ".join(each.column for each in study.chart.groups)
    else:
        what, by = " and ".join(study.columns[:4]) or study.target, study.group
    when = time_words(plan)
    return f"{what}{f' by {by}' if by else ''}{other_words(plan)}{f' {when}' if when else ''}"


def _as_plan(study: Study) -> Plan:
    table = study.table
    return Plan("rows", table.source, table.name, table.dialect, (), filters=study.filters)


def rows_words(study: Study) -> str:
    """The rows that a study is about, in words: ` in 2007 with smoker Yes`, or nothing."""
    plan = study.chart or _as_plan(study)
    when = time_words(plan) if filters_of(plan) else ""
    return f"{f' {when}' if when else ''}{other_words(plan)}"


def _calls(study: Study) -> list[tuple[str, str, str]]:
    """What is made: its variable, the recipe, and the call of it."""
    columns, group, title = list(study.columns), study.group, title_of(study)
    if study.chart is not None:
        return [_chart(study, study.chart, title)]
    if study.kind == "correlation":
        return _correlation(study, title)
    calls = {
        "histogram": ("histogram", (columns, group, study.number, title)),
        "box": ("box", (columns, group, title)),
        "regression": ("regress", (study.target, columns)),
        "importance": ("importance", (study.target, columns, study.method == "classes")),
        "summary": ("summarize", (columns, group, study.number)),
        "normality": ("normality", (columns, group)),
        "outliers": ("outliers", (columns, group, study.method)),
    }
    if study.kind == "scatter":
        return [_call(RESULT, "scatter", columns[0], columns[1], group, title)]
    if study.kind == "histogram" and study.method == "frequencies":
        return [_call(RESULT, "frequencies", columns[0], group, title)]
    name, arguments = calls[study.kind]
    made = [_call(RESULT, name, *arguments)]
    if study.kind == "outliers":
        made.append(_call("outlying", "outlying_rows", *arguments))
    return made


def _correlation(study: Study, title: str) -> list[tuple[str, str, str]]:
    columns, method = list(study.columns), study.method
    made = [_call(RESULT, "correlate", columns, study.target, study.group, method)]
    if len(columns) == 2:
        drawn = _call("points", "scatter", columns[0], columns[1], study.group, title)
        return [*made, drawn]
    return [*made, _call("matrix", "correlation_matrix", columns, method)]


def _call(at: str, recipe: str, *arguments: object) -> tuple[str, str, str]:
    return at, recipe, f"{recipe}(data, {', '.join(map(repr, arguments))})"


def _chart_lines(plan: Plan, table: Table) -> list[str]:
    """Statements that make the grouped result `grouped` of the frame `data`."""
    measures = [term for term in plan.columns if isinstance(term, Measure)]
    keys = ", ".join(f"{field_text(f, table)}.rename({term_name(f)!r})" for f in plan.groups)
    made = ", ".join(f"{term_name(each)!r}: {_aggregated(each, table)}" for each in measures)
    lines = [f"keys = [{keys}]", f"grouped = pd.DataFrame({{{made}}}).reset_index()"]
    if plan.order:
        by = [term_name(order.by) for order in plan.order]
        up = [not order.descending for order in plan.order]
        lines.append(f'grouped = grouped.sort_values({by!r}, ascending={up!r}, kind="stable")')
    if plan.limit is not None:
        lines.append(f"grouped = grouped.iloc[{plan.offset}:{plan.offset + plan.limit}]")
    names = [term_name(each) for each in plan.columns]
    if {term_name(each) for each in plan.groups} <= set(names):
        lines.append(f"grouped = grouped[{names!r}]")
    return [*lines, "grouped = grouped.reset_index(drop=True)"]


def _chart(study: Study, plan: Plan, title: str) -> tuple[str, str, str]:
    """The call that draws a grouped result."""
    names = [term_name(each) for each in plan.groups]
    values = [term_name(each) for each in plan.columns if isinstance(each, Measure)]
    series = names[1] if len(names) > 1 else ""
    drawn = (names[0], values, series, study.method == "line", title)
    return RESULT, "chart", f"chart(grouped, {', '.join(map(repr, drawn))})"


def _aggregated(measure: Measure, table: Table) -> str:
    if measure.field is None:
        return "data.groupby(keys, observed=True).size()"
    column = field_text(measure.field, table)
    return f"{column}.groupby(keys, observed=True).{_AGGREGATED[measure.aggregation]}()"


# --- the text of recipes -------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _library() -> dict[str, tuple[str, frozenset[str]]]:
    """The text of each function and constant, and the names that it uses."""
    text = _RECIPES.read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        segment = ast.get_source_segment(text, node) or ""
        used = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
        if isinstance(node, ast.FunctionDef):
            found[node.name] = (segment, used)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = (segment, used)
    return found


def _functions(names: Sequence[str]) -> list[str]:
    """The text of these recipes and of all that they use, in the order of the file."""
    library = _library()
    needed, left = set(), list(names)
    while left:
        name = left.pop()
        if name in library and name not in needed:
            needed.add(name)
            left += library[name][1]
    return [text for name, (text, _) in library.items() if name in needed]
