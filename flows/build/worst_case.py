"""How many model calls a plan can come to at most, known before the first one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from flows.build.plan import RunPlan
from flows.core.circular import InRounds, Rounds
from flows.core.flow import AtomicFlow, CompositeFlow, Flow
from flows.core.parallel import ParallelFlow
from flows.core.sequential import SequentialFlow


@dataclass(frozen=True, slots=True)
class WorstCase:
    """`calls` is the most model calls of a run, `inf` without a limit. `rounds` and `per_round`
    are those of a circular flow at the top, `limit` what the run's own limit allows."""

    calls: float
    rounds: float | None = None
    per_round: float = 0
    limit: int | None = None


def worst_case(plan: RunPlan) -> WorstCase:
    """The worst case of a plan, with all corrections and retries needed."""
    limit = plan.limits.model_calls
    allowed = inf if limit is None else limit
    if not isinstance(plan.flow, InRounds):
        return WorstCase(min(most_model_calls(plan.flow), allowed), limit=limit)
    rounds = min(_most(plan.flow.rounds), inf if plan.limits.rounds is None else plan.limits.rounds)
    per_round = sum(most_model_calls(step.flow) for step in plan.flow.rounds.steps)
    calls = rounds * per_round if per_round else 0
    return WorstCase(min(calls, allowed), rounds, per_round, limit)


def most_model_calls(flow: Flow) -> float:
    """The most model calls that one call of a flow can make; `inf` when nothing bounds them."""
    if isinstance(flow, InRounds):
        per_round = sum(most_model_calls(step.flow) for step in flow.rounds.steps)
        return _most(flow.rounds) * per_round if per_round else 0
    if isinstance(flow, (SequentialFlow, ParallelFlow)):
        return sum(most_model_calls(step.flow) for step in flow.steps)
    if isinstance(flow, CompositeFlow) and flow.branches:
        return max((most_model_calls(each) for each in flow.children().values()), default=0)
    if isinstance(flow, AtomicFlow):
        asks = "model" in type(flow).needs.values()
        return int(flow.config.retry.attempts) if asks else 0
    by_name = {name: most_model_calls(each) for name, each in flow.children().items()}
    if (known := flow.most_calls(by_name)) is not None:
        return known
    below = sum(by_name.values())
    # A composite made in code that corrects calls each flow below once a try.
    corrections = getattr(flow.config, "corrections", None)
    return below * (corrections + 1) if corrections is not None else (inf if below else 0)


def _most(rounds: Rounds) -> float:
    return inf if rounds.most is None else rounds.most
