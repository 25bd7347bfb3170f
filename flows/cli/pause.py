"""Ctrl-C at a terminal as a pause: the run stands still, and the person says how it goes on."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any, Final

from flows.core.human import Question
from flows.core.pause import Choice, Pause, PauseCommand
from flows.human.terminal import TerminalHuman

ASKED: Final = """\
Paused.
  Enter  goes on
  save   ends here, to go on later
  stop   ends now, with a report of what there is
What now? """
_WORDS: Final[dict[str, Choice]] = {
    "": "go on", "go": "go on", "go on": "go on", "save": "save", "stop": "stop",
}  # fmt: skip


class PauseSignals:
    """Takes Ctrl-C for a run. The first one halts it before its next step; one more, before that or
    at the question, saves and ends, as SIGTERM does at once."""

    def __init__(self, around: Callable[[], AbstractContextManager[None]]) -> None:
        self.pause = Pause(self._ask)
        self._around = around
        self._human = TerminalHuman(TerminalHuman.Config())
        self._left = False
        self._signal = signal.SIGINT

    @contextmanager
    def taken(self) -> Iterator[Pause]:
        """The pause, while the signals are taken. A run that was left ends as by its signal."""
        before = [(each, signal.getsignal(each)) for each in (signal.SIGINT, signal.SIGTERM)]
        for each, _ in before:
            signal.signal(each, self._take)
        try:
            yield self.pause
        except BaseException as error:
            if not self._left or not isinstance(error, Exception | _cancelled()):
                raise
            self._give_back(before)
            signal.raise_signal(self._signal)
            raise
        finally:
            self._give_back(before)

    def _give_back(self, before: list[tuple[signal.Signals, Any]]) -> None:
        for each, handler in before:
            signal.signal(each, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        del frame
        if number == signal.SIGINT and not self.pause.wanted:
            self.pause.want()
            print("\npausing before the next step; Ctrl-C again saves and ends", file=sys.stderr)
            return
        self._signal = signal.Signals(number)
        self._leave()

    def _leave(self) -> None:
        self._left = True
        self.pause.leave()

    async def _ask(self, reply: str) -> Choice | PauseCommand:
        """What the person wants; Ctrl-C, the end of input and `q` save. `reply` is said before."""
        with self._around():
            while True:
                try:
                    question = Question(id="pause", text=ASKED, reply=reply)
                    answer = await self._human.ask(question)
                except KeyboardInterrupt:
                    break
                if answer.kind == "command":
                    return PauseCommand(answer.text)
                if answer.kind != "text":
                    break
                choice = _WORDS.get(answer.text.casefold().strip("[]. "))
                if choice is not None and choice != "save":
                    return choice
                if choice == "save":
                    break
                reply = "That is none of them."
        self._left = True
        return "save"


class StopSignals(PauseSignals):
    """Takes Ctrl-C for a run of which a part can be stopped: the part ends and the run goes on.
    Where there is nothing to stop, it saves and ends."""

    def __init__(self) -> None:
        super().__init__(nullcontext)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and self.pause.stop_step():
            return
        del frame
        self._signal = signal.Signals(number)
        self._leave()


def _cancelled() -> type[BaseException]:
    from asyncio import CancelledError

    return CancelledError
