"""A task of prediction in a folder: having the pipeline work on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from flows.analysis.prediction.task import SAMPLE, TEST, TRAIN
from flows.build.plan import RunPlan
from flows.config.settings import Setting
from flows.core.events import Listener
from flows.core.pause import Pause
from flows.core.result import RunResult
from flows.data.files.source_options import SourceOptions
from flows.errors import FlowsError, UsageError
from flows.records.lookup import find_run
from flows.runners import door
from flows.services.competition_folder import CompetitionFolder, read_competition
from flows.services.competition_results import WANTED, check_folder
from flows.services.request import Options, run_file

PIPELINE: Final = "pipeline"
# What archives hold, and tables put together of several files: a resumed run reads them again.
SCRATCH: Final = Path(".flows") / "competitions"
_USED: Final = (TRAIN, TEST, SAMPLE)

Begin = Callable[[RunPlan], Pause | None]
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CompetitionRequest:
    """The folder of a task, or a zip of one; the folder in which the results are wanted, and the
    seconds that the code of all phases may take, the pipeline's own without them."""

    where: Path
    out: Path | None = None
    seconds: float | None = None


def pipeline_file() -> Path:
    """The run file of `flows compete`. Errors: `ConfigError` when the package came without it."""
    return run_file("pipeline", "flows compete")


def compete(
    request: CompetitionRequest,
    options: Options,
    *,
    listeners: Sequence[Listener] = (),
    begin: Begin | None = None,
    told: Told | None = None,
) -> RunResult:
    """Have the pipeline work on a task. `told` hears what was chosen among the files of the folder;
    `begin` is told the plan, and may give a pause for the run.

    Errors: `UsageError` for a folder without a table to learn of, and results that cannot be
    written where they are wanted; `ConfigError`. What goes wrong in the run is in the result.
    """
    if request.out is not None:
        check_folder(request.out, request.where)
    scratch = _scratch()
    try:
        found = read_competition(request.where, scratch, without=request.out)
        if told is not None:
            for note in (*found.notes, *found.doubts):
                told(note)
        return _run(found, request, options, listeners, begin)
    finally:
        _tidy(scratch)


def _run(
    found: CompetitionFolder,
    request: CompetitionRequest,
    options: Options,
    listeners: Sequence[Listener],
    begin: Begin | None,
) -> RunResult:
    more = {WANTED: str(request.out.absolute())} if request.out is not None else None
    own = replace(options, glossary=None)  # words of questions: here nobody asks one
    return door.run(
        pipeline_file(),
        options.overrides,
        settings=(*own.settings(), *_settings(found, request)),
        inputs={"background": found.text, "fields": dict(found.fields), "doubts": _doubts(found)},
        listeners=listeners,
        trust=options.trust,
        begin=begin,
        more=more,
    )


def _settings(found: CompetitionFolder, request: CompetitionRequest) -> Iterator[Setting]:
    for name in _USED:
        if name in found.sources:
            value = _value(found.sources[name])
            files = ", ".join(found.files.get(name, ()))
            yield Setting(f"data.{name}", value, f"{files} of {request.where}")
    if request.seconds is not None:
        yield Setting("seconds", request.seconds, f"--time {request.seconds:g}")


def _value(source: str | SourceOptions) -> str | Mapping[str, str | bool]:
    if isinstance(source, str):
        return source
    given: dict[str, str | bool] = source.model_dump(mode="json", exclude_none=True)
    return given


def _doubts(found: CompetitionFolder) -> tuple[str, ...]:
    """What may be wrong with the files; a further table is not looked at, which is said."""
    unused = tuple(f"{', '.join(found.files[each])} is not used" for each in found.further)
    return (*found.doubts, *unused)


def _scratch() -> Path:
    """A folder of its own for what is unpacked."""
    try:
        SCRATCH.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=SCRATCH)).absolute()
    except OSError as error:
        raise UsageError(f"{SCRATCH} cannot be written: {error.strerror or error}") from error


def _tidy(scratch: Path) -> None:
    """Take away the folder if nothing had to be unpacked."""
    if not any(each.is_file() for each in scratch.rglob("*")):
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(OSError):
            scratch.parent.rmdir()  # where there is nothing else in it


def has_pipeline(runs: Path, run_id: str) -> bool:
    """Whether the run that is meant has a pipeline at its top. What cannot be read is none here:
    whoever goes on with it is told why it cannot."""
    try:
        rows = find_run(runs, run_id).rows()
    except FlowsError:
        return False
    spec = rows[0].data().get("spec") if rows else None
    return isinstance(spec, Mapping) and spec.get("_target_") == PIPELINE
