"""What was spent, in words: what is not known is said to be unknown."""

from __future__ import annotations

from collections.abc import Iterator

from flows.core.chat import Usage
from flows.core.limits import Limits
from flows.ui.page import counted, duration


def spent(usage: Usage, rounds: int | None, seconds: float) -> str:
    """Rounds, model calls, tokens as far as the provider counts them, money, and time."""
    parts = [counted(rounds, "round")] if rounds else []
    parts += [counted(usage.model_calls, "model call"), tokens(usage), cost(usage)]
    return " · ".join([*(part for part in parts if part), duration(seconds * 1000)])


def tokens(usage: Usage) -> str:
    """Tokens in and out; nothing when no model was called."""
    if not usage.model_calls:
        return ""
    if usage.input_tokens is None and usage.output_tokens is None:
        return "tokens not counted"
    if not usage.input_tokens and not usage.output_tokens:
        return "no tokens"
    return f"{usage.input_tokens or 0:,} tokens in, {usage.output_tokens or 0:,} out"


def cost(usage: Usage) -> str:
    """The money of the calls whose price is known, and how many there are of the others."""
    parts = [money(usage.cost)] if usage.cost else []
    if usage.unpriced_calls:
        parts.append(f"{counted(usage.unpriced_calls, 'call')} of unknown price")
    return " and ".join(parts)


def money(dollars: float) -> str:
    """Dollars, as exact as small amounts need."""
    return f"${dollars:,.4f}" if dollars == 0 or dollars >= 0.001 else f"${dollars:.2g}"


def limits_used(
    limits: Limits, usage: Usage, rounds: int | None, seconds: float
) -> Iterator[tuple[str, str, str]]:
    """Of each limit that the run has: its name, what was used of it, and what is allowed."""
    if limits.rounds is not None:
        yield "rounds", "not known yet" if rounds is None else f"{rounds:,}", f"{limits.rounds:,}"
    if limits.model_calls is not None:
        yield "model calls", f"{usage.model_calls:,}", f"{limits.model_calls:,}"
    if limits.tokens is not None:
        known = usage.input_tokens is not None or usage.output_tokens is not None
        counted_ = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        used = f"{counted_:,}" if known or not usage.model_calls else "not counted"
        yield "tokens", used, f"{limits.tokens:,}"
    if limits.cost is not None:
        yield "cost", cost(usage) or money(0.0), money(limits.cost)
    if limits.wall_time is not None:
        yield "time", duration(seconds * 1000), duration(limits.wall_time * 1000)
