"""`flows schema`: what it writes tells right run files from wrong ones."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.cli.command import PROJECT, flows
from tests.cli.inside import CHAIN, inside

MADE = PROJECT / "configs" / "schema" / "run.schema.json"
GOOD = {
    "the chain of these tests": CHAIN,
    "a model of one flow": "_target_: chat\nmodel: {_target_: model.openai, model: m, stream: no}",
    "a recorder around a model": (
        "_target_: chat\nmodel:\n  _target_: model.record\n  path: a.jsonl\n"
        "  model: {_target_: model.openai, model: m, api_key: '${env:KEY}'}\n"
    ),
    "a preset with a store": (
        "_target_: sequential\nsubflows_config:\n"
        "  keep: {_target_: memory.chroma, store: {_target_: memory.chroma, collection: c}}\n"
    ),
    "names of aiflows": (
        "_target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config\n"
        "subflows_config:\n  a: {_target_: langchain.tools.DuckDuckGoSearchRun}\n"
    ),
    "interpolations": "_target_: circular\nmax_rounds: ${inputs.n}\ninputs: {n: 3}\n",
    "a mandatory value": "_target_: sequential\nmodel: ???\n",
    "sources of functions": (
        "_target_: interpreter\nfunctions:\n  timeout_s: 5\n  sources:\n"
        "    mail: {_target_: functions.mcp, command: [python, mail.py]}\n"
        "    shop: {_target_: functions.openapi, document: a.json, auth: {secret: '${env:KEY}'}}\n"
    ),
}

Change = Callable[[dict[str, Any]], object]
BROKEN: dict[str, Change] = {
    "an unknown key": lambda run: run.update(max_round=3),
    "a wrong type": lambda run: run.update(max_rounds="many"),
    "a number out of range": lambda run: run.update(max_rounds=0),
    "an unknown flow": lambda run: run["subflows_config"]["Memory"].update(_target_="memry"),
    "an unknown key of a subflow": lambda run: run["subflows_config"]["Memory"].update(n=3),
    "an unknown key of a service": lambda run: run.update(
        model={"_target_": "model.openai", "model": "m", "modle": "n"}
    ),
    "an unknown service": lambda run: run.update(human={"_target_": "human.nobody"}),
    "an unknown key of a step": lambda run: run["topology"][0].update(gaol="x"),
    "an unknown limit": lambda run: run.update(limits={"round": 3}),
    "an unknown key of a source": lambda run: run.update(
        functions={"sources": {"shop": {"_target_": "functions.openapi", "documnt": "shop.json"}}}
    ),
    "a list for the data": lambda run: run.update(data=["a.csv"]),
}


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    ended = inside("schema", cwd=PROJECT)
    assert (ended.code, ended.err) == (0, "")
    schema = json.loads(ended.out)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.long("whole runs of the command")
def test_the_file_is_what_is_printed(tmp_path: Path) -> None:
    ended = flows("schema", "--out", "schemas/run.json", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    made = (tmp_path / "schemas" / "run.json").read_text(encoding="utf-8")
    assert inside("schema", cwd=tmp_path).out == made


@pytest.mark.long("whole runs of the command")
def test_nothing_is_written_twice(validator: jsonschema.Draft7Validator) -> None:
    definitions = [json.dumps(each) for each in validator.schema["definitions"].values()]
    assert sorted(set(definitions)) == sorted(definitions)
    assert len(json.dumps(validator.schema)) < 180_000


@pytest.mark.parametrize("file", ["demo.yaml", "configs/autogpt.yaml"])
def test_our_own_files_are_right_and_name_it(
    file: str, validator: jsonschema.Draft7Validator
) -> None:
    path = PROJECT / file
    text = path.read_text(encoding="utf-8")
    assert [error.message for error in validator.iter_errors(yaml.safe_load(text))] == []
    named = text.partition("$schema=")[2].splitlines()[0]
    assert (path.parent / named).resolve() == MADE


@pytest.mark.parametrize("case", GOOD)
def test_right_files(case: str, validator: jsonschema.Draft7Validator) -> None:
    errors = [error.message for error in validator.iter_errors(yaml.safe_load(GOOD[case]))]
    assert errors == []


def test_a_file_that_takes_a_config_over_has_the_keys_of_its_flows(
    validator: jsonschema.Draft7Validator,
) -> None:
    def is_valid(defaults: list[object], **keys: object) -> bool:
        return not list(validator.iter_errors({"defaults": [*defaults, "_self_"], **keys}))

    unknown = {"subflows_config": {"Controller": {"previous_messagez": 3}}}
    assert is_valid(["autogpt"], max_rounds=3)
    assert not is_valid(["autogpt"], max_roundz=3)
    assert is_valid(["analyst"], subflows_config={"Mine": {"_target_": "chat", "model": None}})
    assert not is_valid(["autogpt"], **unknown)
    assert not is_valid(["autogpt", {"override human": "never"}], **unknown)
    # What another choice of flows makes of them is not known.
    assert is_valid(["autogpt", {"override executor": "autogen"}], **unknown)
    own = {"_target_": "chat", "model": None}
    assert is_valid(["autogpt"], subflows_config={"Controller": own})
    deep = {"Team": {"subflows_config": {"SharedMemory": {"mine": 1}}}}
    assert not is_valid(["analyst"], subflows_config={"Goal": {"subflows_config": deep}})


@pytest.mark.parametrize("case", BROKEN)
def test_wrong_files(case: str, validator: jsonschema.Draft7Validator) -> None:
    run = yaml.safe_load((PROJECT / "configs" / "autogpt.yaml").read_text(encoding="utf-8"))
    changed = copy.deepcopy(run)
    BROKEN[case](changed)
    assert validator.is_valid(run)
    assert not validator.is_valid(changed)


def test_every_key_that_has_words_shows_them(validator: jsonschema.Draft7Validator) -> None:
    keys = properties_of("circular", validator.schema)
    assert keys["max_rounds"]["description"] == "null is no limit"
    assert validator.schema["properties"]["model"]["description"] == "the chat model of all flows"
    names = validator.schema["definitions"]["flow names"]["anyOf"][0]["enum"]
    assert "controller" in names


def properties_of(flow: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schemas of a flow's keys, with the definitions that they refer to in their place."""
    definitions = schema["definitions"]

    def resolved(each: Any) -> Any:
        named = isinstance(each, dict) and "$ref" in each
        return definitions[each["$ref"].rpartition("/")[2]] if named else each

    for case in definitions["keys of flows"]["allOf"]:
        if flow in resolved(case["if"]["properties"]["_target_"])["enum"]:
            then = resolved(case["then"])
            return {key: resolved(each) for key, each in then["properties"].items()}
    raise AssertionError(f"no case for {flow}")


@pytest.mark.long("whole runs of the command")
def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    ended = inside("schema", "--out", "taken/run.json", cwd=tmp_path)
    assert ended.code == 2
    assert ended.err.startswith("error: taken/run.json cannot be written: ")
