"""`flows analyse`: a business question over data and documents, from the command to the report."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.methods.read import read_study
from flows.analysis.reading.reader import read
from flows.analysis.team.goals.scope import scopes_of
from flows.services.analysis_answer import KEYS
from tests.analysis.calls import counted
from tests.cli.command import Ended, environment
from tests.cli.inside import inside
from tests.cli.shop import ASKED, shop

REPORTS = ("report.html", "report.md", "report.ipynb", "report.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shop")
    shop(made)
    return made


@pytest.fixture(scope="module")
def watched(folder: Path) -> tuple[Ended, Counter[str]]:
    """The whole of it once, with all reports, and how often which text was read."""
    outs = [each for name in REPORTS for each in ("--out", name)]
    readers = ((read, "question"), (read_study, "text"), (Analyst.propose, "question"))
    with counted(scopes_of, "text", *readers) as readings:
        ended = inside("analyse", ASKED, "--data", "shop.csv", *outs, cwd=folder)
    return ended, readings


@pytest.fixture(scope="module")
def answered(watched: tuple[Ended, Counter[str]]) -> Ended:
    return watched[0]


@pytest.fixture
def run_id(answered: Ended) -> str:
    """Its run; others may be made in the folder."""
    [found] = set(re.findall(r"\d{8}-\d{6}-\w{6}", answered.out))
    return str(found)


@pytest.mark.long("whole runs of the command")
def test_it_answers_with_cited_numbers_and_says_what_it_rests_on(answered: Ended) -> None:
    assert answered.code == 0, answered.err
    for expected in (
        "── Answer ──", "Hours", "Insights", "Tasks", "DataProcessorSQLAgent",
        "── Where the numbers come from ──", "numbers traced to their source",
        "Report     report.html",
    ):  # fmt: skip
        assert expected in answered.out


def test_the_question_is_read_once_and_no_task_is_read_at_all(
    watched: tuple[Ended, Counter[str]],
) -> None:
    ended, readings = watched
    assert "Tasks" in ended.out
    assert readings == {ASKED: 1}


def test_progress_is_lines_where_there_is_no_terminal(answered: Ended) -> None:
    assert "\x1b" not in answered.out
    assert "Begun      0 PythonDataAgent" in answered.out
    assert "Done       0 PythonDataAgent … " in answered.out


def test_every_report_that_was_asked_for_is_there_whole(answered: Ended, folder: Path) -> None:
    assert answered.code == 0
    html = (folder / "report.html").read_text(encoding="utf-8")
    assert html.casefold().startswith("<!doctype html>")
    assert html.rstrip().endswith("</html>")
    assert ASKED in (folder / "report.md").read_text(encoding="utf-8")
    assert json.loads((folder / "report.ipynb").read_text(encoding="utf-8"))["nbformat"] == 4
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert told["report"]["question"] == ASKED
    assert not list(folder.glob(".*part"))


def test_the_run_is_listed_and_shown_with_its_answer_and_report(
    answered: Ended, run_id: str, folder: Path
) -> None:
    assert answered.code == 0
    listed = inside("runs", cwd=folder)
    assert f"Analyst: {ASKED}"[:20] in listed.out
    shown = inside("show", run_id, cwd=folder)
    assert "── Answer ──" in shown.out
    [line] = [each for each in shown.out.splitlines() if each.startswith("Report ")]
    assert (folder / line.split()[1]).is_file()
    assert '"task_id"' not in shown.out  # no dump of what the page tells in words


@pytest.mark.long("whole runs of the command")
def test_it_is_told_again_from_its_journal(run_id: str, folder: Path) -> None:
    assert inside("replay", run_id, cwd=folder).code == 0


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_json_is_one_object_with_all_keys(folder: Path) -> None:
    arguments = ("--data", "shop.csv", "--docs", "papers", "--json", "--out", "mine.html")
    ended = inside("analyse", ASKED, *arguments, cwd=folder)
    assert ended.code == 0, ended.err
    found = ended.json()
    assert set(found) == set(KEYS)
    assert found["status"] == "answered"
    assert "hours" in found["answer"].casefold()
    assert {each["status"] for each in found["tasks"]} == {"done"}
    assert found["report"]["html"] == "mine.html"
    assert Path(folder, found["report"]["json"]).is_file()
    assert all(each["origin"] != "none" for each in found["citations"])
    assert "RAGAgent" in ended.err  # the progress is there, and not in the object


def test_what_the_data_cannot_answer_is_said(folder: Path) -> None:
    asked = "How tall is the giraffe of the zoo?"
    ended = inside("analyse", asked, "--data", "shop.csv", "--quiet", cwd=folder)
    assert ended.code == 1, ended.out
    assert "── Not answered ──" in ended.out
    assert "Begun" not in ended.out + ended.err


@pytest.mark.long("whole runs of the command")
def test_a_person_who_is_away_is_waited_for_and_goes_on_by_an_answer(folder: Path) -> None:
    first = inside("analyse", ASKED, "--data", "shop.csv", "--feedback", "--json", cwd=folder)
    assert first.code == 75, first.err
    waiting = first.json()
    [question] = waiting["questions"]
    tasks = {each["task_id"]: each for each in question["context"]["tasks"]}
    chart = next(n for n, each in tasks.items() if each["name"] == "PlotlyVisualizerAgent")
    assert "Enter goes on, q ends" in question["text"]
    run = waiting["run_id"]
    refused = inside("resume", run, "--answer", "drop the chart", cwd=folder)
    assert refused.code == 75
    assert "Nothing was changed: drop takes the numbers of tasks" in refused.out
    second = inside("resume", run, "--answer", f"drop {chart}", cwd=folder)
    assert second.code == 75, second.err  # it asks again after the first tasks
    assert f"The person dropped task {chart}." in second.out
    ended = inside("resume", run, "--answer", "q", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    outputs = ended.json()["outputs"]
    statuses = {each["task"]["task_id"]: each["status"] for each in outputs["results"]}
    assert statuses[chart] == "dropped"
    assert statuses[0] == "done"
    assert "skipped" in statuses.values()
    assert outputs["files"]


@pytest.mark.long("whole runs of the command")
def test_a_provider_that_cannot_be_reached_is_exit_3(folder: Path) -> None:
    chosen = ("--model", "openai:m", "model.base_url=http://127.0.0.1:9/v1")
    env = environment(OPENAI_API_KEY="none")
    arguments = ("--data", "shop.csv", *chosen, "--out", "never.html")
    ended = inside("analyse", ASKED, *arguments, cwd=folder, env=env)
    assert ended.code == 3, ended.err
    assert "flows resume" in ended.out
    assert "never.html was not written" in ended.err
    assert not (folder / "never.html").exists()


@pytest.mark.long("whole runs of the command")
def test_at_a_limit_it_ends_with_what_there_is(folder: Path) -> None:
    arguments = ("--data", "shop.csv", "limits.model_calls=4", "--json")
    ended = inside("analyse", ASKED, *arguments, cwd=folder)
    assert ended.code == 1, ended.err
    found = ended.json()
    assert found["status"] == "unanswered"
    assert "model_calls" in found["reason"]
