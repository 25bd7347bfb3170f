"""The values of a result: its fields with their paths, and its lists of records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.terms import identifier_terms, word_set

Scalar = str | int | float | bool
_DEEPEST: Final = 12
_MOST: Final = 20_000
_NAMING: Final = ("relation", "attribute", "property", "field", "metric", "name")
_MOST_OF_PAIR: Final = 4
# Keys of envelopes: they say nothing of what they hold.
ENVELOPES: Final = word_set("""
    data result results items records rows response value values content payload body hits
    entries list
""")  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResultField:
    """A single value of a result: `key` is its own name, `parents` the names around it, the
    outermost first, without envelopes and places in lists. `path` is a JSON pointer."""

    path: str
    key: str
    value: Scalar
    parents: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        return identifier_terms(self.key)

    @property
    def around(self) -> tuple[str, ...]:
        """The terms of the names around it."""
        return tuple(each for name in self.parents for each in identifier_terms(name))


@dataclass(frozen=True, slots=True)
class Records:
    """A list of records, or of plain values under the key "" of each."""

    path: str
    name: str
    rows: tuple[Mapping[str, Scalar], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for row in self.rows for key in row))

    def path_of(self, row: int, key: str) -> str:
        """The JSON pointer of a value of a row. Keys of inner objects are joined by a slash."""
        return f"{self.path}/{row}/{key}" if key else f"{self.path}/{row}"


def data_of(result: CallResult) -> Any:
    """The result as JSON values; its text where it is no JSON."""
    if result.data is not None:
        return result.data
    return parsed(result.text)


@lru_cache(maxsize=256)
def parsed(text: str) -> Any:
    """The JSON value that a text says, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def fields_of(data: Any) -> tuple[ResultField, ...]:
    """The single values of a result that are in no list, or in a list of one."""
    return tuple(_fields(data, "", "", (), 0))


def _fields(
    data: Any, path: str, key: str, parents: tuple[str, ...], depth: int
) -> Iterator[ResultField]:
    if depth > _DEEPEST:
        return
    inner = (*parents, key) if key and key.casefold() not in ENVELOPES else parents
    if isinstance(data, Mapping):
        if (pair := _pair(data)) is not None:
            name, place = pair
            yield ResultField(f"{path}/{place}", name, data[place], parents)
            return
        for name, value in data.items():
            yield from _fields(value, f"{path}/{escape(str(name))}", str(name), inner, depth + 1)
    elif isinstance(data, list | tuple):
        if data and all(isinstance(each, Mapping) and _pair(each) for each in data):
            for number, each in enumerate(data):
                yield from _fields(each, f"{path}/{number}", key, parents, depth + 1)
        elif len(data) == 1:
            yield from _fields(data[0], f"{path}/0", key, parents, depth + 1)
    elif isinstance(data, Scalar):
        yield ResultField(path, key, data, parents)


def _pair(data: Mapping[Any, Any]) -> tuple[str, str] | None:
    """The name of a value, and the key under which it stands, in an object that only says both:
    `{"relation": "customer", "key": "C-1"}`, `{"name": "weight", "value": 5}`."""
    name = next((each for each in _NAMING if isinstance(data.get(each), str)), None)
    place = next((each for each in ("value", "key") if isinstance(data.get(each), Scalar)), None)
    if name is None or place is None or len(data) > _MOST_OF_PAIR:
        return None
    return str(data[name]), place


def lists_of(data: Any) -> tuple[Records, ...]:
    """The lists of a result, the outermost first."""
    return tuple(_lists(data, "", "", 0))


def _lists(data: Any, path: str, name: str, depth: int) -> Iterator[Records]:
    if depth > _DEEPEST:
        return
    if isinstance(data, Mapping):
        table = _as_table(data, path, name)
        if table is not None:
            yield table
            return
        for key, value in data.items():
            inner = name if str(key).casefold() in ENVELOPES else str(key)
            yield from _lists(value, f"{path}/{escape(str(key))}", inner, depth + 1)
    elif isinstance(data, list | tuple) and data:
        yield Records(path, name, tuple(_row(each) for each in data[:_MOST]))
        if len(data) == 1:
            yield from _lists(data[0], f"{path}/0", name, depth + 1)


def _as_table(data: Mapping[Any, Any], path: str, name: str) -> Records | None:
    """Objects of one form under keys of their own (`{"KT-1": {...}, "KT-2": {...}}`) are records;
    the key of each is its field `key`."""
    values = list(data.values())
    if len(values) < 2 or not all(isinstance(each, Mapping) and each for each in values):
        return None
    shared = set.intersection(*(set(each) for each in values))
    if len(shared) * 2 < max(len(each) for each in values):
        return None
    if not all(_looks_like_value(str(key)) for key in data):
        return None
    rows = tuple({"@key": str(key), **_row(each)} for key, each in data.items())
    return KeyedRecords(path, name, rows)


def _looks_like_value(key: str) -> bool:
    return any(each.isdigit() for each in key) or " " in key or key[:1].isupper()


class KeyedRecords(Records):
    """Records that stand under keys, not in a list."""

    def path_of(self, row: int, key: str) -> str:
        place = f"{self.path}/{escape(str(self.rows[row]['@key']))}"
        return place if key in ("", "@key") else f"{place}/{key}"


def _row(value: Any) -> Mapping[str, Scalar]:
    """The values of one record; those of objects in it under their keys joined by a slash."""
    if not isinstance(value, Mapping):
        return {"": value} if isinstance(value, Scalar) else {}
    found: dict[str, Scalar] = {}
    for key, inner in value.items():
        if isinstance(inner, Scalar):
            found[escape(str(key))] = inner
        elif isinstance(inner, Mapping):
            for name, each in _row(inner).items():
                found[f"{escape(str(key))}/{name}"] = each
    return found


def escape(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def value_at(data: Any, path: str) -> Any:
    """The value at a JSON pointer. Errors: `KeyError` where there is none."""
    for part in path.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, Sequence) and not isinstance(data, str) and name.isdigit():
            if int(name) >= len(data):
                raise KeyError(path)
            data = data[int(name)]
        elif isinstance(data, Mapping) and name in data:
            data = data[name]
        else:
            raise KeyError(path)
    return data
