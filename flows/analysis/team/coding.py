"""What agents write: plans, SQL, Python, charts, and what new columns mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.specification import Specification
from flows.analysis.parser.exact import words
from flows.analysis.reading.read import Unread
from flows.analysis.team.describing import describe
from flows.analysis.team.drawing import Drawing, drawing_of, fitting, read_drawing
from flows.analysis.team.figures import figure_code
from flows.analysis.team.interpretation import exact_request, read_analysis, read_query
from flows.analysis.team.localization import specified
from flows.analysis.team.meaning import model_in
from flows.analysis.team.questions import frame_code
from flows.analysis.team.statement import statement
from flows.analysis.team.steps import steps_of, steps_of_query
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Analysis, Chart, Request
from flows.semantics.tables import model_of_result

# What code says itself of data that it cannot work on.
_OWN_WORDS: Final = re.compile(r"^ValueError: (?P<why>.+?)(?: \(line \d+.*\))?$", re.MULTILINE)


def plan(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `plan_generation`."""
    found = _computed(given, tables)
    if isinstance(found, Unread):
        return _cannot(found, "plan")
    if isinstance(found, Query):
        said = words(found, _model(given, tables))
        return {"plan": steps_of_query(said), "cannot": None}
    return {"plan": steps_of(found), "cannot": None}


def dictionary(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `data_dictionary_generator`."""
    del tables
    return describe(given)


def sql(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `sql_generation`."""
    asked = _request(given)
    model = model_in(given)
    query = asked if isinstance(asked, Query) else read_query(_task(given), tables, model)
    if isinstance(query, Unread):
        return _cannot(query, "sql")
    said = "" if isinstance(asked, Query) else words(query, model)
    if error := str(given.get("error") or ""):
        # The same request is the same text, which would only fail again.
        why = f"the only way to ask it failed: {error.splitlines()[0]}"
        return {"sql": None, "explanation": said, "cannot": why}
    return {"sql": statement(query, model, tables), "explanation": said, "cannot": None}


def code(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `python_code_generation`."""
    own, found = _own(given, tables), _computed(given, tables)
    if isinstance(found, Unread):
        return _cannot(found)
    if isinstance(found, Specification):
        return {"code": compile_study(found, own), "explanation": found.explanation, "cannot": None}
    query = frame_code(found, own, _model(given, tables))
    if isinstance(query, Unread):
        return _cannot(query)
    return {"code": query, "explanation": "read as a question", "cannot": None}


def correct(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `python_code_correction`: a simpler variant of the same reading, if
    there is one that was not tried yet."""
    error = str(given.get("error") or "").strip()
    if own_words := _OWN_WORDS.search(error):
        return {"code": None, "cannot": own_words["why"]}
    own = _own(given, tables)
    found = _computed(given, tables)
    simpler = _simpler(found, own) if isinstance(found, Specification) else None
    text = compile_study(simpler, own) if simpler is not None else ""
    if simpler is None or text == given.get("code"):
        first = error.splitlines()[0] if error else "it failed"
        return {"code": None, "cannot": f"the only reading of it failed: {first}"}
    return {"code": text, "explanation": f"simpler: {simpler.explanation}", "cannot": None}


def chart(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `chart_generation`."""
    own, is_given = _own(given, tables), given.get("data") is not None
    found = _drawn(given, own, _model(given, tables), is_given=is_given)
    if isinstance(found, Unread):
        return _cannot(found)
    if error := str(given.get("error") or ""):
        if own_words := _OWN_WORDS.search(error):
            return {"code": None, "cannot": own_words["why"]}
        other = fitting(own[0], error.splitlines()[0], _task(given)) if is_given else None
        if other is None or figure_code(other, own) in error:
            return {"code": None, "cannot": f"the only reading of it failed: {error[:200]}"}
        found = other
    return {"code": figure_code(found, own), "cannot": None}


def _drawn(
    given: Mapping[str, Any], own: Sequence[Table], model: SemanticModel, *, is_given: bool
) -> Drawing | Unread:
    """What a task wants drawn: by its request, else by its words."""
    if not own:
        return Unread("there is no table to draw")
    asked = _request(given) or exact_request(_task(given), model)
    if not isinstance(asked, Chart):
        return read_drawing(_task(given), own, given=is_given)
    dataset = asked.of.over.dataset if isinstance(asked.of, Analysis) else asked.of.dataset
    data = next((each for each in own if each.name == dataset), own[0])
    try:
        return drawing_of(asked, data)
    except ValueError as error:
        return Unread(str(error))


def _task(given: Mapping[str, Any]) -> str:
    return str(given.get("task") or "")


def _request(given: Mapping[str, Any]) -> Request | None:
    """What a task asks for, where somebody has said it in a request."""
    asked = given.get("request")
    return None if asked is None else REQUEST.validate_python(asked)


def _own(given: Mapping[str, Any], tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables that a task is about: its input, else the run's."""
    data = given.get("data")
    if data is None:
        return tuple(tables)
    return (data if isinstance(data, Table) else Table.model_validate(data),)


def _model(given: Mapping[str, Any], tables: Sequence[Table]) -> SemanticModel:
    """What the tables mean that a task is about."""
    if given.get("data") is None:
        return model_in(given)
    return model_of_result(_own(given, tables)[0])


def _computed(
    given: Mapping[str, Any], tables: Sequence[Table]
) -> Specification[Arguments] | Query | Unread:
    """What a task computes of its table: by its request, else by its words."""
    own, asked = _own(given, tables), _request(given)
    data = own[0] if given.get("data") is not None else None
    model = _model(given, tables)
    if isinstance(asked, Analysis):
        try:
            return specified(asked, data, own, model)
        except ValueError as error:
            return Unread(str(error))
    learns = bool(given.get("modelling"))
    found = read_analysis(_task(given), own, model, learns=learns)
    if not isinstance(found, Unread):
        return study_of(found, model, own)
    if learns:
        return found
    query = read_query(_task(given), own, model)
    return _clearer(found, query) if isinstance(query, Unread) else query


def _simpler(
    study: Specification[Arguments], tables: Sequence[Table]
) -> Specification[Arguments] | None:
    """The same study by its simplest model, of columns of numbers alone; None for another kind."""
    given = study.arguments
    if not isinstance(given, KeyDrivers):
        return None
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
    return replace(study, arguments=simpler)


def _clearer(one: Unread, other: Unread) -> Unread:
    """Of two reasons the one that says more of what was not understood."""
    return other if len(other.not_understood) > len(one.not_understood) else one


def _cannot(why: Unread, key: str = "code") -> dict[str, Any]:
    return {key: None, "cannot": str(why)}
