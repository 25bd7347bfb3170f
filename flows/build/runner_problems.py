"""What a runner needs that this machine does not have."""

from __future__ import annotations

from collections.abc import Iterator

from flows.config.packages import missing_module, needed
from flows.core.flow import Problem
from flows.core.workers import RunnerConfig


def runner_problems(runner: RunnerConfig) -> Iterator[Problem]:
    """What is wrong with the runner of a run that is to go on here."""
    if runner.kind == "ray" and missing_module(("ray",)):
        yield Problem(needed("runner=ray", "'analyst-flows[ray]'"), ("runner", "kind"))
    if runner.kind == "local" and runner.address is not None:
        yield Problem("only a Ray cluster has an address: runner=ray", ("runner", "address"))
