"""What of its table a question is after: the target, the groups, the things that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.plan import AnyOf, Field, Measure, Plan
from flows.analysis.reading.outcome import Unread
from flows.analysis.reading.read import read
from flows.analysis.team.goals.kinds import names_target_first
from flows.analysis.team.goals.scope import Scope, field_of, is_period, makes_groups
from flows.data.tables import Column, Table

MOST_CLASSES: Final = 20
# Groups of which a person can compare so many, and see so many in a chart.
MOST_GROUPS: Final = 60
SHOWN_GROUPS: Final = 30
MOST_MEASURES: Final = 5


def target_of(scope: Scope, text: str) -> Column | None:
    """The column that is to be explained: a number before a category."""
    numbers = scope.numbers
    asked = next(iter(scope.asked), None)
    if asked is not None and (asked in numbers or asked.distinct <= MOST_CLASSES):
        return asked
    if numbers:
        return numbers[0] if names_target_first(text) or len(numbers) == 1 else numbers[-1]
    classes = [each for each in scope.groups if each.distinct <= MOST_CLASSES]
    return classes[0] if classes else None


def group_of(scope: Scope) -> Column | None:
    """What is compared: the named group, that of the named values, else a group of the table."""
    named_groups = [each for each in scope.groups if each.distinct <= MOST_GROUPS * 10]
    if named_groups:
        return named_groups[0]
    if scope.entities:
        return scope.wide.of(field_of(scope.entities[0]))
    return next(filter(None, (_label(scope, each) for each in scope.related)), None)


def _label(scope: Scope, table: str) -> Column | None:
    """The column that tells the things of a related table apart: that with the most values."""
    found = [c for c in scope.table.columns
             if scope.wide.owner(c.name) == table and c.role in ("category", "text")]  # fmt: skip
    return max(found, key=lambda each: each.distinct, default=None)


def main_group(scope: Scope) -> Column | None:
    """A column by which the rows of a table can be compared, though none was named."""
    own = scope.wide.base.name
    few = [
        each for each in scope.table.columns
        if makes_groups(each) and not is_period(each) and 2 <= each.distinct <= SHOWN_GROUPS
    ]  # fmt: skip
    return next((c for c in few if scope.wide.owner(c.name) == own), next(iter(few), None))


def measures_of(scope: Scope, group: Column | None) -> list[Column]:
    found = scope.numbers or scope.measures[:MOST_MEASURES]
    return [each for each in found if group is None or each.name != group.name]


def compared(scope: Scope, group: Column) -> list[AnyOf]:
    """The conditions that name two or more of the values that are compared; one value alone is
    compared with all others."""
    return [
        each for each in scope.entities
        if field_of(each) == group.name and len(each.conditions[0].values) > 1
    ]  # fmt: skip


def usual(column: Column, group: Column, table: Table) -> str:
    """How a column is usually summed up: `total` for what can be added, else `average`."""
    reading = read(f'Show the "{column.name}" by "{group.name}"', [table])
    if isinstance(reading, Unread):
        return "average"
    summed = any(isinstance(t, Measure) and t.aggregation == "sum" for t in reading.plan.select)
    return "total" if summed else "average"


def entity_words(entities: Sequence[AnyOf]) -> str:
    """The values that a question names, as it would say them."""
    found = [
        str(value)
        for each in entities
        for test in each.conditions
        for value in test.values
        if not isinstance(value, Field | Plan)
    ]
    return " and ".join(found)


def whose(entities: Sequence[AnyOf]) -> str:
    """` of Area 7`, or nothing."""
    said = entity_words(entities)
    return f" of {said}" if said else ""
