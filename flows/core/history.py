"""What the rows of a run mean for one that goes on: what is done, asked, answered and spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from flows.core.chat import UNUSED, Usage
from flows.core.rows import Row

_STEP = ("intent", "outcome", "failure")
_OPEN = ("Waiting", "SessionChanged", "LimitReached")


@dataclass(slots=True)
class History:
    """The past of a run.

    `steps` is the last word of each step that need not be done again; an intent alone is one whose
    outcome is unknown, and `inner` the last words of those that such a step has called itself, by
    its address, in their order. `questions` and `answers` go by the question's id. `usage` is all
    that was spent, with the calls that may have been billed; `held` the tokens and the money that
    those may have cost. `used_seconds` is wall time, `epoch` how often the run was started or gone
    on with, `limits` the steps before which the limit on wall time was reached, or a person ended
    the run.
    """

    steps: dict[str, Row] = field(default_factory=dict)
    inner: dict[str, list[Row]] = field(default_factory=dict)
    questions: dict[str, Row] = field(default_factory=dict)
    answers: dict[str, Row] = field(default_factory=dict)
    usage: Usage = UNUSED
    held_tokens: int = 0
    held_cost: float = 0.0
    used_seconds: float = 0.0
    epoch: int = 0
    limits: dict[str, Row] = field(default_factory=dict)

    def open_questions(self) -> list[Row]:
        """The questions that nobody has answered, oldest first."""
        return [row for id_, row in self.questions.items() if id_ not in self.answers]


def read_history(rows: Sequence[Row]) -> History:
    """The past that a run's rows tell."""
    steps = reusable(rows)
    past = History(steps=without_inner(steps), inner=inner_steps(steps))
    calls: dict[str, list[Row]] = {}
    unknown: list[Row] = []
    for row in rows:
        if row.kind == "start":
            past.epoch += 1
            unknown += [call for each in calls.values() for call in each]
            calls.clear()
        elif row.kind == "call":
            calls.setdefault(row.address, []).append(row)
        elif row.kind == "stop":
            past.used_seconds = float(row.data()["used"])
        elif row.kind == "limit":
            past.limits[row.address] = row
        elif row.kind == "question":
            past.questions[row.digest] = row
        elif row.kind == "answer":
            past.answers.setdefault(row.digest, row)
        elif row.kind in ("outcome", "failure", "end"):
            body = row.data()
            past.used_seconds = float(body.get("used", past.used_seconds))
            calls.pop(row.address, None)
            if "usage" in body and row.kind != "end":
                past.usage += Usage.model_validate(body["usage"])
    for call in (*unknown, *(call for each in calls.values() for call in each)):
        _hold(past, call)
    return past


def _hold(past: History, call: Row) -> None:
    """A call that was sent and of whose reply nothing is known."""
    past.usage += Usage(model_calls=1, possibly_billed=1)
    worst = call.data().get("worst", {})
    past.held_tokens += int(worst.get("tokens", 0))
    past.held_cost += float(worst.get("cost", 0.0))


def reusable(rows: Sequence[Row]) -> dict[str, Row]:
    """The last word of each step, also of one that another step has called. A failure that ended
    the run is left out: it is tried again, as is one at which a killed run stopped. What began and
    must not be done twice stays an intent."""
    steps: dict[str, Row] = {}
    intents: dict[str, Row] = {}
    last: Row | None = None
    for row in rows:
        if row.kind in _STEP:
            if row.kind == "intent":
                intents[row.address] = row
            steps[row.address] = row
            last = row
        elif row.kind == "end":
            last = None
            for address in row.data()["failed_at"]:
                _try_again(address, steps, intents)
    if last is not None and last.kind == "failure":
        _try_again(last.address, steps, intents)
    return {at: row for at, row in steps.items() if not is_open(row)}


def without_inner(steps: Mapping[str, Row]) -> dict[str, Row]:
    """The steps without those that another step has called, such as the calls of a model by a
    class, where that step itself is done: with its outcome they are not called again."""
    done = _done(steps)
    return {at: row for at, row in steps.items() if done.isdisjoint(_above(at))}


def inner_steps(steps: Mapping[str, Row]) -> dict[str, list[Row]]:
    """The steps that another step has called which is itself done, by the address of that one."""
    done = _done(steps)
    found: dict[str, list[Row]] = {}
    for at, row in steps.items():
        if (above := next((each for each in _above(at) if each in done), None)) is not None:
            found.setdefault(above, []).append(row)
    return found


def _done(steps: Mapping[str, Row]) -> set[str]:
    return {at for at, row in steps.items() if row.digest and row.kind != "intent"}


def _above(address: str) -> Iterator[str]:
    """The addresses above an address, the nearest first."""
    above = address.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


def _try_again(address: str, steps: dict[str, Row], intents: dict[str, Row]) -> None:
    """Take out a failure, and the last one of the steps that the failed step has called itself, if
    nothing has been done there since."""
    failed = steps.get(address)
    if failed is None or failed.kind != "failure":
        return
    del steps[address]
    if address in intents and not is_open(failed):
        steps[address] = intents[address]
    inner = [row for at, row in steps.items() if at.startswith(f"{address}/")] if address else []
    if inner and failed.digest:
        _try_again(max(inner, key=lambda row: row.seq).address, steps, intents)


def is_open(row: Row) -> bool:
    """Whether a failure is a wait or a limit of the run: the step itself is still to be done."""
    return row.kind == "failure" and row.data()["type"] in _OPEN
