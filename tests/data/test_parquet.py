"""Results as Parquet: typed as the result says, and as text where a cell is of another type."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows.core.observation import Cell
from flows.data.results.parquet import read_parquet, write_parquet
from flows.data.tables import ColumnType, ResultTable
from flows.errors import CodeFailed


def result(columns: dict[str, tuple[ColumnType, tuple[Cell, ...]]]) -> ResultTable:
    return ResultTable(
        columns=tuple(columns),
        types=tuple(kind for kind, _ in columns.values()),
        rows=tuple(zip(*(cells for _, cells in columns.values()), strict=True)),
        truncated=False,
        sql="",
        sources={},
        elapsed_ms=0,
    )


def written(table: ResultTable) -> pa.Table:
    return pq.read_table(BytesIO(write_parquet(table)))


@pytest.mark.parametrize(
    ("kind", "cells", "arrow", "first"),
    [
        ("integer", (1, None), "int64", 1),
        ("integer", (2**70, 1), "string", str(2**70)),
        ("integer", ("x", 1), "string", "x"),
        ("real", (1.5, 2), "double", 1.5),
        ("text", ("a", None), "string", "a"),
        ("boolean", (True, None), "bool", True),
        ("boolean", (1, 0), "bool", True),
        ("date", ("2020-01-02", None), "date32[day]", None),
        ("date", ("soon", "2020-01-02"), "string", "soon"),
        ("timestamp", ("2020-01-02 03:04:05", None), "timestamp[us]", None),
        ("timestamp", ("2020-01-02T03:04:05+02:00", None), "timestamp[us, tz=UTC]", None),
        ("time", ("03:04:05", None), "time64[us]", None),
        ("other", ('{"a": 1}', 2), "string", '{"a": 1}'),
    ],
)
def test_a_column_has_its_type(
    kind: ColumnType, cells: tuple[Cell, ...], arrow: str, first: Any
) -> None:
    table = written(result({"c": (kind, cells)}))
    assert str(table.schema.field("c").type) == arrow
    if first is not None:
        assert table.column("c")[0].as_py() == first
    else:
        assert str(table.column("c")[0].as_py())[:4] in (str(cells[0])[:4], "03:0")


def test_no_rows_and_names_that_stand_twice() -> None:
    empty = ResultTable(
        columns=("a", "a", "a_2"), types=("integer", "text", "date"), rows=(), truncated=False,
        sql="", sources={}, elapsed_ms=0,
    )  # fmt: skip
    table = written(empty)
    assert table.schema.names == ["a", "a_2", "a_2_2"]
    assert table.num_rows == 0


def test_what_comes_back_from_elsewhere_is_read_as_cells() -> None:
    made = written(result({"n": ("integer", (1, 2, 3)), "d": ("date", ("2020-01-02",) * 3)}))
    opened = BytesIO()
    pq.write_table(made, opened)
    table, total = read_parquet(opened.getvalue(), most_rows=2, most_cells=100)
    assert (table.columns, table.types) == (("n", "d"), ("integer", "date"))
    assert table.rows == ((1, "2020-01-02"), (2, "2020-01-02"))
    assert (total, table.truncated) == (3, True)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\x00" * 100 + b"PAR1", b"\x80\x04."])
def test_what_is_no_parquet_is_refused(content: bytes) -> None:
    with pytest.raises(CodeFailed, match="cannot be read"):
        read_parquet(content, most_rows=10, most_cells=10)
