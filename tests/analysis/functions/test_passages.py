"""Questions to texts that a search has found: the sentence that answers, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.telling import tell
from flows.analysis.functions.told import ResultAnswer

PUMP = (
    "The pump of the fish pond rattled on Sunday. A stone was stuck in the wheel; Omar took it out."
    " It moves 900 litres an hour again. Spare wheels lie in the shed behind the ladder."
)
FEES = (
    "Members voted about the fee in May. It rises by 12 euros for everyone. Mr. Brandt looks after"
    " the list of plots. Whoever pays late gets a letter within 30 days."
)


def told(question: str, texts: Sequence[str] = (PUMP, FEES)) -> ResultAnswer | None:
    data = [{"name": f"note-{n}", "text": text, "score": 0.5} for n, text in enumerate(texts)]
    return tell(wanted_of(question), CallResult(number=1, name="search", kind="ok", data=data))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many litres does the pump of the pond move?", "It moves 900 litres an hour again."),
        ("where are spare wheels of the pump", "Spare wheels lie in the shed behind the ladder."),
        ("How much more is the fee?", "It rises by 12 euros for everyone."),
        ("When did members vote about the fee?", "Members voted about the fee in May."),
        ("who looks after the list", "Mr. Brandt looks after the list of plots."),
        ("Within how many days comes a letter about the fee?",
         "Whoever pays late gets a letter within 30 days."),
    ],
)  # fmt: skip
def test_the_sentence_with_the_kind_of_answer_is_told(question: str, answer: str) -> None:
    found = told(question)
    assert found is not None
    assert found.text == answer


def test_a_cause_is_told_with_what_it_is_the_cause_of_and_both_are_cited() -> None:
    found = told("Why did the pump rattle?")
    assert found is not None
    assert found.text.startswith("The pump of the fish pond rattled on Sunday. A stone was stuck")
    assert [each.path for each in found.citations] == ["/0/text", "/0/text"]
    assert all(each.value in PUMP for each in found.citations)


def test_a_cause_that_the_text_names_as_such_is_preferred_to_the_next_sentence() -> None:
    text = "The door jams in the cold. Oil did not help. It was the hinge, which had rusted."
    found = told("why does the door jam", [text])
    assert found is not None
    assert found.text == "The door jams in the cold. It was the hinge, which had rusted."


def test_a_short_text_is_told_whole_to_an_open_question() -> None:
    found = told("Tell me about the pump of the fish pond")
    assert found is not None
    assert found.text == PUMP


@pytest.mark.parametrize("question", ["What colour is the pump?", "How much did the pump cost?"])
def test_what_the_texts_do_not_say_is_not_told_surely(question: str) -> None:
    found = told(question, [PUMP])
    assert found is None or found.score < 0.4


def test_texts_without_names_and_scores_are_told_as_well() -> None:
    result = CallResult(number=3, name="search", kind="ok", data=[{"text": FEES}])
    found = tell(wanted_of("who looks after the list of plots?"), result)
    assert found is not None
    assert found.citations[0].call == 3
    assert found.text == "Mr. Brandt looks after the list of plots."
