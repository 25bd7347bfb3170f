"""The words of task descriptions: names in double quotes, values in single ones, conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.plan import AnyOf, Condition, Field, Plan
from flows.core.observation import Cell

_COMPARED = {
    "=": "is", "!=": "is not", ">": "is more than", ">=": "is at least", "<": "is less than",
    "<=": "is at most",
}  # fmt: skip
_NAME = re.compile(r'"([^"\n]+)"')


def quoted(name: str) -> str:
    """A column or table as a description names it."""
    return f'"{name}"'


def value_text(value: Cell) -> str:
    """A value as a description says it."""
    if not isinstance(value, str):
        return str(value)
    mark = "'" if "'" not in value else '"'
    return f"{mark}{value}{mark}"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Texts as a list in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def named(names: Sequence[str]) -> str:
    """Names as a list in a sentence, each in quotes."""
    return listed([quoted(each) for each in names])


def names_in(text: str) -> tuple[str, ...]:
    """What a description names in double quotes, in its order."""
    return tuple(dict.fromkeys(_NAME.findall(text)))


def condition_words(filters: Sequence[AnyOf]) -> str:
    """The conditions in words, ` where "year" is at least 1980`; empty for none."""
    said = [condition_text(each) for each in filters]
    return f" where {' and '.join(filter(None, said))}" if any(said) else ""


def condition_text(any_of: AnyOf) -> str:
    """One condition in words; empty for one that no sentence of ours says."""
    [first, *others] = any_of.conditions
    if others or any(isinstance(each, Field | Plan) for each in first.values):
        return ""
    return _said(first)


def _said(test: Condition) -> str:
    values = [value_text(each) for each in test.values if not isinstance(each, Field | Plan)]
    name, comparison = quoted(test.field.column), test.comparison
    if comparison == "in":
        return f"{name} is {listed(values, 'or')}"
    if comparison == "between":
        return f"{name} is between {values[0]} and {values[1]}"
    if comparison not in _COMPARED or test.field.part == "number":
        return ""
    if test.field.part == "month" or (test.field.part == "year" and comparison == "!="):
        return ""
    if test.field.part == "year":
        return _in_years(name, comparison, values[0])
    if isinstance(test.values[0], str) and comparison in (">", ">=", "<", "<="):
        return f"{name} is {_DATED[comparison]} {values[0].strip(chr(39))}"
    return f"{name} {_COMPARED[comparison]} {values[0]}"


_DATED = {">": "after", ">=": "on or after", "<": "before", "<=": "on or before"}


def _in_years(name: str, comparison: str, year: str) -> str:
    if comparison == "=":
        return f"{name} is in {year}"
    first = {">": int(year) + 1, ">=": int(year), "<": int(year), "<=": int(year) + 1}[comparison]
    since = comparison in (">", ">=")
    return f"{name} is {'on or after' if since else 'before'} {first}-01-01"
