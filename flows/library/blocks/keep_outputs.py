"""Keeping what a command of a run file's own returned as tables, so that answers can cite it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from pydantic_core import to_jsonable_python

from flows.core.flow import AtomicFlow, Ports
from flows.core.observation import Cell, Observation, Preview
from flows.core.run import Run
from flows.data.tables import ColumnType, ResultTable
from flows.library.blocks.keep import CELLS_KEPT, ROWS_KEPT, keep_as_json
from flows.tools.text import cap

MAX_TEXT: Final = 20_000
PREVIEW_ROWS: Final = 20
SIGNS: Final = frozenset({"observation", "EARLY_EXIT"})
_TYPES: Final[Mapping[type, ColumnType]] = {
    bool: "boolean", int: "integer", float: "real", str: "text",
}  # fmt: skip


class KeepOutputsInputs(Ports):
    command: str
    outputs: dict[str, Any]


class KeepOutputsOutputs(Ports):
    observation: Observation


class KeepOutputsFlow(AtomicFlow):
    """Keeps what a command returned, and says it as an observation: single values as a table of
    one row, each list as a table of its own. Values that hold no number are not kept."""

    Inputs: ClassVar[type[Ports]] = KeepOutputsInputs
    Outputs: ClassVar[type[Ports]] = KeepOutputsOutputs

    async def run(self, inputs: KeepOutputsInputs, run: Run) -> KeepOutputsOutputs:
        observation = observed(inputs.outputs)
        first: Preview | None = None
        for table in tables_of(inputs.outputs):
            saved = keep_as_json(run, table, inputs.command)
            first = first or Preview(
                columns=table.columns, types=tuple(table.types), rows=table.rows[:PREVIEW_ROWS],
                total_rows=len(table.rows), truncated=table.truncated, artifact=saved.name,
            )  # fmt: skip
        tabled = (
            first is not None
            and is_one_table(inputs.outputs)
            and not first.truncated
            and first.total_rows <= PREVIEW_ROWS
        )
        kept = {"table": first, "tabled": tabled}
        return KeepOutputsOutputs(observation=observation.model_copy(update=kept))


def observed(outputs: Mapping[str, Any]) -> Observation:
    """What a command found: its `observation`, or whatever it returned, as text."""
    found = outputs.get("observation")
    if isinstance(found, Observation):
        return found
    if found is None:
        found = {name: each for name, each in outputs.items() if name not in SIGNS}
    if not found:
        return Observation(kind="empty", text="The command ended and gave nothing back.")
    plain = to_jsonable_python(found, fallback=str)
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    return Observation(kind="ok", text=cap(text, MAX_TEXT))


def is_one_table(outputs: Mapping[str, Any]) -> bool:
    """Whether returned values make one table that holds all of them: single values, or a list."""
    plain = {name: each for name, each in outputs.items() if name not in SIGNS}
    lists = [
        isinstance(value, list) for _, value in _leaves(to_jsonable_python(plain, fallback=str))
    ]
    return "observation" not in outputs and (not any(lists) or len(lists) == 1)


def tables_of(outputs: Mapping[str, Any]) -> Iterator[ResultTable]:
    """The tables that returned values make, without those that hold no number."""
    plain = {name: each for name, each in outputs.items() if name not in SIGNS}
    single: dict[str, Cell] = {}
    lists: list[tuple[str, Sequence[Any]]] = []
    for name, value in _leaves(to_jsonable_python(plain, fallback=str)):
        if isinstance(value, list):
            lists.append((name, value))
        else:
            single[name] = value
    rows = [[single], *([_record(name, each) for each in values] for name, values in lists)]
    made = (_table(each) for each in rows if each and each[0])
    yield from (each for each in made if {"integer", "real"} & set(each.types))


def _leaves(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an object and of the objects in it, by their names with dots between."""
    for name, each in values.items():
        if isinstance(each, dict):
            yield from _leaves(each, f"{above}{name}.")
        else:
            yield f"{above}{name}", each


def _record(name: str, element: Any) -> dict[str, Cell]:
    """An element of a list as a row: an object by its keys, another value under the list's name."""
    held = _leaves(element) if isinstance(element, dict) else [(name, element)]
    return {
        key: json.dumps(each, ensure_ascii=False) if isinstance(each, list) else each
        for key, each in held
    }


def _table(records: Sequence[Mapping[str, Cell]]) -> ResultTable:
    columns = tuple(dict.fromkeys(key for each in records for key in each))
    most = min(ROWS_KEPT, CELLS_KEPT // max(1, len(columns)))
    rows = tuple(tuple(each.get(key) for key in columns) for each in records[:most])
    return ResultTable(
        columns=columns, types=tuple(map(_type_of, zip(*rows, strict=True))), rows=rows,
        truncated=len(records) > most, sql="", sources={}, elapsed_ms=0.0,
    )  # fmt: skip


def _type_of(cells: Sequence[Cell]) -> ColumnType:
    kinds = {type(each) for each in cells if each is not None}
    if kinds == {int, float}:
        return "real"
    return _TYPES.get(next(iter(kinds)), "other") if len(kinds) == 1 else "other"
