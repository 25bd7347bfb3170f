"""What a model comes to in sentences, each number a reference to its cell, for a controller."""

from __future__ import annotations

from collections.abc import Mapping

from flows.analysis.telling.cells import foreign
from flows.core.run import Run
from flows.data.answers.references import Reference, in_text
from flows.library.analyst.agent import AgentOutputs, found
from flows.library.analyst.cited_texts import Teller
from flows.semantics.findings import Finding, ModelCard

METRICS = "metrics"
_FEATURES = 3


async def with_measures(
    finding: Finding, kept: Mapping[str, str], teller: Teller, run: Run
) -> AgentOutputs:
    """The outputs of an agent that has learned a model: a controller is also told how good it is.

    `kept` are the artifacts by the variables that they were.
    """
    outputs = found(finding)
    if finding.model is None or METRICS not in kept:
        return outputs
    told = await teller.tell(run, measured(finding.model, kept[METRICS]), "")
    if isinstance(told, str):
        run.notice(f"The measures of the model cannot be cited: {told}")
        return outputs
    shown = finding.model_copy(update={"insights": (*finding.insights, *told)})
    return AgentOutputs(observation=shown.observation(), finding=finding)


def measured(card: ModelCard, artifact: str) -> tuple[str, ...]:
    """What the model is, and how good by each of its metrics; `artifact` is their table."""
    what = f"A model ({foreign(card.kind)})" if card.kind else "A model"
    of = f" predicts {foreign(card.target)}" if card.target else " was learned"
    top = ", ".join(foreign(each.feature) for each in card.importances[:_FEATURES])
    said = [f"{what}{of}{f'; what counts most in it: {top}' if top else ''}."]
    for row, metric in enumerate(card.metrics):
        values = {
            "on rows that it has not seen": ("held_out", metric.held_out),
            "in cross-validation": ("cross_validated", metric.cross_validated),
            "by guessing": ("baseline", metric.baseline),
        }
        known = [
            f"{_cell(artifact, row, column, '.3f')} {where}"
            for where, (column, value) in values.items()
            if value is not None
        ]
        if known:
            said.append(f"{_cell(artifact, row, 'metric')}: {', '.join(known)}.")
    return tuple(said)


def _cell(artifact: str, row: int, column: str, form: str = "") -> str:
    return in_text(Reference(result=artifact, row=row, column=column), form)
