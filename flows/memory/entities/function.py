"""An entity store as a function that an agent may call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.core.entity_store import EntityLookup, EntityNeighbour, EntityStore, EntityType
from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.memory.entities.lookup import unknown_key

MOST_KEYS: Final = 100
MOST_RELATED: Final = 50
_LONGEST_HINT: Final = 300
_MOST_NAMED: Final = 30


class EntityFunction:
    """Looks up entities by their keys, and what they are related to."""

    def __init__(
        self,
        store: EntityStore,
        types: Sequence[EntityType],
        name: str,
        namespace: str,
        source: str,
    ) -> None:
        self._store = store
        self.description = FunctionDescription(
            name=name,
            description=_described(types),
            parameters=_parameters(types),
            returns=(
                "JSON: `entities` with type, key, values, hint and relations; `missing` keys with"
                " those that were probably meant; `related` entities by the key"
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
        return await find_and_observe(self._store, keys, types, with_related=related)


async def find_and_observe(
    store: EntityStore, keys: Sequence[str], types: Sequence[str], *, with_related: bool
) -> Observation:
    """Look up the keys, and what their entities are related to. Errors: `StoreError`."""
    found = await store.get(keys, types)
    related: dict[str, tuple[EntityNeighbour, ...]] = {}
    if with_related:
        for record in found.records:
            near = await store.related(record.key, record.type, limit=MOST_RELATED)
            earlier = related.get(record.key, ())
            related[record.key] = tuple(dict.fromkeys((*earlier, *near)))
    return observe(found, related)


def observe(
    found: EntityLookup, related: Mapping[str, Sequence[EntityNeighbour]] | None = None
) -> Observation:
    """What was found, as JSON; `empty` and in words if no key was."""
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
            key: [each.model_dump(mode="json") for each in near] for key, near in related.items()
        }
    return Observation(kind="ok", text=json.dumps(data, ensure_ascii=False))


def _described(types: Sequence[EntityType]) -> str:
    """What the function says of itself: whose keys it takes, and what was said of each type."""
    lines = [
        "Looks up what is known of entities by their keys (identifiers, codes, numbers), many in"
        " one call, and which entities they are related to. Use it first when a question names a"
        " key."
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
                "minItems": 1,
                "maxItems": MOST_KEYS,
                "description": "the keys of the entities, spelt as in the question",
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
