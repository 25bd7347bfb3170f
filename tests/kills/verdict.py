"""What must be true after each attempt of a case, and at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flows.core.rows import Row
from tests.kills.world import World

TOGETHER = "together#1/"
PURE = ("count", "prepare", "save")
Records = Mapping[str, Sequence[Row]]


class Blame(Protocol):
    """Takes a fault that was found, a sentence on it, and how often it is there."""

    kills: int
    possibly_billed: int

    def blame(self, fault: str, detail: str, times: int = 1) -> None: ...


@dataclass(frozen=True)
class Seen:
    """What a case came to: for its runs, in order, and in the world."""

    outputs: tuple[Mapping[str, Any], ...]
    steps: tuple[Counter[str], ...]
    model_calls: int
    rows: Counter[str]
    memories: Counter[str]
    letters: Counter[str]
    files: int


def after_attempt(
    before: Records,
    after: Records,
    done: Sequence[tuple[str, str, str]],
    report: Blame,
    *,
    killed: bool,
    shared: bool,
) -> None:
    """A record only grows; what was recorded is not done again; what ended and was followed by
    another step was recorded before that began."""
    for run_id, rows in after.items():
        earlier = before.get(run_id, ())
        if list(rows[: len(earlier)]) != list(earlier):
            report.blame("lost_steps", f"the record of {run_id} lost rows")
        mine = [(word, at) for word, run, at in done if run.startswith(run_id)]
        recorded = _recorded(earlier)
        begun = Counter(at for word, at in mine if word == "begin")
        for at, times in begun.items():
            again = times - 1 + (at in recorded)
            report.blame("repeated_steps", f"{at} was done again", again)
        kept = _recorded(rows)
        for place, (word, at) in enumerate(mine):
            if word != "end" or at in kept:
                continue
            if not killed or any(_follows(other, at, shared) for _, other in mine[place + 1 :]):
                report.blame("lost_steps", f"{at} ended and is not recorded")


def _recorded(rows: Sequence[Row]) -> set[str]:
    return {row.address for row in rows if row.kind == "outcome"}


def _follows(other: str, at: str, shared: bool) -> bool:
    """Whether a step may only begin when another that has ended is recorded. In a shared file steps
    without effects need not wait: nothing is lost if they are taken again."""
    if other == at or (other.startswith(TOGETHER) and at.startswith(TOGETHER)):
        return False
    return not shared or other.rpartition("/")[2].partition("#")[0] not in PURE


def at_the_end(
    world: World,
    results: Sequence[Mapping[str, Any]],
    records: Records,
    expected: Seen | None,
    report: Blame,
) -> Seen:
    """Everything is there once, and as it is when nobody disturbs the runs."""
    usage = [result["usage"] for result in results]
    report.possibly_billed = sum(each["possibly_billed"] for each in usage)
    seen = Seen(
        outputs=tuple(result["outputs"] for result in results),
        steps=tuple(_outcomes(rows) for rows in records.values()),
        model_calls=sum(each["model_calls"] for each in usage) - report.possibly_billed,
        rows=world.table_rows(),
        memories=world.memories(),
        letters=Counter(str(each["outputs"]) for each in world.letters()),
        files=sum(len(result["artifacts"]) for result in results),
    )
    for rows in records.values():
        _check_questions(rows, report)
    damaged = sum(world.damaged_files(dict(result)) for result in results)
    report.blame("damaged_files", "an artifact is not whole", damaged)
    lost = sum(_lost_calls(rows) for rows in records.values())
    if lost != report.possibly_billed or lost > report.kills * max(1, len(records)):
        detail = f"{report.possibly_billed} counted, {lost} sent and lost in {report.kills} kills"
        report.blame("wrong_usage", detail)
    if expected is not None:
        _compare(seen, expected, report)
    return seen


def _outcomes(rows: Sequence[Row]) -> Counter[str]:
    return Counter(row.address for row in rows if row.kind == "outcome")


def _lost_calls(rows: Sequence[Row]) -> int:
    """Calls of a model after which neither an outcome nor a failure of their step stands before
    the next start."""
    lost = 0
    open_: Counter[str] = Counter()
    for row in rows:
        if row.kind == "call":
            open_[row.address] += 1
        elif row.kind in ("outcome", "failure"):
            open_.pop(row.address, None)
        elif row.kind == "start":
            lost += open_.total()
            open_.clear()
    return lost + open_.total()


def _check_questions(rows: Sequence[Row], report: Blame) -> None:
    """The person is asked once; about a letter, once for each attempt that may have been lost."""
    asked = Counter(row.digest for row in rows if row.kind == "question")
    answered = Counter(row.digest for row in rows if row.kind == "answer")
    for found, name in ((asked, "question"), (answered, "answer")):
        twice = sum(found.values()) - len(found)
        report.blame("duplicated_questions", f"a {name} is there twice", twice)
    person = {row.digest for row in rows if row.kind == "question" and row.address == "ask#1"}
    report.blame("duplicated_questions", "the person was asked again", max(0, len(person) - 1))
    intents = sum(row.kind == "intent" for row in rows)
    about = sum(row.kind == "question" and row.address == "send#1" for row in rows)
    report.blame("duplicated_questions", "of a letter too often", max(0, about - intents))


def _compare(seen: Seen, expected: Seen, report: Blame) -> None:
    for mine, theirs in zip(seen.outputs, expected.outputs, strict=True):
        if mine != theirs:
            report.blame("wrong_outputs", f"{mine} instead of {theirs}")
    for mine_steps, their_steps in zip(seen.steps, expected.steps, strict=True):
        _count("steps", mine_steps, their_steps, report)
    _count("rows", seen.rows, expected.rows, report)
    _count("memories", seen.memories, expected.memories, report)
    _count("letters", seen.letters, expected.letters, report)
    if seen.model_calls != expected.model_calls:
        report.blame("wrong_usage", f"{seen.model_calls} model calls with a recorded reply")
    if seen.files != expected.files:
        report.blame("damaged_files", f"{seen.files} files instead of {expected.files}")


def _count(what: str, seen: Counter[str], expected: Counter[str], report: Blame) -> None:
    missing, more = expected - seen, seen - expected
    report.blame(f"lost_{what}", f"missing: {dict(missing)}", missing.total())
    report.blame(f"duplicated_{what}", f"too many: {dict(more)}", more.total())
