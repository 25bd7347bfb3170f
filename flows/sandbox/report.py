"""What a guest reports to the host of a piece of code that ran: JSON, as the host checks it."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Fault(TypedDict):
    """The fields of a `CodeFault`."""

    type: str
    message: str
    line: NotRequired[int | None]
    column: NotRequired[int | None]
    traceback: NotRequired[str]


class VariableMade(TypedDict):
    """A variable that the code made or changed; `shape` of arrays and frames."""

    name: str
    type: str
    repr: str
    shape: list[int]


class TableMade(TypedDict):
    """A data frame: its columns, its first rows, and the file in the report's folder."""

    name: str
    columns: list[Any]
    types: list[str]
    rows: list[list[Any]]
    total_rows: int
    file: str


class FigureMade(TypedDict):
    """A figure as a file in the report's folder; `kind` is png or plotly."""

    name: str
    title: str
    kind: str
    file: str


class ModelMade(TypedDict):
    """A fitted model as a file of skops in the report's folder."""

    name: str
    file: str


class PieceReport(TypedDict):
    """How a piece ended (`status`: ok, error or memory), and what it made."""

    status: str
    fault: Fault | None
    result: str
    folder: str
    variables: list[VariableMade]
    tables: list[TableMade]
    figures: list[FigureMade]
    models: list[ModelMade]
    notes: list[str]
