"""Values of every type that DuckDB, Arrow and pandas have, for tests of what becomes of them."""

# ruff: noqa: E501 - values and what they become stand on one line

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

# A value as DuckDB writes it, and what a query shows of it.
DUCKDB: dict[str, tuple[str, Any]] = {
    "boolean": ("TRUE", True),
    "tinyint": ("-1::TINYINT", -1),
    "ubigint": ("18446744073709551615::UBIGINT", 18446744073709551615.0),
    "hugeint": ("(-170141183460469231731687303715884105728)::HUGEINT", -(2.0**127)),
    "uhugeint": ("7::UHUGEINT", 7),
    "bignum": ("repeat('9', 50)::BIGNUM", "9" * 50),
    "float": ("1.5::FLOAT", 1.5),
    "nan": ("'nan'::DOUBLE", None),
    "decimal": ("1.25::DECIMAL(38, 10)", 1.25),
    "varchar": ("'x'", "x"),
    "blob": ("'\\xAA'::BLOB", "aa"),
    "bit": ("'10101'::BIT", "10101"),
    "uuid": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    "enum": ("'a'::ENUM('a', 'b')", "a"),
    "json": ("'{\"a\":1}'::JSON", '{"a":1}'),
    "date": ("DATE '2024-02-29'", "2024-02-29"),
    "date_far": ("DATE '20000-01-01'", "20000-01-01"),
    "date_bc": ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"),
    "date_infinity": ("DATE 'infinity'", "infinity"),
    "date_last": ("DATE '9999-12-31'", "9999-12-31"),
    "time": ("TIME '10:00:00'", "10:00:00"),
    "time_end": ("TIME '24:00:00'", "24:00:00"),
    "time_ns": ("'10:00:00.123456789'::TIME_NS", "10:00:00.123456789"),
    "timetz": ("TIMETZ '10:00:00+02'", "10:00:00+02"),
    "timestamp": ("TIMESTAMP '2024-02-29 10:00:00'", "2024-02-29 10:00:00"),
    "timestamp_far": ("TIMESTAMP '20000-01-01'", "20000-01-01 00:00:00"),
    "timestamp_infinity": ("TIMESTAMP '-infinity'", "-infinity"),
    "timestamp_s": ("TIMESTAMP_S '2024-02-29 10:00:00'", "2024-02-29 10:00:00"),
    "timestamp_s_infinity": ("TIMESTAMP_S 'infinity'", "infinity"),
    "timestamp_ms": ("TIMESTAMP_MS '2024-02-29 10:00:00'", "2024-02-29 10:00:00"),
    "timestamp_ns": ("TIMESTAMP_NS '2024-02-29 10:00:00.123456789'", "2024-02-29 10:00:00.123456789"),
    "timestamptz": ("TIMESTAMPTZ '2024-02-29 10:00:00+02'", "2024-02-29 08:00:00+00"),
    "timestamptz_far": ("TIMESTAMPTZ '20000-01-01 00:00:00+00'", "20000-01-01 00:00:00+00"),
    "timestamptz_infinity": ("TIMESTAMPTZ 'infinity'", "infinity"),
    "interval": ("INTERVAL '1 year 2 months 3 days'", "1 year 2 months 3 days"),
    "interval_far": ("INTERVAL '200000 years'", "200000 years"),
    "struct": ("{'a': 1, 'b': 'x'}", '{"a": 1, "b": "x"}'),
    "struct_tz": ("{'a': TIMESTAMPTZ '2024-01-01 00:00:00+00'}", "{'a': '2024-01-01 00:00:00+00'}"),
    "row": ("row(1, 2)", "[1, 2]"),
    "map": ("MAP {'a': 1}", '{"a": 1}'),
    "map_of_structs": ("MAP {{'x': 1}: 2}", '{"key": [{"x": 1}], "value": [2]}'),
    "map_tz": ("MAP {'a': TIMESTAMPTZ '2024-01-01 00:00:00+00'}", "{a='2024-01-01 00:00:00+00'}"),
    "list": ("[1, 2]", "[1, 2]"),
    "list_tz": ("[TIMESTAMPTZ '2024-01-01 00:00:00+00']", "['2024-01-01 00:00:00+00']"),
    "list_far": ("[DATE '20000-01-01']", '["20000-01-01"]'),
    "list_infinity": ("[DATE 'infinity']", "[infinity]"),
    "struct_infinity": ("{'a': TIMESTAMP '-infinity'}", "{'a': -infinity}"),
    "list_intervals": ("[INTERVAL 1 DAY]", "[1 day]"),
    "list_of_lists": ("[['1'::BIGNUM]]", '[["1"]]'),
    "array": ("[1, 2]::INTEGER[2]", "[1, 2]"),
    "union": ("union_value(a := 1)", 1),
    "union_tz": ("union_value(z := TIMESTAMPTZ '2024-01-01 00:00:00+00')", "2024-01-01 00:00:00+00"),
    "null": ("NULL", None),
}  # fmt: skip
# What DuckDB has had since a later version than the first that this package takes.
NEWER: dict[str, tuple[str, Any]] = {
    "timestamptz_ns": (
        "'2024-02-29 10:00:00.123456789+02'::TIMESTAMPTZ_NS", "2024-02-29 08:00:00.123456789+00",
    ),
    "variant": ("1::VARIANT", "1"),
    "variant_tz": ("TIMESTAMPTZ '2024-01-01 00:00:00+00'::VARIANT", "2024-01-01 00:00:00+00"),
    "geometry": ("'POINT(1 2)'::GEOMETRY", "0101000000000000000000f03f0000000000000040"),
}  # fmt: skip


