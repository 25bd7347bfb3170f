"""`flows check`: all faults, what is checked, the worst case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import PROJECT
from tests.cli.inside import CHAIN, inside, write

BROKEN = """\
_target_: circular
name: Broken
max_round: 3
input_interface: [goal]
subflows_config:
  ask: {_target_: chatt}
  end:
    _target_: finish
    retry: {attempts: 0}
  look:
    _target_: sequential
    topology:
      - {goal: Look, flow: nobody}
topology:
  - {goal: Ask, flow: ask, input_interface: {additional_transformations: [{_target_: Upper}]}}
"""
PLACES = {
    "my.yaml:3:1": "unknown key 'max_round'",
    "my.yaml:6:19": "there is no flow named 'chatt'",
    "my.yaml:9:23": "attempts",
    "my.yaml:13:28": "there is no subflow 'nobody'",
    "my.yaml:15:86": "there is no transformation named 'Upper'",
}


BUILT_IN = sorted(each.stem for each in (PROJECT / "configs").glob("*.yaml"))
AGENTS = ("extract", "transform", "model", "chart", "insights", "analyse", "documents")


def test_the_demo_is_right_and_its_worst_case_is_known(tmp_path: Path) -> None:
    ended = inside("check", str(PROJECT / "demo.yaml"), cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert "nothing is wrong" in ended.out
    assert "autogpt.yaml" in ended.out
    assert "at most 18540 (30 rounds x 618, with all corrections)" in ended.out
    assert not list(tmp_path.iterdir())  # nothing ran, nothing is written


def test_every_fault_is_said_at_once(tmp_path: Path) -> None:
    ended = inside("check", write(tmp_path, BROKEN), cwd=tmp_path)
    assert ended.code == 2
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert "error: my.yaml:3:1: max_round: unknown key 'max_round'" in ended.err
    assert "  did you mean: max_rounds\n  allowed: name, description" in ended.err
    lines = ended.err.splitlines()
    for place, problem in PLACES.items():
        assert any(place in line and problem in line for line in lines), (place, ended.err)
    assert f"{len(PLACES)} faults" in lines
    assert max(len(line) for line in lines if "allowed" in line) <= 100


def test_json_is_one_object_for_good_and_bad_files(tmp_path: Path) -> None:
    good = inside("check", write(tmp_path, CHAIN, "good.yaml"), "--json", cwd=tmp_path)
    assert good.code == 0
    found = good.json()
    assert found["status"] == "ok"
    assert found["flows"] == ["Chain", "first", "second"]
    assert found["missing_inputs"] == ["answer"]
    assert found["model_calls"] == 0
    bad = inside("check", write(tmp_path, BROKEN), "--json", cwd=tmp_path)
    assert bad.code == 2
    errors = bad.json()["errors"]
    assert [each["place"] for each in errors] == sorted(
        PLACES, key=lambda place: int(place.split(":")[1])
    )
    assert errors[0]["meant"] == "max_rounds"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("max_rounds=2", "at most 12 (2 rounds x 6"),
        ("max_rounds=null", "no limit (any number of rounds x 6"),
        ("limits.rounds=4", "at most 24 (4 rounds x 6"),
        ("limits.model_calls=5", "at most 5 (30 rounds x 6, with all corrections); limits.model_c"),
        ("Controller.corrections=0", "at most 120 (30 rounds x 4"),
        ("Executor.sql=describe ~Executor.python", "at most 90 (30 rounds x 3"),
        ("goal=null", None),
    ],
)
def test_worst_case(override: str, said: str | None, tmp_path: Path) -> None:
    plain = [f"~Executor.{each}" for each in AGENTS]
    ended = inside("check", str(PROJECT / "demo.yaml"), *override.split(), *plain, cwd=tmp_path)
    assert (ended.code, said is None or said in ended.out) == (0, True), ended


@pytest.mark.parametrize(
    ("override", "said"),
    [
        # 3 for the command, 4 actions with 2 corrections each.
        ("~Executor.analyse", "30 rounds x 15"),
        # 3 actions of the manager, 2 tasks and looks of the memory and one more, the summary.
        ("Executor.analyse.Team.most_tasks=2", "30 rounds x 48"),
        ("Executor.analyse.Team.most_tasks=4", "30 rounds x 78"),
    ],
)
def test_the_worst_case_of_agents_and_teams(override: str, said: str, tmp_path: Path) -> None:
    ended = inside("check", str(PROJECT / "demo.yaml"), override, cwd=tmp_path)
    assert (ended.code, said is None or said in ended.out) == (0, True), ended


@pytest.mark.long("whole runs of the command")
def test_data_and_inputs_are_checked(tmp_path: Path) -> None:
    demo = str(PROJECT / "demo.yaml")
    (tmp_path / "photo.png").write_bytes(b"x")
    ended = inside("check", demo, "data.a=no.csv", "data.b=photo.png", cwd=tmp_path)
    assert ended.code == 2
    assert "override 1 (data.a=no.csv): data.a:" in ended.err
    assert "override 2 (data.b=photo.png): data.b:" in ended.err
    unknown = inside("check", demo, "+inputs.gaol=x", cwd=tmp_path)
    assert unknown.code == 2
    assert "inputs.gaol: unknown input 'gaol'\n  did you mean: goal" in unknown.err
    needs = inside("check", str(PROJECT / "configs" / "autogpt.yaml"), cwd=tmp_path)
    assert needs.code == 0
    assert "to run it    give goal=..." in needs.out


def test_hostile_text_reaches_no_terminal(tmp_path: Path) -> None:
    name = write(tmp_path, '_target_: "fin\\e[31mish\\x07\\u202e"\n')
    ended = inside("check", name, cwd=tmp_path)
    assert ended.code == 2
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.err)
    assert json.dumps(ended.err).isascii()


def test_an_input_can_be_given_as_it_says(tmp_path: Path) -> None:
    offline = "model: {_target_: model.offline}\n"
    for text, said in (
        ("_target_: chat\n", "give +inputs.question=..."),  # a chat has it of its prompt alone
        ("_target_: sql\n", "give question=..."),
        (CHAIN, "give answer=..."),
    ):
        name = write(tmp_path, f"{text}{offline}")
        told = inside("check", name, cwd=tmp_path)
        assert f"to run it    {said}" in told.out, told
        given = said.removeprefix("give ").replace("...", "Hello")
        again = inside("check", name, given, cwd=tmp_path)
        assert (again.code, "to run it" in again.out) == (0, False), again


WARNED = """\
_target_: sequential
input_interface: [text]
subflows_config:
  end: {_target_: finish}
