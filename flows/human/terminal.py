"""Asking the person at this terminal, or whoever writes to standard input."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from flows.core.human import Answer, Question
from flows.human.answers import answer_to
from flows.human.lines import StandardLines
from flows.human.prompt import is_terminal, show
from flows.human.terminal_text import plain


class _Reader(Protocol):
    async def read(self, question: str) -> str | None: ...


class TerminalHuman:
    """Asks on standard error and reads from standard input.

    At a terminal the answer is edited, with history; else one line is one answer. After the end of
    the input nobody is there any more. Several questions at once are asked one after the other.
    `around` makes room for each of them, where something else is on the screen.
    """

    class Config(BaseModel):
        """`on_eof` says what the end of input means."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        on_eof: Literal["wait", "continue"] = Field(
            default="wait", description="with nobody there: wait for a person, or go on unattended"
        )

    def __init__(self, config: TerminalHuman.Config) -> None:
        self.config = config
        self._ended = False
        self._reader: _Reader | None = None
        self._turn = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext

    async def ask(self, question: Question) -> Answer:
        async with self._my_turn():
            with self.around():
                if question.reply:
                    show(f"{plain(question.reply)}\n")
                text = None if self._ended else await self._open().read(question.text)
            if text is None:
                self._ended = True
                return Answer(kind="nobody", go_on=self.config.on_eof == "continue")
            return answer_to(question, text)

    async def aclose(self) -> None:
        """The standard streams are not ours to close."""

    def _my_turn(self) -> asyncio.Lock:
        """A lock of the running loop: one service may serve runs in one loop after another."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._turn = loop, asyncio.Lock()
        return self._turn

    def _open(self) -> _Reader:
        if self._reader is None:
            if is_terminal(sys.stdin) and is_terminal(sys.stderr):
                from flows.human.keyboard import Keyboard

                self._reader = Keyboard()
            else:
                self._reader = StandardLines()
        return self._reader
