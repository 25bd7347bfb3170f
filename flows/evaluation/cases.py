"""Cases: a question, its data, and what is expected of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows.evaluation.kinds import is_ordered, kind_of

EXPECTED: Final = ("sql", "rows", "answer")
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Case:
    """What is expected: the result of `sql`, these `rows`, or an `answer` that the text holds.

    `difficulty` is the case's own word, else the kind of its SQL. A case with a `fault` cannot be
    asked.
    """

    id: Any
    question: str = ""
    sql: str = ""
    rows: tuple[tuple[Any, ...], ...] | None = None
    answer: str | int | float | None = None
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
        return Case(identity, fault=f"{where}: a case has one of sql, rows, answer; it has {said}")
    fault = _fault(given[0], values[given[0]])
    if fault:
        return Case(identity, fault=f"{where}: {fault}")
    sql = values["sql"] if given[0] == "sql" else ""
    ordered = values.get("ordered")
    rows = values.get("rows")
    return Case(
        identity,
        question=str(values.get("question", "")),
        sql=sql,
        rows=None if rows is None else tuple(tuple(row) for row in rows),
        answer=values.get("answer"),
        ordered=ordered if isinstance(ordered, bool) else bool(sql) and is_ordered(sql),
        difficulty=str(values.get("difficulty") or (kind_of(sql) if sql else UNKNOWN)),
    )


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
