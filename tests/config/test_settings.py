"""What a program sets in a run file: over the file, under the person's overrides, as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.build.builder import build
from flows.config.compose import compose
from flows.config.composition import Composed
from flows.config.settings import Choice, Setting, Value
from flows.errors import ConfigError

FILE = """
defaults: [{human: terminal}, _self_]
_target_: describe
name: Look
max_rows: 5
subflows_config: {Inner: {_target_: sequential, subflows_config: {Last: {_target_: describe}}}}
"""
KNOWN = ("data", "glossary", "human", "inputs")


def composed(folder: Path, *overrides: str, settings: tuple[Setting | Choice, ...]) -> Composed:
    (folder / "my.yaml").write_text(FILE)
    return compose(folder / "my.yaml", overrides, settings=settings, known=KNOWN)


def test_a_setting_counts_more_than_the_file_and_less_than_an_override(tmp_path: Path) -> None:
    settings = (Setting("max_rows", 7, "a test"), Choice("human", "never", "a test"))
    found = composed(tmp_path, settings=settings)
    assert found.values["max_rows"] == 7
    assert found.values["human"] == {"_target_": "human.never"}
    assert str(found.place(("max_rows",))) == "a test"
    found = composed(tmp_path, "max_rows=9", "human=detached", settings=settings)
    assert found.values["max_rows"] == 9
    assert found.values["human"] == {"_target_": "human.detached"}
    assert str(found.place(("max_rows",))) == "command line, override 1 (max_rows=9)"


@pytest.mark.parametrize("text", ["${max_rows}", "${env:HOME}", "???", "'it''s'", "[a, b", "a=b"])
def test_a_text_is_taken_as_it_is(tmp_path: Path, text: str) -> None:
    settings = (Setting("glossary", text, "a test"), Setting("inputs.goal", text, "a test"))
    found = composed(tmp_path, settings=settings).values
    assert (found["glossary"], found["inputs"]) == (text, {"goal": text})


def test_a_key_may_leave_out_what_lies_between_the_flows(tmp_path: Path) -> None:
    target: Value = {"_target_": "describe", "max_rows": 3}
    found = composed(tmp_path, settings=(Setting("Inner.Also", target, "--also"),))
    inner = found.values["subflows_config"]["Inner"]
    assert inner["subflows_config"]["Also"] == target


def test_an_error_names_the_origin_and_no_key(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("_target_: describe\nname: Look\n")
    settings = [Setting("data.gone", "gone.db", "--data gone.db")]
    with pytest.raises(ConfigError, match=r"^--data gone\.db: source 'gone': there is no file"):
        build(tmp_path / "my.yaml", settings=settings)
