"""Tables as entities: which column is the key, and which are relations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic_core import to_jsonable_python

from flows.core.entity_store import EntityName, EntityRecord, EntityRelation
from flows.errors import StoreError

_ROWS_READ = 5_000


class RelationColumn(BaseModel):
    """A column that holds keys of other entities, and the type of those."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str = Field(min_length=1)
    type: EntityName | None = None


class EntityTable(BaseModel):
    """The entities of a type, one for each row of a table or of the result of a query."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: EntityName
    table: str = Field(default="", description="a table of the data")
    query: str = Field(default="", description="or a SELECT over them")
    key: str = Field(min_length=1, description="the column of the keys")
    values: tuple[str, ...] = Field(default=(), description="columns; all but the key without")
    relations: dict[EntityName, str | RelationColumn] = Field(
        default={}, description="names of relations to the columns that hold the other's keys"
    )
    hint: str = Field(default="", description="what agents are told of the type")
    ttl_s: float | None = Field(
        default=None, gt=0, le=1e9, description="seconds after which the entities are gone"
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if bool(self.table) == bool(self.query):
            raise ValueError("name either a table or a query")
        return self

    def columns(self) -> dict[tuple[str | int, ...], str]:
        """The columns that it names, by the paths of the keys that do."""
        found: dict[tuple[str | int, ...], str] = {("key",): self.key}
        for number, column in enumerate(self.values):
            found["values", number] = column
        for name, each in self.relations.items():
            found["relations", name] = each if isinstance(each, str) else each.column
        return found

    def record(self, row: Mapping[str, Any]) -> EntityRecord | None:
        """The entity of a row; None for a row without a key. Errors: `StoreError`."""
        key = key_text(row[self.key])
        if key is None:
            return None
        named = self.values or [name for name in row if name != self.key]
        try:
            return EntityRecord(
                type=self.type,
                key=key,
                values={name: plain_value(row[name]) for name in named},
                relations=tuple(self._relations(row)),
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            raise StoreError(f"the {self.type} {key!r} cannot be kept: {first['msg']}") from error

    def _relations(self, row: Mapping[str, Any]) -> Iterator[EntityRelation]:
        for name, each in self.relations.items():
            column = RelationColumn(column=each) if isinstance(each, str) else each
            found = row[column.column]
            for value in found if isinstance(found, list) else [found]:
                key = key_text(value)
                if key is not None:
                    yield EntityRelation(name=name, key=key, type=column.type or "")


def key_text(value: object) -> str | None:
    """The value of a column as a key: whole numbers without a point; None for nothing."""
    plain = plain_value(value)
    if plain is None or isinstance(plain, list | dict):
        return None
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    return str(plain).strip() or None


def plain_value(value: object) -> JsonValue:
    """The value of a cell as JSON: dates as text, decimals as numbers, NaN as null."""
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    found: JsonValue = to_jsonable_python(value)
    return found


def read_rows(parquet: Path, columns: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file, of all columns or of those that are named."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(parquet) as file:
        for batch in file.iter_batches(_ROWS_READ, columns=list(columns) or None):
            yield from batch.to_pylist()


def column_names(parquet: Path) -> list[str]:
    """The columns of a Parquet file."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(parquet) as file:
        return list(file.schema_arrow.names)


class RowCount:
    """Counts the rows that became entities, and those that had no key."""

    def __init__(self) -> None:
        self.rows = 0
        self.without_key = 0

    def records(
        self, table: EntityTable, rows: Iterable[Mapping[str, Any]]
    ) -> Iterator[EntityRecord]:
        """The entities of the rows."""
        for row in rows:
            self.rows += 1
            record = table.record(row)
            if record is None:
                self.without_key += 1
            else:
                yield record
