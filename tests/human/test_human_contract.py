"""Every way of asking keeps the contract."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.core.human import Answer, Human, Question
from flows.human.detached import DetachedHuman
from flows.human.nobody import NeverHuman
from flows.human.script import ScriptedHuman
from flows.human.terminal import TerminalHuman
from tests.contracts.human import HumanContract, ask_many

ANSWERS = "\nuse the \x1b[31mmedian\n  spaces  \nq\n"


class TestNever(HumanContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Human]:
        yield NeverHuman(NeverHuman.Config())

    def test_what_an_empty_text_does_not_answer_is_left_for_a_person(self) -> None:
        human = NeverHuman(NeverHuman.Config())
        word = Question(id="q", text="Again?", answer_schema={"anyOf": [{"const": "again"}]})
        assert asyncio.run(human.ask(word)) == Answer(kind="nobody")
        assert asyncio.run(human.ask(Question(id="q", text="?"))) == Answer(kind="text")


class TestDetached(HumanContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Human]:
        yield DetachedHuman(DetachedHuman.Config())

    def test_every_question_is_left_for_later(self) -> None:
        human = DetachedHuman(DetachedHuman.Config())
        answers = asyncio.run(ask_many(human, ["one", "two"]))
        assert answers == [Answer(kind="nobody", go_on=False)] * 2


class TestScripted(HumanContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Human]:
        file = folder / "answers.txt"
        file.write_text(ANSWERS.replace("\x1b[31m", ""))
        yield ScriptedHuman(ScriptedHuman.Config(path=file))


@pytest.mark.parametrize("on_eof", ["wait", "continue"])
class TestTerminal(HumanContract):
    @pytest.fixture(autouse=True)
    def take_on_eof(self, on_eof: str) -> None:
        self.on_eof = on_eof

    @contextmanager
    def opened(self, folder: Path) -> Iterator[Human]:
        read, write = os.pipe()
        os.write(write, ANSWERS.encode())
        os.close(write)
        before = sys.stdin
        with os.fdopen(read) as sys.stdin:
            try:
                yield TerminalHuman(TerminalHuman.Config.model_validate({"on_eof": self.on_eof}))
            finally:
                sys.stdin = before
