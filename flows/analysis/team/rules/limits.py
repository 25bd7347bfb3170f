"""What a reader must not conclude: what failed, what was warned of, what data cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.team.rules.evidence import Evidence, Outcome
from flows.analysis.team.rules.rendering import sentence
from flows.analysis.telling.cells import foreign

_WARNINGS: Final = 5
_LONGEST: Final = 240
# What the findings say already.
_SAID: Final = "next to no influence in the model."
OBSERVED: Final = (
    "The data shows what goes together, not what causes what: test a change before you rely on it."
)


def limits_of(evidence: Evidence, missing: Sequence[str], observed: bool) -> list[str]:
    """The limits of a summary, the gravest first. Nothing in them refers to cells."""
    said = [*missing, *_undone(evidence), *_warned(evidence)]
    observed = observed and not any("not what causes" in each for each in said)
    return list(dict.fromkeys([*said, *([OBSERVED] if observed else [])]))


def _undone(evidence: Evidence) -> Iterator[str]:
    """The tasks that came to nothing, with why."""
    for each in evidence.outcomes:
        if each.status in ("failed", "skipped"):
            yield _not_done(each)


def _not_done(each: Outcome) -> str:
    reason = f" ({why(each)})" if each.status == "failed" else ""
    return sentence(f"not done: {_line(each.task)}{reason}")


def open_parts(evidence: Evidence) -> list[str]:
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


def _warned(evidence: Evidence) -> Iterator[str]:
    """The warnings of what was found; that two columns say the same is said elsewhere."""
    pairs = [set(split_identifier(a)) | set(split_identifier(b)) for a, b in evidence.twins]
    texts = dict.fromkeys(text for each in evidence.done for text in each.warnings
                          if not text.endswith(_SAID))  # fmt: skip
    for text in [each for each in texts if not _of_twins(each, evidence, pairs)][:_WARNINGS]:
        yield sentence(_line(text))


def _of_twins(text: str, evidence: Evidence, pairs: Sequence[set[str]]) -> bool:
    return bool(pairs) and any(a in text and b in text for a, b in evidence.twins)
