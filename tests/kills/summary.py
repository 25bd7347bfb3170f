"""What came of all cases, as a table and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.kills.case import Report

# What must be 0, whether or not it was seen.
FAULTS: Final = (
    "lost_steps", "repeated_steps", "duplicated_steps", "lost_rows", "duplicated_rows",
    "lost_memories", "duplicated_memories", "lost_letters", "duplicated_letters",
    "duplicated_questions", "damaged_files", "wrong_outputs", "wrong_usage", "unreadable", "broke",
    "hung", "never_ended", "unexplained_calls",
)  # fmt: skip
MOST_REPEATED: Final = 0.1  # model calls a kill, in the mean of not too few
ENOUGH: Final = 200


@dataclass
class Summary:
    """Sums over the cases. `possible` is how many named points there are to be killed at."""

    possible: int = 0
    cases: int = 0
    runs_begun_again: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    possibly_billed: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)
    killed_at: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, report: Report, kind: str) -> None:
        """Count a case of the kind `named` or `random`."""
        self.cases += 1
        self.kills[kind] += report.kills
        self.possibly_billed += report.possibly_billed
        self.faults += report.faults
        self.details += report.details
        self.killed_at.update(report.killed_at)

    def count_calls(self, report: Report, kind: str, repeated: int) -> None:
        """Count the calls that the model's server had more than of an undisturbed case. Each is
        one that a kill left without a reply, or it is a fault."""
        self.repeated[kind] += repeated
        if not 0 <= repeated <= report.possibly_billed:
            self.faults["unexplained_calls"] += 1
            self.details.append(
                f"{report.case.name} ({report.case.way}): unexplained_calls: {repeated} more calls "
                f"at the server, {report.possibly_billed} possibly billed"
            )

    @property
    def calls_a_kill(self) -> float:
        return self.repeated.total() / max(1, self.kills.total())

    @property
    def is_good(self) -> bool:
        kills = self.kills.total()
        few = kills < ENOUGH or self.calls_a_kill < MOST_REPEATED
        return not self.faults and kills > 0 and few

    def as_json(self) -> dict[str, Any]:
        return {
            "kills": {**self.kills, "all": self.kills.total()},
            "cases": self.cases,
            "named_points": self.possible,
            "faults": {name: self.faults[name] for name in (*FAULTS, *sorted(self._others()))},
            "repeated_model_calls": {
                **self.repeated, "all": self.repeated.total(), "a_kill": round(self.calls_a_kill, 4)
            },
            "possibly_billed": self.possibly_billed,
            "minutes": round(self.seconds / 60, 1),
            "killed_at": dict(self.killed_at.most_common()),
            "details": self.details,
        }  # fmt: skip

    def table(self) -> str:
        """The report for a person."""
        lines = [
            ("kills", self.kills.total()),
            ("  at named points", f"{self.kills['named']} ({self.possible} points there are)"),
            ("  at random moments, in chains", self.kills["random"]),
            ("cases", self.cases),
            *((name.replace("_", " "), self.faults[name]) for name in self._shown()),
            ("repeated model calls", f"{self.repeated.total()} ({self.calls_a_kill:.3f} a kill)"),
            ("  counted as possibly billed", self.possibly_billed),
            ("minutes", f"{self.seconds / 60:.1f}"),
        ]
        shown = [f"{name:<34}{value}" for name, value in lines]
        return "\n".join(["", *shown, *(["", *self.details[:20]] if self.details else [])])

    def _shown(self) -> Iterable[str]:
        return (*FAULTS, *sorted(self._others()))

    def _others(self) -> set[str]:
        return set(self.faults) - set(FAULTS)
