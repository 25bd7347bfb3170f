"""Searching several stores at once, as a function that an agent may call."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.core.function_description import FunctionDescription
from flows.core.function_store import ApprovedFunction, FunctionClass, FunctionStore
from flows.core.observation import Observation
from flows.errors import CommandError, StoreError, nearest
from flows.memory.search.results import StoreResult, fuse_results, results_of

NAME: Final = "search_stores"
CLASSES: Final[tuple[FunctionClass, ...]] = (
    "ColumnarQuantitativeSearch", "VectorSearch", "entity",
)  # fmt: skip
_USUAL: Final = 5
_MOST_STORES: Final = 20
_SHOWN: Final = 10
# Identifiers as people write them: they have a digit, and letters or a dash beside it.
_KEY: Final = re.compile(r"\b(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z-])[A-Za-z0-9][\w./-]{2,60}\b")
_DATE: Final = re.compile(r"\d{4}-\d{2}(-\d{2})?|Q[1-4]|H[12]|\d+(st|nd|rd|th|k|m)", re.IGNORECASE)

_DESCRIPTION: Final = (
    "Searches several stores at once, those that fit the question or those that are named, and "
    "gives one ranking of what they found, each with the store that it comes from. Use it for a "
    "question that may be answered by more than one store."
)
_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "minLength": 1, "description": "one question in words"},
        "stores": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": _MOST_STORES,
            "description": "ids or names of functions of stores; those that fit without it",
        },
        "limit": {
            "type": "integer", "minimum": 1, "maximum": _MOST_STORES,
            "description": f"how many stores are asked at most; {_USUAL} without it",
        },
    },
    "required": ["question"],
    "additionalProperties": False,
}  # fmt: skip


class StoreSearch:
    """Asks the stores among the functions of a run that match a question, all at once, and fuses
    what they give. A store that fails or finds nothing is told of, and takes no other with it."""

    def __init__(self, functions: FunctionStore, namespace: str = "stores") -> None:
        self._functions = functions
        self.description = FunctionDescription(
            name=NAME,
            description=_DESCRIPTION,
            parameters=_PARAMETERS,
            returns="JSON: `results`, best first, each with its store and value; `stores` asked",
            namespace=namespace,
            function_class="flow",
            source="stores",
            effect="pure",
        )

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        """What the stores found. Errors: `StoreError` for a store that is not there."""
        question = str(arguments["question"])
        limit = int(arguments.get("limit") or _USUAL)
        names = arguments.get("stores") or ()
        known = [each for each in await self._functions.descriptions()
                 if each.function_class in CLASSES]  # fmt: skip
        if names:
            pairs = await self._answers(question, [_named(each, known) for each in names])
        elif len(known) <= limit:  # all are asked: how well each fits is found out meanwhile
            pairs, ranked = await asyncio.gather(
                self._answers(question, known), self._matching(question, limit)
            )
            order = [each.id for each in ranked]
            pairs.sort(key=lambda pair: order.index(pair[0].id) if pair[0].id in order else limit)
        else:
            pairs = await self._answers(question, await self._matching(question, limit))
        if not pairs:
            return Observation(kind="empty", text="No store matches the question.")
        return _fused(question, pairs)

    async def _answers(
        self, question: str, stores: Sequence[FunctionDescription]
    ) -> list[tuple[FunctionDescription, Observation]]:
        """What the stores that can be asked a question give, all asked at once."""
        asked = [(each, given) for each in stores if (given := _arguments(each, question))]
        found = await asyncio.gather(*(self._ask(*each) for each in asked))
        return [(each, made) for (each, _), made in zip(asked, found, strict=True)]

    async def _matching(self, question: str, limit: int) -> list[FunctionDescription]:
        """The stores that fit the question, the best of each class first."""
        ranked: dict[str, FunctionDescription] = {}
        matches = await asyncio.gather(
            *(self._functions.search(question, limit, each) for each in CLASSES)
        )
        for place in range(limit):
            for found in matches:
                if place < len(found):
                    each = found[place].description
                    ranked.setdefault(each.id, each)
        return list(ranked.values())[:limit]

    async def _ask(
        self, described: FunctionDescription, arguments: Mapping[str, Any]
    ) -> Observation:
        seconds = self._functions.limits.timeout_s
        try:
            function = await self._functions.load(described.id)
            if isinstance(function, ApprovedFunction) and function.pending:
                return Observation(kind="error", text=f"It is not called: {function.pending}")
            async with asyncio.timeout(seconds):
                return await function.call(arguments)
        except TimeoutError:
            return Observation(kind="error", text=f"It did not answer within {seconds:g} s.")
        except CommandError as error:
            return Observation(kind="error", text=str(error))


def _named(name: str, stores: Sequence[FunctionDescription]) -> FunctionDescription:
    for each in stores:
        if name in (each.id, each.name):
            return each
    known = [each.id for each in stores]
    meant = nearest(name, [*known, *(each.name for each in stores)])
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise StoreError(f"there is no store {name!r}{hint} (stores: {', '.join(known) or 'none'})")


def _arguments(store: FunctionDescription, question: str) -> dict[str, Any]:
    """What the store is asked with: the question, or the keys that it names; empty where it can be
    asked with neither."""
    properties = store.parameters.get("properties", {})
    required = set(store.parameters.get("required", ()))
    if "question" in properties and required <= {"question"}:
        return {"question": question}
    if "keys" in properties and required <= {"keys"} and (keys := keys_of(question)):
        return {"keys": keys}
    return {}


def keys_of(question: str) -> list[str]:
    """The words of a question that are written like keys, as `KT-2011`; dates are none."""
    found = (each.group().rstrip(".-/") for each in _KEY.finditer(question))
    return list(dict.fromkeys(each for each in found if not _DATE.fullmatch(each)))


def _fused(question: str, found: Sequence[tuple[FunctionDescription, Observation]]) -> Observation:
    """One ranking of all results, and what became of each store, as JSON."""
    order = [each.id for each, _ in found]
    results = [one for each, made in found for one in results_of(each, made)]
    ranked = fuse_results(question, results, order)[:_SHOWN]
    asked = [_asked(each, made, results) for each, made in found]
    told = {"results": [_told(*each) for each in ranked], "stores": asked}
    text = json.dumps(told, ensure_ascii=False)
    cautions = tuple(dict.fromkeys(one for _, made in found for one in made.cautions))
    if not ranked:
        failed = all(made.kind == "error" for _, made in found)
        why = "; ".join(f"{each['store']}: {each['why']}" for each in asked)
        return Observation(kind="error" if failed else "empty", text=f"No store answers: {why}")
    return Observation(kind="ok", text=text, cautions=cautions)


def _asked(
    store: FunctionDescription, made: Observation, results: Sequence[StoreResult]
) -> dict[str, Any]:
    count = sum(each.store == store.id for each in results)
    told: dict[str, Any] = {"store": store.id, "kind": made.kind, "results": count}
    return told if made.kind == "ok" else {**told, "why": made.text}


def _told(score: float, result: StoreResult) -> dict[str, Any]:
    return {
        "store": result.store, "source": result.source, "path": result.path,
        "score": round(score, 4), "value": result.value,
    }  # fmt: skip
