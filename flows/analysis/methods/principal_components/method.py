"""Principal components: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, text
from flows.analysis.methods.method import Call, Method, Row, numbers_in
from flows.analysis.methods.principal_components.cue import CUE
from flows.analysis.methods.specification import Study
from flows.analysis.telling.wording import in_words


def _component_calls(study: Study, _title: str) -> list[Call]:
    share = next(iter(numbers_in(study.setting("share"))), 90.0)
    return [Call("result", "components", (list(study.columns), share))]


def _say_components(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [
        f"{text(row, 'explained')} % (most weight: {text(row, 'heaviest')})" for row in rows[:3]
    ]
    two = rows[min(1, len(rows) - 1)]
    return (
        f"The first principal components of {in_words(len(study.columns))} standardised columns"
        f"{about(study)} explain {'; '.join(said)} of the variance. The first "
        f"{text(two, 'component')} hold {text(two, 'cumulative')} % together; for "
        f"{text(two, 'wanted')} % it "
        f"takes {text(rows[0], 'needed')} of {in_words(total)}."
    )


METHOD = Method(
    kind="components",
    cue=CUE,
    calls=_component_calls,
    say=_say_components,
    needs=("component", "explained", "cumulative", "needed", "heaviest"),
)
