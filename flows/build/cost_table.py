"""What makes the worst case of a plan: the flows that ask a model, and the loops around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from flows.build.plan import RunPlan
from flows.build.run_config import SUBFLOWS
from flows.build.worst_case import (
    CORRECTIONS,
    ModelUse,
    WorstCase,
    most_model_calls,
    most_of,
    times,
    use_of,
)
from flows.config.composition import Composed
from flows.core.circular import InRounds
from flows.core.flow import AtomicFlow, CompositeFlow, Flow
from flows.core.limits import Limits
from flows.errors import Place

Path = tuple[str, ...]
MAX_ROUNDS = "max_rounds"
LIMIT_OF_ROUNDS = "limits.rounds"
# What ends any run, whatever goes on in it.
RUN_LIMITS = ("limits.model_calls", "limits.tokens", "limits.cost", "limits.wall_time")
ATTEMPTS = "retry.attempts"


@dataclass(frozen=True, slots=True)
class FlowCost:
    """A flow that asks a model: where it is described, how often it may run in a run, and what one
    call of it asks."""

    path: str
    place: Place
    runs: float
    use: ModelUse

    @property
    def calls(self) -> float:
        return self.runs * self.use.calls

    @property
    def tokens(self) -> float | None:
        return None if self.use.tokens is None else times(self.calls, self.use.tokens)

    @property
    def cost(self) -> float | None:
        return None if self.use.cost is None else times(self.calls, self.use.cost)

    def as_json(self) -> dict[str, object]:
        """For a command's output: null is no limit of `runs` and `model_calls`, and not known of
        all others."""
        use = self.use
        return {
            "flow": self.path,
            "place": str(self.place),
            "runs": finite(self.runs),
            "model": use.model or None,
            "free": use.free,
            "model_calls": finite(self.calls),
            "prompt_tokens": use.prompt,
            "reply_tokens": use.reply,
            "tokens": finite(self.tokens),
            "cost": finite(self.cost),
            "lacks": use.lacks or None,
        }


@dataclass(frozen=True, slots=True)
class Loop:
    """A flow that calls those below it more than once: the keys that bound it, with their values,
    and how often a call of it calls the flow that it calls most. Without a bound that is `inf`."""

    path: str
    place: Place
    keys: Mapping[str, int | None]
    times: float

    @property
    def open_keys(self) -> tuple[str, ...]:
        """All keys of which each would bound it: its own, and the limits of the run."""
        return tuple(dict.fromkeys((self.open_key, *RUN_LIMITS)))

    @property
    def open_key(self) -> str:
        """The key that would bound it: one of its own, or a limit of the run."""
        unset = [key for key, value in self.keys.items() if value is None]
        return unset[0] if unset else "limits.model_calls"

    def as_json(self) -> dict[str, object]:
        """For a command's output: `times` is null where nothing bounds it but `bound_by`."""
        return {
            "flow": self.path,
            "place": str(self.place),
            "keys": dict(self.keys),
            "times": finite(self.times),
            "bound_by": self.open_key if self.times == inf else None,
        }


@dataclass(frozen=True, slots=True)
class CostTable:
    """What makes a worst case, from the top down."""

    flows: tuple[FlowCost, ...]
    loops: tuple[Loop, ...]
    worst: WorstCase

    def as_json(self) -> dict[str, object]:
        """For a command's output: `total` is what the graph comes to by itself, `at_most` that
        within the limits of the run."""
        total, worst = self.worst.total, self.worst
        return {
            "flows": [each.as_json() for each in self.flows],
            "loops": [each.as_json() for each in self.loops],
            "total": {
                "model_calls": finite(total.calls),
                "tokens": finite(total.tokens),
                "unsized_calls": finite(total.unsized),
                "cost": finite(total.cost),
                "unpriced_calls": finite(total.unpriced),
            },
            "at_most": {
                "model_calls": finite(worst.calls),
                "tokens": finite(worst.tokens),
                "cost": finite(worst.cost),
            },
            "limits": worst.limits.model_dump(include={"rounds", "model_calls", "tokens", "cost"}),
            "exceeded": list(worst.exceeded()),
        }


def finite(amount: float | None) -> float | None:
    """The amount, whole where it is; None for one without a limit."""
    if amount is None or amount == inf:
        return None
    return int(amount) if amount == int(amount) else amount


def cost_table(plan: RunPlan, composed: Composed) -> CostTable:
    """The flows and loops of a plan that make its worst case, from the top down."""
    flows: list[FlowCost] = []
    loops: list[Loop] = []
    rounds = inf if plan.limits.rounds is None else plan.limits.rounds
    for flow, path, runs in _with_runs(plan.flow, (), 1.0, rounds):
        where = config_path(composed.values, path)
        place, name = composed.place(where), flow.path or flow.name
        if isinstance(flow, AtomicFlow):
            use = use_of(flow, plan.limits, plan.prices)
            flows.append(FlowCost(name, place, runs, use))
            if (tries := flow.config.retry.attempts) > 1:
                loops.append(Loop(name, place, {ATTEMPTS: tries}, tries))
            continue
        often = max(_shares(flow, rounds).values(), default=0)
        if often > 1:
            loops.append(Loop(name, place, _bounds(flow, plan.limits), often))
    return CostTable(tuple(flows), tuple(loops), plan.worst_case)


def config_path(values: Mapping[str, object], path: Path) -> tuple[str, ...]:
    """Where the flow of that path is described; for one that its flow makes for itself, where that
    is. A flow made so may hold flows that are described beside it."""
    here: object = values
    found: list[str] = []
    for name in path:
        below = here.get(SUBFLOWS) if isinstance(here, Mapping) else None
        if isinstance(below, Mapping) and name in below:
            found += (SUBFLOWS, name)
            here = below[name]
    return tuple(found)


def _with_runs(
    flow: Flow, path: Path, runs: float, rounds: float
) -> Iterator[tuple[Flow, Path, float]]:
    """The flows that come to a model call, with how often each may run at most."""
    if not most_model_calls(flow):
        return
    yield flow, path, runs
    for name, share in _shares(flow, rounds).items():
        yield from _with_runs(flow.children()[name], (*path, name), times(share, runs), rounds)


def _shares(flow: Flow, rounds: float) -> dict[str, float]:
    """How often one call of a flow calls each of those below it that come to a model call."""
    children = flow.children()
    return {
        name: most_of(flow, {each: float(each == name) for each in children}, rounds)
        for name, child in children.items()
        if most_model_calls(child)
    }


def _bounds(flow: Flow, limits: Limits) -> Mapping[str, int | None]:
    """The keys that bound how often a flow calls those below it, with their values."""
    if isinstance(flow, InRounds):
        return {MAX_ROUNDS: flow.rounds.most}
    if isinstance(flow, CompositeFlow) and flow.endless:
        return {LIMIT_OF_ROUNDS: limits.rounds}
    own = flow.bounds() if isinstance(flow, CompositeFlow) else {}
    corrections = getattr(flow.config, CORRECTIONS, None)
    return own or ({} if corrections is None else {CORRECTIONS: corrections})
