"""What a goal wants, read of its words once: kinds of answer, what is to become of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flows.analysis.language.phrasebook import AIMS
from flows.analysis.team.goals.kinds import (
    Kind,
    asks_how_well,
    kinds_of,
    names_target_first,
)
from flows.analysis.team.rules.mentions import Mentions


@dataclass(frozen=True)
class BusinessGoal(Mentions):
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
