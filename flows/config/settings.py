"""What a program sets in a run file: values and choices that were never text of an override."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.config.tree import Plain
from flows.errors import Place

Value = Plain | Mapping[str, "Value"] | Sequence["Value"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A value for a key of a run file, weaker than every override of the person.

    `key` is dotted, and may leave `subflows_config` out as an override's does. Texts in `value` are
    taken as they are: nothing in them is interpolated. `origin` says where the program has the
    value from, in the words of whoever gave it (`--data sales.csv`); errors name it, not the key.
    """

    key: str
    value: Value
    origin: str

    @property
    def place(self) -> Place:
        return Place(self.origin, is_argument=True)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a config group (`human`, `terminal`), weaker than every override of the person.

    `origin` is as in `Setting`.
    """

    group: str
    option: str
    origin: str

    @property
    def place(self) -> Place:
        return Place(self.origin, is_argument=True)
