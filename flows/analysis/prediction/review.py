"""How well each agent of a phase has done, by rules: what costs how much, and what to do about it.

A fault that makes the phase's result wrong or empty is serious: the planner and the developer are
below 2 then, and the mean of the phase is below what it takes to go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.prediction.plan import UnitTestResult
from flows.analysis.prediction.work import AgentScore, Reviewing, StepOutcome

READER: Final = "reader"
TOOLSMITH: Final = "toolsmith"
PLANNER: Final = "planner"
DEVELOPER: Final = "developer"
GOOD_ENOUGH: Final = 3.0

_BEST: Final = 5.0
_OF_A_SERIOUS_FAULT: Final = 1.5
_LEAST_OF_SLIGHT_FAULTS: Final = 3.2
_OF_A_BYSTANDER: Final = 4.0
# Phases whose steps are to change the tables, and what they have to make.
_CHANGING: Final[dict[str, tuple[str, ...]]] = {
    "data_cleaning": ("train", "test"),
    "feature_engineering": ("train", "test"),
    "model_building": ("scores", "submission"),
}
_WITHOUT_STEPS: Final = "understand_background"
# Doubts of a task under which nobody knows what is to be predicted, or from what.
_UNCLEAR: Final = re.compile(
    r"does not say which|seems to ask for|which train has not|has no value|has only one value"
    r"|asks for numbers|no line of names|has no rows|too many for classes|not know\w* which"
    r"|another text in nearly each row",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """Something that an agent could have done better. A `serious` one has no cost: it decides."""

    agent: str
    reason: str
    suggestion: str = ""
    cost: float = 0.0
    serious: bool = False


def review_phase(given: Reviewing) -> tuple[AgentScore, ...]:
    """A score for each agent that is asked about, with its reasons, and a suggestion for what can
    be done better. Suggestions name unit tests and tools, and no columns, which the unit tests
    themselves name."""
    found = list(_findings(given))
    grave = any(each.serious for each in found)
    scores = []
    for agent in given.agents:
        own = [each for each in found if each.agent == agent]
        score = _score(own)
        if grave and not any(each.serious for each in own):
            score = min(score, _OF_A_BYSTANDER)
        suggestions = dict.fromkeys(each.suggestion for each in own if each.suggestion)
        reasons = tuple(each.reason for each in own) or (_praise(agent, given),)
        scores.append(
            AgentScore(agent=agent, score=score, reasons=reasons, suggestion=" ".join(suggestions))
        )
    return _lowered(scores) if grave else tuple(scores)


def _score(found: Sequence[ReviewFinding]) -> float:
    serious = sum(each.serious for each in found)
    if serious:
        return max(0.5, _OF_A_SERIOUS_FAULT - 0.25 * (serious - 1))
    cost = sum(each.cost for each in found)
    return round(max(_LEAST_OF_SLIGHT_FAULTS, _BEST - cost), 2)


def _lowered(scores: Sequence[AgentScore]) -> tuple[AgentScore, ...]:
    """The scores with a mean that is not good enough, also where those at fault are few of many, or
    are not scored."""
    most = (GOOD_ENOUGH - 0.1) * len(scores)
    over = sum(each.score for each in scores) - most
    if not scores or over <= 0:
        return tuple(scores)
    factor = most / (most + over)
    return tuple(
        each.model_copy(update={"score": round(each.score * factor, 2)}) for each in scores
    )


def _praise(agent: str, given: Reviewing) -> str:
    """What is said of an agent that has nothing to do better."""
    if agent == READER and given.task is not None:
        return f"The task is read, and the tables bear it out: {', '.join(given.task.targets)}."
    if agent == TOOLSMITH:
        made = ", ".join(given.made_tools)
        return f"The steps use what it made: {made}." if made else "No tool was called for."
    if agent == PLANNER:
        return f"All {len(given.steps)} steps of the plan did what they are for."
    passed = sum(each.passed for each in given.work.checks)
    return f"The code ran as it was written, and {passed} unit tests passed."


def _findings(given: Reviewing) -> Iterator[ReviewFinding]:
    if READER in given.agents or given.task is None:
        yield from _of_reading(given)
    if given.phase != _WITHOUT_STEPS and {PLANNER, DEVELOPER} & set(given.agents):
        yield from _of_plan(given)
        yield from _of_run(given)
        yield from _of_checks(given)
    if TOOLSMITH in given.agents:
        yield from _of_tools(given)


def _of_reading(given: Reviewing) -> Iterator[ReviewFinding]:
    """A task that nobody could read, and what of it is in doubt."""
    if given.task is None:
        yield ReviewFinding(
            READER,
            "task: what is to be predicted is not known.",
            "Say which column of train is the target: it is one that test lacks, or that the "
            "sample submission has.",
            serious=True,
        )
        return
    for doubt in dict.fromkeys((*given.task_problems, *given.task.doubts)):
        unclear = _UNCLEAR.search(doubt) is not None
        yield ReviewFinding(
            READER,
            f"task: {doubt}.",
            f"Settle what is in doubt, or ask: {doubt}.",
            cost=0.0 if unclear else 0.25,
            serious=unclear,
        )


def _of_plan(given: Reviewing) -> Iterator[ReviewFinding]:
    if not given.steps:
        yield from _both(
            "plan: it has no step, so that the phase does nothing.",
            "Plan at least one step with a tool of the phase.",
        )
        return
    if not given.plan.strip():
        yield ReviewFinding(PLANNER, "plan: it is not written down in words.", cost=0.5)
    wanted = _CHANGING.get(given.phase, ())
    made = {name for each in given.work.outcomes for name in each.made}
    if wanted and given.work.ran and not made & set(wanted):
        yield from _both(
            f"plan: no step made {' or '.join(wanted)}, which the phase is for.",
            f"Plan steps whose tools give {' or '.join(wanted)}.",
        )
    same = given.train is not None and given.train_before is not None
    if same and given.phase == "feature_engineering" and _columns(given, "train") == _columns(
        given, "train_before"
    ):  # fmt: skip
        yield ReviewFinding(
            PLANNER, "plan: the columns are those that there were before.", cost=0.5
        )
    earlier = given.experience
    if earlier.try_number > 1 and earlier.steps == given.steps and given.work.failed:
        yield ReviewFinding(
            PLANNER, "plan: it is the one of the try before, which failed.", cost=0.5
        )  # fmt: skip


def _columns(given: Reviewing, name: str) -> list[str]:
    return [each.name for each in getattr(given, name).columns]


def _of_run(given: Reviewing) -> Iterator[ReviewFinding]:
    work = given.work
    if given.steps and not work.ran:
        done = len(work.outcomes)
        tool = given.steps[done].tool if done < len(given.steps) else ""
        error = work.errors[-1].splitlines()[0] if work.errors else "nobody knows why"
        by = f" ({tool})" if tool else ""
        yield from _both(
            f"code: step {min(done + 1, len(given.steps))}{by} did not run: {error}",
            f"Plan step {min(done + 1, len(given.steps))}{by} in another way, or leave it out.",
        )
        return
    gone = [each for each in work.outcomes if each.status == "left_out"]
    if gone and len(gone) * 2 > len(work.outcomes):
        yield from _both(
            f"code: {len(gone)} of {len(work.outcomes)} steps were left out, since they failed.",
            f"Plan other steps than {_tools(gone)}.",
        )
    elif gone:
        suggestion = f"Leave out {_tools(gone)}, or call it with other arguments."
        for each in gone:
            first = each.error.splitlines()[0] if each.error else "it failed"
            reason = f"code: a step was left out: {each.step.tool or each.step.purpose}: {first}"
            yield ReviewFinding(PLANNER, reason, suggestion, cost=0.2)
            yield ReviewFinding(DEVELOPER, reason, cost=0.3)
    if work.corrections:
        yield ReviewFinding(
            DEVELOPER,
            f"code: it was mended {work.corrections} times before it ran.",
            cost=min(0.8, 0.2 * work.corrections),
        )


def _tools(outcomes: Sequence[StepOutcome]) -> str:
    return ", ".join(dict.fromkeys(each.step.tool or each.step.purpose for each in outcomes))


def _of_checks(given: Reviewing) -> Iterator[ReviewFinding]:
    before = {each.name for each in given.experience.failed}
    for each in given.work.checks:
        if each.passed:
            continue
        told = _told(each)
        if each.level == "warning":
            yield ReviewFinding(PLANNER, told, cost=0.1)
            yield ReviewFinding(DEVELOPER, told, cost=0.1)
            continue
        again = " It failed in the try before, too." if each.name in before else ""
        advice = f"{each.name}: {each.advice}." if each.advice else f"Have {each.name} pass."
        yield from _both(told + again, advice)


def _told(check: UnitTestResult) -> str:
    return f"{check.name}: {check.message.rstrip('.')}."


def _both(reason: str, suggestion: str) -> Iterator[ReviewFinding]:
    """A serious fault of those who plan and write; the suggestion is for the plan."""
    yield ReviewFinding(PLANNER, reason, suggestion, serious=True)
    yield ReviewFinding(DEVELOPER, reason, serious=True)


def _of_tools(given: Reviewing) -> Iterator[ReviewFinding]:
    """Tools that were made, and that no step uses, or whose steps failed."""
    used = {each.tool for each in given.steps}
    gone = {each.step.tool for each in given.work.outcomes if each.status == "left_out"}
    idle = [name for name in given.made_tools if name not in used]
    failed = [name for name in given.made_tools if name in gone]
    if idle:
        share = len(idle) / len(given.made_tools)
        reason = f"tools: {', '.join(idle)} were made, and no step uses them."
        yield ReviewFinding(
            TOOLSMITH, reason, "Make tools that the plan can use.", cost=round(share, 2)
        )
    for name in failed:
        reason = f"tools: {name} failed on the whole tables."
        yield ReviewFinding(TOOLSMITH, reason, f"Mend or leave out the tool {name}.", cost=0.5)
