"""The budgets of a run and what has been used of them."""

from __future__ import annotations

from time import perf_counter

from pydantic import BaseModel, ConfigDict, Field

from flows.core.chat import Usage
from flows.errors import LimitReached


class Limits(BaseModel):
    """Limits of one run; None is no limit. Tokens are counted as the provider reports them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: int | None = Field(
        default=None, ge=0, strict=True, description="rounds of all circular flows"
    )
    model_calls: int | None = Field(
        default=None, ge=0, strict=True, description="calls of a chat model"
    )
    tokens: int | None = Field(
        default=None, ge=0, strict=True, description="input and output tokens together"
    )
    wall_time: float | None = Field(default=None, ge=0, description="seconds")


class Meter:
    """What a run has used. `deadline` is on the clock of `time.perf_counter`, in seconds."""

    __slots__ = ("claimed", "deadline", "limits", "rounds", "started", "usage")

    def __init__(self, limits: Limits, used_seconds: float = 0.0) -> None:
        self.limits = limits
        self.usage = Usage()
        self.claimed = 0
        self.rounds = 0
        self.started = perf_counter() - used_seconds
        wall = limits.wall_time
        self.deadline = float("inf") if wall is None else self.started + wall

    def add(self, usage: Usage) -> None:
        """Count what was spent before a resume."""
        self.usage = self.usage + usage

    def spend(self, usage: Usage) -> None:
        """Count what claimed model calls cost."""
        self.claimed = max(0, self.claimed - usage.model_calls)
        self.usage = self.usage + usage

    def elapsed(self) -> float:
        """Seconds since the run began, those before a resume included."""
        return perf_counter() - self.started

    def check_time(self) -> None:
        """Errors: `LimitReached` after the deadline."""
        if perf_counter() >= self.deadline:
            raise LimitReached("wall_time", self.limits.wall_time or 0)

    def claim_model_call(self) -> None:
        """Count one more model call that begins, also if it fails. Errors: `LimitReached`."""
        limits, usage = self.limits, self.usage
        calls = usage.model_calls + self.claimed
        if limits.model_calls is not None and calls >= limits.model_calls:
            raise LimitReached("model_calls", limits.model_calls)
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        if limits.tokens is not None and tokens >= limits.tokens:
            raise LimitReached("tokens", limits.tokens)
        self.claimed += 1

    def begin_round(self) -> None:
        """Count one more round. Errors: `LimitReached`, and then it is not counted."""
        if self.limits.rounds is not None and self.rounds >= self.limits.rounds:
            raise LimitReached("rounds", self.limits.rounds)
        self.rounds += 1
