"""Whether what a person said is an answer to the question that a run waits with."""

from __future__ import annotations

from flows.core.history import read_history
from flows.core.human import Question
from flows.errors import StateConflict
from flows.runners.answer import check_answer, question_of
from flows.services.hosting.run_index import RunIndex


def check_run_answer(runs: RunIndex, run_id: str, text: str, step: str | None) -> None:
    """Errors: `StateConflict` where the run, or the step of it, waits for no answer; `UsageError`
    for an answer that does not fit; `JournalError`."""
    place = runs.find(run_id)
    history = read_history(runs.rows(place) if place is not None else ())
    meant = [each for each in history.open_questions() if step in (None, each.address)]
    if not meant:
        which = f"the step {step!r}" if step is not None else f"the run {run_id}"
        raise StateConflict(f"{which} waits for no answer")
    check_answer(Question.model_validate_json(question_of(history, step).body), text)
