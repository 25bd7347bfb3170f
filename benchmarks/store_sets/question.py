"""A question to a store, and what a right answer says."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flows.memory.agent import StoreAgent

Value = str | float | int


@dataclass(frozen=True, slots=True)
class StoreQuestion:
    """`values` stand in a right answer, and `others` do not: those of the records that were not
    asked for. A question without values has no answer in the store, and is declined if all is well.
    """

    text: str
    values: tuple[Value, ...] = ()
    others: tuple[Value, ...] = ()


class StoreSet(Protocol):
    """A store of made data with its questions."""

    kind: str

    @property
    def questions(self) -> Sequence[StoreQuestion]: ...

    def agent(self, folder: Path) -> AbstractContextManager[StoreAgent]:
        """The store as an agent of its own, filled, in a folder that is there."""
        ...
