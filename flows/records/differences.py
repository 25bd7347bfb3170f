"""The leaves in which two plain values differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows.config.secret import masked

ABSENT: Final = "(not there)"


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs. `key` is its dotted path; a side without it has `ABSENT`."""

    key: str
    one: Any
    other: Any


def differences(one: Any, other: Any) -> tuple[Difference, ...]:
    """The leaves that differ between two plain values, in the order of the first."""
    left, right = dict(_leaves(one)), dict(_leaves(other))
    return tuple(
        Difference(key, left.get(key, ABSENT), right.get(key, ABSENT))
        for key in dict.fromkeys((*left, *right))
        if _differ(left.get(key, ABSENT), right.get(key, ABSENT))
    )


def _differ(one: Any, other: Any) -> bool:
    return repr(one) != repr(other)  # which tells 1 from 1.0 and true, and not NaN from NaN


def _leaves(value: Any, path: str = "", name: str = "") -> Iterator[tuple[str, Any]]:
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, Mapping):
        items = iter(value.items())
    elif isinstance(value, list):
        items = iter(enumerate(value))
    if not isinstance(value, Mapping | list) or not value:
        yield path, masked(name, value)
    for key, each in items:
        yield from _leaves(each, f"{path}.{key}" if path else str(key), str(key))
