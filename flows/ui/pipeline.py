"""A pipeline at work, for a person who watches: the table of its phases, and what was spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from flows.core.chat import Usage
from flows.core.events import Event, StepErred, StepFinished, StepStarted
from flows.core.limits import Limits
from flows.ui.live import LiveScreen
from flows.ui.page import Page, duration
from flows.ui.pipeline_board import PhaseShown, PipelineBoard
from flows.ui.terminal_text import one_line
from flows.ui.tree import ICONS, PLAIN_ICONS, STYLES

_ICONS: Final = {**ICONS, "weak": "!"}
_PLAIN: Final = {**PLAIN_ICONS, "weak": "!"}
_STYLES: Final = {**STYLES, "weak": "bold yellow"}
_HEAD: Final = ("Phase", "Agents", "Score", "Tries", "Tests", "Time")
# The widths of the last four columns, and the least that the agents are shown in.
_WIDTHS: Final = (5, 5, 7, 9)
_AGENTS_LEAST: Final = 14
_TITLE_MOST: Final = 38
_CHARS: Final = 300


class PipelineScreen(LiveScreen):
    """A listener that shows the phases of a run. On a terminal they are a table that is drawn again
    while it changes; elsewhere each change is a line."""

    def __init__(self, console: Console, *, limits: Limits | None = None) -> None:
        self.board = PipelineBoard()
        super().__init__(console, PipelineView(self.board), limits=limits)


class PipelineView:
    """The phases of a run as a table, and as lines."""

    def __init__(self, board: PipelineBoard) -> None:
        self._board = board

    @property
    def usage(self) -> Usage:
        """What the models have used."""
        return self._board.usage

    def clock(self) -> float:
        """Seconds."""
        return self._board.clock()

    def take(self, event: Event) -> None:
        """Follow an event."""
        self._board.take(event)

    def shown_inputs(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """How the text of the task begins."""
        text = str(inputs.get("background", ""))
        return {"task": one_line(text, _CHARS)} if text.strip() else {}

    def lines(self, width: int, most: int, *, ascii_only: bool) -> Sequence[Text]:
        """The table; what is over is left out where room is scarce."""
        table = _PhaseTable(self._board, width, _PLAIN if ascii_only else _ICONS)
        phases = list(self._board.phases.values())
        hidden = 0
        while len(phases) > 1 and len(phases) + 2 + bool(hidden) > most:
            phases.pop(0)
            hidden += 1
        more = [Text(f"… {hidden} more", style="dim")] if hidden else []
        return [table.head(), *more, *table.rows(phases)]

    def tell(self, page: Page, event: Event, *, drawn: bool) -> None:
        """What becomes of each phase and of each agent, where nothing is drawn."""
        if drawn or not isinstance(event, StepStarted | StepFinished | StepErred):
            return
        phase = self._board.phase_at(event.address)
        if phase is None:
            return
        agent = self._board.agent_at(event.address)
        if "/" not in event.address:
            self._tell_phase(page, phase, event)
        elif agent and isinstance(event, StepStarted) and phase.tries > 1:
            if agent == next(iter(phase.agents)):
                page.text("Again", f"{phase.title}: try {phase.tries}", label_style="yellow")
        elif agent and isinstance(event, StepErred):
            page.text("Failed", f"{agent}: {event.message}", label_style="bold yellow")
        elif agent and isinstance(event, StepFinished):
            page.remark(f"{agent} … {duration(event.elapsed_ms)}")

    def _tell_phase(self, page: Page, phase: PhaseShown, event: Event) -> None:
        match event:
            case StepStarted():
                page.text("Begun", phase.title, label_style="dim")
            case StepErred():
                page.text("Failed", f"{phase.title}: {event.message}", label_style="bold red")
            case _:
                label = "Done" if phase.status == "done" else "Weak"
                said = " · ".join(_told(phase, self.clock()))
                page.text(label, said, label_style=_STYLES[phase.status])


class _PhaseTable:
    """Lays the phases out in a width."""

    def __init__(self, board: PipelineBoard, width: int, icons: Mapping[str, str]) -> None:
        self.now = board.clock()
        self.icons = icons
        self.width = max(20, width)
        titles = [len(each.title) + 2 for each in board.phases.values()]
        fixed = sum(_WIDTHS) + len(_WIDTHS)
        room = self.width - fixed
        self.title = max(10, min(_TITLE_MOST, max(titles, default=10), room))
        self.agents = room - self.title - 1
        if self.agents < _AGENTS_LEAST:
            self.agents = 0
            self.title = max(10, min(self.title, room))

    def head(self) -> Text:
        """The names of the columns."""
        agents = Text(_HEAD[1]) if self.agents else Text()
        return self._line(Text(_HEAD[0]), agents, _HEAD[2:], "dim")

    def rows(self, phases: Sequence[PhaseShown]) -> Iterator[Text]:
        """A line for each phase; below that which is worked on, its last step."""
        for phase in phases:
            yield self._row(phase)
            if phase.status == "running" and phase.step:
                yield self._cut(Text(f"    {phase.step}", style="dim"), self.width)

    def _row(self, phase: PhaseShown) -> Text:
        style = _STYLES[phase.status]
        title = Text.assemble((f"{self.icons[phase.status]} ", style), (phase.title, "bold"))
        agents = Text(" ").join(
            Text.assemble((self.icons[status], _STYLES[status]), (name, "dim"))
            for name, status in phase.agents.items()
        )
        seconds = phase.took(self.now)
        cells = (
            "" if phase.score is None else f"{phase.score:.1f}",
            f"{phase.tries}" if phase.tries else "",
            f"{phase.passed}/{phase.tests}" if phase.tests else "",
            "" if seconds is None else duration(seconds * 1000),
        )
        return self._line(title, agents, cells, "")

    def _line(self, title: Text, agents: Text, cells: Sequence[str], style: str) -> Text:
        parts = [self._padded(title, self.title)]
        if self.agents:
            parts.append(self._padded(agents, self.agents))
        parts += [Text(each.rjust(width)) for each, width in zip(cells, _WIDTHS, strict=True)]
        line = Text(" ").join(parts)
        line.stylize_before(style)
        return self._cut(line, self.width)

    def _padded(self, text: Text, width: int) -> Text:
        cut = self._cut(text, width)
        cut.pad_right(max(0, width - cut.cell_len))
        return cut

    def _cut(self, text: Text, width: int) -> Text:
        text.truncate(max(1, width), overflow="ellipsis")
        return text


def _told(phase: PhaseShown, now: float) -> Iterator[str]:
    seconds = phase.took(now)
    yield phase.title + ("" if seconds is None else f" … {duration(seconds * 1000)}")
    if phase.score is not None:
        yield f"score {phase.score:.1f} of 5"
    if phase.tries > 1:
        yield f"{phase.tries} tries"
    if phase.tests:
        yield f"{phase.passed} of {phase.tests} unit tests passed"
