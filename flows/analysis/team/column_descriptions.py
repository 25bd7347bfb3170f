"""What new columns are, in words: by how the query or the code has made them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

# Columns that studies make, whatever they are about.
_STUDIED: Final = {
    "feature": "the column that the row is about",
    "importance": "by how much the model's score falls when the column is shuffled, on rows that "
    "it has not learned from",
    "effect": "by how much the target changes on average with one standard deviation of the column",
    "correlation": "how closely both go together, from -1 to 1",
    "p_value": "how likely such a value is by chance alone",
    "p_adjusted": "the p-value, adjusted for the number of tests",
    "rows": "how many rows it rests on",
    "left_out": "how many rows are left out since a value is missing",
    "first": "the first column of the pair",
    "second": "the second column of the pair",
    "share": "the part of the total",
    "rank": "the place in the order",
    "growth": "the change from the row before, in percent",
    "slope": "the change for one step",
    "mean": "the mean of the values",
    "median": "the value in the middle",
    "std": "the standard deviation",
    "count": "how many there are",
    "cluster": "the number of the group that the row is in",
    "forecast": "the value that is expected",
    "lower": "the lower end of the interval",
    "upper": "the upper end of the interval",
}
_CALLS: Final = {
    "avg": "mean", "mean": "mean", "sum": "sum", "count": "number", "min": "smallest value",
    "max": "largest value", "median": "median", "stddev": "standard deviation",
    "stddev_samp": "standard deviation", "nunique": "number of different values",
}  # fmt: skip
# How results name what they compute of a column.
_NAMES: Final = {
    "average": "mean", "median": "median", "total": "sum of", "minimum": "smallest",
    "maximum": "largest", "count": "number of", "distinct": "number of different",
}  # fmt: skip
_NAMED: Final = re.compile(rf"^(?P<how>{'|'.join(_NAMES)})_(?P<of>\w+)$")
_AGGREGATE: Final = re.compile(
    r"^(?P<call>\w+)\((?P<of>distinct )?(?P<what>[\w.]+|\*)\)(?P<rest>.*)$"
)


def describe(given: Mapping[str, Any]) -> dict[str, Any]:
    """The reply of the role: a sentence and a unit for each new column."""
    known = {each["column"]: each for each in (given.get("known") or {}).get("entries") or ()}
    units = {each["column"]: each.get("unit") or "" for each in known.values()}
    told = []
    for name in given.get("columns") or ():
        entry = known.get(name) or {}
        description = _described(str(name), str(entry.get("description") or ""))
        told.append({"name": name, "description": description, "unit": units.get(name, "")})
    return {"columns": told}


def _described(name: str, made: str) -> str:
    words = " ".join(re.sub(r"[_\W]+", " ", name).split()) or name
    head = f"{words[:1].upper()}{words[1:]}"
    by_code = made.removeprefix("made by code").lstrip(": ")
    if made and not made.startswith(("made by code", "computed by the query")):
        return f"{head}: {_in_words(made)}"
    if name in _STUDIED:
        return f"{head}: {_STUDIED[name]}"
    if found := _NAMED.match(name):
        return f"{head}: the {_NAMES[found['how']]} {words_after(found['of'])} of each row's group"
    if by_code:
        return f"{head}: computed as {by_code}"
    return f"{head}: computed from the other columns"


def words_after(name: str) -> str:
    """A column's name in words."""
    return " ".join(name.replace("_", " ").split())


def _in_words(made: str) -> str:
    """An aggregate of a query in words; any other expression as it is."""
    found = _AGGREGATE.match(made)
    if found is None or found["call"] not in _CALLS:
        return made
    what = "rows" if found["what"] == "*" else found["what"]
    of = "different " if found["of"] else ""
    return f"the {_CALLS[found['call']]} of {of}{what}{found['rest']}"
