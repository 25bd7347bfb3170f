"""A study as Python code: the functions it needs, the rows it is about, its calls."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler.frames import FrameLimit, filter_lines, query_lines
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.cleaning import meaning_lines
from flows.analysis.methods.library import functions, library
from flows.analysis.methods.method import OTHER, Call, MethodError
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.subject import title_of
from flows.core.sandbox import WARNINGS
from flows.data.frames import frame_name
from flows.data.tables import Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.row_values import NoRowHasIt

_IMPORTS = (
    "from __future__ import annotations\n\nimport matplotlib.pyplot as plt\nimport numpy as np\n"
    "import pandas as pd\n"
)
RESULT = "result"
# The table that a task is given, where it is not one of the run's.
DATA = "data"
# What the code itself calls so: a table of that name is reached through `tables`.
_NAMES = frozenset(["study", "data", OTHER, "grouped", "keys", RESULT, WARNINGS, "points", "matrix",
                    "outlying", "curves", "pd", "np", "plt", "annotations"])  # fmt: skip


def compile_study(
    study: Specification[Arguments],
    tables: Sequence[Table],
    steps: Sequence[str] = (),
    raw: SemanticModel | None = None,
) -> str:
    """The code, in which the result is the data frame `result` and figures are matplotlib's.

    The tables are as the model of the study means them, the frames as the data have them. `steps`
    are statements that prepare the frame `data` before anything is asked of it; `raw` is what the
    data mean without them. It prints the first rows of the result; warnings, if there are any, are
    a data frame of their own. Raises MethodError for computed columns that rows do not have by
    themselves.
    """
    model = raw or study.model
    dataset = model.dataset(study.table.name)
    frame = frame_name(*physical_tables(study.table, tables, model))
    title = title_of(study)
    calls = BY_NAME[study.kind].calls(study, title)
    given = frame == DATA  # the input of a task: the name is its argument
    today = today_of(model.calendar, tables)
    filters = [*steps, *filter_lines(study.where, study.table.name, study.model, today)]
    grouped = chart_lines(study.chart, study.model) if study.chart else []
    calling = [*grouped, *map(_line, calls)]
    try:
        meant = meaning_lines(dataset, model, "\n".join([*filters, *calling])) if dataset else []
    except (FrameLimit, NoRowHasIt) as error:
        raise MethodError(str(error)) from error
    lines = [
        *_other_lines(study, tables, model, calling),
        *([] if given else [_frame_line(frame)]),
        *meant,
        *filters,
        "if data.empty:",
        f"    raise ValueError({f'no row is left for {title}'!r})",
        *calling,
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


def physical_tables(
    table: Table, tables: Sequence[Table], model: SemanticModel
) -> tuple[Table, list[Table]]:
    """The table and all tables under the names that the data have."""
    known = {each.name: each.table for each in model.datasets}
    named = [each.model_copy(update={"name": known.get(each.name, each.name)}) for each in tables]
    own = table.model_copy(update={"name": known.get(table.name, table.name)})
    return own, named


def _frame_line(frame: str) -> str:
    """The statement that takes a frame of the run as `data`."""
    taken = frame in library() or frame in _NAMES
    return f"data = {f'tables[{frame!r}]' if taken else frame}"


def _other_lines(
    study: Specification[Arguments],
    tables: Sequence[Table],
    model: SemanticModel,
    calling: Sequence[str],
) -> list[str]:
    """Statements that take the rows of the other table that an analysis is about, as the model
    means them."""
    found = []
    for name in study.arguments.others():
        table = next(each for each in tables if each.name == name)
        dataset = model.dataset(name)
        found.append(_frame_line(frame_name(*physical_tables(table, tables, model))))
        found += meaning_lines(dataset, model, "\n".join(calling)) if dataset else []
        found.append(f"{OTHER} = data")
    return found


def _line(call: Call) -> str:
    given = ", ".join([call.frame, *map(repr, call.arguments)])
    return f"{f'{call.at} = ' if call.at else ''}{call.recipe}({given})"


def chart_lines(query: Query, model: SemanticModel) -> list[str]:
    """Statements that make of `data` what a chart draws, `grouped`. Its rows are chosen already,
    and those that have nothing to be grouped by are left out."""
    chosen = query.model_copy(update={"where": None})
    return query_lines(chosen, model, name="grouped", missing=False)
