"""`flows diff`: what differs between two runs."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from flows.core.journal import load
from flows.models.fake.answer import ClientRequest, FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.inside import inside

DATA = "region,amount\nNorth,12.5\nSouth,40\nEast,8\n"
ANALYST = """\
_target_: sequential
name: Ask
input_interface: [question]
data: {sales: sales.csv}
inputs: {question: What is the total amount by region}
subflows_config:
  ask: {_target_: sql}
  say: {_target_: human.feedback}
topology:
  - {goal: Ask, flow: ask}
  - {goal: Say, flow: say}
model: {_target_: model.offline}
human: {_target_: human.scripted, path: said.txt}
"""
CHAT = """\
_target_: chat
name: Talk
human_prompt: mine.j2
inputs: {word: hello}
model: {_target_: model.openai, model: some-model, base_url: "BASE"}
"""
BOTH = """\
_target_: parallel
name: Both
model: {_target_: model.openai, model: some-model, base_url: "BASE"}
input_interface: []
subflows_config:
  left: {_target_: chat, human_prompt: left.j2}
  right: {_target_: chat, human_prompt: right.j2}
topology:
  - goal: Left
    flow: left
    output_interface: {keys_to_rename: {api_output: l, finish: lf}}
  - goal: Right
    flow: right
    output_interface: {keys_to_rename: {api_output: r, finish: rf}}
"""


def ran(folder: Path, *overrides: str) -> str:
    """Run the file; the run's id."""
    ended = inside("run", "my.yaml", "--json", *overrides, cwd=folder)
    assert ended.code in (0, 4, 75), ended.err
    run_id: str = ended.json()["run_id"]
    return run_id


def compared(folder: Path, one: str, other: str) -> dict[str, Any]:
    ended = inside("diff", one, other, "--json", cwd=folder)
    assert ended.code == 0, ended.err
    return ended.json()


