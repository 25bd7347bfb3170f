"""The protocol of an entity store: what is known of things by their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Protocol, runtime_checkable

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

LONGEST_KEY = 500


def check_key(key: str) -> str:
    """Errors: `ValueError` for a text that cannot be the key of an entity."""
    if not key.strip() or len(key) > LONGEST_KEY or not key.isprintable():
        raise ValueError(f"a key is 1 to {LONGEST_KEY} printable characters")
    return key


EntityName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$")]
KeyText = Annotated[str, AfterValidator(check_key)]


class EntityKey(BaseModel):
    """Which entity is meant. One key may belong to entities of several types."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: EntityName
    key: KeyText


class EntityRelation(BaseModel):
    """A relation of an entity to another, as in `body` to the key `B-77`.

    Without a `type` the other entity may be of any type.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: EntityName
    key: KeyText
    type: EntityName | Literal[""] = ""


class EntityRecord(BaseModel):
    """What is known of one entity. `hint` is advice for whoever reads the values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: EntityName
    key: KeyText
    values: Mapping[str, JsonValue] = {}
    hint: str = ""
    relations: tuple[EntityRelation, ...] = ()


class EntityNeighbour(BaseModel):
    """An entity that another is related to: which names it (`to`), or is named by it (`from`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: EntityName
    direction: Literal["to", "from"]
    key: KeyText
    type: EntityName | Literal[""] = ""


class MissingKey(BaseModel):
    """A key that no entity has, and those that were probably meant, the nearest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    did_you_mean: tuple[EntityKey, ...] = ()


class EntityLookup(BaseModel):
    """What was found under the keys that were asked for, in their order.

    A key that differs from the only one there is in nothing but case and blanks around it is found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: tuple[EntityRecord, ...] = ()
    missing: tuple[MissingKey, ...] = ()


class EntityType(BaseModel):
    """A type of entities in a store: how many there are, some of their keys, and the names of the
    values and relations that those have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: EntityName
    hint: str = ""
    count: int = 0
    examples: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


@runtime_checkable
class EntityStore(Protocol):
    """A store of entities by type and key. Errors: `flows.errors.StoreError`."""

    async def get(self, keys: Sequence[str], types: Sequence[str] = ()) -> EntityLookup:
        """The entities of the keys: of all types, or of those that are named."""
        ...

    async def related(
        self, key: str, type_: str = "", relation: str = "", limit: int = 100
    ) -> tuple[EntityNeighbour, ...]:
        """The entities that the key's entities are related to, in both directions, so many at most
        in each. `type_` and `relation` narrow it: the type of the key's entity, the relation."""
        ...

    async def types(self) -> tuple[EntityType, ...]:
        """The types of entities in the store, by name."""
        ...

    async def put(self, records: Sequence[EntityRecord], ttl_s: float | None = None) -> None:
        """Keep the records, in place of those of the same type and key; all of them or, after an
        error, none. They are gone after `ttl_s` seconds, if it is given."""
        ...

    async def remove(self, keys: Sequence[EntityKey]) -> int:
        """Forget the entities. Returns how many there were."""
        ...

    async def aclose(self) -> None: ...
