"""What an entity store asks of the database under it. All of it blocks, and may be called from any
thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import Event, Thread
from typing import Final, Protocol, TypeVar

from pydantic import ValidationError

from flows.core.entity_store import EntityKey, EntityNeighbour, EntityRecord, EntityType
from flows.errors import StoreError

T = TypeVar("T")
BATCH: Final = 2_000
# A loading that has written nothing for so long was killed: another may begin.
LOADING_SECONDS: Final = 120.0
_EXAMPLES: Final = 3
# So many entities of a type tell which values it has.
SAMPLE: Final = 20
LARGEST_RECORD: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EntityLoading:
    """The right to load a type anew. Nobody sees what is loaded before it is put in its place.

    `generation` is the number under which the database keeps the new entities.
    """

    type: str
    token: str
    generation: int


class EntityEngine(Protocol):
    """A database of entities. Errors: `StoreError`."""

    def records(self, keys: Sequence[str], types: Sequence[str]) -> list[str]:
        """The records that have these very keys, as JSON, in any order."""
        ...

    def with_forms(self, forms: Sequence[str]) -> list[EntityKey]:
        """The keys that have one of these normal forms; a few of each."""
        ...

    def with_beginning(self, form: str, limit: int) -> list[EntityKey]:
        """Keys whose normal form begins so."""
        ...

    def letters(self) -> str:
        """The letters and digits of the normal forms."""
        ...

    def related(
        self, key: str, types: Sequence[str], relation: str, limit: int
    ) -> tuple[list[str], list[EntityNeighbour]]:
        """The records of this very key, as JSON, and the entities that name one of them, by
        relation, type and key, in one call of the database. `types` are those of the key; relations
        to other types do not count."""
        ...

    def types(self) -> list[EntityType]:
        """The types, by name."""
        ...

    def put(self, records: Sequence[EntityRecord], ttl_s: float | None) -> None:
        """As `EntityStore.put`. While a type is loaded anew, what is put or removed counts for the
        new entities as well, and before what is loaded of those keys."""
        ...

    def remove(self, keys: Sequence[EntityKey]) -> int:
        """As `EntityStore.remove`."""
        ...

    def begin(self, type_: str) -> EntityLoading:
        """Begin to load all entities of a type anew. Errors: `StoreError` while another does."""
        ...

    def write(
        self, loading: EntityLoading, records: Sequence[EntityRecord], ttl_s: float | None
    ) -> None:
        """Write a batch of records; of one key the last counts. Without records the right to load
        is kept."""
        ...

    def swap(self, loadings: Sequence[tuple[EntityLoading, str]]) -> list[int]:
        """Put what was loaded in the place of the types' entities, of all of them at once for every
        reader, each with its hint. Returns how many there are now of each."""
        ...

    def discard(self, loading: EntityLoading) -> None:
        """Forget what was loaded."""
        ...

    def close(self) -> None: ...


def to_json(record: EntityRecord) -> str:
    """The record as the database keeps it. Errors: `StoreError` for one that is too large."""
    text = record.model_dump_json(exclude_defaults=True)
    if len(text) > LARGEST_RECORD:
        raise StoreError(
            f"the {record.type} {record.key!r} has {len(text):,} characters as JSON;"
            f" {LARGEST_RECORD:,} fit"
        )
    return text


def from_json(text: str | bytes) -> EntityRecord:
    """The record that a database kept. Errors: `StoreError` for one that somebody else wrote."""
    try:
        return EntityRecord.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise StoreError(f"an entity of the store is damaged: {first['msg']}") from error


def type_of(name: str, hint: str, count: int, records: Sequence[EntityRecord]) -> EntityType:
    """What is said of a type. `records` are some of its entities, of which the first are named."""
    return EntityType(
        name=name,
        hint=hint,
        count=count,
        examples=tuple(each.key for each in records[:_EXAMPLES]),
        values=tuple(dict.fromkeys(name for each in records for name in each.values)),
        relations=tuple(dict.fromkeys(to.name for each in records for to in each.relations)),
    )


def in_batches(records: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """The records, so many at a time."""
    rest = iter(records)
    while batch := list(islice(rest, size)):
        yield batch


def load_all(
    engine: EntityEngine,
    type_: str,
    records: Iterable[EntityRecord],
    *,
    hint: str = "",
    ttl_s: float | None = None,
    on_batch: Callable[[int], None] = lambda _: None,
) -> int:
    """Put the records in the place of all entities of a type, at once for every reader: after an
    error, or a kill, the earlier ones are still there. Returns how many there are now."""
    with begun(engine, [type_]) as [loading]:
        for batch in in_batches(records):
            engine.write(loading, batch, ttl_s)
            on_batch(len(batch))
        [there] = engine.swap([(loading, hint)])
    return there


@contextmanager
def begun(engine: EntityEngine, types: Sequence[str]) -> Iterator[list[EntityLoading]]:
    """The right to load these types, which is given back where they are not swapped."""
    loadings: list[EntityLoading] = []
    try:
        for each in types:
            loadings.append(engine.begin(each))
        yield loadings
    except BaseException:
        for loading in loadings:
            engine.discard(loading)
        raise


@contextmanager
def kept_alive(engine: EntityEngine, loadings: Sequence[EntityLoading]) -> Iterator[None]:
    """Keep the right to load while nothing is written for long, as in a slow query."""
    ended = Event()

    def keep() -> None:
        while not ended.wait(LOADING_SECONDS / 4):
            try:
                for each in loadings:
                    engine.write(each, [], None)
            except StoreError:
                return  # the next write says it

    keeper = Thread(target=keep, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
