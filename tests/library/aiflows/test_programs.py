"""`flows run FILE.py`: programs that launch flows as the examples of aiflows do."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from flows.core.journal import load
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.command import Ended, environment, flows
from tests.cli.inside import inside
from tests.library.aiflows.published import FOLDER
from tests.library.world import World

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")

READ = """
import os
import sys

import hydra

from aiflows import flow_verse

flow_verse.sync_dependencies([{"url": "aiflows/ChatFlowModule", "revision": "main"}])

from aiflows.backends.api_info import ApiInfo
from aiflows.base_flows import AtomicFlow, SequentialFlow
from aiflows.flow_launchers import FlowLauncher
from aiflows.utils.general_helpers import read_yaml_file
from flow_modules.aiflows.ChatFlowModule import ChatAtomicFlow

HERE = os.path.dirname(os.path.abspath(__file__))


def make():
    config = read_yaml_file(os.path.join(HERE, "simple_qa.yaml"))
    key = ApiInfo(backend_used="openai", api_key=os.environ["MY_KEY"], api_base=sys.argv[1])
    config["flow"]["backend"]["api_infos"] = [key]
    return {
        each: hydra.utils.instantiate(config[each], _recursive_=False, _convert_="partial")
        for each in ("flow", "input_interface", "output_interface")
    }
"""
CHAT = """
if __name__ == "__main__":
    sample = {"id": 0, "question": "Where is the inn?"}
    full, outputs = FlowLauncher.launch(make(), sample, path_to_output_file="out.jsonl")
    print(outputs, full[0]["error"])
"""
CLASSES = """
class AddFlow(AtomicFlow):
    __default_flow_config = {"description": "Adds.", "input_interface": ["n"], "amount": 1}

    def run(self, input_data):
        if input_data["n"] < 0:
            raise ValueError("it is negative")
        return {"n": input_data["n"] + self.flow_config["amount"]}


if __name__ == "__main__":
    add = {"_target_": "adding.AddFlow.instantiate_from_default_config", "name": "A",
           "amount": 5}
    flow = SequentialFlow.instantiate_from_default_config(
        name="Twice", description="Adds twice.", input_interface=["n"], output_interface=["n"],
        subflows_config={"add": add}, topology=[{"goal": "1", "flow": "add"},
                                                {"goal": "2", "flow": "add"}],
    )
    data = [{"id": number, "n": number} for number in range(2)]
    print(FlowLauncher.launch({"flow": flow}, data)[1][-1])
    alone = AddFlow.instantiate_from_default_config(name="Alone")
    print(FlowLauncher.launch({"flow": alone}, {"id": 0, "n": -1})[1])
"""
THREADS = """
if __name__ == "__main__":
    launcher = FlowLauncher(
        n_workers=2, single_threaded=False, debug=False, output_dir="out",
        n_independent_samples=1, fault_tolerant_mode=False, n_batch_retries=1,
        wait_time_between_retries=1,
    )
    data = [{"id": number, "question": f"Where is inn {number}?"} for number in range(5)]
    launcher.predict_dataloader(data, flows_with_interfaces=[make(), make()])
"""
KEY = "sk-a-key-of-the-program"


def launched(world: World, server: FakeModel, name: str, text: str) -> Ended:
    shutil.copy(FOLDER / "simple_qa.yaml", world.folder)
    world.write(f"{name}.py", READ + text)
    address = server.base_url.removesuffix("/v1")
    done = flows(
        "run", f"{name}.py", server.base_url, "--trust", address,
        cwd=world.folder, env=environment(MY_KEY=KEY),
    )  # fmt: skip
    left = sorted(each.name for each in world.folder.glob(".*.yaml"))
    assert left == []  # what is made of a config of the program is not left there
    return done


def runs(folder: Path) -> list[Path]:
    return sorted((folder / "runs").iterdir())


@pytest.mark.long("a program in a process of its own, as a user starts it")
def test_a_program_launches_a_file_and_its_key_is_written_nowhere(
    world: World, server: FakeModel
) -> None:
    server.script(FakeAnswer("Here."))
    done = launched(world, server, "launch", CHAT)
    assert done.code == 0, done.err
    assert done.out == "[[{'answer': 'Here.'}]] None\n"
    (run,) = runs(world.folder)
    assert f"finished, runs/{run.name}" in done.err
    (line,) = (world.folder / "out.jsonl").read_text().splitlines()
    written = json.loads(line)
    assert written["inference_outputs"][0]["data"]["output_data"] == {"api_output": "Here."}
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    kept = [each for each in world.folder.rglob("*") if each.is_file()]
    assert not any(KEY.encode() in each.read_bytes() for each in kept)
    shown = inside("show", "last", cwd=world.folder)
    assert shown.code == 0, shown.err
    assert "Here." in shown.out


WRONG = """
class AddFlow(AtomicFlow):
    def run(self, input_data):
        return {"n": input_data["n"] + 1}


