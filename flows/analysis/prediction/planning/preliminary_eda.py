"""The first look at the data: what there is, what is missing, how it is spread."""

from __future__ import annotations

from flows.analysis.prediction.plan import Planning, PlanStep
from flows.analysis.prediction.planning.columns import ColumnKinds, column_kinds
from flows.analysis.prediction.planning.draft import PlanDraft, listed, number_rule
from flows.analysis.prediction.planning.experience import mend

_PANELS = 12


def plan_preliminary_eda(given: Planning) -> tuple[PlanStep, ...]:
    """Tables and figures of single columns, of the target, and of train beside test."""
    plan = PlanDraft(given)
    kinds = column_kinds(given)
    plan.add("summarize_columns", "Tell the kind, gaps, values and range of each column")
    plan.add("plot_missing_values", "See which columns miss values, and how many", optional=True)
    plan.add(
        "plot_target",
        f"See how {listed(list(given.task.targets))} is spread",
        {"targets": list(given.task.targets), "kind": given.task.kind},
        optional=True,
    )
    _add_distributions(plan, kinds)
    add_correlations(plan, kinds)
    if given.test is not None:
        plan.add(
            "compare_train_and_test",
            "See whether the rows to predict are like those to learn from",
            {"ignore": [*kinds.protected]},
            optional=True,
        )
    return mend(plan.steps, given)


def _add_distributions(plan: PlanDraft, kinds: ColumnKinds) -> None:
    """Figures of twelve columns each, numbers before categories, as many as the rules allow."""
    numbers = [column.name for column in (*kinds.numbers, *kinds.dates)]
    words = [column.name for column in (*kinds.categories, *kinds.keys)]
    words += [column.name for column in (*kinds.number_texts, *kinds.codes)]
    left = int(number_rule(plan.given, "most_figures", 10)) - 4
    for label, names in (("numbers and dates", numbers), ("categories", words)):
        for start in range(0, len(names), _PANELS):
            if left <= 0:
                return
            left -= 1
            chosen = names[start : start + _PANELS]
            plan.add(
                "plot_distributions",
                f"See how {listed(chosen)} are spread",
                {"columns": chosen, "title": f"Distributions of {label}"},
                optional=True,
            )


def add_correlations(plan: PlanDraft, kinds: ColumnKinds) -> None:
    """The figure of columns of numbers that go together, the targets among them."""
    numbers = [column.name for column in kinds.numbers if column.distinct > 1]
    typed = {column.name: column.type for column in plan.given.train.columns}
    targets = [name for name in plan.given.task.targets if typed.get(name) in ("integer", "real")]
    if numbers and len(numbers) + len(targets) >= 2:
        plan.add(
            "plot_correlations",
            "See which numbers go together, and with the target",
            {"columns": [*targets, *numbers]},
            optional=True,
        )
