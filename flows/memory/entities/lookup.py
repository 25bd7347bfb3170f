"""Finding entities by keys as people write them, and what they are related to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.core.entity_store import (
    EntityKey,
    EntityLookup,
    EntityNeighbour,
    EntityRecord,
    MissingKey,
)
from flows.errors import StoreError, nearest
from flows.memory.entities.engine import EntityEngine, from_json
from flows.memory.entities.keys import beginnings, edits, fold, nearest_keys, normal_form

MOST_KEYS: Final = 1_000
# To more keys that are not there no others are proposed, which takes a millisecond or two for each.
MOST_PROPOSED_TO: Final = 20
_BEGINNING_ALIKE: Final = 20


def find_entities(
    engine: EntityEngine, keys: Sequence[str], types: Sequence[str] = ()
) -> EntityLookup:
    """As `EntityStore.get`. Errors: `StoreError`, also for a type that there is not."""
    if len(keys) > MOST_KEYS:
        raise StoreError(f"{len(keys):,} keys are asked for at once; {MOST_KEYS:,} are the most")
    wanted = list(dict.fromkeys(keys))
    found = _records(engine, wanted, types)
    missing = [key for key in wanted if key not in found]
    if missing:
        if types:
            _check_types(engine, types)
        found |= _folded(engine, missing, types)
        missing = [key for key in wanted if key not in found]
    records = [record for key in wanted for record in found.get(key, ())]
    proposed = {key: propose_keys(engine, key) for key in missing[:MOST_PROPOSED_TO]}
    return EntityLookup(
        records=tuple(_each_once(records)),
        missing=tuple(MissingKey(key=key, did_you_mean=proposed.get(key, ())) for key in missing),
    )


def propose_keys(engine: EntityEngine, key: str) -> tuple[EntityKey, ...]:
    """The keys that are spelt most like one that is not there: the same but for blanks and dashes,
    other by a letter, its beginning, or longer than it."""
    form = normal_form(key)
    if not form:
        return ()
    alike = engine.with_forms([form, *dict.fromkeys(edits(form, engine.letters()))])
    if not alike:
        alike = engine.with_forms(beginnings(form)) + engine.with_beginning(form, _BEGINNING_ALIKE)
    return nearest_keys(key, alike)


def find_related(
    engine: EntityEngine, key: str, type_: str, relation: str, limit: int
) -> tuple[EntityNeighbour, ...]:
    """As `EntityStore.related`. Errors: `StoreError`, also for a key that there is not."""
    if limit < 1:
        raise StoreError(f"the limit is {limit}; it has to be 1 or more")
    types = [type_] if type_ else []
    texts, others = engine.related(key, types, relation, limit)
    if not texts:  # perhaps it is spelt in another way
        found = find_entities(engine, [key], types)
        if not found.records:
            raise StoreError(unknown_key(found.missing[0]))
        texts, others = engine.related(found.records[0].key, types, relation, limit)
    records = sorted(map(from_json, texts), key=lambda each: each.type)
    to = [
        EntityNeighbour(relation=each.name, direction="to", key=each.key, type=each.type)
        for record in records
        for each in record.relations
        if relation in ("", each.name)
    ]
    return (*to[:limit], *others)


def unknown_key(missing: MissingKey) -> str:
    """That a key is not there, with those that were probably meant."""
    meant = ", ".join(f"{each.key} ({each.type})" for each in missing.did_you_mean)
    return f"no entity has the key {missing.key!r}" + (f"; did you mean {meant}?" if meant else "")


def _records(
    engine: EntityEngine, keys: Sequence[str], types: Sequence[str]
) -> dict[str, list[EntityRecord]]:
    found: dict[str, list[EntityRecord]] = {}
    if keys:
        for text in engine.records(keys, types):
            record = from_json(text)
            found.setdefault(record.key, []).append(record)
    for records in found.values():
        records.sort(key=lambda each: each.type)
    return found


def _folded(
    engine: EntityEngine, keys: Sequence[str], types: Sequence[str]
) -> dict[str, list[EntityRecord]]:
    """The records of keys that differ from the only one alike in case and blanks around it."""
    near = engine.with_forms(list(dict.fromkeys(map(normal_form, keys))))
    spellings = {key: {each.key for each in near if fold(each.key) == fold(key)} for key in keys}
    spelt = {key: found.pop() for key, found in spellings.items() if len(found) == 1}
    records = _records(engine, list(dict.fromkeys(spelt.values())), types)
    return {key: records[its] for key, its in spelt.items() if its in records}


def _each_once(records: Sequence[EntityRecord]) -> list[EntityRecord]:
    return list({(each.type, each.key): each for each in records}.values())


def _check_types(engine: EntityEngine, types: Sequence[str]) -> None:
    known = [each.name for each in engine.types()]
    for each in types:
        if each not in known:
            meant = nearest(each, known)
            hint = f"; did you mean {meant}?" if meant else ""
            raise StoreError(
                f"there is no type of entities {each!r}{hint} (types: {', '.join(known) or 'none'})"
            )
