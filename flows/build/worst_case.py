"""What a plan can come to at most, known before the first model call: calls, tokens and money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from flows.core.chat import ChatModel
from flows.core.circular import InRounds
from flows.core.flow import AtomicFlow, CompositeFlow, Flow, walk
from flows.core.limits import Limits, Prices, price_of
from flows.core.parallel import ParallelFlow
from flows.core.sequential import SequentialFlow

CORRECTIONS: Final = "corrections"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What one call of a flow asks of its model, all tries together. The tokens and the dollars are
    those of one model call; None is not known. A free model uses neither. `lacks` is the key of the
    config without which the dollars are not known."""

    model: str = ""
    free: bool = False
    calls: float = 0
    prompt: int | None = None
    reply: int | None = None
    tokens: int | None = None
    cost: float | None = None
    lacks: str = ""


FREE: Final = ModelUse(free=True, prompt=0, reply=0, tokens=0, cost=0.0)


@dataclass(frozen=True, slots=True)
class Total:
    """The most that a run comes to, `inf` where nothing bounds it. `tokens` and `cost` are of the
    calls for which they are known; `unsized` and `unpriced` count the others."""

    calls: float = 0
    tokens: float = 0
    unsized: float = 0
    cost: float = 0
    unpriced: float = 0


@dataclass(frozen=True, slots=True)
class WorstCase:
    """`total` is what the graph comes to by itself, with all corrections and retries needed;
    `limits` are those of the run, which end it before. `rounds` and `per_round` are the rounds and
    the model calls of a circular flow at the top."""

    total: Total
    limits: Limits
    rounds: float | None = None
    per_round: float = 0

    @property
    def calls(self) -> float:
        return _least(self.total.calls, self.limits.model_calls)

    @property
    def tokens(self) -> float | None:
        """None where neither the models nor a limit say it."""
        own = None if self.total.unsized else self.total.tokens
        most = self.limits.tokens
        return own if most is None else most if own is None else min(own, most)

    @property
    def cost(self) -> float | None:
        """None where a price or a prompt's size is not known, and no limit on money holds."""
        own = None if self.total.unpriced else self.total.cost
        most = self.limits.cost
        return own if most is None else most if own is None else min(own, most)

    @property
    def is_free(self) -> bool:
        """Whether no call costs money or a provider's tokens."""
        return not (self.total.tokens or self.total.unsized)

    def exceeded(self) -> dict[str, tuple[float, float]]:
        """The limits that the graph can go beyond, by their key: what it comes to, and the limit.
        None for a run that costs nothing."""
        total, limits = self.total, self.limits
        if self.is_free:
            return {}
        found = {
            "model_calls": (total.calls, limits.model_calls),
            "tokens": (total.tokens, limits.tokens),
            "cost": (total.cost, limits.cost),
        }
        return {
            key: (most, limit)
            for key, (most, limit) in found.items()
            if limit is not None and most > limit
        }


def worst_case(flow: Flow, limits: Limits, prices: Prices) -> WorstCase:
    """The worst case of a graph within the limits of a run."""
    most = inf if limits.rounds is None else limits.rounds
    atomic = (each for _, each in walk(flow) if isinstance(each, AtomicFlow))
    uses = {each: use_of(each, limits, prices) for each in atomic}

    def sum_up(of: Callable[[ModelUse], float]) -> float:
        return most_in_run(flow, lambda each: of(uses[each]), most)

    total = Total(
        calls=sum_up(lambda use: use.calls),
        tokens=sum_up(lambda use: times(use.calls, use.tokens or 0)),
        unsized=sum_up(lambda use: times(use.calls, use.tokens is None)),
        cost=sum_up(lambda use: times(use.calls, use.cost or 0.0)),
        unpriced=sum_up(lambda use: times(use.calls, use.cost is None)),
    )
    if not isinstance(flow, InRounds):
        return WorstCase(total, limits)
    per_round = sum(most_in_run(step.flow, _calls_of, most) for step in flow.rounds.steps)
    return WorstCase(total, limits, rounds_of(flow, most), per_round)


