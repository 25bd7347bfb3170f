"""`flows convert`: a file of aiflows in our form gives what the file itself gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.build.trust import Trust
from flows.core.events import Event
from flows.errors import ConfigError, FlowsError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.conversion import convert_file
from flows.runners.door import run
from tests.cli.inside import inside, write
from tests.library.aiflows.oracle.bench import calls_of, plain
from tests.library.aiflows.oracle.case import REFUSED
from tests.library.aiflows.oracle.flow_cases import FLOW_CASES
from tests.library.aiflows.oracle.key_cases import KEY_CASES
from tests.library.aiflows.oracle.modules import write_classes
from tests.library.aiflows.published import EXAMPLES, MODULE, Example, put, start
from tests.library.world import World

TRUST = Trust(("scripted", MODULE))
ONE = """
flow:
  _target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
  name: One
  input_interface: [query]
  output_interface: [said]
  subflows_config:
    chat:
      _target_: flow_modules.aiflows.ChatFlowModule.ChatAtomicFlow.instantiate_from_default_config
      description: Chats at \\${5}.
      n_api_retries: 2
      backend: {api_infos: '???', model_name: gpt-4, temperature: 0.5}
  topology:
    - goal: Ask
      flow: chat
      output_interface:
        _target_: aiflows.interfaces.KeyInterface
        keys_to_rename: {api_output: a, a: said}
