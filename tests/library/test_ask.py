"""The flow that answers one question, with a language model behind it: the same protocol as for
the embedded one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from flows.core.observation import Caution
from flows.core.result import RunResult
from flows.library.ask.answer import KEYS
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.services.answer import answer_of
from tests.library.desk import Desk
from tests.library.world import SALES, World, asked

ASK = """\
defaults: [ask, override model: openai, override human: never, _self_]
data: {sales: sales.csv}
"""
TOTAL = "SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC"


def furnish(folder: Path) -> None:
    (folder / "sales.csv").write_text(SALES)


def proposal(**given: Any) -> FakeAnswer:
    """The analyst's reply."""
    return FakeAnswer(json.dumps({"confidence": 0.8, "explanation": "as asked", **given}))


def ask(world: World, *overrides: str, text: str = ASK) -> RunResult:
    return world.run(text, *overrides, inputs={"question": "How much does each region sell?"})


def test_numbers_of_the_answer_come_from_cells(desk: Desk) -> None:
    desk.server.script(
        proposal(sql=TOTAL, warnings=[{"code": "few", "text": "Five rows only."}]),
        FakeAnswer(
            "{{last[0].region}} sells {{last[0].total | .1f}}; all sell {{sum(last.total)}}."
        ),
    )
    found = answer_of(ask(desk))
    assert found.status == "answered"
    assert found.answer == "south sells 20.0; all sell 47.5."
    assert [each.text for each in found.citations] == ["20.0", "47.5"]
    assert found.rows[0] == ("south", 20.0)
    assert found.columns == ("region", "total")
    assert found.sql == TOTAL
    assert found.confidence == 0.8
    assert [each.code for each in found.warnings] == ["few"]
    assert tuple(found.as_json()) == KEYS
    told = asked(desk.server)[-1][1]
    assert "Five rows only." in told


@pytest.mark.long("whole runs of a flow")
def test_rows_beyond_the_preview_are_all_there(world: World, server: FakeModel) -> None:
    world.write("sales.csv", "n\n" + "".join(f"{n}\n" for n in range(300)))
    server.script(proposal(sql="SELECT n FROM sales ORDER BY n"), FakeAnswer("Many."))
    found = answer_of(ask(world))
    assert [row[0] for row in found.rows] == list(range(300))
    server.script(proposal(sql="SELECT n FROM sales ORDER BY n"), FakeAnswer("Many."))
    cut = answer_of(ask(world, "max_rows=50"))
    assert len(cut.rows) == 50
    assert [each.code for each in cut.warnings] == ["truncated"]


def test_what_finds_nothing_is_read_another_way(desk: Desk) -> None:
    nothing = "SELECT amount FROM sales WHERE region = 'North'"
    desk.server.script(
        proposal(sql=nothing),
        proposal(sql="SELECT amount FROM sales WHERE region = 'north'"),
        FakeAnswer("There are {{count(last.amount)}}."),
    )
    found = answer_of(ask(desk))
    assert found.rows == ((10.5,), (4.0,))
    assert found.warnings == ()
    again = asked(desk.server, 1)[-1][1]
    assert "the query found no rows" in again
    assert nothing in again


def test_standing_by_a_query_that_finds_nothing_is_an_answer_in_part(
    desk: Desk,
) -> None:
    nothing = proposal(sql="SELECT amount FROM sales WHERE region = 'up'")
    desk.server.script(nothing, nothing, FakeAnswer("No region is called up."))
    found = answer_of(ask(desk))
    assert (found.status, found.answer) == ("partly", "No region is called up.")
    assert [each.code for each in found.warnings] == ["empty"]
    assert len(desk.server.requests) == 3


def test_a_query_that_fails_is_corrected(desk: Desk) -> None:
    desk.server.script(
        proposal(sql="DROP TABLE sales"),
        proposal(sql="SELECT COUNT(*) AS n FROM sales"),
        FakeAnswer("{{last[0].n}} rows."),
    )
    found = answer_of(ask(desk))
    assert found.answer == "5 rows."
    assert "only queries that read" in asked(desk.server, 1)[-1][1]


def test_when_all_tries_fail_the_run_does(desk: Desk) -> None:
    desk.server.script(*[proposal(sql="SELECT nothing FROM sales")] * 3)
    found = answer_of(ask(desk))
    assert found.status == "failed"
    assert "nothing" in found.reason
    assert tuple(found.as_json()) == KEYS


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"sql": None}, "exactly one of"),
        ({"sql": "SELECT 1", "cannot": "no"}, "it has sql and cannot"),
        ({"sql": "SELECT 1", "confidence": 7}, "confidence"),
        ({"clarify": {"options": []}}, "clarify.question"),
        ({"sql": "SELECT 1", "chart": {"type": "hologram"}}, "chart.type"),
    ],
)
def test_a_reply_that_does_not_fit_is_sent_back(
    desk: Desk, reply: dict[str, Any], told: str
) -> None:
    desk.server.script(proposal(**reply), proposal(cannot="The tables hold no weather."))
    found = answer_of(ask(desk))
    assert (found.status, found.answer) == ("abstained", "The tables hold no weather.")
    assert told in asked(desk.server, 1)[-1][1]


def test_a_reference_that_names_no_cell_is_sent_back(desk: Desk) -> None:
    desk.server.script(
        proposal(sql=TOTAL),
        FakeAnswer("It is {{last[0].sum}}."),
        FakeAnswer("It is {{last[0].total}}."),
    )
    assert answer_of(ask(desk)).answer == "It is 20."
    assert "refers to what is not there" in asked(desk.server)[-1][1]


