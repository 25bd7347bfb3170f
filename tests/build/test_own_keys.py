"""A transformation and an interface of one's own, which are asked about as other code is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.inside import inside

TRUST = ("--trust", "./mine.py")
MINE = """\
from pydantic import BaseModel

open("ran", "w").close()


class Lower(BaseModel):
    key: str

    def apply(self, data, context):
        return {**data, self.key: data[self.key].lower()}

    def names(self, available):
        return available


class Only:
    def apply(self, data, context):
        return {"text": data["text"]}

    def names(self, available):
        return frozenset({"text"})


def shout(text: str) -> str:
    return text + "!"
"""
RUN = """\
_target_: sequential
input_interface: [text, more]
output_interface: [shout]
inputs: {text: HELLO, more: 1}
subflows_config: {Shout: {_target_: ./mine.py:shout}}
topology:
  - goal: Say it
    flow: Shout
    input_interface: {_target_: ./mine.py:Only}
    output_interface: {additional_transformations: [{_target_: ./mine.py:Lower, key: shout}]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "my.yaml").write_text(RUN)
    return tmp_path


def test_keys_are_changed_by_classes_of_a_file(folder: Path) -> None:
    ended = inside("run", "my.yaml", *TRUST, "--json", cwd=folder)
    assert ended.json()["outputs"] == {"shout": "hello!"}, ended.err
    assert inside("replay", "last", cwd=folder).code == 0


def test_nothing_of_them_runs_before_somebody_has_allowed_it(folder: Path) -> None:
    ended = inside("check", "my.yaml", cwd=folder)
    assert ended.code == 0, ended.err
    for place in ("my.yaml:9:33", "my.yaml:10:64"):
        assert f"{place}: runs ./mine.py" in ended.out
    refused = inside("run", "my.yaml", "--json", cwd=folder)
    assert (refused.code, "--trust ./mine.py" in refused.err) == (2, True)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (":Only", ":shout", "mine.py:24:1: shout: it is no transformation, which is a class with"),
        (":Lower", ":Lover", "did you mean: Lower"),
    ],
)
def test_check_finds_what_is_no_transformation(
    folder: Path, trusted: bool, old: str, new: str, said: str
) -> None:
    (folder / "my.yaml").write_text(RUN.replace(old, new))
    ended = inside("check", "my.yaml", *(TRUST if trusted else ()), cwd=folder)
    assert ended.code == 2
    assert said in ended.err


def test_the_keys_that_a_transformation_says_are_followed(folder: Path) -> None:
    (folder / "mine.py").write_text(MINE.replace('{"text"})', '{"txt"})'))
    ended = inside("check", "my.yaml", *TRUST, cwd=folder)
    assert ended.code == 2
    assert "Shout needs the input 'text'" in ended.err


@pytest.mark.parametrize("trusted", [True, False])
def test_a_key_beside_a_whole_interface_is_a_fault(folder: Path, trusted: bool) -> None:
    """It would do nothing, and was passed over without a word."""
    more = RUN.replace(":Only}", ":Only, keys_to_set: {more: 2}, keys_to_select: [text]}")
    (folder / "my.yaml").write_text(more)
    ended = inside("check", "my.yaml", *(TRUST if trusted else ()), cwd=folder)
    assert ended.code == 2
    assert "my.yaml:9:62: topology.0.input_interface.keys_to_set: ./mine.py:Only" in ended.err
    assert "keys_to_set (and keys_to_select) would do nothing" in ended.err
    assert trusted or not (folder / "ran").exists()


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("key: shout}", "kye: shout}", "my.yaml:10:81"),
        (", key: shout}", "}", "key"),
        (":Lower, key: shout}", ":Only}", "BaseModel|pydantic model"),
    ],
)
def test_the_settings_of_a_transformation_are_checked(
    folder: Path, trusted: bool, old: str, new: str, said: str
) -> None:
    (folder / "my.yaml").write_text(RUN.replace(old, new))
    ended = inside("check", "my.yaml", *(TRUST if trusted else ()), cwd=folder)
    assert ended.code == 2
    assert any(each in ended.err for each in said.split("|")), ended.err


@pytest.mark.parametrize(
    "kept",
    ['    model_config = {"extra": "allow"}\n    key: str\n', '    key: str = Field(alias="at")\n'],
)
def test_settings_that_only_the_class_knows_are_left_to_it(folder: Path, kept: str) -> None:
    mine = MINE.replace("    key: str\n", kept).replace("BaseModel\n", "BaseModel, Field\n", 1)
    (folder / "mine.py").write_text(mine)
    (folder / "my.yaml").write_text(RUN.replace("key: shout}", "at: shout}"))
    ended = inside("check", "my.yaml", cwd=folder)
    assert ended.code == 0, ended.err