inputs: {query: 'Is it \\${x}?', id: 0}
"""
OURS = {
    "defaults": [
        {"model": "offline"},
        {"memory": "chroma"},
        {"human": "terminal"},
        {"prices": "list"},
        "_self_",
    ],
    "name": "One",
    "_target_": "sequential",
    "input_interface": {"query": "any", "demonstrations": "any?"},
    "output_interface": ["said"],
    "subflows_config": {
        "chat": {
            "_target_": "aiflows.chat",
            "description": "Chats at \\${5}.",
            "n_api_retries": 2,
            "backend": {
                "_target_": "model.litellm",
                "model_name": "gpt-4",
                "temperature": 0.5,
                "max_tokens": 2000,
                "top_p": 0.2,
                "stream": True,
            },
        }
    },
    "topology": [
        {
            "goal": "Ask",
            "flow": "chat",
            "output_interface": {
                "additional_transformations": [
                    {"_target_": "KeyRename", "old_key2new_key": {"api_output": "a"}},
                    {"_target_": "KeyRename", "old_key2new_key": {"a": "said"}},
                ]
            },
        }
    ],
    "inputs": {"query": "Is it \\${x}?"},
}


def test_the_new_file_is_in_our_names(tmp_path: Path) -> None:
    ended = inside("convert", write(tmp_path, ONE), "-o", "ours.yaml", cwd=tmp_path)
    assert (ended.code, ended.out, ended.err) == (0, "Written: ours.yaml\n", "")
    text = (tmp_path / "ours.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == OURS
    assert text.startswith("# From my.yaml, which was written for aiflows 0.1.7.\n")
    assert inside("convert", "my.yaml", cwd=tmp_path).out == text
    assert inside("check", "ours.yaml", cwd=tmp_path).code == 0
    assert inside("check", "ours.yaml", "--compat", cwd=tmp_path).code == 2  # it is ours now
    assert inside("check", "ours.yaml", "model=offline", cwd=tmp_path).code == 0
    again = inside("convert", "my.yaml", "-o", "ours.yaml", cwd=tmp_path)
    assert (again.code, again.err) == (2, "error: ours.yaml is there already\n")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["my.yaml", "ours.yaml"]


@pytest.mark.parametrize(
    ("was", "put_in", "said"),
    [
        ("flow:\n", "compat: aiflows-0.1\nflow:\n", "my.yaml:2:9: compat: what compat brings back"),
        ("api_infos: '???'", "api_infos: [{api_key: a}, {api_key: b}]", "my.yaml:12:28: "
         "chat.backend.api_infos: several keys"),
        ("_target_: flow_m", "_target_: flow_n", "my.yaml:9:17"),
        ("inputs:", "data: {shop: 'mysql://me:secret@db/shop'}\ninputs:", "data.shop: a secret"),
    ],
)  # fmt: skip
def test_what_has_no_form_of_ours_is_said_and_nothing_written(
    was: str, put_in: str, said: str, tmp_path: Path
) -> None:
    name = write(tmp_path, ONE.replace(was, put_in))
    ended = inside("convert", name, "-o", "ours.yaml", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert [each.name for each in tmp_path.iterdir()] == ["my.yaml"]


def test_a_key_that_is_written_out_is_not_copied(tmp_path: Path) -> None:
    keyed = "api_infos: [{api_key: sk-of-mine, api_base: 'https://ours.example/v1'}]"
    name = write(tmp_path, ONE.replace("api_infos: '???'", keyed))
    ended = inside("convert", name, cwd=tmp_path, env={"OPENAI_API_KEY": "sk-another"})
    assert ended.code == 0
    assert "sk-" not in ended.out + ended.err
    assert "api_key: ${env:OPENAI_API_KEY}" in ended.out
    made = yaml.safe_load(ended.out)
    assert made["model"]["_target_"] == "model.openai"
    assert made["model"]["retry"] == {"attempts": 2}
    assert made["subflows_config"]["chat"]["backend"] is None


@pytest.mark.parametrize("key", ["", "sk-of-the-environment"])
def test_the_new_file_asks_the_model_that_the_old_one_asks(tmp_path: Path, key: str) -> None:
    write(tmp_path, ONE)
    assert inside("convert", "my.yaml", "-o", "ours.yaml", cwd=tmp_path).code == 0
    with FakeModel(otherwise=lambda _: FakeAnswer(text="from the endpoint")) as endpoint:
        env = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": endpoint.base_url}
        said = [
            inside("run", name, "--json", cwd=tmp_path, env=env).json()["outputs"]["said"]
            for name in ("my.yaml", "ours.yaml")
        ]
        assert said[0] == said[1]
        bodies = [each.body for each in endpoint.requests]
    assert (said[0] == "from the endpoint") == bool(key)
    assert bodies == ([bodies[0]] * 2 if key else [])


@pytest.mark.long("runs the eight files that aiflows publishes, as they are and as converted")
def test_the_published_files_give_the_same(world: World, server: FakeModel) -> None:
    pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")
    put(world)
    for example in EXAMPLES:
        ours = world.folder / f"ours_{example.name}.yaml"
        theirs = _asked(start(world, example, server), server)
        name = world.folder / f"{example.name}.yaml"
        convert_file(name, [], ours, TRUST)
        assert "flow_modules" not in ours.read_text(encoding="utf-8")
        assert _asked(_run(ours, example, server), server) == theirs, example.name
        assert theirs[0].items() >= example.outputs.items()


def _run(file: Path, example: Example, server: FakeModel) -> Any:
    server.requests.clear()
    server.script(*example.answers)
    changes = [each.removeprefix("flow.") for each in example.overrides]
    return run(file, changes, trust=(MODULE,))


def _asked(result: Any, server: FakeModel) -> tuple[Mapping[str, Any], Any]:
    outputs = {key: each for key, each in plain(result.outputs).items() if key != "id"}
    return outputs, [each.body for each in server.requests]


@pytest.mark.long("runs fifty files of aiflows, as they are and as converted")
def test_the_cases_of_the_oracle_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")
    monkeypatch.chdir(tmp_path)
    write_classes(tmp_path)
    ours, other = 0, []
    cases = [each for each in (*KEY_CASES, *FLOW_CASES) if each.here != REFUSED][::2]
    for number, case in enumerate(cases):
        file = tmp_path / f"case{number}.yaml"
        _put_case(case.file, case.inputs, file)
        before = _outcome(file)
        if isinstance(before[0], dict) and "flow" not in case.file and "topology" in case.file:
            named = {"input_interface": [*case.inputs], "output_interface": [*before[0]]}
            _put_case({**case.file, **named}, case.inputs, file)  # which says its keys
            before = _outcome(file)
        if before[0] == REFUSED:
            continue
        out = tmp_path / f"ours{number}.yaml"
        try:
            convert_file(file, (), out, TRUST)
        except ConfigError as error:
            other.append(f"{case}: {error}")
            continue
        ours += yaml.safe_load(out.read_text(encoding="utf-8"))["_target_"] in (
            "circular", "sequential",
        )  # fmt: skip
        if _outcome(out) != before:
            other.append(f"{case}: {before} {_outcome(out)}")
    assert not other
    assert ours > 5


def _put_case(tree: Mapping[str, Any], inputs: Mapping[str, Any], file: Path) -> None:
    file.write_text(yaml.safe_dump({**tree, "inputs": {"id": 0, **inputs}}), encoding="utf-8")


def _outcome(file: Path) -> tuple[Any, Any]:
    """Outputs without the sample's id, and the calls with what they were given."""
    events: list[Event] = []
    try:
        result = run(file, (), trust=("scripted",), listeners=(events.append,))
    except FlowsError:
        return REFUSED, []
    if result.status not in ("finished", "unfinished"):
        return REFUSED, []
    return without_id(plain(result.outputs)), without_id(json.loads(json.dumps(calls_of(events))))


def without_id(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_id(each) for key, each in value.items() if key != "id"}
    return [without_id(each) for each in value] if isinstance(value, list) else value
