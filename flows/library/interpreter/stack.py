"""The functions that an interpreter may call now: loaded, used, and dropped to fit a budget."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from flows.core.function_description import FunctionDescription

# What chat models accept as the name of a tool.
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME: Final = 64
_BYTES_PER_TOKEN: Final = 4


@dataclass(frozen=True)
class StackEntry:
    """A function of the stack. `name` is what the model calls it by, which no other of the stack
    has; `turn` is when it was loaded or called last, `uses` how often it was called. A `pinned`
    function is never dropped."""

    name: str
    function: FunctionDescription
    turn: int = 0
    uses: int = 0
    pinned: bool = False

    @property
    def id(self) -> str:
        return self.function.id

    @cached_property
    def described(self) -> FunctionDescription:
        """The function under the name that it has on the stack."""
        return self.function.model_copy(update={"name": self.name})

    @cached_property
    def tokens(self) -> int:
        """About how many tokens the function takes in a request."""
        return len(json.dumps(self.described.function_dict()).encode()) // _BYTES_PER_TOKEN + 1


@dataclass(frozen=True)
class Stack:
    """Functions in the order in which they were loaded. Each change gives a new stack."""

    entries: tuple[StackEntry, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(each.tokens for each in self.entries)

    @property
    def descriptions(self) -> tuple[FunctionDescription, ...]:
        return tuple(each.described for each in self.entries)

    def find(self, name: str) -> StackEntry | None:
        return next((each for each in self.entries if each.name == name), None)

    def loaded(
        self, functions: Iterable[FunctionDescription], turn: int, *, pinned: bool = False
    ) -> Stack:
        """With these functions too; one that is there already is as it is given, and loaded now."""
        entries = list(self.entries)
        for function in functions:
            at = next((n for n, each in enumerate(entries) if each.id == function.id), None)
            if at is None:
                taken = {each.name for each in entries}
                name = tool_name(function, taken)
                entries.append(StackEntry(name, function, turn, pinned=pinned))
            else:
                entries[at] = replace(entries[at], function=function, turn=turn)
        return Stack(tuple(entries))

    def called(self, ids: Sequence[str], turn: int) -> Stack:
        """After calls of the functions with these ids."""
        return Stack(
            tuple(
                replace(each, turn=turn, uses=each.uses + ids.count(each.id))
                if each.id in ids
                else each
                for each in self.entries
            )
        )

    def pruned(self, keep: Collection[str]) -> Stack:
        """Without the functions that were never called and whose ids are not in `keep`."""
        return Stack(
            tuple(each for each in self.entries if each.pinned or each.uses or each.id in keep)
        )

    def fitted(self, tokens: int) -> Stack:
        """Within a budget: the functions that were called least leave first, of those the ones that
        were loaded or called longest ago. Pinned functions stay, whatever they take."""
        left = self.tokens
        dropped: set[str] = set()
        order = sorted(enumerate(self.entries), key=lambda item: _worth(*item))
        for _, each in order:
            if left <= tokens:
                break
            if not each.pinned:
                dropped.add(each.id)
                left -= each.tokens
        return Stack(tuple(each for each in self.entries if each.id not in dropped))


def _worth(place: int, entry: StackEntry) -> tuple[int, int, int]:
    """Later loaded of one turn are worse matches, as a search gives the best first."""
    return (entry.uses, entry.turn, -place)


def tool_name(function: FunctionDescription, taken: Collection[str]) -> str:
    """A name for the function that chat models accept and that is not taken: its own, with its
    namespace before it, or with a number."""
    plain = _clean(function.name)
    for name in (plain, _clean(f"{function.namespace}_{function.name}")):
        if name not in taken:
            return name
    number = 2
    while (name := f"{plain[: _LONGEST_NAME - 4]}_{number}") in taken:
        number += 1
    return name


def _clean(name: str) -> str:
    return _NO_NAME.sub("_", name)[:_LONGEST_NAME].strip("_") or "function"