topology:
  - goal: End
    flow: end
    input_interface: {keys_to_rename: {text: answer}, keys_to_set: {unread: 1}}
"""


def test_warnings_are_counted_and_are_no_fault(tmp_path: Path) -> None:
    ended = inside("check", write(tmp_path, WARNED), cwd=tmp_path)
    assert ended.code == 0
    assert ended.out.startswith("my.yaml: 1 warning, no fault\n  warning ")
    assert "nothing is wrong" not in ended.out
    assert "nothing reads the key 'unread'" in ended.out


def test_a_text_in_words_is_the_input_of_the_run(tmp_path: Path) -> None:
    file = write(tmp_path, CHAIN)
    assert inside("check", file, "--json", cwd=tmp_path).json()["missing_inputs"] == ["answer"]
    ended = inside("check", file, "Sales grow in the north", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["missing_inputs"] == []
    twice = inside("check", file, "Sales grow", "No, they fall", cwd=tmp_path)
    assert twice.code == 2
    assert "one text can be given in words" in twice.err


def test_a_key_that_has_to_be_given_is_told_with_the_command(tmp_path: Path) -> None:
    ended = inside("check", "documents", cwd=tmp_path)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    told = "error: documents:1:1: folder: 'folder' must be given, in the file or here: "
    assert ended.err == f"{told}flows check documents folder=...\n"
    (tmp_path / "packs").mkdir()
    assert inside("check", "documents", "folder=packs", cwd=tmp_path).code == 0


@pytest.mark.long("builds each built-in config")
def test_a_built_in_config_has_no_faults(tmp_path: Path) -> None:
    for name in BUILT_IN:
        more = ("folder=.",) if name == "documents" else ()
        ended = inside("check", name, *more, cwd=tmp_path)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith(f"{name}: nothing is wrong")