def beyond_limits(worst: WorstCase) -> list[str]:
    """What is told at the start of a run that can come to more than its limits allow."""
    told = [
        f"{in_units(key, most)} ({limit_text(key, limit)})"
        for key, (most, limit) in worst.exceeded().items()
    ]
    if not told:
        return []
    return [f"In the worst case this run comes to {' and '.join(told)}; there it ends early."]


def in_units(key: str, amount: float) -> str:
    """An amount of a limit in words: model calls, tokens or dollars."""
    if key == "cost":
        return "any amount of money" if amount == inf else f"${amount:,.2f}"
    unit = key.replace("_", " ")
    return f"any number of {unit}" if amount == inf else f"{amount:,.0f} {unit}"


def limit_text(key: str, limit: float) -> str:
    """What the limit of that key is."""
    return f"limits.{key} is {f'${limit:,.2f}' if key == 'cost' else f'{limit:,.0f}'}"


def most_model_calls(flow: Flow) -> float:
    """The most model calls that one call of a flow can make; `inf` when nothing bounds them."""
    return most_in_run(flow, _calls_of, inf)


def most_in_run(flow: Flow, of: Callable[[AtomicFlow], float], rounds: float) -> float:
    """The most that one call of a flow comes to, of what a call of each atomic flow does. `rounds`
    is the most that the run takes."""
    if isinstance(flow, AtomicFlow):
        return of(flow)
    below = {name: most_in_run(each, of, rounds) for name, each in flow.children().items()}
    return most_of(flow, below, rounds)


def most_of(flow: Flow, below: Mapping[str, float], rounds: float) -> float:
    """What one call of a composite comes to, of what a call of each flow below does."""
    if (known := flow.most_of(below)) is not None:
        return known
    if isinstance(flow, InRounds):
        steps = sum(below[step.flow.name] for step in flow.rounds.steps)
        return times(rounds_of(flow, rounds), steps)
    if isinstance(flow, (SequentialFlow, ParallelFlow)):
        return sum(below[step.flow.name] for step in flow.steps)
    if isinstance(flow, CompositeFlow) and flow.branches:
        return max(below.values(), default=0)
    if isinstance(flow, CompositeFlow) and flow.endless:
        return times(rounds, sum(below.values()))
    # A composite made in code that corrects calls each flow below once a try.
    corrections = getattr(flow.config, CORRECTIONS, None)
    tries = inf if corrections is None else corrections + 1
    return times(tries, sum(below.values()))


def rounds_of(flow: InRounds, most: float) -> float:
    """The most rounds of one call, of the `most` that the run takes."""
    own = flow.rounds.most
    return most if own is None else min(own, most)


def use_of(flow: AtomicFlow, limits: Limits, prices: Prices) -> ModelUse:
    """What one call of an atomic flow asks of its model."""
    tries, model = _calls_of(flow), flow.model
    if model is None or not isinstance(model, ChatModel):
        return ModelUse(calls=tries) if tries else FREE
    if model.free:
        return ModelUse(model.name, True, tries, 0, 0, 0, 0.0)
    price = price_of(prices, model.name)
    context = price.context if price is not None else None
    reply = _reply_of(flow, model, limits)
    reply = context if reply is None else reply if context is None else min(reply, context)
    if price is None or context is None or reply is None:
        key = f"prices.{model.name}"
        lacks = key if price is None else f"{key}.context" if context is None else "max_tokens"
        return ModelUse(model.name, False, tries, context, reply, context, lacks=lacks)
    dear = max(price.of(context, 0), price.of(context - reply, reply))
    return ModelUse(model.name, False, tries, context, reply, context, dear)


def _reply_of(flow: AtomicFlow, model: ChatModel, limits: Limits) -> int | None:
    """The most tokens of a reply; None is the provider's."""
    own: int | None = getattr(flow.config, "max_tokens", None)
    limited = limits.tokens is not None or limits.cost is not None
    return own or model.max_tokens or (limits.reply_tokens if limited else None)


def _calls_of(flow: AtomicFlow) -> float:
    return times(flow.config.retry.attempts, flow.most_model_calls())


def times(often: float, each: float) -> float:
    """So many times what each comes to; nothing, however often, is nothing."""
    return often * each if often and each else 0


def _least(own: float, limit: int | None) -> float:
    return own if limit is None else min(own, limit)
