"""The features: what trees and lines cannot make of the columns themselves.

Categories, texts and gaps are encoded when a model is fitted, inside of the folds, and not here.
"""

from __future__ import annotations

import json
import re

from flows.analysis.prediction.plan import Planning, PlanStep
from flows.analysis.prediction.planning.columns import ColumnKinds, column_kinds
from flows.analysis.prediction.planning.draft import PlanDraft, listed, number_rule
from flows.analysis.prediction.planning.experience import mend
from flows.core.function_tool import FunctionTool
from flows.data.tables import Column

_DATE_PARTS = 8
_FEW = 30  # columns that are never too many, unless the rulebook says so
# What made tools are for, by their names and purposes.
_READING = re.compile(r"split|parts?\b|title|pars(?:e|ing)|extract")
_GROUPING = re.compile(r"rows|group|count|compare|mean")
_DESCRIBING = re.compile(r"describe|length|count|text")
_SHORT_DATE_PARTS = ("year", "month", "weekday", "days")


def plan_feature_engineering(given: Planning) -> tuple[PlanStep, ...]:
    """Made tools first, then dates, codes, groups, texts, pairs of numbers, and a tidying up."""
    plan = PlanDraft(given)
    kinds = column_kinds(given)
    made = _made_tools(given)
    factor = number_rule(given, "most_features_factor", 3.0)
    few = 0 if "most_features_factor" in given.rules else _FEW
    columns = len(given.train.columns)
    room = max(factor * columns, few) - columns - 4 * len(made)
    for tool in made:
        plan.add(tool.name, tool.purpose, optional=True)
    room = _add_dates(plan, kinds, room)
    room = _add_codes(plan, kinds, room, made)
    room = _add_groups(plan, kinds, room, made)
    room = _add_texts(plan, kinds, room, made)
    _add_pairs(plan, kinds, room)
    _add_logarithms(plan, kinds)
    plan.add(
        "drop_columns",
        "Leave out features that hold one value or the same as another one",
        {"keep": list(kinds.protected)},
    )
    read = [column.name for column in kinds.codes if _handled(column, made, _READING)]
    told = [column.name for column in kinds.codes if column.name in read and not _repeats(column)]
    if told:
        plan.add(
            "drop_columns",
            f"Leave out {listed(told)}, of which the parts are there",
            {"columns": told, "constant": False, "identical": False},
            optional=True,
        )
    return mend(plan.steps, given)


def _made_tools(given: Planning) -> list[FunctionTool]:
    """Tools that were made for this data and need tables alone."""
    return [
        tool
        for tool in given.tools
        if tool.origin != "shipped"
        and all(each.frame or not each.required for each in tool.parameters)
        and "train" in tool.gives
    ]


def _handled(column: Column, made: list[FunctionTool], purpose: re.Pattern[str]) -> bool:
    """Whether a made tool of such a purpose reads the column."""
    names = (f'"{column.name}"', repr(column.name), json.dumps(column.name, ensure_ascii=False))
    return any(
        purpose.search(f"{tool.name} {tool.purpose}".casefold())
        and any(each in tool.source for each in names)
        for tool in made
    )


def _repeats(column: Column) -> bool:
    return column.distinct < 0.5 * (column.rows - column.missing)


def _add_dates(plan: PlanDraft, kinds: ColumnKinds, room: float) -> float:
    time = plan.given.task.time
    dates = [column.name for column in (*kinds.dates, *kinds.date_texts)]
    typed = {column.name: column.type for column in plan.given.train.columns}
    keep = [time] if time and typed.get(time) in ("date", "timestamp") else []
    columns = [*keep, *dates]
    if not columns or room < len(_SHORT_DATE_PARTS):
        return room
    most = max(1, int(room // len(_SHORT_DATE_PARTS)))
    columns = columns[:most]
    arguments: dict[str, object] = {"columns": columns, "keep": keep}
    parts = _DATE_PARTS
    if room < _DATE_PARTS * len(columns):
        arguments["parts"] = list(_SHORT_DATE_PARTS)
        parts = len(_SHORT_DATE_PARTS)
    if plan.add(
        "expand_dates",
        f"Make numbers of the dates of {listed(columns)}, and of the days between them",
        arguments,
    ):
        room -= parts * len(columns)
    return room


def _add_codes(plan: PlanDraft, kinds: ColumnKinds, room: float, made: list[FunctionTool]) -> float:
    codes = [column for column in kinds.codes if not _handled(column, made, _READING)]
    codes = codes[: max(0, int(room // 3))]
    names = [column.name for column in codes]
    repeated = [column.name for column in codes if _repeats(column)]
    for name in names:
        if plan.add(
            "split_compound",
            f"Split the values of {name} into their parts",
            {"columns": [name], "keep": [name] if name in repeated else []},
            optional=True,
        ):
            room -= 3
    return room


def _add_groups(
    plan: PlanDraft, kinds: ColumnKinds, room: float, made: list[FunctionTool]
) -> float:
    """How a row differs from others of the same key, of the numbers that vary most."""
    numbers = [column.name for column in _varied(kinds)[:2]]
    for key in kinds.keys[:1]:
        often = (key.rows - key.missing) / max(1, key.distinct)
        if often < 5 or not numbers or room < 2 * len(numbers) or _handled(key, made, _GROUPING):
            continue
        if plan.add(
            "group_statistics",
            f"Compare {listed(numbers)} of a row with others of the same {key.name}",
            {"by": key.name, "columns": numbers},
            optional=True,
        ):
            room -= 2 * len(numbers)
    return room


def _add_texts(plan: PlanDraft, kinds: ColumnKinds, room: float, made: list[FunctionTool]) -> float:
    texts = [column.name for column in kinds.texts if not _handled(column, made, _DESCRIBING)]
    texts = texts[: max(0, int(room // 6))]
    if texts and plan.add(
        "text_lengths",
        f"Count the characters, words and marks of {listed(texts)}",
        {"columns": texts},
        optional=True,
    ):
        room -= 6 * len(texts)
    return room


def _add_pairs(plan: PlanDraft, kinds: ColumnKinds, room: float) -> None:
    """Ratios, differences and products, of which those are added that predict better."""
    numbers = [column.name for column in _varied(kinds)]
    most = int(min(5, room))
    if len(numbers) < 2 or most < 1 or not plan.given.task.targets:
        return
    plan.add(
        "screen_interactions",
        "Add ratios, differences and products that predict better than their two columns do",
        {
            "target": plan.given.task.targets[0],
            "columns": numbers[:20],
            "kind": plan.given.task.kind,
            "most": most,
        },
        optional=True,
    )


def _add_logarithms(plan: PlanDraft, kinds: ColumnKinds) -> None:
    tall = [column.name for column in kinds.numbers if _spans_orders(column)]
    if tall:
        plan.add(
            "log_transform",
            f"Bring {listed(tall)}, which reach over orders of magnitude, to a scale of their own",
            {"columns": tall},
            optional=True,
        )


def _spans_orders(column: Column) -> bool:
    spread, low = column.quantiles, column.minimum
    if spread is None or not isinstance(low, (int, float)) or low < 0 or column.distinct < 20:
        return False
    return spread.p50 > 0 and spread.p95 > 50 * spread.p50


def _varied(kinds: ColumnKinds) -> list[Column]:
    """Numbers with more than a few values; those that say where a value was missing are none."""
    return [column for column in kinds.numbers if column.distinct > 5]