if __name__ == "__main__":
    steps = [{"goal": "1", "flow": "add"}]
    flow = SequentialFlow.instantiate_from_default_config(
        name="Once", description="Adds.", input_interface=["n"], output_interface=["n"],
        early_exit_key=5,
        subflows_config=read_yaml_file(os.path.join(HERE, "steps.yaml")), topology=steps,
    )
    FlowLauncher.launch({"flow": flow}, [{"id": 0, "n": 1}])
"""
STEPS = (
    "add:\n  _target_: faulty.AddFlow.instantiate_from_default_config\n  name: A\n  timeout: soon\n"
    "  description: Adds.\n"
)


@pytest.mark.long("a program in a process of its own, as a user starts it")
def test_a_fault_of_a_config_is_told_where_the_program_has_it_from(
    world: World, server: FakeModel
) -> None:
    world.write("steps.yaml", STEPS)
    done = launched(world, server, "faulty", WRONG)
    assert done.code == 4
    line = (READ + WRONG).split("early_exit_key")[0].count("\n") + 1
    assert f"faulty.py:{line}:24: early_exit_key: must be text, not 5" in done.err
    assert "steps.yaml:4:12: subflows_config.add.timeout: must be a number, not 'soon'" in done.err


def test_a_check_of_a_program_says_what_can_be_checked(world: World) -> None:
    world.write("launch.py", CLASSES)
    checked = inside("check", "launch.py", cwd=world.folder)
    assert checked.code == 2
    assert "with flows run launch.py; what can be checked is a file that it reads" in checked.err


@pytest.mark.long("a program in a process of its own, as a user starts it")
def test_a_program_launches_classes_of_its_own_and_fails_with_their_error(
    world: World, server: FakeModel
) -> None:
    done = launched(world, server, "adding", CLASSES)
    assert done.out == "[{'n': 10}, {'n': 11}]\n", done.err
    assert done.code == 4
    assert "error: Alone: failed: call#1: ValueError: it is negative (runs/" in done.err
    outcomes = [
        [each.address for each in load(run) if each.kind == "outcome"] for run in runs(world.folder)
    ]
    steps = ["add#1/call#1", "add#2/call#1"]
    assert sorted(outcomes) == [[], steps, steps]


@pytest.mark.long("a program in a process of its own, with threads")
def test_the_workers_of_a_launcher_run_at_once_each_with_a_run(
    world: World, server: FakeModel
) -> None:
    server.script(*[FakeAnswer(f"Here {number}.") for number in range(5)])
    done = launched(world, server, "threads", THREADS)
    assert done.code == 0, done.err
    files = [world.folder / "out" / "predictions" / f"predictions_{each}.jsonl" for each in (0, 1)]
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert sorted(each["id"] for each in rows) == [0, 1, 2, 3, 4]
    said = sorted(row["human_readable_outputs"][0]["answer"] for row in rows)
    assert said == [f"Here {number}." for number in range(5)]
    assert len(runs(world.folder)) == 5


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = inside("run", "none.py", cwd=tmp_path, env=dict(os.environ))
    assert done.code == 2
    assert "there is no program none.py" in done.err
