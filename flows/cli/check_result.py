"""What a look at one thing found, for `flows doctor`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

State = Literal["ok", "missing", "failed", "note"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was looked at. `install` is a line for a shell; with `is_needed` the embedded
    default does not work without it."""

    group: str
    name: str
    state: State
    detail: str = ""
    install: str = ""
    is_needed: bool = False

    def as_json(self) -> dict[str, object]:
        return asdict(self)
