"""Records and tables as Arrow tables of a store's schema, and those as Parquet files."""

from __future__ import annotations

import datetime as dt
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from uuid import UUID, uuid4

from flows.core.observation import Cell
from flows.errors import StoreError
from flows.memory.columns.manifest import StoreFile
from flows.memory.columns.schema import (
    WIDER,
    ColumnKind,
    StoreColumn,
    StoreSchema,
    evolve,
)

if TYPE_CHECKING:
    import pyarrow

_NO_VALUE: Final = "_none_"


def arrow_type(kind: ColumnKind) -> Any:
    """The Arrow type of a kind of column."""
    import pyarrow as pa

    made: Mapping[ColumnKind, Any] = {
        "boolean": pa.bool_(), "integer": pa.int64(), "real": pa.float64(), "text": pa.string(),
        "decimal": pa.decimal128(38, 9), "date": pa.date32(), "timestamp": pa.timestamp("us"),
        "time": pa.time64("us"),
    }  # fmt: skip
    return made[kind]


def table_of_records(schema: StoreSchema, records: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """The records as a table of the schema. Times with a zone are kept in UTC; what is not a number
    is kept as no value. Errors: `StoreError` that names record and column."""
    import pyarrow as pa

    columns = []
    for column in schema.columns:
        values = [_plain(each.get(column.name)) for each in records]
        _check_required(schema, column, values)
        try:
            columns.append(pa.array(values, arrow_type(column.kind)))
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            at = f"{schema.id}: record {_first_bad(column, values)}, {column.name}"
            raise StoreError(f"{at}: not {column.kind}: {error}") from error
    return pa.table(columns, names=list(schema.names))


def schema_of_table(stored: StoreSchema, table: pyarrow.Table) -> StoreSchema:
    """The schema of a store that also holds a table, whose types nobody has declared: a column is
    as wide as both are. Errors: `StoreError` for a type that no column has."""
    columns = []
    for name in table.column_names:
        kind = _kind_of(stored.id, name, table.schema.field(name).type)
        known = next((each for each in stored.columns if each.name == name), None)
        if known is None:
            columns.append(StoreColumn(name=name, kind=kind))
        else:
            wider = known.kind if (kind, known.kind) in WIDER else kind
            columns.append(known.model_copy(update={"kind": wider}))
    given = stored.model_copy(update={"columns": tuple(columns)})
    return evolve(stored, given, holds_records=True)


def cast_table(schema: StoreSchema, table: pyarrow.Table) -> pyarrow.Table:
    """The table with the columns of the schema, those that it lacks without a value.
    Errors: `StoreError` for values that do not fit, or a required one that is not there."""
    import pyarrow as pa

    columns = []
    for column in schema.columns:
        kind = arrow_type(column.kind)
        if column.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, kind))
            continue
        found = table[column.name].combine_chunks()
        if pa.types.is_timestamp(found.type) and found.type.tz:
            found = found.cast(pa.timestamp("us", "UTC"))
        try:
            columns.append(found.cast(kind))
        except pa.ArrowException as error:
            raise StoreError(f"{schema.id}: {column.name}: not {column.kind}: {error}") from error
    made = pa.table(columns, names=list(schema.names))
    for column in schema.columns:
        if column.required and made[column.name].null_count:
            raise StoreError(f"{schema.id}: {column.name} is required, and some records have none")
    return made


def parts_of(schema: StoreSchema, table: pyarrow.Table) -> Iterator[tuple[StoreFile, bytes]]:
    """The table as Parquet files, one for each combination of the values of its partitions."""
    for partition, part in _parted(schema.partitions, table):
        content = _parquet(part)
        folder = "/".join(f"{name}={_folder(value)}" for name, value in partition.items())
        name = "/".join(filter(None, ("data", folder, f"{uuid4().hex}.parquet")))
        yield StoreFile(name=name, rows=part.num_rows, bytes=len(content),
                        partition=partition), content  # fmt: skip


def _parquet(table: pyarrow.Table) -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _parted(
    names: Sequence[str], table: pyarrow.Table
) -> Iterator[tuple[dict[str, Cell], pyarrow.Table]]:
    import pyarrow.compute as pc

    if not names:
        if table.num_rows:
            yield {}, table
        return
    first, rest = names[0], names[1:]
    for value in pc.unique(table[first]):
        same = pc.equal(table[first], value) if value.is_valid else pc.is_null(table[first])
        for partition, part in _parted(rest, table.filter(same)):
            yield {first: cell_of(value.as_py()), **partition}, part


def cell_of(value: object) -> Cell:
    """A value of a column as it stands in JSON: days as ISO text."""
    return value.isoformat() if isinstance(value, dt.date) else value  # type: ignore[return-value]


def _folder(value: Cell) -> str:
    if value is None:
        return _NO_VALUE
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quote(text, safe=" ")[:120].replace(".", "%2E") or "_empty_"


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, float | Decimal) and math.isnan(value):
        return None
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    return value


def _check_required(schema: StoreSchema, column: StoreColumn, values: Sequence[object]) -> None:
    if column.required and None in values:
        number = values.index(None) + 1
        raise StoreError(f"{schema.id}: record {number} has no {column.name}, which is required")


def _first_bad(column: StoreColumn, values: Sequence[object]) -> int:
    import pyarrow as pa

    for number, value in enumerate(values, start=1):
        try:
            pa.array([value], arrow_type(column.kind))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            return number
    return 0


def _kind_of(store: str, name: str, type_: Any) -> ColumnKind:
    from pyarrow import types

    if types.is_dictionary(type_):
        return _kind_of(store, name, type_.value_type)
    tests: Mapping[ColumnKind, Sequence[Any]] = {
        "boolean": (types.is_boolean,),
        "integer": (types.is_integer,),
        "real": (types.is_floating,),
        "decimal": (types.is_decimal,),
        "text": (types.is_string, types.is_large_string, types.is_null),
        "date": (types.is_date,),
        "timestamp": (types.is_timestamp,),
        "time": (types.is_time,),
    }
    for kind, each in tests.items():
        if any(test(type_) for test in each):
            return kind
    raise StoreError(f"{store}: {name}: a column cannot hold {type_}; allowed: {', '.join(tests)}")
