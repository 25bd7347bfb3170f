"""What a run writes is deleted while it goes on: it never ends as if it were all there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.models.fake.answer import ClientRequest, FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.inside import inside, write
from tests.library.world import SALES

TALK = """\
defaults: [{model: openai}, _self_]
name: Talk
_target_: sequential
data: {sales: sales.csv}
input_interface: [sql, question]
output_interface: [api_output]
subflows_config: {Query: {_target_: query}, Chat: {_target_: chat}}
topology: [{goal: Get it, flow: Query}, {goal: Say it, flow: Chat}]
inputs: {sql: "SELECT region FROM sales", question: "Which regions are there?"}
"""


def delete_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def delete_journal(folder: Path) -> None:
    (folder / "journal.sqlite").unlink()


def delete_artifacts(folder: Path) -> None:
    shutil.rmtree(folder / "artifacts")


@pytest.mark.parametrize(
    ("delete", "code", "status", "said"),
    [
        (delete_folder, 4, "failed", "journal.sqlite was deleted or replaced"),
        (delete_journal, 4, "failed", "journal.sqlite was deleted or replaced"),
        (delete_artifacts, 0, "degraded", "what the run saved is gone from"),
    ],
)
def test_a_run_whose_files_are_deleted_while_it_waits_for_a_reply_says_so(
    delete: Callable[[Path], None],
    code: int,
    status: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "sales.csv").write_text(SALES)

    def answer(request: ClientRequest) -> FakeAnswer:
        """The model's, while which the files go."""
        [folder] = (tmp_path / "runs").iterdir()
        assert list((folder / "artifacts").iterdir())
        delete(folder)
        return FakeAnswer(f"You asked: {request.said()}")

    with FakeModel() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        server.otherwise = answer
        ended = inside("run", write(tmp_path, TALK), "--json", cwd=tmp_path)
    found = ended.json()
    assert (ended.code, found["status"]) == (code, status), found
    assert said in found["reason"]
    assert "Traceback" not in ended.err
    if status == "degraded":
        assert found["outputs"]["api_output"].startswith("You asked")
        shown = inside("show", found["run_id"], "--json", cwd=tmp_path).json()
        assert shown["status"] == "degraded"
        again = inside("replay", "last", "--json", cwd=tmp_path)
        assert (again.code, again.json()["reason"]) == (0, found["reason"])
