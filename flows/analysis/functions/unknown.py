"""The values of a question that a call looked for and did not find."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.filters import plain_value
from flows.analysis.functions.lineage import argument_values, result_values
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.records import data_of

_NAMING: Final = ("code", "name", "quoted", "email")
_LONGEST: Final = 200


def unknown_values(
    text: str,
    results: Sequence[CallResult],
    entities: Collection[str],
    answered_by: Collection[str] | None = None,
) -> tuple[str, ...]:
    """A sentence for each value that a question names and that no call found. `entities` are the
    functions that look entities up; with `answered_by`, the functions that answered the rest of the
    question, only what these did not find is told."""
    found = [each for each in results if each.kind == "ok"]
    known = {value for each in found for value in argument_values(each) - _missing(each).keys()}
    known |= {value for each in found for value in _values(each)}
    said: dict[str, str] = {}
    for mention in mentions_of(text):
        value = plain_value(mention.value)
        if mention.kind not in _NAMING or value in known or value in said:
            continue
        tried = [
            each for each in results
            if value in argument_values(each) and (answered_by is None or each.name in answered_by)
        ]  # fmt: skip
        tried.sort(key=lambda each: each.name not in entities)
        sentence = next((_sentence(mention.text, value, each, entities) for each in tried), "")
        if sentence:
            said[value] = sentence
    return tuple(said.values())


def _sentence(shown: str, value: str, result: CallResult, entities: Collection[str]) -> str:
    """That a call did not find a value, with what it says itself."""
    if result.kind == "ok":
        missing = _missing(result).get(value)
        return _unknown_key(missing) if missing is not None else ""
    told = " ".join(result.text.split())[:_LONGEST].strip()
    if result.name in entities and told:
        return told.rstrip(".?") + ("?" if told.endswith("?") else ".")
    reason = told.removeprefix(f"{result.name} failed: ") or "it gave nothing"
    return f"{result.name} found nothing for {shown}: {reason.rstrip('.')}."


def _values(result: CallResult) -> frozenset[str]:
    """The plain texts of what a call found, without the keys that it did not."""
    return result_values(result) - _missing(result).keys()


def _missing(result: CallResult) -> dict[str, Mapping[str, Any]]:
    """The keys that a look-up of entities did not find, by their plain texts."""
    data = data_of(result)
    rows = data.get("missing") if isinstance(data, Mapping) else None
    return {plain_value(each["key"]): each for each in _rows(rows) if "key" in each}


def _unknown_key(missing: Mapping[str, Any]) -> str:
    meant = ", ".join(
        f"{each.get('key')} ({each.get('type')})" for each in _rows(missing.get("did_you_mean"))
    )
    told = f"No entity has the key {missing['key']!r}"
    return f"{told}; did you mean {meant}?" if meant else f"{told}."


def _rows(data: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, list | tuple):
        yield from (each for each in data if isinstance(each, Mapping))
