"""Columns of numbers that belong together: of one unit, of a series, or often nought."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flows.data.tables import Column

_MOST = 12
_NUMBERED = re.compile(r"^(.*?)[\s_\-.]?(\d{1,3})$")


def amount_groups(columns: Sequence[Column]) -> list[tuple[str, tuple[str, ...]]]:
    """Groups of two or more columns, each with what they have in common; a column is in one."""
    found: list[tuple[str, tuple[str, ...]]] = []
    taken: set[str] = set()
    for why, names in _candidates(columns):
        if len(names) >= 2 and not taken & set(names) and len(names) <= _MOST:
            taken |= set(names)
            found.append((why, names))
    return found


def _candidates(columns: Sequence[Column]) -> Iterator[tuple[str, tuple[str, ...]]]:
    series: dict[str, list[tuple[int, str]]] = {}
    for column in columns:
        numbered = _NUMBERED.match(column.name)
        if numbered and numbered[1]:
            series.setdefault(numbered[1], []).append((int(numbered[2]), column.name))
    for stem, members in series.items():
        if len(members) >= 3:
            yield f"a series of {stem}", tuple(name for _, name in sorted(members))
    often = [column for column in columns if _often_nought(column)]
    if len(often) >= 3:
        yield "amounts that are often nought", tuple(column.name for column in often)
    amounts = [column for column in columns if _is_amount(column)]
    units = dict.fromkeys(column.unit for column in amounts if column.unit)
    for unit in units:
        yield f"the same unit, {unit}", tuple(c.name for c in amounts if c.unit == unit)
    for at, place in ((-1, "end"), (0, "begin")):
        words = [(_words(column.name), column.name) for column in amounts]
        shared = dict.fromkeys(each[at] for each, _ in words if len(each) > 1)
        for word in shared:
            names = tuple(name for each, name in words if len(each) > 1 and each[at] == word)
            if len(word) >= 3 and len(names) <= 4:
                yield f"names that {place} with {word}", names


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower())


def _is_amount(column: Column) -> bool:
    low = column.minimum
    return isinstance(low, (int, float)) and low >= 0 and column.distinct > 10


def _often_nought(column: Column) -> bool:
    if not _is_amount(column) or not column.top:
        return False
    first = column.top[0]
    return first.value in ("0", "0.0") and 0.2 * column.rows <= first.count < column.rows
