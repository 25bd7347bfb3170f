"""What agents write: plans, SQL, Python, charts, and what new columns mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from flows.analysis.compile import compile_plan
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.outcome import Reading
from flows.analysis.reading.read import Unread
from flows.analysis.team.describing import describe
from flows.analysis.team.drawing import fitting, read_drawing
from flows.analysis.team.figures import figure_code
from flows.analysis.team.modelling import read_model
from flows.analysis.team.queries.planned import planned_sql
from flows.analysis.team.questions import explained, frame_code, plan_of, read_question
from flows.analysis.team.steps import steps_of, steps_of_query
from flows.analysis.team.wording import plainly, undone
from flows.data.tables import Table

# What code says itself of data that it cannot work on.
_OWN_WORDS: Final = re.compile(r"^ValueError: (?P<why>.+?)(?: \(line \d+.*\))?$", re.MULTILINE)


def plan(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `plan_generation`."""
    found = _study(given, _own(given, tables))
    if isinstance(found, Specification):
        return {"plan": steps_of(found), "cannot": None}
    if given.get("modelling"):
        return _cannot(found, "plan")
    own = _own(given, tables)
    asked = read_question(_task(given), own)
    if isinstance(asked, Unread):
        return _cannot(_clearer(found, asked), "plan")
    return {"plan": steps_of_query(explained(asked)), "cannot": None}


def dictionary(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `data_dictionary_generator`."""
    del tables
    return describe(given)


def sql(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `sql_generation`."""
    planned = None if given.get("error") else planned_sql(_task(given), tables)
    if isinstance(planned, str):
        return {"sql": planned, "explanation": "", "cannot": None}
    found = read_question(_task(given), tables)
    if isinstance(found, Unread):
        return _cannot(found, "sql")
    query = compile_plan(plan_of(found))
    if error := str(given.get("error") or ""):
        # The same task has one reading; the same text would only fail again.
        why = f"the only reading of it failed: {error.splitlines()[0]}"
        return {"sql": None, "explanation": explained(found), "cannot": why}
    reply: dict[str, Any] = {"sql": query, "explanation": explained(found), "cannot": None}
    if isinstance(found, Reading):
        warned = [{"code": each.code, "text": each.text} for each in found.warnings]
        reply |= {"confidence": round(found.confidence, 3), "warnings": warned}
    return reply


def code(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `python_code_generation`."""
    own = _own(given, tables)
    found = _study(given, own)
    if isinstance(found, Specification):
        return {"code": compile_study(found, own), "explanation": found.explanation, "cannot": None}
    if given.get("modelling"):
        return _cannot(found)
    query = frame_code(_task(given), own)
    if isinstance(query, Unread):
        return _cannot(_clearer(found, query))
    return {"code": query, "explanation": "read as a question", "cannot": None}


def correct(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `python_code_correction`: a simpler variant of the same reading, if
    there is one that was not tried yet."""
    error = str(given.get("error") or "").strip()
    if own_words := _OWN_WORDS.search(error):
        return {"code": None, "cannot": own_words["why"]}
    own = _own(given, tables)
    found = _study(given, own)
    simpler = _simpler(found, own) if isinstance(found, Specification) else None
    text = compile_study(simpler, own) if simpler is not None else ""
    if simpler is None or text == given.get("code"):
        first = error.splitlines()[0] if error else "it failed"
        return {"code": None, "cannot": f"the only reading of it failed: {first}"}
    return {"code": text, "explanation": f"simpler: {simpler.explanation}", "cannot": None}


def chart(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `chart_generation`."""
    own, is_given = _own(given, tables), given.get("data") is not None
    found = read_drawing(_task(given), own, given=is_given)
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


def _task(given: Mapping[str, Any]) -> str:
    return str(given.get("task") or "")


def _own(given: Mapping[str, Any], tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables that a task is about: its input, else the run's."""
    data = given.get("data")
    if data is None:
        return tuple(tables)
    return (data if isinstance(data, Table) else Table.model_validate(data),)


def _study(given: Mapping[str, Any], tables: Sequence[Table]) -> Specification[Arguments] | Unread:
    """The study that a task asks for, whichever of its wordings can be read."""
    task = _task(given)
    if given.get("modelling"):
        return read_model(task, tables)
    text = plainly(task, tables)
    first: Unread | None = None
    for each in dict.fromkeys((text, undone(text), task)):
        found = read_study(each, tables)
        if isinstance(found, Specification):
            return found
        first = first or found
    return first or Unread("no word of it asks for a statistic that the rules know")


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
