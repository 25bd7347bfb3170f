"""A run that is drawn again while it changes, and told line by line where nothing can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from types import TracebackType
from typing import Any, Final, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from flows.core.chat import Usage
from flows.core.events import Event, Notice, Retrying, RunEnded, RunStarted
from flows.core.limits import Limits
from flows.ui.console import can_animate
from flows.ui.page import Page
from flows.ui.spending import limits_used, spent
from flows.ui.terminal_text import as_text, one_line

_A_SECOND: Final = 5
_INPUT_CHARS: Final = 400
_ROOM_BELOW: Final = 3


class LiveView(Protocol):
    """What is drawn of a run: it follows its events, and knows nothing else of it."""

    @property
    def usage(self) -> Usage:
        """What the models have used."""

    def clock(self) -> float:
        """Seconds."""

    def take(self, event: Event) -> None:
        """Follow an event."""

    def shown_inputs(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is said of the run's inputs at its beginning."""

    def lines(self, width: int, most: int, *, ascii_only: bool) -> Sequence[Text]:
        """How it stands, in at most that many lines of that width."""

    def tell(self, page: Page, event: Event, *, drawn: bool) -> None:
        """Write what an event says that stays; much less where it is `drawn` too."""


class LiveScreen:
    """A listener that shows a run by a view. On a terminal it is drawn again while it changes;
    elsewhere each change is a line.

    As a context manager, or closed, it leaves what was drawn last. `limits` are the run's.
    """

    def __init__(self, console: Console, view: LiveView, *, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._page = Page(console)
        self._view = view
        self._lock = RLock()  # It is drawn by a thread, so that time goes on in long steps.
        self._animated = can_animate(console)
        self._live: Live | None = None
        self._began: float | None = None
        self._still = 0.0
        self._asking = False
        self._held: list[Event] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._view.take(event)
        # Nothing is written under the lock: the thread that draws holds the console's.
        if self._asking:
            self._held.append(event)
        else:
            self._write(event)

    def _write(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._introduce(event)
            case RunEnded():
                self.close()
            case Notice():
                label, style = ("Alarm", "red") if event.alarm else ("Note", "cyan")
                self._page.text(label, event.text, label_style=f"bold {style}")
            case Retrying():
                text = f"{event.message} Attempt {event.attempt + 1} in {event.wait_s:.1f} s."
                self._page.text("Again", text, label_style="yellow")
            case _:
                self._view.tell(self._page, event, drawn=self._animated)

    def close(self) -> None:
        """Stop drawing; what was drawn last stays."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._began = None

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Make room for a question: what is drawn is gone meanwhile, and its time stands still."""
        live, began = self._live, self._view.clock()
        if live is not None:
            live.transient = True
            live.stop()
        self._asking = True
        try:
            yield
        finally:
            self._asking = False
            self._still += self._view.clock() - began
            for event in self._held:
                self._write(event)
            self._held.clear()
            if live is not None and self._live is live:
                self._live = self._draw()

    def _introduce(self, event: RunStarted) -> None:
        self._page.rule(event.title, "bold cyan")
        for name, value in self._view.shown_inputs(event.inputs).items():
            label = one_line(name, 9).capitalize()
            self._page.text(label, one_line(as_text(value), _INPUT_CHARS), label_style="dim")
        self._page.text("Run", event.run, style="dim", label_style="dim")
        if event.resumed:
            self._page.text("Note", "The run goes on. What it did before comes from its journal.")
        self._began = self._view.clock()
        if self._animated:
            self._live = self._draw()

    def _draw(self) -> Live:
        live = Live(
            console=self._page.console, get_renderable=self._frame, refresh_per_second=_A_SECOND,
            vertical_overflow="crop",
        )  # fmt: skip
        live.start()
        return live

    def _frame(self) -> Group:
        console = self._page.console
        with self._lock:
            plain = console.options.ascii_only
            below = self._spent()
            room = console.height - _ROOM_BELOW - below.cell_len // console.width
            lines = self._view.lines(console.width - 1, max(4, room), ascii_only=plain)
        return Group(Text(), *lines, below)

    def _spent(self) -> Text:
        """What was used so far, and of the run's limits how much."""
        now = self._view.clock()
        seconds = 0.0 if self._began is None else now - self._began - self._still
        usage = self._view.usage
        parts = [spent(usage, None, seconds)]
        for name, used, allowed in limits_used(self.limits, usage, None, seconds):
            if name != "rounds":
                parts.append(f"{name}: {used} of {allowed}")
        return Text(" · ".join(parts), style="dim")
