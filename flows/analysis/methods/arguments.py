"""What a method is given: a frozen model of each method's own, and its check against a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, ConfigDict, ValidationError

from flows.analysis.reading.draft import is_numeric, is_time
from flows.data.tables import Column, Table

# A column with more values than this makes no groups that a person can compare.
MOST_GROUPS = 60
MOST_COLUMNS = 30


@dataclass(frozen=True, slots=True)
class Holds:
    """What the column must hold that a text of the arguments names."""

    what: Literal["anything", "numbers", "groups", "times"]


# Names of columns, by what they must hold. An empty name stands for none.
AnyColumn = Annotated[str, Holds("anything")]
Numbers = Annotated[str, Holds("numbers")]
Groups = Annotated[str, Holds("groups")]
Times = Annotated[str, Holds("times")]


class Arguments(BaseModel):
    """The arguments of one method, which has the name `method`.

    Columns that are studied are in `fields`; a column that others explain is the `target`, one
    whose values make groups the `group`, one that orders rows the `time`. `called` is what a
    reason calls the method, where that is not its name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: ClassVar[str]
    called: ClassVar[str] = ""

    @classmethod
    def label(cls) -> str:
        """The method in words, for people."""
        return cls.called or cls.method.replace("_", " ")

    def columns(self, argument: str) -> tuple[str, ...]:
        """The columns under the name of an argument; none where the method does not take it."""
        return tuple(name for at, name, _ in self.named() if at == argument)

    def named(self) -> Iterator[tuple[str, str, Holds]]:
        """Each column that is named: under which argument, and what it must hold."""
        for at, annotation in get_type_hints(type(self), include_extras=True).items():
            if at in type(self).model_fields:
                for name, holds in _columns(getattr(self, at), annotation):
                    yield at, name, holds

    def faults(self, table: Table) -> tuple[str, ...]:
        """Why the method cannot be applied to a table, in words; nothing if it can."""
        known = {each.name: each for each in table.columns}
        named = list(self.named())
        absent = [name for _, name, _ in named if name not in known]
        if absent:
            return (f"{table.name} has no column {' and no '.join(map(repr, absent))}",)
        found = []
        for what, fits in (("numbers", plots), ("groups", makes_groups), ("times", is_time)):
            wrong = [n for _, n, holds in named if holds.what == what and not fits(known[n])]
            if wrong:
                found.append(_unfit(list(dict.fromkeys(wrong)), what, self.label()))
        return tuple(found) or self.limits(table)

    def limits(self, table: Table) -> tuple[str, ...]:
        """What else of a table hinders the method; for methods to say."""
        del table
        return ()

    def others(self) -> tuple[str, ...]:
        """The names of the other tables that it is about; for methods to say."""
        return ()

    def faults_beside(self, table: Table, others: Sequence[Table]) -> tuple[str, ...]:
        """What hinders the method in the other tables that it is about; for methods to say."""
        del table, others
        return ()


A = TypeVar("A", bound=Arguments)


def _unfit(names: Sequence[str], what: str, label: str) -> str:
    said = " and ".join(names)
    if what == "numbers":
        return f"{said} holds no numbers but text, and {label} needs numbers"
    if what == "groups":
        return f"{said} has too many values to make groups for {label}"
    return f"{said} holds no times, and {label} needs them"


def _columns(value: Any, annotation: Any) -> Iterator[tuple[str, Holds]]:
    """The columns in the value of an argument, found by its annotation."""
    if get_origin(annotation) is Annotated:
        holds = next((each for each in get_args(annotation) if isinstance(each, Holds)), None)
        if holds is None:
            yield from _columns(value, get_args(annotation)[0])
        elif value:
            yield str(value), holds
    elif get_origin(annotation) is tuple:
        inner = get_args(annotation)
        kinds = [inner[0]] * len(value) if inner[-1] is ... else list(inner)
        for each, kind in zip(value, kinds, strict=True):
            yield from _columns(each, kind)


def reasons(error: ValidationError, model: type[Arguments]) -> tuple[str, ...]:
    """What is wrong with arguments, in words: one sentence for each that cannot be."""
    return tuple(
        f"{'.'.join(str(part) for part in each['loc'])} of {model.label()}: {each['msg']}"
        for each in error.errors(include_url=False)
    )


def plots(column: Column) -> bool:
    """Whether a column's values are numbers that can be placed on an axis."""
    return is_numeric(column) or column.type in ("integer", "real")


def groups(column: Column, most: int = 20) -> bool:
    """Whether a column's values can stand for groups of rows."""
    if column.type in ("text", "boolean", "other"):
        return True
    return column.type == "integer" and column.distinct <= most


def makes_groups(column: Column) -> bool:
    """Whether a column's values make groups; a number only where it has few values."""
    return groups(column, MOST_GROUPS) or column.distinct <= MOST_GROUPS
