"""Entity classes: the records of a columnar store as a pydantic model."""

from __future__ import annotations

import datetime as dt
import types
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from flows.errors import ConfigError, StoreError
from flows.memory.columns.schema import ColumnKind, StoreColumn, StoreSchema, check_schema
from flows.semantics.model import Role

# A bool is an int and a datetime a date: the narrower class comes first.
_KINDS: Final[tuple[tuple[type, ColumnKind], ...]] = (
    (bool, "boolean"), (int, "integer"), (float, "real"), (Decimal, "decimal"), (str, "text"),
    (UUID, "text"), (dt.datetime, "timestamp"), (dt.date, "date"), (dt.time, "time"),
)  # fmt: skip
_ALLOWED: Final = (
    "bool", "int", "float", "Decimal", "str", "UUID", "date", "datetime", "time", "Literal", "Enum",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hint:
    """What a type does not say of a field, as in `Annotated[float, Hint(unit="EUR")]`.

    `words` are what people call the field besides its name; `role` is what it is for, and
    `additive` says whether its figures add up over records.
    """

    unit: str = ""
    words: tuple[str, ...] = ()
    role: Role | None = None
    additive: bool | None = None


class ColumnarEntity(BaseModel):
    """A record of a columnar store. A subclass names its store and adds its fields:

        class Order(ColumnarEntity, store="sales/orders", key=("id",), partitions=("year",)):
            "One line of an order."
            id: str
            year: int
            amount: Annotated[float, Hint(unit="EUR", words=("revenue",))]

    `store` is `namespace/name`. The docstring and the descriptions of fields become a part of what
    the store's function says of itself, and the hints a part of its semantic model.
    Errors: `ConfigError` for a field whose type no column can hold.
    """

    model_config = ConfigDict(extra="forbid")

    schema_of_store: ClassVar[StoreSchema | None] = None

    def __init_subclass__(
        cls,
        *,
        store: str = "",
        key: tuple[str, ...] = (),
        partitions: tuple[str, ...] = (),
        time: str = "",
    ) -> None:
        """Pydantic hands the keys on to here before there are fields, and to below afterwards."""
        del store, key, partitions, time
        super().__init_subclass__()

    @classmethod
    def __pydantic_init_subclass__(  # type: ignore[override]
        cls,
        *,
        store: str = "",
        key: tuple[str, ...] = (),
        partitions: tuple[str, ...] = (),
        time: str = "",
    ) -> None:
        namespace, slash, name = store.rpartition("/")
        if not store:
            return
        where = f"{cls.__module__}.{cls.__qualname__}"
        try:
            schema = StoreSchema(
                namespace=namespace if slash else "default",
                name=name,
                description=" ".join((cls.__doc__ or "").split()),
                columns=tuple(_column(where, *each) for each in cls.model_fields.items()),
                key=key,
                partitions=partitions,
                time=time,
            )
            cls.schema_of_store = check_schema(schema)
        except (ValidationError, StoreError) as error:
            text = str(error) if isinstance(error, StoreError) else _first(error)
            raise ConfigError(f"{where}: {text}") from error


def schema_of(entity: type[ColumnarEntity]) -> StoreSchema:
    """The schema of an entity class. Errors: `ConfigError` where it names no store."""
    schema = entity.schema_of_store
    if schema is None:
        raise ConfigError(
            f"{entity.__module__}.{entity.__qualname__} names no store: write "
            f'class {entity.__name__}(ColumnarEntity, store="namespace/name")'
        )
    return schema


def _column(where: str, name: str, field: FieldInfo) -> StoreColumn:
    kind, values, optional = _kind(f"{where}.{name}", field.annotation)
    found = [each for each in field.metadata if isinstance(each, Hint)]
    hint = found[-1] if found else Hint()
    return StoreColumn(
        name=name,
        kind=kind,
        required=not optional and field.is_required(),
        description=" ".join((field.description or "").split()),
        values=values,
        unit=hint.unit,
        words=hint.words,
        role=hint.role,
        additive=hint.additive,
    )


def _kind(where: str, annotation: Any) -> tuple[ColumnKind, tuple[str, ...], bool]:
    """The kind of column that holds the values of a type, the values that it allows by name, and
    whether it may have none."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(where, arguments[0])
    if origin in (Union, types.UnionType) and type(None) in arguments:
        rest = [each for each in arguments if each is not type(None)]
        if len(rest) == 1:
            kind, values, _ = _kind(where, rest[0])
            return kind, values, True
    if origin is Literal:
        return _named(where, arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _named(where, [each.value for each in annotation])
    for python, kind in _KINDS:
        if isinstance(annotation, type) and issubclass(annotation, python):
            return kind, (), False
    shown = getattr(annotation, "__name__", None) or str(annotation)
    raise ConfigError(
        f"{where}: a column cannot hold {shown}; give it a column for each part", allowed=_ALLOWED
    )


def _named(where: str, values: Any) -> tuple[ColumnKind, tuple[str, ...], bool]:
    """The kind of a Literal or an Enum, whose values are all texts or all integers."""
    given = [each for each in values if each is not None]
    if all(isinstance(each, str) for each in given):
        return "text", tuple(given), len(given) < len(values)
    if all(type(each) is int for each in given):
        return "integer", (), len(given) < len(values)
    raise ConfigError(f"{where}: the values of a column are all texts or all integers")


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg']} (it is {found['input']!r})"
