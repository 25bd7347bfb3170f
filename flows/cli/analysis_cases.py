"""Cases of a file that the analyst team works on, one after the other, and the verdict on each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from flows.cli.jobs import JobLine, job_of, located
from flows.services.request import DataQuestion

if TYPE_CHECKING:
    from flows.evaluation.analyses import AnalysisCase, AnalysisJudged
    from flows.services.request import Options


class AnalysisJob(NamedTuple):
    """A case with the request that its line stands for."""

    case: AnalysisCase
    request: DataQuestion = DataQuestion("")


def judge_cases(
    lines: Iterator[JobLine], base: Path, data: Sequence[str], options: Options
) -> Iterator[AnalysisJudged]:
    """The verdict on each case as soon as it is there, in the order of the file."""
    from dataclasses import replace

    from flows.evaluation.golden import id_text

    names: set[str] = set()
    for line in lines:
        job = analysis_job_of(line, base, data)
        if (name := id_text(line.id)) in names and not job.case.fault:
            fault = f"line {line.number}: another case has the id {name}"
            job = AnalysisJob(replace(job.case, fault=fault))
        names.add(name)
        yield judge_run(job, options)


def analysis_job_of(line: JobLine, base: Path, data: Sequence[str]) -> AnalysisJob:
    """The case of a line with its data and documents, or with what is wrong with it."""
    from dataclasses import replace

    from flows.evaluation.analyses import AnalysisCase, analysis_case_of

    where = f"line {line.number}"
    docs = line.values.get("docs", "")
    if not isinstance(docs, str):
        fault = f"{where}: `docs` must be the path of a folder"
        return AnalysisJob(AnalysisCase(line.id, fault=fault))
    alone = bool(docs) and not line.values.get("data", data)
    values = {**line.values, "data": [docs]} if alone else line.values
    job = job_of(line._replace(values=values), base, data)
    case = analysis_case_of(line.id, line.values, where)
    if job.fault:
        return AnalysisJob(AnalysisCase(line.id, case.question, fault=job.fault))
    request = replace(job.request, documents=located(docs, base) if docs else "")
    return AnalysisJob(case, replace(request, sources=()) if alone else request)


def judge_run(job: AnalysisJob, options: Options) -> AnalysisJudged:
    """Run the team on a case, and judge what came of it."""
    from flows.errors import FlowsError
    from flows.evaluation.analyses import judge_analysis
    from flows.evaluation.analysis import AnalystOutcome
    from flows.services.analysis import analyse

    if job.case.fault:
        return judge_analysis(job.case, None, 0.0)
    started = perf_counter()
    try:
        result = analyse(job.request, options)
    except FlowsError as error:
        return judge_analysis(job.case, None, perf_counter() - started, why=str(error))
    found = AnalystOutcome.of(result.outputs) if "summary" in result.outputs else None
    why = result.reason or f"the run is {result.status}"
    return judge_analysis(job.case, found, result.seconds, result.run_id, why)