def write_duckdb(path: Path) -> dict[str, Any]:
    """The table `stored` with a column of each type: its value, and a missing one. Returns what
    queries show of the columns that this version of DuckDB has."""
    with duckdb.connect(str(path)) as connection:
        known = DUCKDB | {name: each for name, each in NEWER.items() if _is_known(connection, each)}
        columns = ", ".join(f"{text} AS {name}" for name, (text, _) in known.items())
        missing = ", ".join(["NULL"] * len(known))
        connection.execute(f"CREATE TABLE stored AS SELECT {columns} UNION ALL SELECT {missing}")
    return {name: shown for name, (_, shown) in known.items()}


def _is_known(connection: duckdb.DuckDBPyConnection, value: tuple[str, Any]) -> bool:
    try:
        connection.execute(f"SELECT ({value[0]})::VARCHAR")
    except duckdb.Error:
        return False
    return True


def write_arrow(path: Path) -> list[str]:
    """A Parquet file with a column of each of Arrow's types that one can have: their names."""
    arrays = dict(_arrow())
    parquet.write_table(pa.table(arrays), path)
    return list(arrays)


def _arrow() -> Iterator[tuple[str, pa.Array]]:
    numbers = ("int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64")
    for name in numbers:
        yield name, pa.array([1, None], getattr(pa, name)())
    for unit in ("s", "ms", "us", "ns"):
        yield f"duration_{unit}", pa.array([1, None], pa.duration(unit))
        for at, zone in enumerate((None, "UTC", "America/New_York", "+05:30")):
            yield f"timestamp_{unit}_{at}", pa.array([1, None], pa.timestamp(unit, zone))
    yield "null", pa.nulls(2)
    yield "bool", pa.array([True, None])
    yield "float16", pa.array(np.array([1.5, 2.5], dtype="float16"))
    yield "decimal128", pa.array([Decimal("1.2"), None], pa.decimal128(38, 5))
    yield "decimal256", pa.array([Decimal("1.2"), None], pa.decimal256(60, 2))
    yield "date32", pa.array([1, None], pa.date32())
    yield "date64", pa.array([86_400_000, None], pa.date64())
    yield "date_far", pa.array([1 << 30, None], pa.date32())
    yield "timestamp_far", pa.array([1 << 62, None], pa.timestamp("us"))
    yield "time32", pa.array([1, None], pa.time32("ms"))
    yield "time64", pa.array([1, None], pa.time64("ns"))
    yield "time_end", pa.array([86_400_000_000, None], pa.time64("us"))
    yield "binary", pa.array([b"a\xff", None])
    yield "large_binary", pa.array([b"a", None], pa.large_binary())
    yield "fixed_binary", pa.array([b"ab", None], pa.binary(2))
    yield "large_string", pa.array(["a", None], pa.large_string())
    yield "string_view", pa.array(["a", None], pa.string_view())
    yield "dictionary", pa.array(["a", None]).dictionary_encode()
    yield "dictionary_of_numbers", pa.array([1, None]).dictionary_encode()
    yield "list", pa.array([[1], None])
    yield "large_list", pa.array([[1], None], pa.large_list(pa.int64()))
    yield "fixed_list", pa.array([[1, 2], None], pa.list_(pa.int64(), 2))
    yield "list_tz", pa.array([[1], None], pa.list_(pa.timestamp("us", "UTC")))
    yield "list_of_structs", pa.array([[{"a": [1]}], None])
    yield "struct", pa.array([{"a": 1, "b": "x"}, None])
    yield "struct_of_durations", pa.array([{"d": timedelta(1)}, None])
    yield "map", pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64()))
    yield (
        "uuid",
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16, None], pa.binary(16))),
    )
    yield "json", pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a":1}', None]))


# A data frame of pandas with a column of each dtype that no Parquet file above gives, as code.
PANDAS = """
import datetime
days = pd.to_datetime(["2024-01-01", "2024-07-01"])
result = pd.DataFrame({
    "utc": days.tz_localize("UTC"), "berlin": days.tz_localize("Europe/Berlin"),
    "offset": days.tz_localize(datetime.timezone(datetime.timedelta(hours=5, minutes=30))),
    "period": pd.period_range("2024-01", periods=2, freq="M"), "interval": pd.interval_range(0, 2),
    "category": pd.Categorical(["a", None]), "numbers": pd.Categorical([1, 2]),
    "sparse": pd.arrays.SparseArray([0, 1]), "complex": [1j, 2j], "timedelta": days - days[0],
    "boolean": pd.array([True, None], dtype="boolean"), "int64": pd.array([1, None], dtype="Int64"),
    "float32": pd.array([1.5, None], dtype="Float32"), "string": pd.array(["a", None], dtype="string"),
    "float16": np.array([1.5, 2.5], dtype="float16"), "nat": pd.to_datetime([None, None]),
    "none": [None, None], "bytes": [b"\\xff", None], "mixed": [1, "a"], "sets": [{1}, None],
    "dicts": [{"a": 1}, None], "clock": [datetime.time(10), None], "day": [datetime.date(2024, 1, 1), None],
    "moments": [datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc), datetime.datetime(2024, 1, 1)],
})
result
"""
