"""What a reader must not conclude: what failed, what was warned of, what data cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.team.rules.evidence import Outcome, TaskEvidence
from flows.analysis.team.rules.rendering import sentence
from flows.analysis.telling.cells import foreign
from flows.core.observation import Caution

_WARNINGS: Final = 5
_LONGEST: Final = 240
# The codes of what the findings say already, and of what says what `OBSERVED` says.
_NO_INFLUENCE: Final = "no_influence"
_NOT_CAUSE: Final = "not_cause"
OBSERVED: Final = (
    "The data shows what goes together, not what causes what: test a change before you rely on it."
)


def limits_of(evidence: TaskEvidence, missing: Sequence[str], observed: bool) -> list[str]:
    """The limits of a summary, the gravest first. Nothing in them refers to cells."""
    cautions = _cautions(evidence)
    warned = [sentence(_line(each.text)) for each in cautions]
    observed = observed and not any(each.code == _NOT_CAUSE for each in cautions)
    said = [*missing, *_undone(evidence), *warned, *([OBSERVED] if observed else [])]
    return list(dict.fromkeys(said))


def _undone(evidence: TaskEvidence) -> Iterator[str]:
    """The tasks that came to nothing, with why."""
    for each in evidence.outcomes:
        if each.status in ("failed", "skipped"):
            yield _not_done(each)


def _not_done(each: Outcome) -> str:
    reason = f" ({why(each)})" if each.status == "failed" else ""
    return sentence(f"not done: {_line(each.task)}{reason}")


def open_parts(evidence: TaskEvidence) -> list[str]:
    """The tasks that came to nothing and whose kind of answer the question wants, where nothing
    that was done is of that kind."""
    there = {kind for each in evidence.done for kind in each.scope.answers}
    wanted = set(evidence.goal.kinds) - there
    undone = [each for each in evidence.outcomes if each.status != "done"]
    return [_not_done(each) for each in undone if each.scope.answers & wanted]


def why(outcome: Outcome) -> str:
    """The reason for which a task failed, as one line."""
    return _line(str(outcome.given.get("response") or "no reason is known"))


def _line(text: str) -> str:
    line = " ".join(foreign(text).split()).rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _cautions(evidence: TaskEvidence) -> list[Caution]:
    """The warnings of what was found; that two columns say the same is said elsewhere."""
    found = {one.text: one for each in evidence.done for one in each.cautions
             if one.code != _NO_INFLUENCE and not _is_of_twins(one.text, evidence)}  # fmt: skip
    return list(found.values())[:_WARNINGS]


def _is_of_twins(text: str, evidence: TaskEvidence) -> bool:
    return any(a in text and b in text for a, b in evidence.twins)
