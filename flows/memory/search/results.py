"""The results of several stores, and one ranking of them all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.memory.ranking import KeywordIndex

# The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009).
_K: Final = 60
_MOST_OF_ONE: Final = 50
_MOST_ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class StoreResult:
    """One thing that a store found: an entry, an entity, or an answer with its rows.

    `store` is the id of the store's function, `path` the JSON pointer of the value in what the
    function gave, `place` its rank among the results of its store, from 1.
    """

    store: str
    source: str
    path: str
    place: int
    value: Any

    @property
    def text(self) -> str:
        """What it says, for comparing it with the question."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, default=str)


def results_of(function: FunctionDescription, found: Observation) -> list[StoreResult]:
    """The results in an observation: the elements of its list, or the whole of it as one."""
    if found.kind != "ok":
        return []
    value = _parsed(found.text)
    path, values = "", [value]
    if isinstance(value, list):
        values = value
    elif isinstance(value, Mapping) and isinstance(value.get("entities"), list):
        path, values = "/entities", value["entities"]
    listed = values is not None and (path or isinstance(value, list))
    return [
        StoreResult(
            store=function.id,
            source=function.source,
            path=f"{path}/{number}" if listed else "",
            place=number + 1,
            value=_short(each),
        )
        for number, each in enumerate(values[:_MOST_OF_ONE])
    ]


def fuse_results(
    question: str, results: Sequence[StoreResult], stores: Sequence[str]
) -> list[tuple[float, StoreResult]]:
    """The results with their scores, best first, by reciprocal rank fusion of three rankings: by
    the words that each shares with the question, by the rank that its own store gave it, and by
    that of the store, in the order of `stores`."""
    keywords = KeywordIndex((str(at), each.text) for at, each in enumerate(results))
    relevant = keywords.search(question, len(results))
    by_words = {int(at): place for place, at in enumerate(relevant, start=1)}
    scored = [
        (
            sum(1 / (_K + rank) for rank in (by_words.get(at), each.place,
                                             stores.index(each.store) + 1) if rank is not None),
            each,
        )
        for at, each in enumerate(results)
    ]  # fmt: skip
    return sorted(scored, key=lambda pair: (-pair[0], stores.index(pair[1].store), pair[1].place))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _short(value: Any) -> Any:
    """The value; of an answer of a columnar store with the first of its rows only."""
    rows = value.get("rows") if isinstance(value, Mapping) else None
    if not isinstance(rows, list) or len(rows) <= _MOST_ROWS:
        return value
    note = f"the first {_MOST_ROWS} of {len(rows):,} rows"
    return {**value, "rows": rows[:_MOST_ROWS], "notes": [*value.get("notes", []), note]}
