"""The budgets of a run and what has been used of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from time import perf_counter
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from flows.core.chat import UNUSED, ChatModel, ChatRequest, Usage
from flows.errors import LimitReached

OnLimit = Literal["partial", "finalize", "raise"]
# What a chat template may put around a message, in tokens; and of wall time, the last answer's.
TOKENS_AROUND = 16
# The most that a provider is known to count for one picture: gpt-4o-mini, 2,833 and 5,667 a tile,
# for the eight tiles of the largest picture.
TOKENS_OF_PICTURE = 48_169
FINAL_SHARE = 0.1
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")


class Price(BaseModel):
    """What a model costs: US dollars for a million tokens of its input, and of its output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    context: int | None = Field(
        default=None, ge=1, strict=True,
        description="tokens that it takes at most, prompt and reply together",
    )  # fmt: skip

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Dollars for that many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


Prices = Mapping[str, Price]


def price_of(prices: Prices, model: str) -> Price | None:
    """The price of a model by its name, or by its name without a date; None when unknown."""
    return prices.get(model) or prices.get(_DATED.sub("", model))


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
    cost: float | None = Field(
        default=None, ge=0, description="US dollars, by the run's table of prices"
    )
    wall_time: float | None = Field(default=None, ge=0, description="seconds")
    requests_per_minute: int | None = Field(
        default=None, ge=1, strict=True,
        description="calls of one chat model a minute, of all workers together; others wait",
    )  # fmt: skip
    reply_tokens: int = Field(
        default=4096, ge=1, strict=True,
        description="with a limit on tokens or cost: the most a reply may have, if its flow says "
        "nothing",
    )  # fmt: skip
    on_limit: OnLimit = Field(
        default="partial",
        description="partial: end with what there is; finalize: one last answer from it, which is "
        "reserved; raise: fail",
    )


class Worst(NamedTuple):
    """The most that a call can use: tokens, and dollars."""

    tokens: int = 0
    cost: float = 0.0


NOTHING = Worst()


class Meter:
    """What a run has used. `deadline` is on the clock of `time.perf_counter`, in seconds.

    A model call is claimed before it is made, with the most that it can cost; what it did cost
    takes the place of that. A call of which nothing more was heard stays counted at its worst.
    """

    __slots__ = (
        "claimed", "deadline", "final", "held", "held_cost", "largest", "limits", "prices",
        "rounds", "started", "usage",
    )  # fmt: skip

    def __init__(
        self, limits: Limits, used_seconds: float = 0.0, prices: Prices | None = None
    ) -> None:
        self.limits = limits
        self.prices: Prices = prices or {}
        self.usage = UNUSED
        self.claimed = 0
        self.held = 0
        self.held_cost = 0.0
        self.largest = NOTHING
        self.final = limits.on_limit != "finalize"
        self.rounds = 0
        self.started = perf_counter() - used_seconds
        wall = limits.wall_time
        share = 1.0 if self.final else 1.0 - FINAL_SHARE
        self.deadline = float("inf") if wall is None else self.started + wall * share

    def begin_final(self) -> None:
        """Let the last answer have what was kept for it."""
        self.final = True
        if self.limits.wall_time is not None:
            self.deadline = self.started + self.limits.wall_time

    def restore(self, usage: Usage, held_tokens: int = 0, held_cost: float = 0.0) -> None:
        """Count what was spent before a resume."""
        self.usage = self.usage + usage
        self.held += held_tokens
        self.held_cost += held_cost

    def put_off(self, seconds: float) -> None:
        """Time that the run stood still is not used up."""
        self.started += seconds
        self.deadline += seconds

    def elapsed(self) -> float:
        """Seconds since the run began, those before a resume included."""
        return perf_counter() - self.started

    def check_time(self) -> None:
        """Errors: `LimitReached` after the deadline."""
        if perf_counter() >= self.deadline:
            raise LimitReached("wall_time", self.limits.wall_time or 0)

    def bounded(self, request: ChatRequest, model: ChatModel) -> ChatRequest:
        """The request with a limit on its reply, when its tokens or its money are limited."""
        limited = self.limits.tokens is not None or self.limits.cost is not None
        if model.free or not limited or request.max_tokens is not None:
            return request
        return request.bounded(model.max_tokens or self.limits.reply_tokens)

    def worst_of(self, request: ChatRequest, model: ChatModel) -> Worst:
        """The most that the request can use. A token is at least one byte of its text."""
        if model.free:
            return Worst()
        prompt = sum(each.size + TOKENS_AROUND for each in request.messages)
        prompt += sum(each.size + TOKENS_AROUND for each in request.tools)
        prompt += TOKENS_OF_PICTURE * sum(len(each.images) for each in request.messages)
        # What is sent may be longer, in strict form, but a token of JSON is several bytes.
        prompt += request.schema.size if request.schema else 0
        reply = request.max_tokens or 0
        price = price_of(self.prices, model.name)
        return Worst(prompt + reply, price.of(prompt, reply) if price else 0.0)

    def claim(self, worst: Worst = NOTHING) -> None:
        """Count one more model call that begins, also if it fails. Errors: `LimitReached`."""
        limits, usage = self.limits, self.usage
        kept = 0 if self.final else 1
        largest = Worst(max(worst.tokens, self.largest.tokens), max(worst.cost, self.largest.cost))
        calls = usage.model_calls + self.claimed + kept
        if limits.model_calls is not None and calls >= limits.model_calls:
            raise LimitReached("model_calls", limits.model_calls)
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0) + self.held
        needed = worst.tokens + kept * largest.tokens
        if limits.tokens is not None and (
            tokens >= limits.tokens or tokens + needed > limits.tokens
        ):
            raise LimitReached("tokens", limits.tokens, _needs(needed, limits.tokens - tokens))
        cost = (usage.cost or 0.0) + self.held_cost
        dear = worst.cost + kept * largest.cost
        if limits.cost is not None and cost + dear > limits.cost:
            raise LimitReached("cost", limits.cost, f"the next call may cost ${dear:.4f}")
        self.claimed += 1
        self.held += worst.tokens
        self.held_cost += worst.cost
        self.largest = largest

    def release(self, worst: Worst) -> None:
        """The call is over, and what it cost is counted instead."""
        self.held -= worst.tokens
        self.held_cost -= worst.cost

    def priced(self, usage: Usage, model: ChatModel) -> Usage:
        """The usage of a call with its cost; a call of unknown price is counted as such."""
        if usage.cost is not None:
            return usage
        price = None if model.free else price_of(self.prices, model.name)
        if model.free:
            return usage.model_copy(update={"cost": 0.0})
        if price is None or usage.input_tokens is None or usage.output_tokens is None:
            return usage.model_copy(update={"unpriced_calls": usage.model_calls})
        return usage.model_copy(update={"cost": price.of(usage.input_tokens, usage.output_tokens)})

    def spend(self, usage: Usage) -> None:
        """Count what claimed model calls cost."""
        self.claimed = max(0, self.claimed - usage.model_calls)
        self.usage = self.usage + usage

    def begin_round(self) -> None:
        """Count one more round. Errors: `LimitReached`, and then it is not counted."""
        if self.limits.rounds is not None and self.rounds >= self.limits.rounds:
            raise LimitReached("rounds", self.limits.rounds)
        self.rounds += 1


def _needs(needed: int, left: int) -> str:
    return (
        f"the next call may take {needed:,} tokens and {max(0, left):,} are left" if needed else ""
    )
