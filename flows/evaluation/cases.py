"""Cases: a question, its data, and what is expected of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml
from pydantic import ValidationError

from flows.evaluation.kinds import is_ordered, kind_of
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Request

EXPECTED: Final = ("sql", "request", "rows", "answer")
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Case:
    """What is expected: the result of `sql`, this `request` or one that gives the same result,
    these `rows`, or an `answer` that the text holds.

    `difficulty` is the case's own word, else the kind of its SQL. A case with a `fault` cannot be
    asked.
    """

    id: Any
    question: str = ""
    sql: str = ""
    rows: tuple[tuple[Any, ...], ...] | None = None
    answer: str | int | float | None = None
    request: Request | None = None
    ordered: bool = False
    difficulty: str = UNKNOWN
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedResult:
    """What the SQL of a case gives: the names of its columns and its rows, or why it does not run
    (`fault`)."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    fault: str = ""


def case_of(identity: object, values: Mapping[str, Any], where: str) -> Case:
    """The case of a line of a file; `where` names it in faults."""
    given = [name for name in EXPECTED if values.get(name) is not None]
    if len(given) != 1:
        said = " and ".join(given) or "none"
        names = ", ".join(EXPECTED)
        return Case(identity, fault=f"{where}: a case has one of {names}; it has {said}")
    fault = _fault(given[0], values[given[0]])
    if fault:
        return Case(identity, fault=f"{where}: {fault}")
    request: Request | None = None
    if given[0] == "request":
        try:
            request = read_request(values["request"])
        except ValueError as error:
            return Case(identity, fault=f"{where}: {error}")
    sql = values["sql"] if given[0] == "sql" else ""
    ordered = values.get("ordered")
    rows = values.get("rows")
    return Case(
        identity,
        question=str(values.get("question", "")),
        sql=sql,
        rows=None if rows is None else tuple(tuple(row) for row in rows),
        answer=values.get("answer"),
        request=request,
        ordered=ordered if isinstance(ordered, bool) else _is_ordered(sql, request),
        difficulty=str(values.get("difficulty") or (kind_of(sql) if sql else UNKNOWN)),
    )


def read_request(given: Any) -> Request:
    """A request as `flows ask --explain` prints it, as YAML text or as what that holds; the words
    beside its parts are passed over. Raises ValueError with what is wrong with it."""
    try:
        plain = yaml.safe_load(given) if isinstance(given, str) else given
        return REQUEST.validate_python(_without_words(plain))
    except yaml.YAMLError as error:
        raise ValueError(f"`request` is no YAML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, ("request", *first["loc"])))
        raise ValueError(f"`{where}`: {first['msg']}") from error


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without_words(each)
        for name, each in value.items()
        if name != "words" or not isinstance(each, str)
    }


def _is_ordered(sql: str, request: Request | None) -> bool:
    if isinstance(request, Query):
        return bool(request.sort) or request.rank is not None
    return bool(sql) and is_ordered(sql)


def _fault(name: str, value: Any) -> str:
    if name == "sql" and not (isinstance(value, str) and value.strip()):
        return "`sql` must be a query"
    if name == "rows" and not (
        isinstance(value, list) and all(isinstance(row, list) for row in value)
    ):
        return "`rows` must be a list of lists"
    if name == "answer" and not isinstance(value, str | int | float):
        return "`answer` must be a text or a number"
    return ""
