"""`flows analyse` with what nobody could work on: told before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.services.analysis_answer import KEYS
from tests.cli.farm import farm
from tests.cli.inside import inside

ASKED = "What drives the milk?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    farm(tmp_path)
    for name in ("notes", "empty", "other", "reports"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Cows give milk.")
    (tmp_path / "other" / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "nothing.csv").write_text("")
    (tmp_path / "a.docy").write_text("text")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "there is no question"),
        (("  ", "--data", "farm.db"), "there is no question"),
        ((ASKED,), "there is nothing to look at; name it with --data PATH or --docs DIR"),
        ((ASKED, "--data", "barn.db"), "did you mean farm.db"),
        ((ASKED, "--data", "nothing.csv"), "nothing.csv is empty"),
        ((ASKED, "--docs", "note"), "there is no folder or file"),
        ((ASKED, "--docs", "empty"), "empty has no documents; their names end in"),
        ((ASKED, "--docs", "other"), "other has no documents"),
        ((ASKED, "--docs", "a.docy"), "is no document that can be read"),
        ((ASKED, "--data", "farm.db", "--out", "a.pdf"), "ends in .html, .md, .ipynb, .json"),
        ((ASKED, "--data", "farm.db", "--out", "report"), "ends in .html"),
        ((ASKED, "--data", "farm.db", "--out", "no/a.html"), "there is no folder no"),
        ((ASKED, "--data", "farm.db", "--out", "reports.md/a.md"), "there is no folder"),
        ((ASKED, "--data", "farm.db", "--model", "ofline"), "did you mean: offline"),
        ((ASKED, "--data", "farm.db", "limit.rounds=1"), "the file has no 'limit'"),
    ],
)
def test_it_is_told_and_nothing_is_made(
    folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    ended = inside("analyse", *arguments, cwd=folder)
    assert ended.code == 2
    assert told in ended.err
    assert ended.out == ""
    assert not (folder / "runs").exists()


def test_a_report_is_not_written_over_a_folder(folder: Path) -> None:
    (folder / "mine.html").mkdir()
    ended = inside("analyse", ASKED, "--data", "farm.db", "--out", "mine.html", cwd=folder)
    assert ended.code == 2
    assert "mine.html cannot be written: it is a folder" in ended.err


def test_a_fault_is_a_json_object_too(folder: Path) -> None:
    ended = inside("analyse", ASKED, "--data", "none.db", "--json", cwd=folder)
    assert ended.code == 2
    assert set(ended.json()) == set(KEYS)
    assert ended.json()["status"] == "failed"
    assert "there is no file" in ended.json()["reason"]


def test_usage_that_no_command_takes_is_an_object_too(folder: Path) -> None:
    ended = inside("analyse", ASKED, "--date", "farm.db", "--json", cwd=folder)
    assert ended.code == 2
    assert set(ended.json()) == set(KEYS)
