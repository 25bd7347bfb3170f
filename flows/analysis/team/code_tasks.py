"""What agents write: plans, SQL, Python, charts, and what new columns mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

from flows.analysis.compiler.frames import FrameLimit, query_lines
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import DATA, compile_study
from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.specification import Specification
from flows.analysis.parser.exact import words
from flows.analysis.team.column_descriptions import describe
from flows.analysis.team.drawing import Drawing, drawing_of, fitting
from flows.analysis.team.figures import figure_code
from flows.analysis.team.interpretation import chart_in, model_for, query_in, read_task
from flows.analysis.team.localization import localized, specified
from flows.analysis.team.meaning import model_in
from flows.analysis.team.statement import statement
from flows.analysis.team.steps import steps_of, steps_of_query
from flows.data.frames import frame_name
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Analysis, Chart, Request, Unparsed
from flows.semantics.tables import model_of_result

# What code says itself of data that it cannot work on.
_OWN_WORDS: Final = re.compile(r"^ValueError: (?P<why>.+?)(?: \(line \d+.*\))?$", re.MULTILINE)
_QUOTED: Final = re.compile(r"\"([^\"]+)\"")
T = TypeVar("T")
Make = Callable[[Request, Sequence[Table], SemanticModel], T]


def plan(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `plan_generation`."""
    try:
        steps = _made(given, tables, lambda *task: _steps(_computed(given, *task), task[2]))
    except ValueError as error:
        return {"plan": None, "cannot": str(error)}
    return {"plan": steps, "cannot": None}


