"""What each role of a pipeline says by rules: plain data in, the text of a reply out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any

from pydantic import TypeAdapter

from flows.analysis.prediction.plan import Planning, PlanStep, UnitTestResult
from flows.analysis.prediction.work import Reviewing, Summarizing
from flows.core.function_tool import FunctionTool, call_of
from flows.data.tables import Table

_STEPS: TypeAdapter[tuple[PlanStep, ...]] = TypeAdapter(tuple[PlanStep, ...])
_TOOLS: TypeAdapter[tuple[FunctionTool, ...]] = TypeAdapter(tuple[FunctionTool, ...])
_CHECKS: TypeAdapter[tuple[UnitTestResult, ...]] = TypeAdapter(tuple[UnitTestResult, ...])


def read(given: Mapping[str, Any]) -> str:
    """The task, read from its text and its tables."""
    from flows.analysis.prediction.metrics import PredictionMetric
    from flows.analysis.prediction.reading.reader import read_task
    from flows.errors import UsageError

    train, test, sample = (_table(given.get(name)) for name in ("train", "test", "sample"))
    assert train is not None
    own = [PredictionMetric.model_validate(each) for each in given.get("own_metrics") or ()]
    text, fields = str(given.get("background") or ""), given.get("fields") or {}
    try:
        found = read_task(text, train, test, sample, fields=fields, own_metrics=own)
    except UsageError as error:
        return _json({"task": None, "cannot": str(error)})
    return _json({"task": found.model_dump(mode="json"), "cannot": ""})


def design_tools(given: Mapping[str, Any]) -> str:
    """Tools that the data call for."""
    from flows.analysis.prediction.toolsmith.design import design_tools

    drafts = design_tools(_planning(given))
    return _json({"tools": [{"source": each.source, "why": each.why} for each in drafts]})


def preview(given: Mapping[str, Any]) -> str:
    """The tables in words, a line for each column."""
    planning = _planning(given)
    lines = []
    for table in filter(None, (planning.train, planning.test)):
        lines.append(f"{table.name}: {table.rows:,} rows, {len(table.columns)} columns")
        lines += [f"- {_column_text(column)}" for column in table.columns]
    return "\n".join(lines)


def plan(given: Mapping[str, Any]) -> str:
    """The plan in Markdown."""
    from flows.analysis.prediction.planning import plan_steps

    return _markdown(str(given.get("title") or "Plan"), plan_steps(_planning(given)))


order = plan


def steps(given: Mapping[str, Any]) -> str:
    """The plan as steps."""
    from flows.analysis.prediction.planning import plan_steps

    made = plan_steps(_planning(given))
    return _json({"steps": [each.model_dump(mode="json") for each in made]})


def write_code(given: Mapping[str, Any]) -> str:
    """A call of its tool for each step."""
    planned = _STEPS.validate_python(given["steps"])
    return _code(planned, given, 1)


def correct_code(given: Mapping[str, Any]) -> str:
    """The code without the step that failed, where no later step stands on what it makes. What a
    unit test finds wrong is a matter of the plan: the next try makes another."""
    if given.get("failed"):
        failed = _CHECKS.validate_python(given["failed"])
        names = ", ".join(each.name for each in failed)
        return _json({"code": [], "cannot": f"the plan has to be another one, for {names}"})
    planned = _STEPS.validate_python(given["steps"])
    number = int(given["from_step"])
    tools = {each.name: each for each in _TOOLS.validate_python(given["tools"])}
    step = planned[number - 1]
    known = set(given.get("frames") or ())
    made = _made(tools[step.tool], step, known) if step.tool in tools else set(step.into)
    if made - known:
        return _json({"code": [], "cannot": f"later steps need {', '.join(sorted(made))}"})
    code = list(given["code"])
    code[number - 1] = f"# left out, for it failed: {str(given['error']).splitlines()[0]}\n"
    return _json({"code": code[number - 1 :], "from_step": number})


def review(given: Mapping[str, Any]) -> str:
    """A score for each agent."""
    from flows.analysis.prediction.review import review_phase

    scores = review_phase(Reviewing.model_validate(given["given"]))
    return _json({"scores": [each.model_dump(mode="json") for each in scores]})


def summarize(given: Mapping[str, Any]) -> str:
    """The report of a phase in Markdown."""
    from flows.analysis.prediction.summary import summarize_phase

    return summarize_phase(Summarizing.model_validate(given["given"]))


def _code(planned: Sequence[PlanStep], given: Mapping[str, Any], first: int) -> str:
    tools = {each.name: each for each in _TOOLS.validate_python(given["tools"])}
    variables = set(given.get("frames") or ())
    code = []
    for number, step in enumerate(planned[first - 1 :], first):
        tool = tools.get(step.tool)
        if tool is None:
            what = f"the tool {step.tool!r}" if step.tool else "no tool"
            return _json({"code": [], "cannot": f"step {number} names {what}: {step.purpose}"})
        code.append(call_of(tool, step.arguments, frozenset(variables), step.into) + "\n")
        variables |= _made(tool, step, variables)
    return _json({"code": code, "from_step": first})


def _made(tool: FunctionTool, step: PlanStep, known: Set[str]) -> set[str]:
    """The tables that a step gives. A table that the tool gives back as it got it, such as test, is
    None where there is none to be given."""
    if step.into:
        return set(step.into)
    takes = {each.name for each in tool.parameters if each.frame}
    return {each for each in tool.gives if each in known or each not in takes}


def _markdown(title: str, planned: Sequence[PlanStep]) -> str:
    lines = [f"# {title}", ""]
    for number, step in enumerate(planned, 1):
        by = f" (`{step.tool}`)" if step.tool else ""
        lines.append(f"{number}. {step.purpose}{by}")
        lines += [f"   - {name}: {_short(value)}" for name, value in step.arguments.items()]
    return "\n".join(lines)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:197]}..."


def _column_text(column: Any) -> str:
    said = [f"{column.name}: {column.type}", f"{column.distinct:,} distinct values"]
    if column.missing:
        said.append(f"{column.missing / max(column.rows, 1):.1%} missing")
    if column.mean is not None:
        said.append(f"from {column.minimum} to {column.maximum}, mean {column.mean:.4g}")
    elif column.top:
        said.append("most often " + ", ".join(f"{e.value} ({e.count:,})" for e in column.top[:3]))
    return ", ".join(said)


def _planning(given: Mapping[str, Any]) -> Planning:
    return Planning.model_validate(given["given"])


def _table(value: Any) -> Table | None:
    return None if value is None else Table.model_validate(value)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
