"""Modules of the FlowVerse in `flow_modules/`, and the cards of flows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.inside import inside

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")

FILES = {
    "__init__.py": """
from aiflows import flow_verse

flow_verse.sync_dependencies([{"url": "aiflows/ChatFlowModule", "revision": "main"}])
from .ReverseFlow import ReverseFlow
""",
    "ReverseFlow.py": '''
from aiflows.base_flows import AtomicFlow


class ReverseFlow(AtomicFlow):
    """Reverses the digits of a number."""

    def run(self, input_data):
        return {"output_number": int(str(input_data["number"])[::-1])}
''',
    "ReverseFlow.yaml": """
name: Reverse
description: Reverses a number.
input_interface: [number]
output_interface: [output_number]
""",
    "README.md": "---\nlicense: mit\n---\n# Reverse\n\nTurns a number around.\n",
}
RUN_FILE = """
flow:
  _target_: flow_modules.me.ReverseModule.ReverseFlow.instantiate_from_default_config
  name: Reverse
"""
SYNC = """
from aiflows import flow_verse

flow_verse.sync_dependencies([{"url": "me/ReverseModule", "revision": "checkout"}])
"""
RUN = ("run", "reverse.yaml", "inputs.number=123", "--trust", "flow_modules", "--json")


def write_module(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A run file, and its module where syncing would have put it."""
    write_module(tmp_path / "flow_modules" / "me" / "ReverseModule")
    (tmp_path / "reverse.yaml").write_text(RUN_FILE)
    return tmp_path


def test_a_module_runs_and_fetches_nothing_that_is_served_here(project: Path) -> None:
    ended = inside(*RUN, cwd=project)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"output_number": 321}
    assert sorted(each.name for each in (project / "flow_modules").iterdir()) == ["me"]


def test_a_module_that_is_nowhere_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "reverse.yaml").write_text(RUN_FILE)
    ended = inside(*RUN, cwd=tmp_path)
    assert ended.code == 2
    assert "reverse.yaml:3:13" in ended.err
    assert "nor is there a flow_modules.py or a folder flow_modules" in ended.err


@pytest.mark.long("aiflows itself syncs in a process of its own, from a git checkout")
def test_what_a_script_syncs_from_a_checkout_runs(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    write_module(checkout)
    git = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org", "-C", str(checkout))
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Reverse")):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "reverse.yaml").write_text(RUN_FILE)
    (tmp_path / "sync.py").write_text(SYNC)
    subprocess.run([sys.executable, "sync.py"], cwd=tmp_path, check=True, capture_output=True)
    ended = inside(*RUN, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"output_number": 321}


def test_a_flow_is_shown_with_its_default_config_and_its_card(project: Path) -> None:
    name = "flow_modules.me.ReverseModule.ReverseFlow"
    card = inside("show-flow", name, "--trust", "flow_modules", "--json", cwd=project).json()
    assert card["text"] == "Reverses the digits of a number."
    assert card["card"] == "# Reverse\n\nTurns a number around."
    assert card["defaults"].endswith("ReverseModule/ReverseFlow.yaml")
    shown = inside("show-flow", name, "--trust", "flow_modules", cwd=project).out
    assert "Turns a number around." in shown
    assert "input_interface: [number]" in shown


def test_a_flow_of_ours_is_shown_by_any_of_its_names(tmp_path: Path) -> None:
    by_name = inside("show-flow", "aiflows.sequential", "--json", cwd=tmp_path).json()
    by_path = inside("show-flow", "aiflows.base_flows.SequentialFlow", "--json", cwd=tmp_path)
    assert by_path.json() == by_name
    [rounds] = [each for each in by_name["keys"] if each["name"] == "max_rounds"]
    assert (rounds["type"], rounds["needed"], rounds["default"]) == ("int | None", False, 1)
    whole = ["aiflows.base_flows.SequentialFlow", "aiflows.base_flows.sequential.SequentialFlow"]
    assert by_name["aliases"] == whole


def test_a_file_that_nobody_trusts_is_shown_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "shout.py").write_text(
        'raise SystemExit("it ran")\n\n\ndef shout(text: str, mark: str = "!") -> str:\n'
        '    """Says it loudly."""\n    return text.upper() + mark\n'
    )
    card = inside("show-flow", "./shout.py:shout", "--json", cwd=tmp_path).json()
    assert card["text"] == "Says it loudly."
    assert [(each["name"], each["needed"]) for each in card["inputs"]] == [
        ("text", True),
        ("mark", False),
    ]
    assert "not run" in card["source"]


@pytest.mark.long("whole runs of a flow")
def test_all_flows_are_listed_and_a_wrong_name_is_told(tmp_path: Path) -> None:
    listed = inside("show-flow", cwd=tmp_path)
    assert listed.code == 0
    assert "sequential" in listed.out
    wrong = inside("show-flow", "sequentail", cwd=tmp_path)
    assert wrong.code == 2
    assert "there is no flow named 'sequentail'" in wrong.err


ASKING = {
    "__init__.py": "from .Loud import LoudFlow, Shout\n",
    "Loud.py": '''
from aiflows.base_flows import AtomicFlow, SequentialFlow


class Shout(AtomicFlow):
    def run(self, input_data):
        return {"loud": input_data["api_output"].upper()}


class LoudFlow(SequentialFlow):
    """Asks, and shouts the answer."""
''',
    "LoudFlow.yaml": """
name: Loud
description: Asks, and shouts the answer.
input_interface: [query]
output_interface: [loud]
subflows_config:
  chat:
    _target_: flow_modules.aiflows.ChatFlowModule.ChatAtomicFlow.instantiate_from_default_config
    backend:
      api_infos: ???
  shout:
    _target_: .Shout.instantiate_from_default_config
    description: Shouts.
topology:
  - goal: ask
    flow: chat
    input_interface: {_target_: aiflows.interfaces.KeyInterface, keys_to_select: [query]}
  - goal: shout
    flow: shout
    input_interface: {_target_: aiflows.interfaces.KeyInterface, keys_to_select: [api_output]}
""",
}


def test_keys_that_the_default_config_of_a_module_leaves_out_are_those_of_the_environment(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "flow_modules" / "me" / "LoudModule"
    folder.mkdir(parents=True)
    for name, text in ASKING.items():
        (folder / name).write_text(text)
    target = "flow_modules.me.LoudModule.LoudFlow.instantiate_from_default_config"
    (tmp_path / "loud.yaml").write_text(f"flow:\n  _target_: {target}\n")
    ended = inside(
        "run", "loud.yaml", "inputs.query=How are you?", "--trust", "flow_modules", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"]["loud"].startswith("I AM THE OFFLINE MODEL")