@pytest.fixture
def analyst(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text(DATA)
    (tmp_path / "my.yaml").write_text(ANALYST)
    (tmp_path / "said.txt").write_text("fine\n")
    return tmp_path


@pytest.mark.long("whole runs of the command")
def test_two_runs_of_one_file_do_not_differ(analyst: Path) -> None:
    """A query takes another time each time; that is no difference, and is said."""
    one, other = ran(analyst), ran(analyst)
    found = compared(analyst, one, other)
    assert (found["config"], found["prompts"], found["code"]) == ([], [], [])
    assert found["first_divergence"] is None
    assert [each["run_id"] for each in found["runs"]] == [one, other]
    shown = inside("diff", one, other, cwd=analyst)
    assert shown.code == 0
    assert "none: both runs have the same steps with the same outcomes" in shown.out
    assert "finished  (both)" in shown.out


@pytest.mark.long("whole runs of the command")
def test_a_run_that_was_gone_on_with_does_not_differ(analyst: Path) -> None:
    (analyst / "said.txt").write_text("")
    waiting = ran(analyst)
    (analyst / "said.txt").write_text("fine\n")
    whole = ran(analyst)
    ended = inside("resume", waiting, "--answer", "fine", cwd=analyst)
    assert ended.code == 0, ended.err
    assert compared(analyst, waiting, whole)["first_divergence"] is None


@pytest.mark.long("whole runs of the command")
def test_a_changed_config_is_told_with_the_step_at_which_it_shows(analyst: Path) -> None:
    one, other = ran(analyst), ran(analyst, "ask.max_rows=2")
    found = compared(analyst, one, other)
    key = "subflows_config.ask.max_rows"
    assert found["config"] == [{"key": key, "one": "(not there)", "other": 2}]
    first = found["first_divergence"]
    assert first["step"] == "ask#1/query#1"
    changed = {each["key"]: (each["one"], each["other"]) for each in first["differences"]}
    assert changed["observation.table.total_rows"] == (3, 2)
    assert changed["observation.table.truncated"] == (False, True)
    shown = inside("diff", one, other, cwd=analyst).out
    assert f"{key}: (not there) → 2" in shown
    assert "observation.table.total_rows: 3 → 2" in shown


@pytest.mark.long("whole runs of the command")
def test_other_inputs_are_told_at_the_first_step(analyst: Path) -> None:
    one, other = ran(analyst), ran(analyst, "question=What is the highest amount")
    found = compared(analyst, one, other)
    assert [each["key"] for each in found["config"]] == ["inputs.question"]
    assert found["first_divergence"]["step"] == "ask#1/write#1"
    assert found["first_divergence"]["what"] == "it was given other inputs"


@pytest.mark.long("whole runs of the command")
def test_what_only_one_run_did_is_told(analyst: Path) -> None:
    whole = ran(analyst)
    (analyst / "said.txt").write_text("")
    waiting = ran(analyst)
    first = compared(analyst, whole, waiting)["first_divergence"]
    assert (first["step"], first["what"]) == ("say#1", "only the first run has it")
    first = compared(analyst, waiting, whole)["first_divergence"]
    assert (first["step"], first["what"]) == ("say#1", "only the second run has it")
    assert "waiting: " in inside("diff", whole, waiting, cwd=analyst).out


def chat_project(folder: Path, base_url: str) -> None:
    (folder / "prompts").mkdir()
    (folder / "prompts" / "mine.j2").write_text("{#- variables: word -#}\nSay\n{{ word }}\n")
    (folder / "my.yaml").write_text(CHAT.replace("BASE", base_url))


def test_a_changed_prompt_is_told_with_its_line(tmp_path: Path) -> None:
    with FakeModel(lambda _: FakeAnswer(text="the same")) as server:
        chat_project(tmp_path, server.base_url)
        one = ran(tmp_path)
        mine = tmp_path / "prompts" / "mine.j2"
        mine.write_text(mine.read_text().replace("Say", "Say twice"))
        other = ran(tmp_path)
    found = compared(tmp_path, one, other)
    assert found["prompts"] == [
        {"prompt": "mine.j2", "flows": [""], "line": 2, "one": "Say", "other": "Say twice"}
    ]
    assert found["first_divergence"]["what"] == "the same inputs, but another request to the model"
    shown = inside("diff", one, other, cwd=tmp_path).out
    assert "mine.j2, line 2" in shown
    assert "+ Say twice" in shown


def test_another_reply_to_the_same_request_is_another_outcome(tmp_path: Path) -> None:
    with FakeModel() as server:
        server.script(FakeAnswer(text="yes"), FakeAnswer(text="no", usage=None))
        chat_project(tmp_path, server.base_url)
        one, other = ran(tmp_path), ran(tmp_path)
    found = compared(tmp_path, one, other)
    first = found["first_divergence"]
    assert first["what"] == "the same inputs, but another outcome"
    assert first["differences"] == [{"key": "api_output", "one": "yes", "other": "no"}]
    shown = inside("diff", one, other, cwd=tmp_path).out
    assert "yes" in shown.split("Side by side")[1]
    assert "tokens not counted" in shown
    cost = next(line for line in shown.split("\n") if line.startswith("Cost"))
    assert "unknown" in cost
    assert "$0" not in cost


def test_a_failure_instead_of_an_outcome_is_told(tmp_path: Path) -> None:
    with FakeModel() as server:
        server.script(FakeAnswer(text="yes"), FakeAnswer(status=401))
        chat_project(tmp_path, server.base_url)
        one, other = ran(tmp_path), inside("run", "my.yaml", "--json", cwd=tmp_path)
    assert other.code == 3
    found = compared(tmp_path, one, other.json()["run_id"])
    assert found["first_divergence"]["what"].startswith("it failed only in the second run: ")
    assert [each["status"] for each in found["runs"]] == ["finished", "failed"]


def test_the_order_in_which_parallel_steps_end_is_no_difference(tmp_path: Path) -> None:
    slow = ["left"]

    def answer(request: ClientRequest) -> FakeAnswer:
        said = request.said("user").strip()
        return FakeAnswer(text=f"{said} it is", delay=0.3 if said in slow else 0.0)

    prompts = tmp_path / "prompts"
    prompts.mkdir()
    for name in ("left", "right"):
        (prompts / f"{name}.j2").write_text(f"{{#- variables: -#}}\n{name}\n")
    with FakeModel(answer) as server:
        (tmp_path / "my.yaml").write_text(BOTH.replace("BASE", server.base_url))
        one = ran(tmp_path)
        slow[:] = ["right"]
        other = ran(tmp_path)
    assert outcomes(tmp_path, one) == ["right#1", "left#1"]
    assert outcomes(tmp_path, other) == ["left#1", "right#1"]
    assert compared(tmp_path, one, other)["first_divergence"] is None


def outcomes(folder: Path, run: str) -> list[str]:
    """The steps of a run, in the order in which they ended."""
    return [row.address for row in load(folder / "runs" / run) if row.kind == "outcome"]


def test_a_key_is_named_and_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_KEY", "sk-one")
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    with FakeModel(lambda _: FakeAnswer(text="the same")) as server:
        chat_project(tmp_path, server.base_url)
        trust = ("--trust", server.base_url)
        one = ran(tmp_path, "+model.api_key=${env:ONE_KEY}", *trust)
        other = ran(tmp_path, "+model.api_key=${env:OTHER_KEY}", *trust)
    (key,) = compared(tmp_path, one, other)["config"]
    assert key["key"] == "model.api_key"
    assert (key["one"], key["other"]) == ("*** (${env:ONE_KEY})", "*** (${env:OTHER_KEY})")


def test_runs_of_other_folders_and_unknown_ones(analyst: Path, tmp_path: Path) -> None:
    one = ran(analyst)
    copytree(analyst / "runs" / one, tmp_path / "elsewhere" / one)
    ended = inside("diff", one, one, "--runs", "elsewhere", cwd=tmp_path)
    assert ended.code == 0
    unknown = inside("diff", one, "nothing", cwd=analyst)
    assert unknown.code == 2
    assert "there is no run 'nothing'" in unknown.err
