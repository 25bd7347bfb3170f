"""What is wrong in a graph that is built: in the keys that go through it, and its loops."""

from __future__ import annotations

from collections.abc import Iterator

from flows.config.composition import Composed
from flows.core.flow import Flow, Problem, walk
from flows.core.limits import Limits
from flows.core.trace import Trace, config_place, follow_call
from flows.errors import ConfigError

ConfigPath = tuple[str | int, ...]


def graph_faults(flow: Flow, composed: Composed, limits: Limits | None) -> list[ConfigError]:
    """All that is wrong in the graph, and what is to be said of it without being wrong. Without
    `limits` they are not known."""
    trace = Trace(bounded=limits is None or _is_bounded(limits))
    return [_error(composed, path, each) for path, each in _problems(flow, trace)]


def _is_bounded(limits: Limits) -> bool:
    """Whether a limit ends any run."""
    bounds = (limits.rounds, limits.model_calls, limits.tokens, limits.cost, limits.wall_time)
    return any(each is not None for each in bounds)


def _problems(flow: Flow, trace: Trace) -> Iterator[tuple[ConfigPath, Problem]]:
    """What is wrong, with the config path of the flow that has it."""
    for _, each in walk(flow):
        for problem in each.key_problems():
            yield config_place(each), problem
    follow_call(flow, flow.known_inputs(), trace)
    yield from trace.problems()


def _error(composed: Composed, path: ConfigPath, problem: Problem) -> ConfigError:
    text = problem.text
    if problem.origin is not None:
        text += f" (it is written at {composed.place(problem.origin)})"
    error = composed.error(text, (*path, *problem.where), problem.allowed, problem.meant)
    error.warning = problem.warning
    return error
