"""Which columns a request is about: its groups, its target, those that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.words import METHOD_SLOT
from flows.analysis.methods.arguments import MOST_GROUPS, Arguments, groups, plots
from flows.analysis.methods.method import MethodRequest
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.reader import Unread
from flows.core.observation import Cell
from flows.data.tables import Column, Table
from flows.semantics.query import (
    Comparison,
    Constant,
    Expression,
    FieldRef,
    OneOf,
    Predicate,
)

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
_ROLE = r"(?:dependent(?: variable)?|outcome|response|target)(?: variable)?"
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


def take_flags(draft: Draft) -> list[Predicate]:
    """`for members`: a column of yes and no chooses the rows where it is yes."""
    found: list[Predicate] = []
    for match in re.finditer(
        r"(?<!\S)(?:for|of|among|only)(?: the| all)* (C\d+)(?!\S)", draft.line
    ):
        column = draft.column(match.group(1))
        yes = yes_of(column)
        if yes is not None:
            draft.line = f"{draft.line[: match.start()]}_{draft.line[match.end() :]}"
            field = FieldRef(dataset=draft.schema.table.name, field=column.name)
            found.append(Comparison(left=field, operator="=", right=Constant(value=yes)))
            draft.note(f"only where {column.name} is {yes}")
    return found


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
        # A column with a number behind it (`site 22`) says which rows are meant.
        if match := re.search(rf"{pattern}(?!\d| N\d)", draft.line):
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


def merged(tests: Sequence[Predicate]) -> list[Predicate]:
    """The tests, with one for all values that one column is to have (`at lunch ... at dinner`): no
    row has two of them."""
    found: dict[Expression, list[Cell]] = {}
    for test in tests:
        if (chosen := _chosen(test)) is not None:
            found.setdefault(chosen[0], []).extend(chosen[1])
    kept: list[Predicate] = []
    for test in tests:
        if (chosen := _chosen(test)) is not None:
            of, values = chosen[0], tuple(dict.fromkeys(found[chosen[0]]))
            test = OneOf(of=of, values=values)
            if len(values) == 1:
                test = Comparison(left=of, operator="=", right=Constant(value=values[0]))
        if test not in kept:
            kept.append(test)
    return kept


def _chosen(test: Predicate) -> tuple[Expression, tuple[Cell, ...]] | None:
    """The values that a test allows, and of what; None for another test."""
    match test:
        case Comparison(left=of, operator="=", right=Constant(value=value)):
            return of, (value,)
        case OneOf(of=of, values=values):
            return of, values
    return None


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
    return [*study.columns, study.group, study.target, *study.filtered]


def group_left(request: MethodRequest, needed: int) -> tuple[list[Column], str]:
    """The columns without the one by which they are compared: the one category among numbers."""
    columns = [c for c in request.columns if c.name != request.group]
    if request.group:
        return columns, request.group
    texts = [c for c in columns if groups(c) and not plots(c)]
    if len(texts) == 1 and len(columns) > needed and texts[0].distinct <= MOST_GROUPS:
        return [c for c in columns if c != texts[0]], texts[0].name
    return columns, ""
