"""Verdicts on analyses, and their figures."""

from __future__ import annotations

from typing import Any

import pytest

from flows.evaluation.analyses import AnalysisCase, analysis_case_of, judge_analysis
from flows.evaluation.analysis_figures import summarize_analyses
from flows.evaluation.golden import golden_text, lost
from tests.evaluation.findings import EMPTY, farm

DRIVER = {"driver": "feed_kg", "among": 1}
WRONG = {"driver": "rain"}
GUARD = {"never_says": "sheep"}


def case(*findings: dict[str, Any], name: str = "one") -> AnalysisCase:
    values = {"question": "What drives milk?", "findings": list(findings), "difficulty": "drivers"}
    return analysis_case_of(name, values, "line 1")


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ((DRIVER, GUARD), "right"),
        ((DRIVER, WRONG), "partly"),
        ((WRONG,), "wrong"),
        ((WRONG, GUARD), "wrong"),  # what an empty analysis would have as well is no merit
        ((GUARD,), "right"),
        ((GUARD, {"never_says": "milk"}), "partly"),
    ],
)
def test_the_verdict(findings: tuple[dict[str, Any], ...], verdict: str) -> None:
    assert judge_analysis(case(*findings), farm(), 1.5).verdict == verdict


def test_an_empty_analysis_is_wrong() -> None:
    judged = judge_analysis(case(DRIVER, GUARD), EMPTY, 1.0)
    assert judged.verdict == "wrong"
    assert [bool(each) for each in judged.missing] == [True, False]


def test_a_run_without_an_outcome_failed() -> None:
    judged = judge_analysis(case(DRIVER), None, 2.0, "r1", "the model is gone")
    assert (judged.verdict, judged.as_json()["reason"]) == ("failed", "the model is gone")


@pytest.mark.parametrize(
    ("findings", "said"),
    [([], "must be a list"), ("x", "must be a list"), ([{"nothing": 1}], "it has none")],
)
def test_a_case_that_cannot_be_judged_is_invalid(findings: Any, said: str) -> None:
    broken = analysis_case_of("x", {"question": "What?", "findings": findings}, "line 7")
    judged = judge_analysis(broken, None, 0.0)
    assert judged.verdict == "invalid"
    assert judged.why.startswith("line 7: ")
    assert said in judged.why


def test_the_figures() -> None:
    judged = [
        judge_analysis(case(DRIVER, GUARD, name="a"), farm(), 1.0),
        judge_analysis(case(DRIVER, WRONG, name="b"), farm(), 5.0),
        judge_analysis(case(WRONG, name="c"), None, 3.0, why="broken"),
        judge_analysis(analysis_case_of("d", {"findings": []}, "line 4"), None, 0.0),
    ]
    figures = summarize_analyses(judged)
    counts = {name: figures[name] for name in ("cases", "right", "partly", "wrong", "failed")}
    assert counts == {"cases": 3, "right": 1, "partly": 1, "wrong": 0, "failed": 1}
    assert figures["invalid"] == 1
    assert (figures["found"], figures["findings"]) == (3, 5)
    assert figures["latency"] == {"median": 3.0, "max": 5.0}
    assert (figures["numbers"], figures["traced"]) == (8, 6)
    assert figures["by_difficulty"]["drivers"]["cases"] == 3
    assert [each["id"] for each in figures["slowest"]] == ["b", "c", "a"]


def test_no_case_has_no_figures() -> None:
    figures = summarize_analyses([])
    assert (figures["cases"], figures["accuracy"]) == (0, None)
    assert figures["latency"] == {"median": None, "max": None}


def test_golden_analyses_have_to_stay_right() -> None:
    right = judge_analysis(case(DRIVER), farm(), 1.0)
    partly = judge_analysis(case(DRIVER, WRONG), farm(), 1.0)
    known = frozenset({'"one"'})
    assert lost(known, [right]) == []
    assert lost(known, [partly]) == [partly]
    assert '\\"one\\"' in golden_text(frozenset(), [right])
