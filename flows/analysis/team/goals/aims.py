"""What of its table a question is after: the target, the groups, the things that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.team.goals.builder import Restriction
from flows.analysis.team.goals.kinds import names_target_first
from flows.analysis.team.goals.scope import TableScope, is_period, makes_groups
from flows.data.tables import Column
from flows.semantics.inference.quantities import adds_up
from flows.semantics.query import Function

MOST_CLASSES: Final = 20
# Groups of which a person can compare so many, and see so many in a chart.
MOST_GROUPS: Final = 60
SHOWN_GROUPS: Final = 30
MOST_MEASURES: Final = 5


def target_of(scope: TableScope, text: str) -> Column | None:
    """The column that is to be explained: a number before a category."""
    numbers = scope.numbers
    asked = next(iter(scope.asked), None)
    if asked is not None and (asked in numbers or asked.distinct <= MOST_CLASSES):
        return asked
    if numbers:
        return numbers[0] if names_target_first(text) or len(numbers) == 1 else numbers[-1]
    classes = [each for each in scope.groups if each.distinct <= MOST_CLASSES]
    return classes[0] if classes else None


def group_of(scope: TableScope) -> Column | None:
    """What is compared: the named group, that of the named values, else a group of the table."""
    named_groups = [each for each in scope.groups if each.distinct <= MOST_GROUPS * 10]
    if named_groups:
        return named_groups[0]
    if scope.entities:
        return scope.wide.of(scope.entities[0].column)
    return next(filter(None, (_label(scope, each) for each in scope.related)), None)


def _label(scope: TableScope, table: str) -> Column | None:
    """The column that tells the things of a related table apart: that with the most values."""
    found = [c for c in scope.table.columns
             if scope.wide.owner(c.name) == table and c.role in ("category", "text")]  # fmt: skip
    return max(found, key=lambda each: each.distinct, default=None)


def main_group(scope: TableScope) -> Column | None:
    """A column by which the rows of a table can be compared, though none was named."""
    own = scope.wide.base.name
    few = [
        each for each in scope.table.columns
        if makes_groups(each) and not is_period(each) and 2 <= each.distinct <= SHOWN_GROUPS
    ]  # fmt: skip
    return next((c for c in few if scope.wide.owner(c.name) == own), next(iter(few), None))


def measures_of(scope: TableScope, group: Column | None) -> list[Column]:
    found = scope.numbers or scope.measures[:MOST_MEASURES]
    return [each for each in found if group is None or each.name != group.name]


def compared(scope: TableScope, group: Column) -> list[Restriction]:
    """The conditions that name two or more of the values that are compared; one value alone is
    compared with all others."""
    return [
        each for each in scope.entities
        if each.column == group.name and not each.names_one
    ]  # fmt: skip


def usual(column: Column) -> Function:
    """How a column is usually summed up: a sum of what can be added, else the average."""
    return "sum" if adds_up(column) else "average"


def entity_words(entities: Sequence[Restriction]) -> str:
    """The values that a question names, as it would say them."""
    return " and ".join(str(value) for each in entities for value in each.values)