def test_too_little_confidence_is_no_answer(desk: Desk) -> None:
    desk.server.script(proposal(sql=TOTAL, confidence=0.1))
    found = answer_of(ask(desk, "ask_above=0.5"))
    assert found.status == "abstained"
    assert found.rows == ()


@pytest.mark.long("whole runs of a flow")
def test_a_question_back_is_answered_by_a_person(world: World, server: FakeModel) -> None:
    world.write("sales.csv", SALES)
    options = [
        {"label": "the sum", "question": "The sum of amount by region", "keyword": "", "value": ""},
        {"label": "the mean", "question": "The mean of amount by region"},
    ]
    server.script(
        proposal(clarify={"question": "Sum or mean?", "options": options}, confidence=0.4),
        proposal(sql=TOTAL),
        FakeAnswer("South."),
    )
    world.write("said.txt", "1\n")
    scripted = ("human=scripted", "human.path=said.txt", "glossary=words.csv")
    found = answer_of(ask(world, *scripted))
    assert found.status == "answered"
    assert "The sum of amount by region" in asked(server, 1)[-1][1]
    learned = (world.folder / "words.csv").read_text()
    assert "How much does each region sell,The sum of amount by region" in learned
    server.script(proposal(sql=TOTAL), FakeAnswer("South."))
    ask(world, "glossary=words.csv")  # it is not asked again
    assert "The sum of amount by region" in asked(server, -2)[-1][1]


def test_with_nobody_there_the_question_back_is_the_outcome(
    desk: Desk,
) -> None:
    options = [{"label": "a", "question": "A?"}, {"label": "b", "question": "B?"}]
    desk.server.script(proposal(clarify={"question": "A or b?", "options": options}))
    found = answer_of(ask(desk))
    assert (found.status, found.answer) == ("clarify", "A or b?")
    assert found.clarification is not None
    assert [each.label for each in found.clarification.options] == ["a", "b"]


def test_a_chart_holds_the_cells_of_the_result(desk: Desk) -> None:
    chart = {"type": "bar", "x": "region", "y": "total", "title": "<b>Sales</b>"}
    desk.server.script(proposal(sql=TOTAL, chart=chart), FakeAnswer("See the chart."))
    result = ask(desk)
    chart_drawn = answer_of(result).chart
    assert chart_drawn is not None
    [trace] = chart_drawn.figure["data"]
    assert (trace["type"], trace["x"], trace["y"]) == (
        "bar", ["south", "north", "west", "east"], [20.0, 14.5, 8.0, 5.0],
    )  # fmt: skip
    assert chart_drawn.figure["layout"]["title"]["text"] == "&lt;b&gt;Sales&lt;/b&gt;"
    [page] = [each for each in result.artifacts if each.name == chart_drawn.artifact]
    text = (result.folder / page.path).read_text()
    assert "Content-Security-Policy" in text
    assert "<b>Sales" not in text


def test_a_chart_of_columns_that_are_not_there_is_a_warning(
    desk: Desk,
) -> None:
    chart = {"type": "line", "x": "month", "y": "total"}
    desk.server.script(proposal(sql=TOTAL, chart=chart), FakeAnswer("South."))
    found = answer_of(ask(desk))
    assert (found.status, found.chart) == ("answered", None)
    [warning] = found.warnings
    assert (warning.code, "month" in warning.text) == ("no_chart", True)


def test_an_answer_about_the_tables_is_traced_to_their_profile(
    desk: Desk,
) -> None:
    desk.server.script(proposal(text="sales has 5 rows."))
    found = answer_of(ask(desk))
    assert found.sql is None
    [citation] = found.citations
    assert (citation.text, citation.origin, citation.column) == ("5", "cell", "rows")


@pytest.mark.long("whole runs of a flow")
def test_code_is_run_in_the_sandbox(desk: Desk) -> None:
    code = (
        "result = sales.groupby('region', as_index=False).amount.median()\n"
        "warnings = pd.DataFrame({'code': ['small_groups'], 'says': ['few rows a region']})"
    )
    desk.server.script(
        proposal(code=code), FakeAnswer("{{last[0].amount}} in the {{last[0].region}}.")
    )
    found = answer_of(ask(desk))
    assert found.answer == "5 in the east."
    assert found.code == code
    assert found.rows[0] == ("east", 5.0)
    assert found.warnings == (Caution(code="small_groups", text="few rows a region"),)


def test_the_embedded_model_speaks_the_same_protocol(world: World) -> None:
    world.write("sales.csv", SALES)
    with sqlite3.connect(world.folder / "farm.db") as farm:
        farm.execute("CREATE TABLE cows (cow_id INTEGER PRIMARY KEY, breed TEXT, milk REAL)")
        rows = [(breed, 10.0 + n) for n, breed in enumerate(["Simmental", "Jersey"] * 20)]
        farm.executemany("INSERT INTO cows (breed, milk) VALUES (?, ?)", rows)
    farm.close()
    text = "defaults: [ask, override human: never, _self_]\ndata: {farm: farm.db}\n"
    result = world.run(text, inputs={"question": "What is the average milk for each breed?"})
    found = answer_of(result, explain=True)
    assert found.status == "answered"
    assert sorted(map(tuple, found.rows)) == [("Jersey", 30.0), ("Simmental", 29.0)]
    assert all(each.origin == "cell" for each in found.citations)
    read = {each.text: each.reading for each in found.words or ()}
    assert any("milk" in text for text in read)
    assert "not used" not in read.values()
    unknown = world.run(text, inputs={"question": "Why is the sky blue?"})
    assert answer_of(unknown).status == "abstained"
