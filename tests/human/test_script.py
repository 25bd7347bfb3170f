"""A file of answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from flows.core.human import Answer, Question
from flows.errors import ConfigError
from flows.human.script import ScriptedHuman

AfterEnd = Literal["wait", "continue", "quit"]


def answers(path: Path, count: int, after_end: AfterEnd = "wait") -> list[Answer]:
    human = ScriptedHuman(ScriptedHuman.Config(path=path, after_end=after_end))

    async def ask() -> list[Answer]:
        return [await human.ask(Question(id=str(i), text="?")) for i in range(count)]

    return asyncio.run(ask())


def test_each_line_is_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "answers.txt"
    file.write_bytes("\r\nuse the median\n  spaces  \nQ\n".encode("utf-8-sig"))
    found = answers(file, 5)
    assert [(each.kind, each.text) for each in found] == [
        ("text", ""),
        ("text", "use the median"),
        ("text", "spaces"),
        ("quit", ""),
        ("nobody", ""),
    ]


@pytest.mark.parametrize(
    ("after_end", "answer"),
    [
        ("wait", Answer(kind="nobody")),
        ("continue", Answer(kind="nobody", go_on=True)),
        ("quit", Answer(kind="quit")),
    ],
)
def test_what_comes_after_the_last_answer(
    tmp_path: Path, after_end: AfterEnd, answer: Answer
) -> None:
    file = tmp_path / "answers"
    file.write_text("")
    assert answers(file, 2, after_end) == [answer, answer]


def test_a_yaml_list_holds_what_was_typed(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text("- yes\n- 012\n- null\n- ''\n- |\n  two\n  lines\n- q\n")
    assert [each.text for each in answers(file, 6)] == ["yes", "012", "null", "", "two\nlines", ""]
    assert answers(file, 6)[5].kind == "quit"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.yaml", "answers: [q]", "must be a list"),
        ("a.yaml", "- q\n- {a: b}", "a.yaml:2:3: an answer must be a text"),
        ("a.yaml", "- [", "a.yaml:1:"),
        ("a.txt", "ok\n\x1b[31m", "a.txt:2:1: control character"),
    ],
)
def test_a_file_that_holds_no_answers_is_a_config_error(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        answers(file, 1)
    assert told in str(caught.value)


def test_a_missing_file_is_a_config_error_that_names_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "answers.txt").write_text("q\n")
    monkeypatch.chdir(tmp_path)
    assert answers(Path("answers.txt"), 1)[0].kind == "quit"
    with pytest.raises(ConfigError) as caught:
        answers(Path("answer.txt"), 1)
    assert "there is no such file" in str(caught.value)
    assert caught.value.meant == "answers.txt"
