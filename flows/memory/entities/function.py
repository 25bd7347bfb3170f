"""An entity store as a function that an agent may call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from flows.core.entity_store import EntityLookup, EntityNeighbour, EntityStore, EntityType
from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.errors import StoreError
from flows.memory.entities.lookup import unknown_key

MOST_KEYS: Final = 100
MOST_RELATED: Final = 50
_MOST_COUNTED: Final = 10_000
_LONGEST_HINT: Final = 300
_MOST_NAMED: Final = 30


class EntityFunction:
    """Looks up entities by their keys, and what they are related to; counts those of a type."""

    def __init__(
        self,
        store: EntityStore,
        types: Sequence[EntityType],
        name: str,
        namespace: str,
        source: str,
    ) -> None:
        self._store = store
        self._types = tuple(types)
        self.description = FunctionDescription(
            name=name,
            description=_described(types),
            parameters=_parameters(types),
            returns=(
                "JSON: `entities` with type, key, values, hint and relations; `missing` keys with"
                " those that were probably meant; `related` entities by the key, the first of them,"
                " and `related_counts` of all; without keys `counts` of the types"
            ),
            namespace=namespace,
            function_class="entity",
            source=source,
            effect="pure",
        )

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        keys = [str(each) for each in arguments["keys"]]
        types = list(arguments.get("types") or ())
        related = bool(arguments.get("related"))
        if not keys:
            return await count_and_observe(self._store, types)
        return await find_and_observe(
            self._store, keys, types, with_related=related, counted=self._types
        )


async def count_and_observe(store: EntityStore, types: Sequence[str]) -> Observation:
    """How many entities there are of the types, of each that there is without any. Errors:
    `StoreError`, also for a type that there is not."""
    known = {each.name: each for each in await store.types()}
    unknown = next((each for each in types if each not in known), None)
    if unknown is not None:
        names = ", ".join(known) or "none"
        raise StoreError(f"there is no type of entities {unknown!r} (types: {names})")
    told = [
        {"type": each.name, "count": each.count, "examples": list(each.examples)}
        for each in known.values() if not types or each.name in types
    ]  # fmt: skip
    if not told:
        return Observation(kind="empty", text="There are no entities.")
    return Observation(kind="ok", text=json.dumps({"counts": told}, ensure_ascii=False))


async def find_and_observe(
    store: EntityStore,
    keys: Sequence[str],
    types: Sequence[str],
    *,
    with_related: bool,
    counted: Sequence[EntityType] = (),
) -> Observation:
    """Look up the keys, and what their entities are related to. Of the `counted` types with a
    relation that is called as the entity's type it is told as well that none is related. Errors:
    `StoreError`."""
    found = await store.get(keys, types)
    related: dict[str, tuple[EntityNeighbour, ...]] = {}
    if with_related:
        for record in found.records:
            near = await store.related(record.key, record.type, limit=_MOST_COUNTED + 1)
            earlier = related.get(record.key, ())
            related[record.key] = tuple(dict.fromkeys((*earlier, *near)))
    of_types = {
        record.key: [each.name for each in counted if record.type in each.relations]
        for record in found.records
    }
    return observe(found, related, of_types)


def observe(
    found: EntityLookup,
    related: Mapping[str, Sequence[EntityNeighbour]] | None = None,
    counted: Mapping[str, Sequence[str]] | None = None,
) -> Observation:
    """What was found, as JSON; `empty` and in words if no key was. `counted` are types by keys that
    are told of even if none of their entities is related."""
    if not found.records:
        told = "; ".join(unknown_key(each) for each in found.missing) or "no key was given"
        return Observation(kind="empty", text=f"{told[:1].upper()}{told[1:]}")
    data: dict[str, object] = {
        "entities": [each.model_dump(mode="json", exclude_defaults=True) for each in found.records]
    }
    if found.missing:
        data["missing"] = [each.model_dump(mode="json") for each in found.missing]
    if related:
        data["related"] = {
            key: [each.model_dump(mode="json") for each in _first(near)]
            for key, near in related.items()
        }
        data["related_counts"] = [
            each
            for key, near in related.items()
            for each in _counts(key, near, (counted or {}).get(key, ()))
        ]
    return Observation(kind="ok", text=json.dumps(data, ensure_ascii=False))


def _first(near: Sequence[EntityNeighbour]) -> list[EntityNeighbour]:
    """Those that are listed: so many of each direction."""
    sides = ([each for each in near if each.direction == side] for side in ("to", "from"))
    return [each for side in sides for each in side[:MOST_RELATED]]


def _counts(
    key: str, near: Sequence[EntityNeighbour], counted: Sequence[str]
) -> Iterator[dict[str, object]]:
    """How many entities of each type are related to a key; nothing where there are too many to
    tell."""
    keys: dict[str, set[str]] = {each: set() for each in counted}
    for each in near:
        if each.type:
            keys.setdefault(each.type, set()).add(each.key)
    if len(near) <= _MOST_COUNTED:
        for type_, those in keys.items():
            yield {"key": key, "type": type_, "count": len(those)}


def _described(types: Sequence[EntityType]) -> str:
    """What the function says of itself: whose keys it takes, and what was said of each type."""
    lines = [
        "Looks up what is known of entities by their keys (identifiers, codes, numbers), many in"
        " one call, and which entities they are related to; without keys it counts the entities of"
        " a type. Use it first when a question names a key."
    ]
    for each in types:
        examples = f", as {', '.join(each.examples)}" if each.examples else ""
        known = [*each.values, *(f"its {name}" for name in each.relations)][:_MOST_NAMED]
        told = f": {', '.join(known)}" if known else ""
        hint = f". {each.hint[:_LONGEST_HINT]}" if each.hint else ""
        lines.append(f"- {each.name} ({each.count:,}{examples}){told}{hint}")
    return "\n".join(lines)


def _parameters(types: Sequence[EntityType]) -> dict[str, object]:
    names = [each.name for each in types]
    kind: dict[str, object] = {"type": "string", **({"enum": names} if names else {})}
    examples = [key for each in types for key in each.examples]
    key: dict[str, object] = {"type": "string", **({"examples": examples} if examples else {})}
    return {
        "type": "object",
        "properties": {
            "keys": {
                "type": "array",
                "items": key,
                "maxItems": MOST_KEYS,
                "description": (
                    "the keys of the entities, spelt as in the question; [] to count those of types"
                ),
            },
            "types": {
                "type": "array",
                "items": kind,
                "description": "only entities of these types; all without it",
            },
            "related": {
                "type": "boolean",
                "description": "also the entities that these are related to",
            },
        },
        "required": ["keys"],
        "additionalProperties": False,
    }
