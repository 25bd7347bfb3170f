"""Results as Parquet: typed as the result says, and as text where a cell is of another type."""

from __future__ import annotations

from datetime import date, time
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.core.observation import Cell
from flows.data.results.parquet import read_parquet, write_parquet
from flows.data.tables import ColumnType, ResultTable
from flows.errors import CodeFailed
from tests.cli.command import python


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
        ("integer", (2**63, 1), "string", str(2**63)),
        ("integer", ("x", 1), "string", "x"),
        ("real", (1.5, 2), "double", 1.5),
        ("real", (2**53 + 1, 0.5), "string", str(2**53 + 1)),
        ("text", ("a", None), "string", "a"),
        ("boolean", (True, None), "bool", True),
        ("boolean", (1, 0), "bool", True),
        ("date", ("2020-01-02", None), "date32[day]", None),
        ("date", ("soon", "2020-01-02"), "string", "soon"),
        ("timestamp", ("2020-01-02 03:04:05", None), "timestamp[us]", None),
        ("timestamp", ("2020-01-02T03:04:05+02:00", None), "timestamp[us, tz=UTC]", None),
        ("time", ("03:04:05", None), "time64[us]", None),
        ("time", ("03:04:05+02:00", None), "string", "03:04:05+02:00"),
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


KINDS: dict[ColumnType, tuple[st.SearchStrategy[Any], pa.DataType]] = {
    "integer": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "real": (st.floats(allow_nan=False), pa.float64()),
    "text": (st.text(), pa.string()),
    "boolean": (st.booleans(), pa.bool_()),
    "date": (st.dates(), pa.date32()),
    "time": (st.times(), pa.time64("us")),
    "timestamp": (st.datetimes(), pa.timestamp("us")),
}


@pytest.mark.long("data of some size, read and asked in workers")
@given(st.data(), st.sampled_from(sorted(KINDS)))
def test_every_value_comes_back_as_it_was(data: st.DataObject, kind: ColumnType) -> None:
    values, arrow = KINDS[kind]
    column = data.draw(st.lists(st.none() | values, max_size=20))
    cells = [str(each) if isinstance(each, date | time) else each for each in column]
    table = written(result({"c": (kind, tuple(cells))}))
    assert table.column("c").combine_chunks().equals(pa.array(column, arrow))


@pytest.mark.long("data of some size, read and asked in workers")
def test_writing_does_not_wait_for_pandas(tmp_path: Path) -> None:
    """It takes half a second to import, and pyarrow imports it where it can."""
    code = (
        "import sys; from flows.data.results.parquet import read_parquet, write_parquet;"
        "from flows.data.tables import ResultTable;"
        "kinds = ('integer', 'real', 'text', 'boolean', 'date', 'time', 'timestamp');"
        "row = (1, 0.5, 'a', True, '2020-01-02', '03:04', '2020-01-02T03:04');"
        "table = ResultTable(columns=kinds, types=kinds, rows=(row,), truncated=False, sql='',"
        " sources={}, elapsed_ms=0);"
        "back, _ = read_parquet(write_parquet(table), most_rows=9, most_cells=99);"
        "print(back.types == kinds, 'pandas' in sys.modules)"
    )
    assert python("-c", code, cwd=tmp_path).out == "True False\n"


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
