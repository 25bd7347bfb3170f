"""What is on the screen only for now: a status line, and text while a model still writes it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from flows.ui.console import can_animate
from flows.ui.terminal_text import clean, one_line

_EVERY_S = 0.1
_DATA_STARTS = "{[`"


@dataclass
class _Stream:
    """One model's reply on its way. `prose` is None until its first letter has come."""

    prose: bool | None = None
    pieces: list[str] = field(default_factory=list)
    chars: int = 0

    def add(self, piece: str) -> None:
        self.chars += len(piece)
        if self.prose is None and piece.strip():
            self.prose = piece.lstrip()[0] not in _DATA_STARTS
        if self.prose is not False:
            self.pieces.append(piece)


class LiveText:
    """The status line and the streams of a screen.

    Neither a thread nor a hidden cursor is used, so a run that is killed leaves the terminal as it
    is. Where lines cannot be written over there is no status, and prose is written when it is done.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._animated = can_animate(console)
        self._streams: dict[str, _Stream] = {}
        self._speaking: str | None = None
        self._open_line = False
        self._status_shown = False
        self._next_status = 0.0

    def status(self, text: str) -> None:
        """Say in the last line what goes on; the next thing that is written takes it away."""
        if not self._animated or self._open_line:
            return
        self._erase()
        shown = one_line(text, max(10, self._console.width - 2))
        self._console.print(Text(shown, style="dim"), end="", no_wrap=True, crop=True)
        self._status_shown = True

    def add(self, address: str, piece: str) -> None:
        """A piece of the reply of the step at `address`."""
        stream = self._streams.setdefault(address, _Stream())
        stream.add(piece)
        if stream.prose and self._animated and self._speaking in (None, address):
            self._speak(address, stream)
        elif time.monotonic() >= self._next_status:
            self._next_status = time.monotonic() + _EVERY_S
            chars = sum(each.chars for each in self._streams.values() if not each.prose)
            self.status(f"thinking… {chars:,} characters")

    def end(self, address: str) -> str:
        """The reply is whole. Returns its prose as far as that was not written yet."""
        stream = self._streams.pop(address, None)
        if self._speaking == address:
            self._speaking = None
            self.clear()
        return "".join(stream.pieces) if stream and stream.prose else ""

    def clear(self) -> None:
        """Make room for whole lines."""
        self._erase()
        if self._open_line:
            self._console.print()
            self._open_line = False

    def _speak(self, address: str, stream: _Stream) -> None:
        self._erase()
        self._speaking = address
        text = clean("".join(stream.pieces))
        stream.pieces.clear()
        self._console.print(Text(text), end="", soft_wrap=True)
        self._open_line = not text.endswith("\n") if text else self._open_line

    def _erase(self) -> None:
        if self._status_shown:
            line = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))
            self._console.control(line)
            self._status_shown = False
