"""`flows compete`: a task of prediction in a folder, from the command to the submission."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import sys
import time
from pathlib import Path

import pexpect
import pytest

from flows.human.terminal_text import plain
from flows.services.competition_answer import KEYS
from tests.cli.command import Ended, environment
from tests.cli.contest import SHORT, contest
from tests.cli.inside import inside
from tests.report.notebooks import run_notebook

WHOLE = pytest.mark.long("a pipeline of agents works on a task, in the sandbox")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("contest")
    contest(made / "beans")
    return made


@pytest.fixture(scope="module")
def done(folder: Path) -> Ended:
    """The whole of it once."""
    return inside("compete", "beans", *SHORT, "--out", "out", "--time", "60", cwd=folder)


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


@WHOLE
def test_it_writes_a_submission_of_all_rows_and_the_report(done: Ended, folder: Path) -> None:
    assert done.code == 0, done.err
    assert sorted(each.name for each in (folder / "out").iterdir()) == [
        "report.html", "report.ipynb", "submission.csv",
    ]  # fmt: skip
    rows = rows_of(folder / "out" / "submission.csv")
    sample = rows_of(folder / "beans" / "sample_submission.csv")
    assert [each[0] for each in rows] == [each[0] for each in sample]
    assert rows[0] == ["bean_id", "weight"]
    assert all(0 < float(value) < 8 for _, value in rows[1:])
    html = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert html.rstrip().endswith("</html>")
    assert "HistGradientBoosting, untuned" in html


@WHOLE
def test_it_says_how_each_phase_came_out(done: Ended) -> None:
    assert "\x1b" not in done.out
    for said in (
        "Begun      Data Cleaning", "Developer … ", "── Done ──", "rmse 0.", "less is better",
        "Hand in    out/submission.csv", "Report     out/report.html",
    ):  # fmt: skip
        assert said in done.out
    assert not (Path.cwd() / ".flows" / "competitions").exists()


@WHOLE
def test_the_notebook_writes_the_same_submission_again(done: Ended, folder: Path) -> None:
    assert done.code == 0, done.err
    again = folder / "again"
    again.mkdir()
    run_notebook(folder / "out" / "report.ipynb", again)
    first, second = (rows_of(each / "submission.csv") for each in (folder / "out", again))
    assert [each[0] for each in first] == [each[0] for each in second]
    pairs = zip(first[1:], second[1:], strict=True)
    assert all(abs(float(one[1]) - float(two[1])) < 0.05 for one, two in pairs)


@WHOLE
def test_the_run_is_shown_with_where_its_submission_is(done: Ended, folder: Path) -> None:
    assert done.code == 0, done.err
    [run] = {*re.findall(r"\d{8}-\d{6}-\w{6}", done.out)}
    shown = inside("show", run, cwd=folder)
    assert "── Done ──" in shown.out
    [line] = [each for each in shown.out.splitlines() if each.startswith("Hand in")]
    assert (folder / line.split()[2]).read_bytes() == (folder / "out/submission.csv").read_bytes()


@WHOLE
def test_json_is_one_object_with_all_keys_and_what_is_below_the_folder_is_left_out(
    tmp_path: Path,
) -> None:
    contest(tmp_path)
    (tmp_path / "out").mkdir()
    shutil.copy(tmp_path / "sample_submission.csv", tmp_path / "out" / "test_old.csv")
    arguments = ("--out", "out", "--time", "40", "--json", "--quiet")
    ended = inside("compete", ".", *SHORT, *arguments, cwd=tmp_path)
    assert ended.code == 0, ended.err
    found = ended.json()
    assert set(found) == set(KEYS)
    assert found["status"] == "done"
    assert found["metric"] == "rmse"
    assert found["greater_is_better"] is False
    assert 0 < found["score"] < 2
    assert found["submission"] == "out/submission.csv"
    assert found["rows"] == 40
    assert found["report"] == {"html": "out/report.html", "ipynb": "out/report.ipynb"}
    assert found["task"]["targets"] == ["weight"]
    assert found["notes"] == []
    assert [each["phase"] for each in found["phases"]][-1] == "model_building"
    assert all(each["unit_tests"]["failed"] == 0 for each in found["phases"])
    assert ended.err == ""
    # Its runs and results lie in the folder of the task now, and are no part of it.
    noticed = inside("compete", ".", "--out", "out", "nonsense.key=1", cwd=tmp_path)
    assert noticed.code == 2
    assert "further table" not in noticed.out + noticed.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "there is no folder nowhere"),
        (("empty",), "has no table to learn of"),
        (("beans", "--out", "beans/task.md"), "is a file; --out names a folder"),
        (("beans", "--out", "beans"), "is the folder of the task"),
        (("beans", "--time", "0"), "'--time'"),
        (("beans", "--model", "nobody"), "there is no model 'nobody'"),
        (("beans", "nonsense.key=1"), "nonsense"),
        ((), "FOLDER"),
    ],
)
def test_wrong_usage_is_said_and_the_object_is_there_in_any_case(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    contest(tmp_path / "beans", 20, 5)
    (tmp_path / "empty").mkdir()
    before = sorted((tmp_path / "beans").iterdir())
    ended = inside("compete", *arguments, "--json", cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
    found = ended.json()
    assert set(found) == set(KEYS)
    assert (found["status"], found["submission"]) == ("failed", None)
    assert found["reason"]
    assert sorted((tmp_path / "beans").iterdir()) == before


@WHOLE
def test_without_a_submission_there_is_the_report_and_an_exit_code(tmp_path: Path) -> None:
    contest(tmp_path / "beans")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "submission.csv").write_text("of another run\n", encoding="utf-8")
    short = ("~PreliminaryEDA", "~InDepthEDA", "~FeatureEngineering", "~ModelBuilding")
    ended = inside("compete", "beans", *short, "--out", "out", "--quiet", cwd=tmp_path)
    assert ended.code == 1, ended.err
    assert "No phase made a submission." in ended.out
    assert "was not written: there is no submission; the one that is there" in ended.err
    assert (tmp_path / "out" / "submission.csv").read_text(encoding="utf-8") == "of another run\n"
    assert (tmp_path / "out" / "report.html").is_file()


@WHOLE
def test_ctrl_c_leaves_a_run_that_resume_goes_on_with_and_that_writes_the_results(
    tmp_path: Path,
) -> None:
    contest(tmp_path / "beans")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "flows", "compete", "beans", *SHORT, "--out", "out", "--time", "40"],
        cwd=str(tmp_path),
        env=environment(TERM="xterm"),
        encoding="utf-8",
        timeout=200,
        dimensions=(40, 110),
    )
    child.expect("Data Cleaning")
    child.expect("✓.*Planner")
    child.expect("Model Building.*Developer")
    child.expect("execute:")
    time.sleep(0.5)
    child.kill(signal.SIGINT)
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130
    said = plain(child.before)
    [run] = set(re.findall(r"flows resume (\S+)", said))
    assert not (tmp_path / "out").exists()
    ended = inside("resume", run, "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["status"] == "finished"
    assert [Path(each).name for each in ended.json()["reports"]] == [
        "submission.csv", "report.html", "report.ipynb",
    ]  # fmt: skip
    assert len(rows_of(tmp_path / "out" / "submission.csv")) == 41
    assert json.loads((tmp_path / "out" / "report.ipynb").read_text("utf-8"))["nbformat"] == 4
