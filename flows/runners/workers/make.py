"""The workers that a run's config asks for."""

from __future__ import annotations

from flows.build.plan import RunPlan
from flows.core.journal import Journal
from flows.core.session import Session
from flows.core.workers import RunnerConfig
from flows.errors import UsageError
from flows.runners.workers.links import MODULE, Launcher, LocalProcesses

_FORK = "a fork, or a session that was changed, is done by the run's own process"


def make_workers(plan: RunPlan, session: Session) -> None:
    """Give the session the workers that its plan wants, if any. Nothing is started before the first
    item. Errors: `UsageError` for functions that only this process has."""
    runner = plan.runner
    if session.journal is None or (runner.kind == "local" and runner.processes is None):
        return
    if plan.functions:
        raise UsageError("functions of a program's own cannot be called by workers: runner=local")
    if type(session.journal) is not Journal or session.editions is not None:
        session.notice("", 0, f"without workers: {_FORK}")
        return
    from flows.runners.workers.messages import Setup
    from flows.runners.workers.pool import WorkerPool

    trust = [*plan.trust.named]
    for each in plan.sendings:
        trust.append(str(each.files[0]) if each.kind == "code" else each.address)
    setup = Setup(
        record={**plan.record, "inputs": {}},
        trust=tuple(dict.fromkeys(trust)),
        run_id=session.run_id,
        folder=str(session.folder.absolute()),
        durable=plan.durability == "full",
    )
    pool = WorkerPool(session, setup, launcher_of(runner), runner.at_once)
    session.workers = session.hold(WorkerPool, lambda: pool)


def launcher_of(runner: RunnerConfig, module: str = MODULE) -> Launcher:
    """What starts workers of that program where the runner says."""
    if runner.kind == "ray":
        from flows.runners.workers.ray_nodes import RayNodes

        return RayNodes(runner.processes, runner.address, module)
    return LocalProcesses(runner.processes or 1, module)
