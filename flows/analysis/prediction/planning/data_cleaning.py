"""The cleaning: rows and columns that tell nothing go, what is misread is read, gaps are filled."""

from __future__ import annotations

from flows.analysis.prediction.plan import Planning, PlanStep
from flows.analysis.prediction.planning.columns import ColumnKinds, column_kinds
from flows.analysis.prediction.planning.draft import PlanDraft, listed, number_rule
from flows.analysis.prediction.planning.experience import mend
from flows.analysis.prediction.planning.values import has_variants, missing_numbers
from flows.data.tables import Column


def plan_data_cleaning(given: Planning) -> tuple[PlanStep, ...]:
    """Align, mark what is missing, parse, tidy, drop, clip and fill, in this order."""
    plan = PlanDraft(given)
    kinds = column_kinds(given)
    targets = list(given.task.targets)
    if given.test is not None:
        plan.add(
            "align_test_columns",
            "Give test the columns of train without the target",
            {"targets": targets, "identifier": given.task.identifier},
        )
    _add_rows(plan)
    _add_values(plan, kinds)
    plan.add(
        "drop_columns",
        "Leave out columns that hold one value, nothing, or the same as another one",
        {
            "keep": list(kinds.protected),
            "missing_share": number_rule(given, "most_missing_share", 0.98),
        },
    )
    _add_clipping(plan, kinds)
    _add_filling(plan, kinds)
    return mend(plan.steps, given)


def _add_rows(plan: PlanDraft) -> None:
    """Rows without a target go, and rows that are there twice."""
    given = plan.given
    columns = {column.name: column for column in given.train.columns}
    targets = [name for name in given.task.targets if name in columns]
    empty = [name for name in targets if columns[name].missing]
    if empty:
        plan.add(
            "drop_rows_without_target",
            f"Leave out the rows of train of which {listed(empty)} is not known",
            {"targets": targets},
        )
    if rows_can_repeat(given):
        plan.add("drop_duplicate_rows", "Leave out rows of train that are there twice")


def rows_can_repeat(given: Planning) -> bool:
    """Whether equal rows would be one that was entered twice: the identifier repeats, or, without
    one, rows have so many possible values that two are hardly the same by chance."""
    rows = given.train.rows
    identifier = next((c for c in given.train.columns if c.name == given.task.identifier), None)
    if identifier is not None:
        return identifier.distinct < rows - identifier.missing
    possible = 1.0
    for column in given.train.columns:
        possible *= max(1, min(column.distinct, 1000))
    return possible > 1000.0 * rows * rows


def _add_values(plan: PlanDraft, kinds: ColumnKinds) -> None:
    """Values that are written in a way that hides what they are."""
    protected = list(kinds.protected)
    marked = {column.name: found for column in kinds.numbers if (found := missing_numbers(column))}
    words = f", such as numbers of {listed(list(marked))}" if marked else ""
    plan.add(
        "mark_missing",
        f"Make missing what stands for a missing value{words}",
        {"ignore": protected, **({"numbers": marked} if marked else {})},
    )
    numbers = _names(kinds.number_texts)
    if numbers:
        plan.add(
            "parse_numbers",
            f"Read the numbers that are written as text in {listed(numbers)}",
            {"columns": numbers, "least_share": 0.5},
        )
    dates = _names(kinds.date_texts)
    if dates:
        plan.add(
            "parse_dates",
            f"Read the dates that are written as text in {listed(dates)}",
            {"columns": dates, "least_share": 0.5},
        )
    spelt = [column.name for column in kinds.categories if _wants_tidying(column)]
    if spelt:
        plan.add(
            "tidy_text_values",
            f"Make one of the spellings of a value in {listed(spelt)}",
            {"columns": spelt},
        )


def _wants_tidying(column: Column) -> bool:
    return column.type == "text" and (has_variants(column) or column.distinct <= 50)


def _add_clipping(plan: PlanDraft, kinds: ColumnKinds) -> None:
    method = str(plan.given.rules.get("outlier_method", "iqr"))
    if method == "none":
        return
    far = [column.name for column in kinds.numbers if _reaches_far(column)]
    if far:
        factor = {"iqr": 10.0, "zscore": 6.0, "quantile": 0.1}.get(method, 10.0)
        plan.add(
            "clip_outliers",
            f"Bring the far values of {listed(far)} near",
            {"columns": far, "method": method, "factor": factor},
            optional=True,
        )


def _add_filling(plan: PlanDraft, kinds: ColumnKinds) -> None:
    """What is missing is filled, but in the columns that the rulebook keeps as they are."""
    kept = plan.given.rules.get("keep_missing", [])
    if kept is True:
        return
    left = [*kinds.protected, *(kept if isinstance(kept, list) else [])]
    columns = plan.given.train.columns
    gaps = sum(column.missing > 0 for column in columns)
    most = number_rule(plan.given, "most_features_factor", 3.0) * len(columns)
    flagged = len(columns) + gaps <= most
    plan.add(
        "fill_missing_values",
        "Fill what is missing by what is usual in train"
        + (", and say where it was" if flagged else ""),
        {"ignore": left} if flagged else {"ignore": left, "flag": False},
    )


def _reaches_far(column: Column) -> bool:
    """Whether a few values lie so far out that they would lead a line astray."""
    spread = column.quantiles
    low, high = column.minimum, column.maximum
    if spread is None or column.distinct < 20 or missing_numbers(column):
        return False
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return False
    wide = spread.p95 - spread.p5
    inner = spread.p75 - spread.p25
    return inner > 0 and max(high - spread.p95, spread.p5 - low) > 10 * wide


def _names(columns: tuple[Column, ...]) -> list[str]:
    return [column.name for column in columns]
