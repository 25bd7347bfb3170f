"""Answers in the sentences of documents: when they are enough, and what helps when they are not."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.team.document_question import read_question
from flows.analysis.team.retrieval import retrieve

HANDBOOK = (
    ("returns.md", "Return policy", "Goods can be sent back within 30 days of delivery. They must "
     "be unused. Sale items are excluded."),
    ("returns.md", "Return policy > Refunds", "Money is paid back within five working days."),
    ("operations.txt", "lines 1-9", "A delivery counts as on-time if it arrives within 15 minutes "
     "of its slot.\n\nOrders above 10,000 dollars are approved by the regional manager, because a "
     "loss would be large.\n\nEfficiency is the share of shipments that leave a location on time. "
     "The target for efficiency is 95 percent."),
    ("terms.html", "Glossary", "OTIF stands for on time in full.\n\n- Lead time: days from the "
     "order to the delivery."),
    ("report.pdf", "page 3", "In 2019 the average efficiency of Location 22 was 81 percent. Sales "
     "of OMEGA are told in dollars."),
)  # fmt: skip


def asked(question: str, *texts: tuple[str, str, str]) -> dict[str, Any]:
    rows = texts or HANDBOOK
    passages = [
        {"id": str(n), "document": d, "where": w, "text": t, "score": 1.0}
        for n, (d, w, t) in enumerate(rows)
    ]
    return retrieve({"question": question, "passages": passages, "correction": ""}, ())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is our return policy?",
         "Goods can be sent back within 30 days of delivery. [1] They must be unused. [1] Sale "
         "items are excluded. [1]"),
        ("How many days do we have to send goods back?",
         "Goods can be sent back within 30 days of delivery. [1] They must be unused. [1]"),
        ("What counts as on-time?",
         "A delivery counts as on-time if it arrives within 15 minutes of its slot. [3]"),
        ("Who approves orders above 10,000 dollars?",
         "Orders above 10,000 dollars are approved by the regional manager, because a loss would "
         "be large. [3]"),
        ("Why are orders above 10,000 dollars approved by a manager?",
         "Orders above 10,000 dollars are approved by the regional manager, because a loss would "
         "be large. [3]"),
        ("When is money paid back?", "Money is paid back within five working days. [2]"),
        ("How is efficiency defined?",
         "Efficiency is the share of shipments that leave a location on time. [3]"),
        ("What is the target for efficiency?", "The target for efficiency is 95 percent. [3]"),
        ("What does OTIF stand for?", "OTIF stands for on time in full. [4]"),
    ],
)  # fmt: skip
def test_sentences_that_answer(question: str, answer: str) -> None:
    assert asked(question) == {"enough": True, "answer": answer}


@pytest.mark.parametrize(
    "question",
    [
        "How do I improve the efficiency of Location 22?",
        "How does the on-road time affect the efficiency of a carrier?",
        "What is the efficiency of Location 22?",
        "What was the average efficiency of Location 22 in 2019?",
        "Which location has the highest efficiency?",
        "How many orders are above 10,000 dollars?",
        "How many deliveries were on time?",
        "What are the sales of OMEGA?",
        "Compare the sales of OMEGA with those of others.",
        "Is there a correlation between lead time and efficiency?",
        "How did efficiency develop over time?",
        "Forecast the sales of OMEGA.",
        "Show the delivery of each location.",
        "Why did efficiency drop?",
        "Plot efficiency by location",
        "What drives on-time delivery?",
    ],
)
def test_what_data_answers_is_never_enough(question: str) -> None:
    found = asked(question)
    assert found["enough"] is False
    assert read_question(question).computed


@pytest.mark.parametrize(
    "question",
    [
        "Is there a warranty?",
        "Who approves holidays?",
        "Why are goods sent back?",  # it says that they are, and not why
        "How long may refunds of sale items take?",
        "",
        "?",
    ],
)
def test_a_part_that_stays_open_is_not_enough(question: str) -> None:
    assert asked(question)["enough"] is False


def test_what_helps_is_told_with_its_source() -> None:
    assert asked("How do I improve the efficiency of Location 22?")["context"] == (
        "Efficiency is the share of shipments that leave a location on time. [3] The target for "
        "efficiency is 95 percent. [3] In 2019 the average efficiency of Location 22 was 81 "
        "percent. [5]"
    )
    assert asked("How is the weather?") == {"enough": False, "context": ""}


def test_documents_that_contradict_each_other_are_both_told() -> None:
    found = asked(
        "What counts as on-time?",
        ("a.txt", "line 1", "A delivery counts as on-time within 15 minutes."),
        ("b.txt", "line 1", "Trucks are blue."),
        ("c.txt", "line 1", "A delivery counts as on-time within 30 minutes."),
    )
    assert found["answer"] == (
        "A delivery counts as on-time within 15 minutes. [1] "
        "A delivery counts as on-time within 30 minutes. [3]"
    )


def test_what_neighbours_share_is_told_once() -> None:
    said = "Pallets are blue."
    found = asked("Are pallets blue?", ("a.txt", "line 1", said), ("a.txt", "line 1", said))
    assert found["answer"] == "Pallets are blue. [1]"


def test_no_passages() -> None:
    assert retrieve({"question": "What is it?", "passages": []}, ()) == {
        "enough": False,
        "context": "",
    }
