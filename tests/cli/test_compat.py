"""`flows check --compat`: what a file of aiflows means otherwise here, place by place."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from flows.build.builder import build
from flows.build.compat_report import ITEMS, compat_report
from tests.cli.inside import inside, write
from tests.library.aiflows.oracle.case import REFUSED, Case
from tests.library.aiflows.oracle.chat_cases import CHAT_CASES
from tests.library.aiflows.oracle.flow_cases import FLOW_CASES
from tests.library.aiflows.oracle.key_cases import KEY_CASES
from tests.library.aiflows.oracle.modules import write_classes
from tests.library.aiflows.published import FOLDER

ALL = r"""
flow:
  _target_: aiflows.base_flows.CircularFlow.instantiate_from_default_config
  name: Rounds
  keep_raw_response: true
  output_interface: [answer]
  subflows_config:
    Controller:
      _target_: flow_modules.aiflows.ControllerExecutorFlowModule.ControllerAtomicFlow
      name: Chooses
      commands: {finish: {description: 'Ends it at \${5}.', input_args: [answer]}}
      previous_messages: {first_k: 2, last_k: 1}
      input_interface_initialized: [observation]
      backend:
        api_infos: [{backend_used: openai, api_key: k, api_version: "2"}]
        wait_time_per_key: 3
    own: {_target_: ./own.py:own}
  topology:
    - goal: Choose
      flow: Controller
      input_interface:
        _target_: aiflows.interfaces.KeyInterface
        keys_to_copy: {goal: box.goal}
        additional_transformations:
          - _target_: aiflows.data_transformations.json.Obj2Json
            input_key: box
      output_interface:
        _target_: aiflows.interfaces.KeyInterface
        keys_to_delete: [plan]
        additional_transformations:
          - _target_: aiflows.data_transformations.RegexFirstOccurrenceExtractor
            regex: "[0-9]+"
            input_key: api_output
            output_key: number
            assert_unique: false
            strip: true
          - _target_: aiflows.data_transformations.EndOfInteraction
            input_key: api_output
            end_of_interaction_string: the end
            output_key: said.end
    - {goal: Go on, flow: own}
"""
OWN = """
def own(observation: str) -> dict[str, int]:
    return {"n": len(observation)}
