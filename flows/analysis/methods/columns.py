"""Which columns a request is about: its groups, its target, those that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.words import METHOD_SLOT
from flows.analysis.methods.arguments import MOST_GROUPS, Arguments, groups, plots
from flows.analysis.methods.method import Request
from flows.analysis.methods.specification import Specification
from flows.analysis.plan import AnyOf, Condition, Field, Plan, Value
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.read import Unread
from flows.core.observation import Cell
from flows.data.tables import Column, Table

_GROUP = (
    r"(?:by|per|for (?:each|every)|of (?:each|every)|in (?:each|every)|on (?:each|every)|"
    r"within (?:each|every|a|the|their)|across|among|between (?:the )?(?:different|various|two|"
    r"N\d+)|"
    r"grouped by|split by|broken down by|colou?red by|separately (?:for|by)(?: each)?|"
    r"depending on|for (?:the )?(?:different|various)|with colou?rs? by|hue)"
    r"(?: the| different| all| each| every| their| various)* "
)
_WHICH = r"(?:which|what) "
_DOES = (
    r"predict\w*|explain\w*|estimat\w*|expect\w*|influenc\w*|driv\w*|affect\w*|determin\w*|"
    r"classif\w*"
)
_ROLE = r"(?:dependent(?: variable)?|outcome|response)(?: variable)?"
_FILL = r"(?:_|the|a|an|of|for|in|is|as|:|=|apart|by|best|most|{mark})".replace(
    "{mark}", METHOD_SLOT.text
)
_TARGETS = (
    rf"(?P<c>C\d+)(?: {_FILL})* {_ROLE}(?!\S)",
    rf"(?<!\S){_ROLE}(?: {_FILL})* (?P<c>C\d+)",
    r"(?P<c>C\d+) (?:is|are|be)(?: \w+)? (?:explained|predicted|determined|driven|influenced|"
    r"affected) (?:by|from)",
    r"(?<!\S)(?:what|which|how (?:much|many|large|high))(?: (?:the|an?))? (?P<c>C\d+)",
    rf"(?<!\S)(?:{_DOES})(?: {_FILL})* (?P<c>C\d+)",
    r"(?<!\S)between (?:the )?C\d+ and (?:the )?(?P<c>C\d+)",
    rf"{METHOD_SLOT.text}.*?(?P<c>(?<!\S)C\d+)",
    r"(?P<c>(?<!\S)C\d+)",
)


def take_group(draft: Draft, most: int, *, which: bool) -> str | Unread:
    """The column that `by C` or `for each C` names, which leaves the line. With `which` also that
    of `which C grew the most`."""
    before = f"{_GROUP}|{_WHICH}" if which else _GROUP
    for match in re.finditer(rf"(?<!\S)(?:{before})(?P<c>C\d+)(?!\S)", draft.line):
        column = draft.column(match["c"])
        if not groups(column, MOST_GROUPS):
            continue
        draft.line = f"{draft.line[: match.start()]}_{draft.line[match.end() :]}"
        draft.note(f"for each {column.name}")
        asked = match.group().startswith(("which", "what"))
        if column.distinct > (2000 if asked else most):
            return Unread(f"{column.name} has {column.distinct} values, too many to compare")
        return column.name
    return ""


def take_flags(draft: Draft) -> None:
    """`for members`: a column of yes and no chooses the rows where it is yes."""
    for match in re.finditer(
        r"(?<!\S)(?:for|of|among|only)(?: the| all)* (C\d+)(?!\S)", draft.line
    ):
        column = draft.column(match.group(1))
        yes = yes_of(column)
        if yes is not None:
            draft.line = f"{draft.line[: match.start()]}_{draft.line[match.end() :]}"
            draft.filters.append(AnyOf((Condition(Field(column.name), "=", (yes,)),)))
            draft.note(f"only where {column.name} is {yes}")


def yes_of(column: Column) -> Cell:
    """What says yes in a column of yes and no; None for any other column."""
    if column.type == "boolean":
        return True
    values = {value.strip().casefold(): value for value in column.values}
    pairs = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"))
    found = next((one for one, other in pairs if set(values) == {one, other}), None)
    return values[found] if found and column.values_complete else None


def take_target(draft: Draft) -> str:
    """The column that others are to explain; empty where none is named."""
    for pattern in _TARGETS:
        if match := re.search(rf"{pattern}(?!\d)", draft.line):
            draft.line = re.sub(rf"(?<!\S){match['c']}(?!\S)", "_", draft.line)
            name = draft.column(match["c"]).name
            draft.note(f"{name} is to be explained")
            return name
    return ""


def take_columns(draft: Draft) -> list[Column]:
    """The columns that no rule took, in the order of the text."""
    found: dict[str, Column] = {}
    for slot in re.findall(r"(?<!\S)C\d+(?!\S)", draft.line):
        for column in draft.columns(slot):
            found.setdefault(column.name, column)
    draft.line = re.sub(r"(?<!\S)C\d+(?!\S)", "_", draft.line)
    return list(found.values())


def take_names(draft: Draft) -> None:
    """Columns that only say what the rows are leave the line: `Asian countries`, `districts that
    ...`, where other columns are named."""
    for match in re.finditer(
        r"(?:(?<=\bF\d )|(?<=\bF\d\d ))(C\d+)(?!\S)|(?<!\S)(C\d+)(?= (?:that|which|who|whose)\b)",
        draft.line,
    ):
        slot = match.group(1) or match.group(2)
        others = set(re.findall(r"(?<!\S)C\d+", draft.line)) - {slot}
        if draft.column(slot).type == "text" and others:
            draft.line = re.sub(rf"(?<!\S){slot}(?!\S)", "_", draft.line)
            draft.note(f"{draft.slots[slot].text} are what the rows are")


def merged(filters: list[AnyOf]) -> list[AnyOf]:
    """The filters, with one for all values that one column is to have (`at lunch ... at dinner`):
    no row has two of them."""
    found: dict[Field, list[Value]] = {}
    for any_of in filters:
        [first, *others] = any_of.conditions
        if not others and first.comparison in ("=", "in"):
            found.setdefault(first.field, []).extend(first.values)
    kept: list[AnyOf] = []
    for any_of in filters:
        [first, *others] = any_of.conditions
        if others or first.comparison not in ("=", "in"):
            kept.append(any_of)
            continue
        values = tuple(dict.fromkeys(found[first.field]))
        one = Condition(first.field, "=" if len(values) == 1 else "in", values)
        if AnyOf((one,)) not in kept:
            kept.append(AnyOf((one,)))
    return kept


def outside(filters: Sequence[AnyOf], table: str) -> bool:
    """Whether a condition needs more than the rows of one table and values."""
    tests = [each for any_of in filters for each in any_of.conditions]
    return any(
        each.field.table not in ("", table)
        or any(isinstance(value, Field | Plan) for value in each.values)
        for each in tests
    )


def categories(table: Table, used: Sequence[str]) -> list[str]:
    """Columns whose few values may turn an association round."""
    return [
        column.name
        for column in table.columns
        if column.name not in used
        and column.role in ("category", "boolean")
        and 2 <= column.distinct <= 12
    ]


def used_columns(study: Specification[Arguments]) -> list[str]:
    filtered = [c.field.column for each in study.filters for c in each.conditions]
    return [*study.columns, study.group, study.target, *filtered]


def group_left(request: Request, needed: int) -> tuple[list[Column], str]:
    """The columns without the one by which they are compared: the one category among numbers."""
    columns = [c for c in request.columns if c.name != request.group]
    if request.group:
        return columns, request.group
    texts = [c for c in columns if groups(c) and not plots(c)]
    if len(texts) == 1 and len(columns) > needed and texts[0].distinct <= MOST_GROUPS:
        return [c for c in columns if c != texts[0]], texts[0].name
    return columns, ""
