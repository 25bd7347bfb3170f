"""A business question over data and documents: having the team work on it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from flows.build.plan import RunPlan
from flows.config.settings import Setting
from flows.core.events import Listener
from flows.core.pause import Pause
from flows.core.result import RunResult
from flows.data.documents.folder import list_documents
from flows.data.documents.reading import KINDS
from flows.errors import FlowsError, SourceError, UsageError
from flows.records.lookup import find_run
from flows.runners import door
from flows.services.report_files import WANTED
from flows.services.request import DataQuestion, Options, run_file
from flows.services.sources import check_sources

ANALYST: Final = "analyst"
NOTHING: Final = "there is nothing to look at; name it with --data PATH or --docs DIR"
FEEDBACK: Final = Setting("Goal.Team.Feedback", {"_target_": "analyst.feedback"}, "--feedback")
WEB: Final = Setting(
    "Research",
    {
        "_target_": "tools.langchain",
        "backend": {"_target_": "ddg_search_run"},
        "effect": "idempotent",
    },
    "--web",
)

Begin = Callable[[RunPlan], Pause | None]


def analyst_file() -> Path:
    """The run file of `flows analyse`. Errors: `ConfigError` when the package came without it."""
    return run_file("analyst", "flows analyse")


def analyse(
    request: DataQuestion,
    options: Options,
    *,
    feedback: bool = False,
    web: bool = False,
    reports: Iterable[Path] = (),
    listeners: Sequence[Listener] = (),
    begin: Begin | None = None,
) -> RunResult:
    """Have the team work on a question. With `feedback` a person is asked about the tasks, with
    `web` the web is searched for context first. `reports` are the files that are wanted, which a
    resumed run writes; `begin` is told the plan, and may give a pause for the run.

    Errors: `UsageError` where there is nothing to look at; `ConfigError`. What goes wrong in the
    run is in the result.
    """
    check_request(request)

    def begin_with_data(plan: RunPlan) -> Pause | None:
        if not plan.spec.get("data") and not plan.spec.get("documents"):
            raise UsageError(NOTHING)
        return begin(plan) if begin is not None else None

    files = [str(path.absolute()) for path in reports]
    return door.run(
        analyst_file(),
        options.overrides,
        settings=(*options.settings(), *[FEEDBACK] * feedback, *[WEB] * web, *request.settings()),
        inputs=request.inputs,
        listeners=listeners,
        trust=options.trust,
        begin=begin_with_data,
        more={WANTED: files} if files else None,
    )


def check_request(request: DataQuestion) -> None:
    """Errors: `UsageError` for data or documents that there is nothing in, which the faults of a
    run would only hint at."""
    check_sources(request.sources)
    if not request.documents:
        return
    try:
        files = list_documents(Path(request.documents), sys.maxsize, time.time_ns())
    except SourceError as error:
        raise UsageError(str(error)) from error
    if not files:
        endings = ", ".join(KINDS)
        raise UsageError(f"{request.documents} has no documents; their names end in {endings}")


def has_analyst(runs: Path, run_id: str) -> bool:
    """Whether the run that is meant has an analyst at its top. What cannot be read is none here:
    whoever goes on with it is told why it cannot."""
    try:
        rows = find_run(runs, run_id).rows()
    except FlowsError:
        return False
    spec = rows[0].data().get("spec") if rows else None
    return isinstance(spec, Mapping) and spec.get("_target_") == ANALYST
