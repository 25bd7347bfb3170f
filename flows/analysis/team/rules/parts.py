"""Whether a column has the same effect in each part of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.findings import Driver
from flows.analysis.team.rules.evidence import Outcome, TaskEvidence
from flows.analysis.team.rules.models import direction_words
from flows.analysis.team.rules.rendering import listed, plain, sentence

# Effects that are so many times apart are not the same.
_APART: Final = 1.5


@dataclass(frozen=True, slots=True)
class ModelledPart:
    """A part of the rows, and what a model of it says of its one column."""

    where: str
    outcome: Outcome
    driver: Driver


def by_part(evidence: TaskEvidence) -> list[str]:
    """The effect of a column in each part of the rows for which it was looked at."""
    parts = _parts(evidence)
    if len(parts) < 2:
        return []
    effects = [each.driver.effect or 0.0 for each in parts]
    least, most = min(map(abs, effects)), max(map(abs, effects))
    turns = min(effects) < 0 < max(effects)
    model = parts[0].outcome.model
    if model is None:
        return []
    what, name = plain(model.target), plain(parts[0].driver.feature)
    same = not turns and most < _APART * least
    verdict = "is about the same in each part" if same else "is not the same everywhere, but bends"
    said = []
    for each in parts:
        own = each.outcome.model
        if own is not None:
            words = direction_words(each.outcome.sheet, own, [each.driver], what)
            said.append(f"where {each.where}, {words}")
    return [sentence(f"what {name} does to {what} {verdict}: {listed(said)}")]


def _parts(evidence: TaskEvidence) -> list[ModelledPart]:
    """The models of parts of the rows that have the same target and the same one column."""
    found: dict[tuple[str, str], list[ModelledPart]] = {}
    for each in evidence.models:
        column, bound = each.scope.bound
        model = each.model
        if not column or model is None or not model.effect or len(model.found) != 1:
            continue
        driver = model.found[0]
        if driver.effect is not None:
            part = ModelledPart(f"{plain(column)} is {bound}", each, driver)
            found.setdefault((model.target, driver.feature), []).append(part)
    return max(found.values(), key=len, default=[])
