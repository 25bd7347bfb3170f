"""What a person reads when a run is over."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from flows.core.chat import Usage
from flows.core.human import Question
from flows.core.result import OpenQuestion
from flows.data.answers.citations import Citation
from flows.ui.ending import show_result
from tests.ui.story import FOLDER, OBSERVED, RUN_ID, SQL, result


def shown(outputs: dict[str, Any], *, width: int = 100, **fields: Any) -> str:
    out = io.StringIO()
    show_result(Console(file=out, width=width, color_system=None), result(outputs, **fields))
    return out.getvalue()


CITATIONS = (
    Citation(text="100,000", start=0, end=1, origin="cell", result="result-1234", row=0,
             column="total", value=100000.25, sql=SQL),
    Citation(text="130", start=0, end=1, origin="rows", result="result-1234", value=130, sql=SQL),
    Citation(text="2019", start=0, end=1, origin="query", result="result-1234", value=2019,
             sql=SQL),
    Citation(text="3", start=0, end=1, origin="question"),
    Citation(text="37", start=0, end=1, origin="none"),
)  # fmt: skip


@pytest.mark.parametrize("as_data", [False, True])
def test_each_number_points_to_its_source_and_each_query_is_shown_once(as_data: bool) -> None:
    citations: Any = CITATIONS
    if as_data:
        citations = [each.model_dump(mode="json") for each in CITATIONS]
    text = shown({"answer": "North has 100,000.", "citations": citations, "status": "finished"})
    assert "── Answer ──\nNorth has 100,000.\n" in text
    assert "100,000  result-1234  row 1, total = 100000.25\n" in text
    assert "    130  result-1234  the number of rows, 130\n" in text
    assert "   2019  result-1234  written in the query\n" in text
    assert "      3  given in the question\n" in text
    assert "     37  no source\n" in text
    assert "1 number has no source\n" in text
    assert text.count("GROUP BY region") == 1


def test_a_number_without_source_is_red() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system="standard", _environ={})
    show_result(console, result({"answer": "37", "citations": CITATIONS[-1:]}))
    assert "\x1b[31mno source" in out.getvalue()


@pytest.mark.parametrize(
    ("usage", "spent"),
    [
        (Usage(), "2 rounds · 0 model calls · 1.2 s"),
        (
            Usage(model_calls=8, input_tokens=0, output_tokens=0),
            "2 rounds · 8 model calls · no tokens · 1.2 s",
        ),
        (Usage(model_calls=1), "2 rounds · 1 model call · tokens not counted · 1.2 s"),
        (
            Usage(model_calls=3, input_tokens=0, output_tokens=0, cost=0.0123, unpriced_calls=2),
            "2 rounds · 3 model calls · no tokens · $0.0123 and 2 calls of unknown price · 1.2 s",
        ),
        (
            Usage(model_calls=3, input_tokens=1234, output_tokens=56),
            "2 rounds · 3 model calls · 1,234 tokens in, 56 out · 1.2 s",
        ),
    ],
)
def test_what_was_spent(usage: Usage, spent: str) -> None:
    text = shown({"answer": "x"}, usage=usage, seconds=1.2)
    assert f"Spent      {spent}\n" in text


def test_files_and_folder_are_named() -> None:
    text = shown({"answer": "x"})
    assert f"Files      {FOLDER}/artifacts/result-1234.json" in text
    assert f"Run        {FOLDER}\n" in text
    assert "── Finished ──" in text


@pytest.mark.parametrize("status", ["finished", "unfinished", "waiting", "degraded", "failed"])
def test_the_reason_and_how_to_go_on(status: str) -> None:
    text = shown({}, status=status, reason="" if status == "finished" else "for a reason")
    assert f"── {status.capitalize()} ──" in text
    assert ("Reason     for a reason" in text) == (status != "finished")
    goes_on = f"Go on      flows resume {RUN_ID}" in text
    assert goes_on == (status in ("waiting", "failed"))


def test_a_waiting_run_shows_its_questions_and_what_to_type() -> None:
    context = {"goal": "the\x1b[2J goal", "observation": OBSERVED, "command_args": {"n": 1}}
    asked = Question(id="q", text="What now?\x07 ", context=context)
    questions = (OpenQuestion(asked, "Ask#1", 1e9), OpenQuestion(asked, "Ask#2", 1e9))
    text = shown(
        {}, status="waiting", reason="waiting for an answer", questions=questions, width=40
    )
    assert text.count("Question\n  What now?\n  asked by Ask#") == 2
    assert "About\n  goal  the goal\n" in text
    assert 'command_args  {"n": 1}' in text
    assert "Reason" not in text
    for step in ("Ask#1", "Ask#2"):
        assert f"""  flows resume {RUN_ID} --step '{step}' --answer "..."\n""" in text
    assert f"  flows show {RUN_ID}\n" in text
    assert not set(text) & set("\x1b\x07")


def test_outputs_of_flows_without_an_answer_are_shown() -> None:
    text = shown({"total": 12, "table": OBSERVED, "names": ["a", "b"], "goal": "x", "empty": ""})
    assert "total      12\n" in text
    assert "region 0  100000" in text
    assert 'names      [\n             "a",' in text
    assert "goal" not in text
    assert "empty" not in text


def test_what_a_loop_carries_around_is_no_result() -> None:
    text = shown({"answer": "x", "thought": "t", "plan": "p", "observation": OBSERVED, "mood": 1})
    assert "The query gave" not in text
    assert "mood       1" in text


@pytest.mark.parametrize("citations", [None, "text", 5, [None], [{"text": 1}], [{}]])
def test_citations_of_another_shape_are_left_out(citations: Any) -> None:
    assert "Where the numbers" not in shown({"answer": "x", "citations": citations})


def test_hostile_text_is_harmless() -> None:
    bad = "\x1b[2J[bold]\u202e\x9dx\x07"
    citation = {"text": bad, "origin": "cell", "result": bad, "row": 0, "column": bad, "value": bad,
                "sql": bad}  # fmt: skip
    outputs = {"answer": bad, bad: bad, "citations": [citation]}
    text = shown(outputs, status="failed", reason=bad)
    assert not set(text) & set("\x1b\u202e\x9d\x07")
    assert "[bold]" in text
