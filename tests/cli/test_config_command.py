"""`flows config`: the effective config, and where each value comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.command import PROJECT, environment
from tests.cli.inside import CHAIN, inside, write

DEMO = str(PROJECT / "demo.yaml")
SECRETIVE = """\
_target_: chat
name: Ask
model:
  _target_: model.openai
  model: some-model
  api_key: sk-written-into-the-file
  base_url: https://me:pass-in-the-address@localhost/v1
inputs: {text: "two\\nlines"}
"""
ENV_KEY = """\
_target_: chat
name: Ask
model: {_target_: model.openai, model: some-model, api_key: "${env:OPENAI_API_KEY}"}
"""


def origin_of(printed: str, path: str) -> str:
    """The line of a path in the table of origins, from the value on."""
    line = next(each for each in printed.splitlines() if each.startswith(f"{path} "))
    return " ".join(line.removeprefix(path).split())


@pytest.mark.long("whole runs of the command")
def test_what_is_printed_is_the_config_with_all_defaults(tmp_path: Path) -> None:
    ended = inside("config", DEMO, "Executor.sql.max_rows=50", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    config = yaml.safe_load(ended.out)
    sql = config["subflows_config"]["Executor"]["subflows_config"]["sql"]
    assert sql["max_rows"] == 50
    assert sql["query_timeout"] == 30.0
    assert config["subflows_config"]["Memory"]["retry"] == {
        "attempts": 1,
        "wait": 1.0,
        "wait_max": 30.0,
    }
    assert config["memory"]["collection"] == "memory"
    assert config["limits"]["model_calls"] is None
    assert list(config)[-2:] == ["subflows_config", "topology"]


@pytest.mark.long("whole runs of the command")
def test_what_is_printed_is_a_run_file_that_means_the_same(tmp_path: Path) -> None:
    printed = inside("config", DEMO, "human=never", cwd=tmp_path).out
    name = write(tmp_path, printed, "whole.yaml")
    again = inside("config", name, cwd=tmp_path)
    assert again.code == 0
    assert yaml.safe_load(again.out) == yaml.safe_load(printed)
    checked = inside("check", name, cwd=tmp_path)
    assert "at most 18540" in checked.out


def test_every_value_has_the_place_that_set_it(tmp_path: Path) -> None:
    name = write(tmp_path, CHAIN)
    overrides = ["first.timeout=5", "+inputs.answer=yes"]
    ended = inside("config", name, *overrides, "--origins", cwd=tmp_path)
    assert ended.code == 0
    assert origin_of(ended.out, "first._target_") == "finish my.yaml:5:21"
    assert origin_of(ended.out, "second.description") == "The second. my.yaml:6:43"
    assert origin_of(ended.out, "first.timeout").startswith("5 command line, override 1 (first.tim")
    assert origin_of(ended.out, "second.timeout") == "null default of finish"
    assert origin_of(ended.out, "second.retry.attempts") == "1 default of finish"
    assert origin_of(ended.out, "early_exit_key") == "null default of sequential"
    assert origin_of(ended.out, "limits.tokens") == "null default of every run file"
    assert origin_of(ended.out, "topology.1.goal") == 'Go on: "now" my.yaml:9:12'
    starts = {line.rindex("default of") for line in ended.out.splitlines() if "default of" in line}
    assert len(starts) == 1  # they are aligned


def test_a_preset_and_a_service_inside_have_their_defaults(tmp_path: Path) -> None:
    name = write(
        tmp_path, CHAIN.replace("second: {_target_: finish", "second: {_target_: memory.chroma")
    )
    ended = inside("config", name, "--origins", "--json", cwd=tmp_path)
    origins = {each["path"]: (each["value"], each["origin"]) for each in ended.json()["origins"]}
    at = "subflows_config.second"
    assert origins[f"{at}.store._target_"] == ("memory.chroma", "preset memory.chroma")
    assert origins[f"{at}.store.collection"] == ("memory", "default of memory.chroma")
    assert origins[f"{at}.n_results"] == (3, "default of memory.chroma")
    second = ended.json()["config"]["subflows_config"]["second"]
    assert second["store"]["keyword_share"] == 0.4


def test_no_secret_is_printed(tmp_path: Path) -> None:
    secret = environment(OPENAI_API_KEY="sk-of-the-environment")
    for text in (SECRETIVE, ENV_KEY):
        name = write(tmp_path, text)
        for options in ([], ["--origins"], ["--json", "--origins"]):
            ended = inside("config", name, "model.temperature=1", *options, cwd=tmp_path)
            assert ended.code == 0
            assert "sk-" not in ended.out + ended.err
            assert "pass-in" not in ended.out
            assert "***" in ended.out
    ended = inside("config", name, "model.api_key=sk-typed", "--origins", cwd=tmp_path, env=secret)
    assert ended.code == 0
    assert "sk-" not in ended.out + ended.err


def test_a_wrong_name_does_not_keep_the_rest_from_being_shown(tmp_path: Path) -> None:
    name = write(tmp_path, CHAIN.replace("first: {_target_: finish", "first: {_target_: finnish"))
    ended = inside("config", name, cwd=tmp_path)
    assert ended.code == 0
    assert "my.yaml:5:21: there is no flow named 'finnish'" in ended.err
    subflows = yaml.safe_load(ended.out)["subflows_config"]
    assert subflows["first"] == {"_target_": "finnish"}
    assert subflows["second"]["timeout"] is None


def test_a_file_that_cannot_be_read_is_an_error_in_json_too(tmp_path: Path) -> None:
    name = write(tmp_path, "a: [1\n")
    plain, as_json = (inside("config", name, *each, cwd=tmp_path) for each in ([], ["--json"]))
    assert plain.code == as_json.code == 2
    assert plain.out == ""
    assert plain.err.startswith("error: my.yaml:")
    assert as_json.json()["errors"][0]["place"].startswith("my.yaml:")
