"""What an earlier try of a phase teaches: what failed is dropped, changed, or answered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flows.analysis.prediction.plan import Planning, PlanStep, UnitTestResult
from flows.analysis.prediction.planning.columns import protected_names

# Arguments that name columns to leave alone, or what is predicted.
_NOT_CHANGED = frozenset({"ignore", "keep", "target", "targets", "kind"})
_NEEDED = frozenset({"align_test_columns", "drop_rows_without_target"})
_WIDENING = (
    "text_topics",
    "group_statistics",
    "combine_columns",
    "text_lengths",
    "screen_interactions",
    "encode_by_target",
    "encode_frequency",
)
_ROW_STEPS = frozenset({"drop_duplicate_rows"})


def mend(steps: Sequence[PlanStep], given: Planning) -> tuple[PlanStep, ...]:
    """The steps as the errors, failed tests and suggestions of an earlier try want them."""
    found = list(steps)
    for error in given.experience.errors:
        found = _after_error(found, error)
    # a warning is told, and nothing is done because of it alone
    told = [each for each in given.experience.failed if not each.passed and each.level == "error"]
    told += [_suggestion(each, given) for each in given.experience.suggestions]
    for result in told:
        found = _after_check(found, result, given)
    return tuple(found)


def _after_error(steps: list[PlanStep], error: str) -> list[PlanStep]:
    """Without the columns that the error names, or without the step that it came from."""
    tools = {step.tool for step in steps if step.tool and step.tool in error}
    if not tools:
        return steps
    failed = max(tools, key=error.rfind)
    last = error.strip().splitlines()[-1]
    named = set(re.findall(r"'([^']+)'", last)) | set(re.findall(r'"([^"]+)"', last))
    found: list[PlanStep] = []
    for step in steps:
        if step.tool != failed:
            found.append(step)
            continue
        changed = without_columns(step, named)
        if changed == step:
            changed = step if failed in _NEEDED else None
        if changed is not None:
            found.append(changed)
    return found


def without_columns(step: PlanStep, names: set[str]) -> PlanStep | None:
    """The step without these columns; None if nothing is left for it to do."""
    arguments: dict[str, Any] = {}
    for key, value in step.arguments.items():
        if key in _NOT_CHANGED:
            arguments[key] = value
        elif isinstance(value, str):
            if value in names:
                return None
            arguments[key] = value
        elif isinstance(value, list):
            left = [each for each in value if not _names_one(each, names)]
            if value and not left:
                return None
            arguments[key] = left
        elif isinstance(value, dict):
            arguments[key] = {name: each for name, each in value.items() if name not in names}
        else:
            arguments[key] = value
    return step.model_copy(update={"arguments": arguments})


def _names_one(value: object, names: set[str]) -> bool:
    if isinstance(value, list):
        return any(each in names for each in value)
    return value in names


def _suggestion(text: str, given: Planning) -> UnitTestResult:
    """A suggestion as if it were the advice of a test, with the columns that it names."""
    quoted = re.findall(r"[`'\"]([^`'\"]+)[`'\"]", text)
    there = {column.name for column in given.train.columns}
    culprits = tuple(each for each in quoted if each in there)
    return UnitTestResult(name="suggestion", passed=False, advice=text, culprits=culprits)


def _after_check(steps: list[PlanStep], result: UnitTestResult, given: Planning) -> list[PlanStep]:
    words = f"{result.name} {result.message} {result.advice}".casefold().replace("_", " ")
    protected = protected_names(given)
    columns = [each for each in result.culprits if each not in protected]
    for tool in given.tools:
        takes_columns = any(each.name == "columns" for each in tool.parameters)
        if tool.name in result.advice and columns and takes_columns:
            return _added(steps, given, tool.name, columns)
    if re.search(r"explo|too many (?:features|columns)", words):
        return _narrower(steps)
    if re.search(r"rows? .*(?:lost|fewer|dropped|gone|filters)|lost .*rows?", words):
        return [step for step in steps if step.tool not in _ROW_STEPS]
    if re.search(r"same columns|columns differ|columns of test|not in test", words):
        return _aligned(steps, given)
    if re.search(r"leak|constant|identical|duplicate (?:feature|column)|drop the column", words):
        return _added(steps, given, "drop_columns", columns)
    if re.search(r"missing|gaps|infinite", words):
        return _filled(steps, given, columns)
    if re.search(r"duplicate|doubled", words):
        return _added(steps, given, "drop_duplicate_rows", [])
    if re.search(r"outlier|far values", words):
        return _added(steps, given, "clip_outliers", columns)
    return steps


def _narrower(steps: list[PlanStep]) -> list[PlanStep]:
    """Without the steps that add many columns; dates keep a few parts."""
    found = []
    for step in steps:
        if step.tool == "expand_dates":
            arguments = {**step.arguments, "parts": ["year", "month", "days"]}
            found.append(step.model_copy(update={"arguments": arguments}))
        elif step.tool not in _WIDENING:
            found.append(step)
    return found


def _aligned(steps: list[PlanStep], given: Planning) -> list[PlanStep]:
    if given.test is None or not given.has_tool("align_test_columns"):
        return steps
    step = PlanStep(
        purpose="Give test the columns of train without the target, since they differed",
        tool="align_test_columns",
        arguments={"targets": list(given.task.targets)},
    )
    return [*steps, step]


def _filled(steps: list[PlanStep], given: Planning, columns: list[str]) -> list[PlanStep]:
    """The filling of what is missing, at the end and of all columns."""
    if not given.has_tool("fill_missing_values"):
        return steps
    rest = [step for step in steps if step.tool != "fill_missing_values"]
    step = PlanStep(
        purpose="Fill what was still missing"
        + (f" in {', '.join(columns)}" if columns else "")
        + ", after all else",
        tool="fill_missing_values",
        arguments={"ignore": list(protected_names(given))},
    )
    return [*rest, step]


def _added(steps: list[PlanStep], given: Planning, tool: str, columns: list[str]) -> list[PlanStep]:
    """One more step for the columns, which may fail, since they may be gone by then."""
    taken = next((each for each in given.tools if each.name == tool), None)
    if taken is None:
        return steps
    names = {each.name for each in taken.parameters}
    protected = list(protected_names(given))
    arguments: dict[str, Any] = {}
    if "columns" in names:
        if not columns:
            return steps
        values: dict[str, Any] = {
            "columns": columns,
            "keep": protected,
            "target": given.task.targets[0],
            "targets": list(given.task.targets),
            "kind": given.task.kind,
        }
        arguments = {key: value for key, value in values.items() if key in names and value}
        if "strict" in names:
            arguments["strict"] = False  # what an earlier try made may not be made again
    step = PlanStep(
        purpose=f"Mend what a test found wrong in {', '.join(columns) or 'train'}",
        tool=tool,
        arguments=arguments,
        optional=True,
    )
    return steps if step in steps else [*steps, step]
