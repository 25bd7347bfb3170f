"""What a goal wants, read of its words once: kinds of answer, what is to become of it, of whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from flows.analysis.language.phrasebook import AIMS, EXTREMES, MONTHS, RELATIVE
from flows.analysis.team.goals.kinds import (
    Kind,
    asks_how_well,
    kinds_of,
    names_target_first,
)
from flows.analysis.team.rules.mentions import Mentions

_LOW, _HIGH = (re.compile(rf"\b(?:{EXTREMES.pattern(each)})\b", re.I) for each in (False, True))
_TIMES: Final = re.compile(
    rf"(?:{MONTHS.pattern()}|q[1-4]|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: \d+)?$",
    re.IGNORECASE,
)
# A name behind one of these, at the end of a phrase: `of Location 22`, `for Marsh Ltd`.
_PLACED: Final = re.compile(
    r"\b(?:of|for|at|in) (?:the )?"
    r"(?P<name>[A-Z][\w&-]*(?: (?:[A-Z][\w&-]*|\d+))*|[a-z]+ \d+)(?=[\s?.,!;]|$)"
)
# A name with a number, wherever it stands; `Top 5` counts and names nothing.
_NUMBERED: Final = re.compile(r"(?<=\w )[A-Z][\w&-]*(?: [A-Z][\w&-]*)* \d+\b")
_COUNTED: Final = re.compile(
    rf"(?:top|bottom|first|best|worst|year|the|{RELATIVE.pattern()}) ", re.IGNORECASE
)


@dataclass(frozen=True)
class Goal(Mentions):
    """A business question. What it wants is read when it is first needed, and kept."""

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of answer that it wants, the likeliest first."""
        return kinds_of(self.text)

    @property
    def kind(self) -> Kind:
        return self.kinds[0]

    @cached_property
    def _aims(self) -> tuple[tuple[str, bool | None], ...]:
        return tuple(AIMS.forms_in(self.text))

    @property
    def acts(self) -> bool:
        """Whether it wants to change something."""
        return bool(self._aims)

    @property
    def verb(self) -> str:
        """What it wants to do, as a plain verb."""
        return self._aims[0][0] if self._aims else "improve"

    @property
    def wants_less(self) -> bool:
        """Whether it says that there should be less of something."""
        return any(more is False for _, more in self._aims)

    @property
    def wants_more(self) -> bool:
        """Whether it says that there should be more of something."""
        return any(more is True for _, more in self._aims)

    @cached_property
    def end(self) -> Literal["high", "low", ""]:
        """Which end of an order it asks for."""
        low, high = _LOW.search(self.text), _HIGH.search(self.text)
        if low and (not high or low.start() < high.start()):
            return "low"
        return "high" if high else ""

    @cached_property
    def entity(self) -> str:
        """The name of the one that it asks about, as it writes it; "" where it names none."""
        found = [match["name"] for match in _PLACED.finditer(self.text)]
        found = [match[0] for match in _NUMBERED.finditer(self.text)] + found
        named = (each for each in reversed(found) if not _COUNTED.match(each))
        return next((each for each in named if not _TIMES.match(each)), "")

    @property
    def wants_drivers(self) -> bool:
        """Whether it wants to know what counts for something."""
        return self.acts or self.kind in ("drivers", "effect")

    @property
    def asks_how_well(self) -> bool:
        """Whether it wants to know how well something can be predicted."""
        return asks_how_well(self.text)

    @property
    def names_target_first(self) -> bool:
        """Whether it names what is affected before what affects it: `is A affected by B`."""
        return names_target_first(self.text)
