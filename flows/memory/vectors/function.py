"""A vector store's search as a function that an agent may call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, time
from typing import Any, Final

from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.core.vector_store import EntryFilter, FoundEntry, VectorStore
from flows.errors import StoreError

MOST_FOUND: Final = 20
USUAL: Final = 5
_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "minLength": 1, "description": "what is looked for"},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_FOUND,
            "description": f"how many texts at most; {USUAL} without it",
        },
        "doc_id": {"type": "string", "description": "only texts of this document"},
        "since": {"type": "string", "description": "only texts from this day on, YYYY-MM-DD"},
        "until": {"type": "string", "description": "only texts up to this day, YYYY-MM-DD"},
    },
    "required": ["question"],
    "additionalProperties": False,
}


class VectorFunction:
    """Searches a vector store, by meaning and by words."""

    def __init__(self, store: VectorStore, name: str, namespace: str, about: str) -> None:
        self._store = store
        what = about.strip().rstrip(".") or f"the texts of {store.namespace}/{store.name}"
        self.description = FunctionDescription(
            name=name,
            description=(
                f"Searches texts by meaning and by words: {what}. Use it for open questions,"
                " background and what people wrote; not for counts or sums."
            ),
            parameters=_PARAMETERS,
            returns="JSON: a list of texts, best first, with name, text, doc_id, timestamp, score",
            namespace=namespace,
            function_class="VectorSearch",
            source=f"vectors:{store.namespace}/{store.name}",
            effect="pure",
        )

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        document = arguments.get("doc_id")
        try:
            filters = EntryFilter(
                doc_ids=(document,) if document else (),
                since=_moment(arguments.get("since"), time.min),
                until=_moment(arguments.get("until"), time.max),
            )
        except ValueError as error:
            raise StoreError(f"since and until are days, as 2024-03-01: {error}") from error
        limit = int(arguments.get("limit") or USUAL)
        return observe(await self._store.run_search(arguments["question"], limit, filters))


def observe(found: Sequence[FoundEntry]) -> Observation:
    """What was found, as JSON."""
    if not found:
        return Observation(kind="empty", text="No text of the store speaks of that.")
    told = [
        {
            "name": each.entry.name,
            "text": each.entry.text,
            "doc_id": each.entry.document,
            "timestamp": each.entry.timestamp.isoformat(timespec="seconds"),
            **({"metadata": dict(each.entry.metadata)} if each.entry.metadata else {}),
            "score": each.score,
        }
        for each in found
    ]
    return Observation(kind="ok", text=json.dumps(told, ensure_ascii=False))


def _moment(text: str | None, of_day: time) -> datetime | None:
    """The moment of a text; of a day alone its first or last. Errors: `ValueError`."""
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return datetime.combine(moment.date(), of_day) if len(text) <= len("2024-03-01") else moment
