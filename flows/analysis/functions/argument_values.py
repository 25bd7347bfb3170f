"""What the arguments of a function are filled with, and what helps to fill them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from flows.analysis.functions.kinds import Kinds
from flows.analysis.functions.schema import FunctionArgument


@dataclass(frozen=True, slots=True)
class Filling:
    """What the arguments of a function were filled with.

    `scores` tell how sure each value is (from 0.5 to about 2), `missing` the arguments that are
    needed and that nothing fills. `used` are the places of the text that values came from.
    `others` are further values of an argument that takes one: each wants a call of its own.
    """

    arguments: Mapping[str, Any]
    scores: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[FunctionArgument, ...] = ()
    used: tuple[tuple[int, int], ...] = ()
    others: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        return not self.missing


NO_FILLING: Final = Filling({})


@dataclass(frozen=True, slots=True)
class FillingContext:
    """What helps to fill arguments beside the question: what the results tell of names (`kinds`),
    the day that `last month` counts from (`today`, YYYY-MM-DD), and the arguments of all functions
    that say what their identifiers look like, by their names (`lenders`)."""

    kinds: Kinds | None = None
    today: str = ""
    lenders: Mapping[str, FunctionArgument] = field(default_factory=dict)
