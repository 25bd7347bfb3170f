"""The schema of a columnar store: its columns, what they mean, and how they may change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.errors import StoreError, nearest
from flows.semantics.model import Role

ColumnKind = Literal["boolean", "integer", "real", "decimal", "text", "date", "timestamp", "time"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
# Every value of the first kind is one of the second.
WIDER: Final = frozenset(
    [("integer", "decimal"), ("integer", "real"), ("date", "timestamp")],
)


class StoreColumn(BaseModel):
    """A column and what is known of it. Every record has a value of a `required` one.

    `values` are those that are allowed or expected, `words` what people call the column besides its
    name; `additive` says whether its figures add up, None where nobody has said.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    kind: ColumnKind
    required: bool = False
    description: str = ""
    unit: str = ""
    words: tuple[str, ...] = ()
    role: Role | None = None
    values: tuple[str, ...] = ()
    additive: bool | None = None


class StoreSchema(BaseModel):
    """What the records of a store are. `key` identifies a record, `time` says when it happened,
    and each value of the columns `partitions` has files of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: Name
    name: Name
    description: str = ""
    columns: tuple[StoreColumn, ...] = Field(min_length=1)
    key: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    time: str = ""

    @property
    def id(self) -> str:
        """The namespace and the name: one store has it."""
        return f"{self.namespace}/{self.name}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.columns)

    def column(self, name: str) -> StoreColumn:
        """Errors: `StoreError` that names the nearest column."""
        for each in self.columns:
            if each.name == name:
                return each
        raise StoreError(unknown_column(self.id, name, self.names))


def unknown_column(store: str, name: str, names: Iterable[str]) -> str:
    """The message that a store has no column of that name."""
    known = tuple(names)
    meant = nearest(name, known)
    hint = f"; did you mean {meant!r}?" if meant else ""
    return f"{store} has no column {name!r}{hint} (columns: {', '.join(known)})"


def check_schema(schema: StoreSchema) -> StoreSchema:
    """The schema as it is. Errors: `StoreError` where a part of it does not fit another."""
    folded: dict[str, str] = {}
    for name in schema.names:
        if name.casefold() in folded:
            raise StoreError(f"{schema.id}: the column {name!r} is there twice")
        folded[name.casefold()] = name
    for name in (*schema.key, *schema.partitions, *filter(None, [schema.time])):
        schema.column(name)
    for name in schema.partitions:
        column = schema.column(name)
        if column.kind in ("real", "decimal", "timestamp", "time"):
            raise StoreError(
                f"{schema.id}: the column {name!r} is {column.kind} and cannot be a partition; "
                "allowed: text, integer, boolean, date"
            )
    if schema.time and schema.column(schema.time).kind not in ("date", "timestamp"):
        raise StoreError(f"{schema.id}: the time {schema.time!r} must be a date or a timestamp")
    return schema


def evolve(stored: StoreSchema, added: StoreSchema, *, holds_records: bool) -> StoreSchema:
    """The schema of a store once records of the schema `added` are appended to it.

    A column may be new, of a wider kind, or optional where it was required; what `added` says of
    columns replaces what was said before. Errors: `StoreError` that names every column that would
    become narrower: of a kind that does not hold all its values, required where records have none,
    or left out although it is required.
    """
    if stored.id != added.id:
        raise StoreError(f"records of {added.id} cannot be appended to {stored.id}")
    if stored.partitions != added.partitions:
        raise StoreError(
            f"{stored.id} is parted by {_listed(stored.partitions)}, and the records by "
            f"{_listed(added.partitions)}: write them into a store of another name"
        )
    before = {each.name: each for each in stored.columns}
    after = {each.name: each for each in added.columns}
    problems = [text for name, new in after.items()
                if (text := _problem(before.get(name), new, holds_records))]  # fmt: skip
    problems += [f"{name} is required and left out" for name, each in before.items()
                 if each.required and name not in after]  # fmt: skip
    if problems:
        raise StoreError(f"{stored.id}: a column may become wider, not narrower: " +
                         "; ".join(problems))  # fmt: skip
    columns = [_laid(each, after.get(each.name)) for each in stored.columns]
    columns += [each for name, each in after.items() if name not in before]
    said = {"description": added.description, "key": added.key, "time": added.time}
    update = {name: value for name, value in said.items() if value}
    return check_schema(stored.model_copy(update={**update, "columns": tuple(columns)}))


def is_wider(kind: ColumnKind, than: ColumnKind) -> bool:
    """Whether a column of `kind` holds every value that one of the kind `than` holds, and more."""
    return (than, kind) in WIDER


def _problem(stored: StoreColumn | None, added: StoreColumn, holds_records: bool) -> str:
    """Why the column cannot become like the added one; empty where it can."""
    if stored is None:
        if added.required and holds_records:
            return f"{added.name} is new and required, and the records that are there have none"
        return ""
    if added.kind != stored.kind and not is_wider(added.kind, stored.kind):
        return f"{added.name} is {stored.kind} and would be {added.kind}"
    if added.required and not stored.required and holds_records:
        return f"{added.name} is optional and would be required"
    return ""


def _laid(stored: StoreColumn, added: StoreColumn | None) -> StoreColumn:
    if added is None:
        return stored
    known = dict.fromkeys((*added.values, *stored.values)) if added.values else {}
    described = {name: value for name in ("description", "unit", "words", "role", "additive")
                 if (value := getattr(added, name)) not in ("", (), None)}  # fmt: skip
    update = {"kind": added.kind, "required": added.required, "values": tuple(known)}
    return stored.model_copy(update={**update, **described})


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"
