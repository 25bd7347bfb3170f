"""The figures of an evaluation, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from flows.evaluation.cases import Case, case_of
from flows.evaluation.kinds import is_ordered, kind_of
from flows.evaluation.summary import summarize
from flows.evaluation.verdicts import JudgedCase, Verdict, judge
from flows.library.ask.answer import AskAnswer


def judged(verdict: Verdict, confidence: float = 0.5, seconds: float = 1.0) -> JudgedCase:
    case = Case("x", "?", sql="SELECT 1", difficulty="one table")
    answer = AskAnswer(status="answered", confidence=confidence)
    return JudgedCase(case, verdict, answer, seconds)


def test_the_surest_half_and_the_curve() -> None:
    found = summarize(
        [
            judged("right", 0.9), judged("right", 0.8), judged("wrong", 0.7),
            judged("right", 0.6), judged("wrong", 0.1), judged("abstained", 0.0),
        ]
    )  # fmt: skip
    assert found["accuracy"] == 0.5
    assert found["precision"] == 0.6
    assert found["precision_at_half"] == pytest.approx(2 / 3, abs=1e-5)
    assert [each["precision"] for each in found["curve"]] == pytest.approx(
        [1, 1, 2 / 3, 3 / 4, 3 / 5], abs=1e-5
    )
    assert found["curve"][-1]["coverage"] == pytest.approx(5 / 6, abs=1e-5)


def test_the_reliability_of_each_confidence() -> None:
    found = summarize(
        [
            judged("right", 1.0), judged("right", 0.9), judged("wrong", 0.95), judged("right", 0.7),
            judged("wrong", 0.2), judged("clarified", 0.6), judged("abstained", 0.0),
        ]
    )["reliability"]  # fmt: skip
    bins = [(b["from"], b["to"], b["answers"], b["right"], b["share"]) for b in found["bins"]]
    assert bins == [(0.9, 1.0, 3, 2, 0.666667), (0.7, 0.8, 1, 1, 1.0), (0.0, 0.5, 1, 0, 0.0)]
    assert found["bins"][0]["confidence"] == 0.95
    assert found["error"] == pytest.approx((abs(2.85 - 2) + 0.3 + 0.2) / 5, abs=1e-5)


def test_answers_of_one_confidence_count_by_their_average() -> None:
    mixed: list[JudgedCase] = [judged("right"), judged("wrong")] * 4
    assert summarize(mixed)["precision_at_half"] == 0.5
    assert summarize(mixed[::-1])["precision_at_half"] == 0.5


def test_less_than_half_answered_has_no_precision_at_half() -> None:
    found = summarize([judged("right"), judged("clarified"), judged("failed")])
    assert found["precision_at_half"] is None
    assert (found["clarified"], found["failed"]) == (1, 1)


def test_no_case_at_all() -> None:
    found = summarize([])
    assert (found["accuracy"], found["precision_at_half"], found["curve"]) == (None, None, [])
    assert found["latency"] == {"median": None, "p95": None, "max": None}
    assert found["reliability"] == {"bins": [], "error": None}


def test_latency_of_twenty() -> None:
    found = summarize([judged("right", seconds=float(n)) for n in range(1, 21)])
    assert found["latency"] == {"median": 10.0, "p95": 19.0, "max": 20.0}
    assert [each["seconds"] for each in found["slowest"]][:2] == [20.0, 19.0]


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT a FROM t WHERE b = 1 ORDER BY a LIMIT 1", "one table"),
        ("SELECT a FROM t JOIN u ON t.i = u.i", "one join"),
        ("SELECT a FROM t JOIN u ON t.i = u.i JOIN v ON v.i = u.i", "more joins"),
        ("SELECT a, COUNT(*) FROM t JOIN u ON t.i = u.i GROUP BY a", "grouped"),
        ("SELECT a FROM t WHERE b > (SELECT AVG(b) FROM t)", "nested or set"),
        ("SELECT a FROM t EXCEPT SELECT a FROM u", "nested or set"),
        ('SELECT a FROM t WHERE name = "x"', "one table"),
        ("SELEKT", "unknown"),
    ],
)
def test_kinds_of_queries(sql: str, kind: str) -> None:
    assert kind_of(sql) == kind


def test_only_the_outermost_order_counts() -> None:
    assert is_ordered("SELECT a FROM t ORDER BY a")
    assert not is_ordered("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"question": "?"}, "it has none"),
        ({"sql": "SELECT 1", "answer": 1}, "sql and answer"),
        ({"rows": [1]}, "list of lists"),
        ({"sql": "  "}, "must be a query"),
        ({"answer": [1]}, "text or a number"),
    ],
)
def test_cases_that_say_too_little_or_too_much(values: dict[str, Any], told: str) -> None:
    case = case_of(1, values, "line 1")
    assert told in case.fault
    assert judge(case, AskAnswer(status="answered"), 0.0).verdict == "invalid"
