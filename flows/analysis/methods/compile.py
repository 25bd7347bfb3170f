"""A study as Python code: the functions it needs, the rows it is about, its calls."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import title_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.cleaning import meaning_lines
from flows.analysis.methods.filters import CALENDAR, field_text, filter_lines
from flows.analysis.methods.library import functions, library
from flows.analysis.methods.method import Call
from flows.analysis.methods.specification import Specification
from flows.analysis.plan import Measure, Plan, term_name
from flows.data.frames import frame_name
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

_IMPORTS = (
    "from __future__ import annotations\n\nimport matplotlib.pyplot as plt\nimport numpy as np\n"
    "import pandas as pd\n"
)
_AGGREGATED = {
    "avg": "mean", "median": "median", "sum": "sum", "min": "min", "max": "max", "count": "count",
    "count_distinct": "nunique",
}  # fmt: skip
RESULT = "result"
# The table that a task is given, where it is not one of the run's.
DATA = "data"
# Warnings, if there are any, are the data frame of this name: a `code` and what it `says`.
WARNINGS = "warnings"
# What the code itself calls so: a table of that name is reached through `tables`.
_NAMES = frozenset(["study", "data", "grouped", "keys", RESULT, WARNINGS, "points", "matrix",
                    "outlying", "curves", "pd", "np", "plt", "annotations"])  # fmt: skip


def compile_study(
    study: Specification[Arguments], tables: Sequence[Table], model: SemanticModel | None = None
) -> str:
    """The code, in which the result is the data frame `result` and figures are matplotlib's.

    With `model` the tables are as it means them, and the frames as the data have them.

    It prints the first rows of the result, and warnings as `cautions` reads them.
    """
    dataset = model.dataset(study.table.name) if model else None
    frame = frame_name(*_physical(study.table, tables, model))
    filters = study.chart.filters if study.chart else study.filters
    taken = frame in library() or frame in _NAMES
    title = title_of(study)
    calls = BY_NAME[study.kind].calls(study, title)
    given = frame == DATA  # the input of a task: the name is its argument
    calling = [
        *filter_lines(filters, study.table, model.calendar if model else CALENDAR),
        *(chart_lines(study.chart, study.table) if study.chart else ()),
        *map(_line, calls),
    ]
    lines = [
        *([] if given else [f"data = {f'tables[{frame!r}]' if taken else frame}"]),
        *(meaning_lines(dataset, model, "\n".join(calling)) if dataset and model else ()),
        *filter_lines(filters, study.table, model.calendar if model else CALENDAR),
        "if data.empty:",
        f"    raise ValueError({f'no row is left for {title}'!r})",
        *(chart_lines(study.chart, study.table) if study.chart else ()),
        *map(_line, calls),
    ]
    made = ", ".join(each.at for each in calls if each.at)
    body = "\n    ".join(lines)
    about = " ".join([*study.kind.split("_"), ":", *title.split()]).replace(" :", ":", 1)
    recipes = functions([each.recipe for each in calls])
    warns = any(each.startswith("SAID") for each in recipes)
    kept = f"if SAID:\n    {WARNINGS} = pd.DataFrame(SAID)\n" if warns else ""
    pieces = [
        f"# {about}\n{_IMPORTS}",
        *recipes,
        f"def study({DATA if given else ''}):\n    {body}\n    return {made}",
        f"{made} = study({DATA if given else ''})\n{kept}"
        f"print({RESULT}.head(40).to_string(index=False))\n",
    ]
    return "\n\n\n".join(pieces)


def _physical(
    table: Table, tables: Sequence[Table], model: SemanticModel | None
) -> tuple[Table, list[Table]]:
    """The table and all tables under the names that the data have."""
    known = {each.name: each.table for each in model.datasets} if model else {}
    named = [each.model_copy(update={"name": known.get(each.name, each.name)}) for each in tables]
    own = table.model_copy(update={"name": known.get(table.name, table.name)})
    return own, named


def _line(call: Call) -> str:
    given = ", ".join([call.frame, *map(repr, call.arguments)])
    return f"{f'{call.at} = ' if call.at else ''}{call.recipe}({given})"


def chart_lines(plan: Plan, table: Table) -> list[str]:
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


def _aggregated(measure: Measure, table: Table) -> str:
    if measure.field is None:
        return "data.groupby(keys, observed=True).size()"
    column = field_text(measure.field, table)
    return f"{column}.groupby(keys, observed=True).{_AGGREGATED[measure.aggregation]}()"
