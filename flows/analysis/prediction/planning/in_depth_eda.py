"""The closer look: what predicts the target, how, and whether test is like train."""

from __future__ import annotations

from flows.analysis.prediction.plan import Planning, PlanStep
from flows.analysis.prediction.planning.columns import column_kinds, protected_names
from flows.analysis.prediction.planning.draft import PlanDraft, listed, number_rule
from flows.analysis.prediction.planning.experience import mend
from flows.analysis.prediction.planning.preliminary_eda import add_correlations

_PANELS = 12


def plan_in_depth_eda(given: Planning) -> tuple[PlanStep, ...]:
    """Figures of the target by other columns, and how much each tells of it alone."""
    plan = PlanDraft(given)
    kinds = column_kinds(given)
    protected = protected_names(given)
    figures = int(number_rule(given, "most_figures", 10))
    for target in given.task.targets[: max(1, figures // 3)]:
        plan.add(
            "rank_columns_by_target",
            f"Rank columns by how well each alone predicts {target} on rows it has not seen",
            {"target": target, "kind": given.task.kind, "ignore": _others(protected, target)},
            optional=True,
        )
    drawn = (*kinds.numbers, *kinds.categories, *kinds.keys, *kinds.dates)
    columns = [column.name for column in drawn if column.distinct > 1]
    left = max(1, figures - len(plan.steps) - 2)
    for target in given.task.targets[:3]:
        for start in range(0, len(columns), _PANELS):
            if left <= 0:
                break
            left -= 1
            chosen = columns[start : start + _PANELS]
            plan.add(
                "plot_target_by_columns",
                f"See how {target} goes with {listed(chosen)}",
                {"target": target, "columns": chosen, "kind": given.task.kind},
                optional=True,
            )
    add_correlations(plan, kinds)
    if given.test is not None:
        plan.add(
            "compare_train_and_test",
            "See which columns drift from train to test",
            {"ignore": list(protected)},
            optional=True,
        )
    plan.add("summarize_columns", "Tell what the columns hold after they were cleaned")
    return mend(plan.steps, given)


def _others(protected: tuple[str, ...], target: str) -> list[str]:
    return [name for name in protected if name != target]