def dictionary(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `data_dictionary_generator`."""
    del tables
    return describe(given)


def sql(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `sql_generation`."""
    model = model_in(given)
    asked = _request(given)
    read = _understood(asked) or read_task(_task(given), tables, model)
    query = query_in(read)
    if query is None:
        why = read.reason if isinstance(read, Unparsed) else f"{read.kind} is no query"
        return {"sql": None, "cannot": why}
    said = "" if asked else words(query, model)
    if found := given.get("found"):
        # The same request is the same text, which would only fail again.
        why = f"the only way to ask it failed: {str(found[-1]['said']).splitlines()[0]}"
        return {"sql": None, "explanation": said, "cannot": why}
    return {"sql": statement(query, model, tables), "explanation": said, "cannot": None}


def code(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `python_code_generation`."""
    try:
        text, said = _made(given, tables, lambda *task: _code(_computed(given, *task), *task[1:]))
    except ValueError as error:
        return {"code": None, "cannot": str(error)}
    return {"code": text, "explanation": said, "cannot": None}


def correct(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `python_code_correction`: a simpler variant of the same reading, if
    there is one that was not tried yet."""
    error = str(given.get("error") or "").strip()
    if own_words := _OWN_WORDS.search(error):
        return {"code": None, "cannot": own_words["why"]}
    try:
        found = _made(given, tables, lambda *task: (_computed(given, *task), task[1]))
    except ValueError as why:
        return {"code": None, "cannot": str(why)}
    simpler = _simpler(*found)
    text = compile_study(simpler, found[1]) if simpler is not None else ""
    if simpler is None or text == given.get("code"):
        first = error.splitlines()[0] if error else "it failed"
        return {"code": None, "cannot": f"the only reading of it failed: {first}"}
    return {"code": text, "explanation": f"simpler: {simpler.explanation}", "cannot": None}


def chart(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `chart_generation`. A table whose task cannot be read is drawn by its
    columns, and the chart says so; not where the task names others."""
    data, error = _data(given), str(given.get("error") or "")
    if own_words := _OWN_WORDS.search(error):
        return {"code": None, "cannot": own_words["why"]}
    own = tables if data is None else (data,)
    if not own:
        return {"code": None, "cannot": "there is no table to draw"}
    try:
        found = _made(given, tables, _drawing)
    except _Unread as why:
        named = set(_QUOTED.findall(_task(given)))
        fits = None
        if data is not None and named <= {each.name for each in data.columns}:
            fits = fitting(data, str(why))
        if fits is None:
            return {"code": None, "cannot": str(why)}
        found = fits
    except ValueError as why:
        return {"code": None, "cannot": str(why)}
    if error:
        other = None if data is None else fitting(data, error.splitlines()[0])
        if other is None or figure_code(other, own) in error:
            return {"code": None, "cannot": f"the only reading of it failed: {error[:200]}"}
        found = other
    return {"code": figure_code(found, own), "cannot": None}


class _Unread(ValueError):
    """The words of a task say nothing that can be done."""


def _made(given: Mapping[str, Any], tables: Sequence[Table], make: Make[T]) -> T:
    """What is made of the request of a task; of its words without one, which speak of the run's
    tables or, where that cannot be done, of the table that the task is given.

    Raises ValueError with what hinders it, in words.
    """
    data, model = _data(given), model_in(given)
    asked = _request(given)
    found = _understood(asked) or read_task(_task(given), tables, model)
    if data is None:
        return _make(make, found, tables, model)
    try:
        return _make(make, localized(found, data), (data,), model_of_result(data))
    except ValueError:
        if asked is not None and not isinstance(asked, Unparsed):
            raise
        again = read_task(_task(given), (data,), model_of_result(data))
        if isinstance(again, Unparsed) and not isinstance(found, Unparsed):
            raise
    return _make(make, again, (data,), model_of_result(data))


def _make(make: Make[T], asked: Request, tables: Sequence[Table], model: SemanticModel) -> T:
    if isinstance(asked, Unparsed):
        raise _Unread(asked.reason)
    return make(asked, tables, model)


def _computed(
    given: Mapping[str, Any], asked: Request, tables: Sequence[Table], model: SemanticModel
) -> Specification[Arguments] | Query:
    """What a task computes of tables."""
    wanted = asked.of if isinstance(asked, Chart) else asked
    if given.get("modelling"):
        wanted = model_for(wanted, tables, model) or wanted
    if isinstance(wanted, Analysis):
        return specified(wanted, None, tables, model)
    if not isinstance(wanted, Query) or given.get("modelling"):
        raise _Unread("it does not say which column a model is to learn")
    return wanted


def _steps(found: Specification[Arguments] | Query, model: SemanticModel) -> list[str]:
    return steps_of_query(words(found, model)) if isinstance(found, Query) else steps_of(found)


def _code(
    found: Specification[Arguments] | Query, tables: Sequence[Table], model: SemanticModel
) -> tuple[str, str]:
    """The code of what is computed, and what it is in words."""
    if isinstance(found, Specification):
        return compile_study(found, tables), found.explanation
    try:
        lines = query_lines(found, model)
    except FrameLimit as error:
        raise ValueError(f"{error}; give its result as the data") from error
    frame = frame_name(next(each for each in tables if each.name == found.dataset), tables)
    start = [] if frame == DATA else [f"data = {frame}"]
    text = ["import pandas as pd", "", *start, *lines]
    shown = "print(result.head(40).to_string(index=False))"
    return "\n".join([*text, shown]) + "\n", words(found, model)


def _drawing(asked: Request, tables: Sequence[Table], model: SemanticModel) -> Drawing:
    del model
    wanted = chart_in(asked)
    if wanted is None:
        raise _Unread("it does not say what is to be drawn")
    query = wanted.of.over if isinstance(wanted.of, Analysis) else wanted.of
    found = next((each for each in tables if each.name == query.dataset), tables[0])
    return drawing_of(wanted, found)


def _task(given: Mapping[str, Any]) -> str:
    return str(given.get("task") or "")


def _request(given: Mapping[str, Any]) -> Request | None:
    """What a task asks for, where somebody has said it in a request."""
    asked = given.get("request")
    return None if asked is None else REQUEST.validate_python(asked)


def _understood(asked: Request | None) -> Request | None:
    """What was read of a task, though its agent cannot work on it as it is."""
    return asked.understood or asked if isinstance(asked, Unparsed) else asked


def _data(given: Mapping[str, Any]) -> Table | None:
    """The table that a task is given."""
    data = given.get("data")
    return data if data is None or isinstance(data, Table) else Table.model_validate(data)


def _simpler(
    study: Specification[Arguments] | Query, tables: Sequence[Table]
) -> Specification[Arguments] | None:
    """The same study by its simplest model, of columns of numbers alone; None for another kind."""
    if isinstance(study, Query) or not isinstance(study.arguments, KeyDrivers):
        return None
    given = study.arguments
    table = next(each for each in tables if each.name == study.table.name)
    numbers = tuple(
        c.name for c in table.columns if c.name in given.fields and c.type in ("integer", "real")
    )
    if not numbers:
        return None
    line: Literal["logistic regression", "linear regression"] = (
        "logistic regression" if given.classes else "linear regression"
    )
    simpler = KeyDrivers(target=given.target, fields=numbers, classes=given.classes, model=line)
    return study.with_arguments(simpler)