"""
PATH = "subflows_config.Controller"
FOUND = [
    ("3:3", "early_exit_key", "same", 8, False),
    ("5:3", "keep_raw_response", "no effect", 0, False),
    ("6:3", "output_interface", "differs", 9, True),
    ("9:7", f"{PATH}._target_", "differs", 0, False),
    ("10:7", f"{PATH}.name", "same", 6, False),
    ("11:52", "", "differs", 10, False),
    ("12:7", f"{PATH}.previous_messages", "differs", 7, True),
    ("13:7", f"{PATH}.input_interface_initialized", "same", 5, False),
    ("15:56", f"{PATH}.backend.api_infos.0.api_version", "no effect", 0, False),
    ("16:9", f"{PATH}.backend.wait_time_per_key", "no effect", 0, False),
    ("23:9", "topology.0.input_interface.keys_to_copy", "differs", 3, True),
    ("23:9", "topology.0.input_interface.keys_to_copy", "differs", 4, True),
    ("25:13", "topology.0.input_interface.additional_transformations.0", "same", 0, False),
    ("25:13", "topology.0.input_interface.additional_transformations.0", "differs", 0, True),
    ("29:9", "topology.0.output_interface.keys_to_delete", "differs", 3, True),
    ("29:9", "topology.0.output_interface.keys_to_delete", "differs", 4, True),
    ("31:13", "topology.0.output_interface.additional_transformations.0", "differs", 1, True),
    ("40:13", "topology.0.output_interface.additional_transformations.1.output_key",
     "differs", 0, True),
    ("41:21", "topology.1.flow", "differs", 1, True),
    ("41:21", "topology.1.flow", "differs", 2, True),
]  # fmt: skip


def test_each_place_is_told_with_what_it_means(tmp_path: Path) -> None:
    write(tmp_path, OWN, "own.py")
    ended = inside("check", write(tmp_path, ALL), "--compat", "--json", cwd=tmp_path)
    told = json.loads(ended.out)["compat"]
    assert [
        (
            each["place"].removeprefix("my.yaml:"),
            each["path"],
            each["kind"],
            ITEMS.index(each["item"]) + 1 if each["item"] else 0,
            each["compat"],
        )
        for each in told
    ] == FOUND
    shown = inside("check", write(tmp_path, ALL), "--compat", cwd=tmp_path)
    differing = sum(each[2] == "differs" for each in FOUND)
    assert f"my.yaml: {differing} differences from aiflows 0.1.7" in shown.out
    assert (
        "  differs    my.yaml:12:7 [7] subflows_config.Controller.previous_messages: " in shown.out
    )
    assert all(f"[{number}] {name}" in shown.out for number, name in enumerate(ITEMS, 1))
    theirs = write(tmp_path, f"compat: aiflows-0.1{ALL}")
    told = json.loads(inside("check", theirs, "--compat", "--json", cwd=tmp_path).out)["compat"]
    assert {each["path"] for each in told if each["kind"] == "differs"} == {
        each[1] for each in FOUND if each[2] == "differs" and not each[4]
    }


def test_a_folder_is_told_file_by_file(tmp_path: Path) -> None:
    for name in ("autogpt", "vision_qa"):
        shutil.copy(FOLDER / f"{name}.yaml", tmp_path)
    write(tmp_path, "_target_: finish\n", "ours.yaml")
    write(tmp_path, "a: [", "broken.yaml")
    ended = inside("check", ".", "--compat", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert "autogpt.yaml: 5 differences from aiflows 0.1.7" in ended.out
    assert "vision_qa.yaml: no differences from aiflows 0.1.7" in ended.out
    assert ended.out.endswith("2 files of aiflows, 0 of them with faults\n")
    wrong = (FOLDER / "simple_qa.yaml").read_text(encoding="utf-8").replace("0.3", "hot")
    write(tmp_path, wrong, "wrong.yaml")
    ended = inside("check", ".", "--compat", cwd=tmp_path)
    assert ended.code == 2
    assert "wrong.yaml" in ended.err
    assert ended.out.endswith("3 files of aiflows, 1 of them with faults\n")


def test_a_file_of_ours_is_refused(tmp_path: Path) -> None:
    ended = inside("check", write(tmp_path, "_target_: finish\n"), "--compat", cwd=tmp_path)
    assert ended.code == 2
    assert "my.yaml is no file of aiflows" in ended.err
    (tmp_path / "my.yaml").unlink()
    assert "no file of aiflows is in ." in inside("check", ".", "--compat", cwd=tmp_path).err
    assert inside("check", "gone.yaml", "--compat", cwd=tmp_path).code == 2


@pytest.mark.long("imports aiflows itself, and builds the files that come to something else in it")
def test_what_differs_from_aiflows_itself_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cases that come to something else in the real package, as `test_oracle.py` sees."""
    pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")
    monkeypatch.chdir(tmp_path)
    write_classes(tmp_path)
    cases = (*KEY_CASES, *FLOW_CASES, *CHAT_CASES)
    differing = [each for each in cases if each.differs and each.here != REFUSED]
    assert len(differing) >= 10
    silent = [each.about for each in differing if not differences(each, tmp_path)]
    assert not silent


def differences(case: Case, folder: Path) -> list[str]:
    text = yaml.safe_dump(case.file, allow_unicode=True).replace("BASE_URL", "http://127.0.0.1:9")
    file = folder / "case.yaml"
    file.write_text(text, encoding="utf-8")
    remarks = compat_report(*build(file, trust=("scripted", "http://127.0.0.1:9")))
    return [each.text for each in remarks if each.kind == "differs"]
