"""Texts that were pasted from a chat or a word processor."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.config.pasted import pasted_marks
from flows.config.read import read_yaml
from tests.cli.inside import inside


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: “x”", "f.yaml:1:4: warning: a: “ and ” are part of the text; quotes in YAML are"),
        ("a: [1, „x“]", "f.yaml:1:8: warning: a.1: „ and “ are part"),
        ("a: {b: «x»}", "f.yaml:1:8: warning: a.b: « and » are part"),
        (
            'a: "\\u200bx"',
            "a: the text begins with a character that nobody sees (U+200B, zero width",
        ),
        (
            "a: x\u00a0",
            "a: the text ends with a character that nobody sees (U+00A0, no-break space)",
        ),
        ("a: “x” and “y”", None),
        ("a: “", None),
        ("a: '“x'", None),
    ],
)
def test_a_value_in_marks_that_yaml_takes_as_text(text: str, told: str | None) -> None:
    found = [str(each) for each in pasted_marks(read_yaml(text, Path("f.yaml")).tree)]
    assert len(found) == (told is not None), found
    assert told is None or told in found[0]


def test_a_check_tells_of_them_beside_faults_and_without(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("defaults: [autogpt, _self_]\nname: “Mine”\n", encoding="utf-8")
    checked = inside("check", "my.yaml", cwd=tmp_path)
    assert checked.code == 0, checked.err
    assert "my.yaml:2:7: name: “ and ” are part of the text" in checked.out + checked.err
    file.write_text(f"{file.read_text(encoding='utf-8')}max_rounds: “5”\n", encoding="utf-8")
    checked = inside("check", "my.yaml", cwd=tmp_path)
    assert checked.code == 2
    assert "error: my.yaml:3:13: max_rounds: must be a whole number" in checked.err
    assert "warning: my.yaml:3:13: max_rounds: “ and ” are part" in checked.err
