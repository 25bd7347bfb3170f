"""The answer as an object: closed, with every field explained, and the same keys in JSON."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from flows.library.ask.answer import EXPLAINED, KEYS, AskAnswer, QuestionBack
from flows.library.ask.proposal import Option


def test_every_field_says_what_it_is() -> None:
    assert all(each.description for each in AskAnswer.model_fields.values())
    with pytest.raises(ValidationError, match="Extra inputs"):
        AskAnswer.model_validate({"status": "failed", "mood": "good"})
    with pytest.raises(ValidationError, match="frozen"):
        AskAnswer(status="failed").status = "answered"  # type: ignore[misc]


@pytest.mark.parametrize("explain", [False, True])
def test_a_failure_has_all_keys(explain: bool) -> None:
    found = AskAnswer.failure("no such file \udcff", run_id="r", explain=explain).as_json()
    assert tuple(found) == (*KEYS, *(EXPLAINED if explain else ()))
    assert (found["status"], found["reason"]) == ("failed", "no such file \\udcff")
    assert (found["columns"], found["warnings"], found["chart"]) == ([], [], None)


def test_json_and_back() -> None:
    option = Option(label="milk", question="How much milk?")
    answer = AskAnswer(
        status="clarify", answer="Which?", confidence=0.3, columns=("n", "x"),
        rows=((1, 1.5), (None, "a"), (True, False)),
        clarification=QuestionBack(question="Which?", options=(option,)), run_id="r",
        explanation="", words=(),
    )  # fmt: skip
    text = json.dumps(answer.as_json())
    assert AskAnswer.model_validate(json.loads(text)) == answer
    assert "step" not in json.loads(text)["clarification"]


def test_a_warning_is_given_once() -> None:
    answer = AskAnswer(status="answered").with_warning("no_chart", "None fits.")
    assert answer.with_warning("no_chart", "Again.") == answer
    assert [each.text for each in answer.warnings] == ["None fits."]
