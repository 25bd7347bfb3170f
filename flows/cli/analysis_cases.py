"""Asking the analyst team the cases of a file, one after the other, and judging what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from flows.cli.jobs import Line, job_of, located

if TYPE_CHECKING:
    from flows.evaluation.analyses import AnalysisCase, AnalysisJudged

DETACHED = "human=detached"


class Asked(NamedTuple):
    """A case with the overrides that its line stands for."""

    case: AnalysisCase
    overrides: tuple[str, ...] = ()


def analysed(
    lines: Iterator[Line], base: Path, data: Sequence[str], overrides: Sequence[str]
) -> Iterator[AnalysisJudged]:
    """The verdict on each case as soon as it is there, in the order of the file."""
    from dataclasses import replace

    from flows.evaluation.golden import id_text

    names: set[str] = set()
    for line in lines:
        asked = asked_of(line, base, data)
        if (name := id_text(line.id)) in names and not asked.case.fault:
            fault = f"line {line.number}: another case has the id {name}"
            asked = Asked(replace(asked.case, fault=fault))
        names.add(name)
        yield judged_run(asked, overrides)


def asked_of(line: Line, base: Path, data: Sequence[str]) -> Asked:
    """The case of a line with its data and documents, or with what is wrong with it."""
    from flows.evaluation.analyses import AnalysisCase, analysis_case_of
    from flows.services.sources import quoted

    where = f"line {line.number}"
    docs = line.values.get("docs", "")
    if not isinstance(docs, str):
        return Asked(AnalysisCase(line.id, fault=f"{where}: `docs` must be the path of a folder"))
    alone = bool(docs) and not line.values.get("data", data)
    values = {**line.values, "data": [docs]} if alone else line.values
    job = job_of(line._replace(values=values), base, data)
    case = analysis_case_of(line.id, line.values, where)
    if job.fault:
        return Asked(AnalysisCase(line.id, case.question, fault=job.fault))
    tables = () if alone else job.data
    found = [DETACHED, *(f"data.{name}={quoted(path)}" for name, path in tables)]
    if docs:
        found.append(f"documents={quoted(located(docs, base))}")
    return Asked(case, (*found, f"+inputs.question={quoted(job.question)}"))


def judged_run(asked: Asked, overrides: Sequence[str]) -> AnalysisJudged:
    """Run the team on a case, and judge what came of it."""
    from flows.errors import FlowsError
    from flows.evaluation.analyses import judge_analysis
    from flows.evaluation.analysis import Analysis
    from flows.runners import door
    from flows.services.analysis import analyst_file
    from flows.services.questions import said_of

    if asked.case.fault:
        return judge_analysis(asked.case, None, 0.0)
    started = perf_counter()
    try:
        result = door.run(analyst_file(), [*asked.overrides, *overrides])
    except FlowsError as error:
        return judge_analysis(asked.case, None, perf_counter() - started, why=said_of(error))
    found = Analysis.of(result.outputs) if "summary" in result.outputs else None
    why = result.reason or f"the run is {result.status}"
    return judge_analysis(asked.case, found, result.seconds, result.run_id, why)
