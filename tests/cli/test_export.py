"""`flows export RUN DIR`: a folder to hand on, whole or not at all."""

from __future__ import annotations

import hashlib
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from flows.core.artifacts import Artifact, Artifacts, Origin
from flows.core.journal import Journal
from tests.cli.inside import inside
from tests.runners.journals import Told, add, end, outcome, start, write_run

BAD = "<script>alert(1)</script><img src=x onerror=alert(1)>"
STEP = "Executor#1/sql#1"


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]


def made_run(folder: Path, *after: Told, answer: str = "It is 5 <b>or</b> 7.") -> list[Artifact]:
    """A run that made a table, a figure and a piece of code, and answered."""
    run = folder / "runs" / "r"
    artifacts = Artifacts(run)
    origin = Origin(query=f"SELECT 5 AS n -- {BAD}", inputs={"sales": "ab" * 32})
    saved = [
        artifacts.save(
            STEP, "result", "json", b"{}", BAD, origin, what="table",
            forms={"csv": b"n\n5\n", "parquet": b"PAR1"},
        ),
        artifacts.save(STEP, "plot", "png", b"PNG", "A plot", Origin(code="plot()"), what="figure"),
        artifacts.save(STEP, "code", "py", b"plot()\n", "plot()", what="code"),
        artifacts.save(STEP, "old", "csv", b"1\n", "of an older version"),
    ]  # fmt: skip
    cited: list[dict[str, Any]] = [
        {"text": "5", "start": 6, "end": 7, "origin": "cell", "result": saved[0].name, "row": 0,
         "column": "n", "value": 5, "sql": "SELECT 5 AS n"},
        {"text": "7", "start": 18, "end": 19, "origin": "none"},
    ]  # fmt: skip
    outputs = {"answer": answer, "citations": cited}
    rows = start(), outcome(STEP, saved=[each.model_dump() for each in saved])
    journal = Journal.open(run, create=True)
    add(journal, [*rows, *(after or (end(outputs=outputs),))])
    journal.close()
    return saved


def files_in(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())


def test_the_folder_holds_what_was_made_under_readable_names(tmp_path: Path) -> None:
    saved = made_run(tmp_path)
    done = inside("export", "last", "out", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "out/index.html\n", "")
    assert files_in(tmp_path / "out") == [
        "code/03-code.py",
        "figures/02-plot.png",
        "files/04-old.csv",
        "index.html",
        "origin.json",
        "tables/01-result.csv",
        "tables/01-result.parquet",
    ]
    assert (tmp_path / "out/tables/01-result.csv").read_bytes() == b"n\n5\n"
    told = json.loads((tmp_path / "out/origin.json").read_text())
    assert (told["run_id"], told["status"], told["inputs"]) == ("r", "finished", {"goal": "Count"})
    table = told["artifacts"][0]
    assert (table["artifact"], table["step"]) == (saved[0].name, STEP)
    assert table["origin"]["inputs"] == {"sales": "ab" * 32}
    assert table["made"].startswith("20")
    for artifact in told["artifacts"]:
        for file in artifact["files"]:
            content = (tmp_path / "out" / file["path"]).read_bytes()
            assert hashlib.sha256(content).hexdigest() == file["sha256"]


def test_the_page_shows_answer_and_origins_and_runs_nothing(tmp_path: Path) -> None:
    made_run(tmp_path)
    inside("export", "last", "out", cwd=tmp_path)
    page = (tmp_path / "out" / "index.html").read_text()
    found = Elements(page)
    assert "script" not in found.tags
    assert found.tags.count("img") == 1  # the figure
    assert "It is 5<sup>" in page
    assert "&lt;b&gt;or&lt;/b&gt; <mark>7</mark><sup>" in page
    assert "1 of 2 traced to their source" in page
    assert "no source was found" in page
    assert "SELECT 5 AS n -- &lt;script&gt;" in page
    assert "ab" * 32 in page
    for link in found.links:
        assert link.startswith("#") or (tmp_path / "out" / link).is_file()


def test_a_file_that_is_not_as_written_is_left_out_and_named(tmp_path: Path) -> None:
    saved = made_run(tmp_path)
    run = tmp_path / "runs" / "r"
    (run / saved[1].path).unlink()
    (run / saved[2].path).write_bytes(b"other()")
    secret = tmp_path / "secret.csv"
    secret.write_bytes(b"1\n")
    (run / saved[3].path).unlink()
    (run / saved[3].path).symlink_to(secret)
    done = inside("export", "last", "out", cwd=tmp_path)
    assert done.code == 0
    assert f"{saved[1].path}: missing, left out" in done.err
    assert f"{saved[2].path}: changed, left out" in done.err
    assert f"{saved[3].path}: changed, left out" in done.err
    assert [each[:6] for each in files_in(tmp_path / "out")][2:] == ["tables"] * 2
    assert "png: missing, so it is not here" in (tmp_path / "out/index.html").read_text()


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    made_run(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    done = inside("export", "last", "out", cwd=tmp_path)
    assert done.code == 2
    assert "is not empty; allowed: a new folder or an empty one, or with --force" in done.err
    assert files_in(tmp_path / "out") == ["mine.txt"]
    forced = inside("export", "last", "out", "--force", cwd=tmp_path)
    assert forced.code == 0
    (aside,) = tmp_path.glob("out.before-*")
    assert files_in(aside) == ["mine.txt"]
    assert aside.name in forced.err
    again = inside("export", "last", "out", "--force", cwd=tmp_path)
    assert (again.code, again.err) == (0, "")
    assert {each.name for each in tmp_path.iterdir()} == {aside.name, "out", "runs"}


@pytest.mark.parametrize("where", [".", "runs", "runs/r", "file", "link"])
def test_what_must_not_be_replaced_is_not(tmp_path: Path, where: str) -> None:
    made_run(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    before = files_in(tmp_path)
    done = inside("export", "last", where, "--force", cwd=tmp_path)
    assert done.code == 2
    assert files_in(tmp_path) == before


def test_runs_without_an_answer_or_artifacts(tmp_path: Path) -> None:
    made_run(tmp_path, end("unfinished"))
    assert inside("export", "last", "out", cwd=tmp_path).code == 0
    assert "There is no answer yet." in (tmp_path / "out" / "index.html").read_text()
    write_run(tmp_path / "runs" / "bare", [start()])
    done = inside("export", "bare", "empty", "--json", cwd=tmp_path)
    assert done.json() == {"folder": "empty", "run_id": "bare", "artifacts": []}
    assert files_in(tmp_path / "empty") == ["index.html", "origin.json"]
    assert "Nothing was kept." in (tmp_path / "empty" / "index.html").read_text()


def test_a_damaged_run_and_one_that_there_is_not(tmp_path: Path) -> None:
    made_run(tmp_path)
    (tmp_path / "runs" / "r" / "journal.sqlite").write_bytes(b"x" * 5000)
    assert inside("export", "r", "out", cwd=tmp_path).code == 4
    assert inside("export", "other", "out", cwd=tmp_path).code == 2
    assert not (tmp_path / "out").exists()
