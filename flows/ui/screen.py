"""A run as it goes on, for a person who reads along."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.text import Text

from flows.core.events import (
    ArtifactSaved,
    Event,
    ModelCalled,
    Notice,
    Retrying,
    RoundStarted,
    RunEnded,
    RunStarted,
    StepErred,
    StepFinished,
    StepStarted,
    TextArrived,
)
from flows.core.observation import Observation
from flows.ui import shapes
from flows.ui.page import Page, duration, shown_path
from flows.ui.references import References
from flows.ui.status_line import LiveText
from flows.ui.terminal_text import as_text, one_line

_INPUT_CHARS = 400
_ARGUMENT_CHARS = 240
_MEMORY_CHARS = 200
_MEMORIES = 5
_PLAN_LINES = 5
_PLAN_CHARS = 160
_REMEMBERED = 200


class Screen:
    """A listener that writes a run to a console. What is written is recognised by its shape.

    Memory, decisions, observations and feedback are shown wherever in the graph they come from;
    of other steps only those of the top flow, in a line, and with `verbose` all. Used as a context
    manager, or closed, it leaves no status line behind when a run is broken off.
    """

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._page = Page(console)
        self._live = LiveText(console)
        self._verbose = verbose
        self._folder = Path()
        self._known: frozenset[str] = frozenset()
        self._steps: dict[str, StepStarted] = {}
        self._composites: set[str] = set()
        self._shown: list[tuple[str, shapes.Shape]] = []
        self._erred: StepErred | None = None
        self._saved: dict[str, list[ArtifactSaved]] = {}
        self._replaying = False
        self._references = References()

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        if self._erred is not None and not isinstance(event, StepFinished):
            self._show_error(fatal=isinstance(event, RunEnded))
        match event:
            case TextArrived():
                self._live.add(event.address, event.text)
            case StepStarted():
                self._begin(event)
            case StepFinished():
                self._live.clear()
                self._finish(event)
            case ArtifactSaved():
                self._saved.setdefault(event.address, []).append(event)
                self._references.add(event)
            case ModelCalled():
                pass  # what it said is on the screen, and what failed will be told
            case _:
                self._live.clear()
                self._tell(event)

    def close(self) -> None:
        """Take away what was there only for now."""
        self._live.clear()

    # What comes between the steps.

    def _tell(self, event: Event) -> None:
        page = self._page
        match event:
            case RunStarted():
                self._introduce(event)
            case RoundStarted():
                limit = f" of {event.max_rounds:,}" if event.max_rounds else ""
                where = f" · {_name(event.address)}" if event.address else ""
                page.rule(f"Round {event.round:,}{limit}{where}")
            case StepErred():
                self._live.end(event.address)
                self._erred = event
            case Retrying():
                text = f"{event.message} Attempt {event.attempt + 1} in {event.wait_s:.1f} s."
                page.text("Again", text, style="yellow", label_style="yellow")
            case Notice(alarm=True):
                page.text("Alarm", event.text, style="red", label_style="bold red")
            case Notice():
                if not self._just_heard(event.text):
                    page.text("Note", event.text, label_style="cyan")
            case RunEnded():
                for address in list(self._saved):
                    self._show_saved(address)
            case _:
                pass

    def _show_error(self, *, fatal: bool = False) -> None:
        """Show an error that no observation told: the step is tried in another way, or it ends."""
        if self._erred is not None:
            self._live.clear()
            color = "red" if fatal else "yellow"
            text = f"{self._erred.flow}: {self._erred.message}"
            self._page.text("Failed", text, style=color, label_style=f"bold {color}")
            self._erred = None

    def _introduce(self, event: RunStarted) -> None:
        self._folder = self._references.folder = Path(event.folder)
        self._replaying = event.resumed
        self._known = frozenset(f"{name}: {value}" for name, value in event.inputs.items())
        page = self._page
        page.rule(event.title, "bold cyan")
        for name, value in event.inputs.items():
            label = one_line(name, 9).capitalize()
            page.text(label, one_line(as_text(value), _INPUT_CHARS), label_style="dim")
        page.text("Run", event.run, style="dim", label_style="dim")
        if event.resumed:
            page.text("Note", "The run goes on. What it did before comes from its journal.")

    def _begin(self, event: StepStarted) -> None:
        self._steps[event.address] = event
        if event.address:
            self._composites.add(_parent(event.address))
            self._live.clear()
            self._live.status(f"{_name(event.address)}: {event.goal}")

    # What a step gave.

    def _finish(self, event: StepFinished) -> None:
        unread = self._live.end(event.address)
        started = self._steps.pop(event.address, None)
        composite = event.address in self._composites
        self._composites.discard(event.address)
        if self._replaying and not composite and not event.reused:
            self._replaying = False
            self._page.rule("From here on the run is live", "dim")
        if unread:
            self._page.text("Text", unread)
        inputs = started.inputs if started else {}
        shown = self._show_shape(event, inputs, composite)
        self._show_error()
        if not shown and not unread:
            self._show_line(event, started)
        self._show_saved(event.address)

    def _show_shape(self, event: StepFinished, inputs: Mapping[str, Any], composite: bool) -> bool:
        """Show what the outputs are about. A composite also hands on what its subflows gave."""
        outputs = event.outputs
        if not event.address and composite:
            return True  # The end of the run is shown apart.
        found = shapes.observation(outputs)
        shape = found or shapes.read(outputs, inputs)
        if shape is None:
            return composite and any(_holds(event.address, place) for place, _ in self._shown)
        below = [seen for place, seen in self._shown if _holds(event.address, place)]
        known = shape in below or (found is None and type(shape) in map(type, below))
        if not (composite and known):
            self._shown.append((event.address, shape))
            del self._shown[:-_REMEMBERED]
            self._show(event, shape)
        return True

    def _show(self, event: StepFinished, shape: shapes.Shape) -> None:
        match shape:
            case Observation():
                self._observe(event, shape)
            case shapes.ControllerChoice():
                self._decide(shape)
            case shapes.Feedback():
                self._hear(shape)
            case shapes.RecalledTexts():
                self._remember(shape.texts)

    def _remember(self, texts: tuple[str, ...]) -> None:
        if not texts:
            self._page.text("Memory", "nothing yet", style="dim")
            return
        lines = [one_line(self._new_in(text), _MEMORY_CHARS) for text in texts[:_MEMORIES]]
        if len(texts) > _MEMORIES:
            lines.append(f"… {len(texts) - _MEMORIES} more")
        self._page.bullets("Memory", lines)

    def _just_heard(self, text: str) -> bool:
        """Whether the notice only says again how the person ended the run."""
        last = self._shown[-1][1] if self._shown else None
        return isinstance(last, shapes.Feedback) and last.ended == text

    def _new_in(self, text: str) -> str:
        """A remembered text without the lines that only repeat what this run was given."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " · ".join([line for line in lines if line not in self._known] or lines)

    def _decide(self, chosen: shapes.ControllerChoice) -> None:
        page = self._page
        if chosen.thought:
            page.text("Thought", chosen.thought)
        plan = [line for line in chosen.plan.splitlines() if line.strip()]
        if plan:
            lines = [one_line(line, _PLAN_CHARS) for line in plan[:_PLAN_LINES]]
            more = [f"… {len(plan) - _PLAN_LINES} more"] if len(plan) > _PLAN_LINES else []
            page.text("Plan", "\n".join(lines + more), style="dim")
        if not chosen.command:
            return
        command = Text(one_line(chosen.command, 60), style="bold cyan")
        for name, value in chosen.arguments.items():
            told = self._references.render(as_text(value))
            argument = one_line(told, _ARGUMENT_CHARS)
            command.append_text(Text.assemble(("\n" + one_line(name, 40), "dim"), "  ", argument))
        page.block("Command", command)

    def _hear(self, said: shapes.Feedback) -> None:
        if said.text:
            self._page.text("You", said.text, label_style="bold green")
        elif said.ended:
            self._page.text("You", said.ended, style="dim", label_style="bold green")
        elif not said.nobody:
            self._page.text("You", "go on", style="dim", label_style="bold green")

    def _observe(self, event: StepFinished, found: Observation) -> None:
        if self._erred is not None and self._erred.message.strip() in found.text:
            self._erred = None
        self._show_error()
        self._page.observe(found, self._detail(event, found))

    def _detail(self, event: StepFinished, found: Observation) -> str:
        table = found.table
        taken = event.elapsed_ms
        if table is None:
            return "" if taken < 1 else duration(taken)
        parts = [duration(taken if table.elapsed_ms is None else table.elapsed_ms)]
        for artifact in self._saved.get(event.address, []):
            if artifact.name == table.artifact:
                self._saved[event.address].remove(artifact)
                parts.append(shown_path(self._folder / artifact.path))
        return " · ".join(parts)

    def _show_line(self, event: StepFinished, started: StepStarted | None) -> None:
        depth = event.address.count("/")
        if not event.address or (depth and not self._verbose):
            return
        goal = one_line(started.goal if started else "", 200).rstrip(".")
        text = f"{'  ' * depth}{one_line(_name(event.address), 60)}: {goal} … "
        self._page.remark(text + duration(event.elapsed_ms))

    def _show_saved(self, address: str) -> None:
        for artifact in self._saved.pop(address, []):
            path = shown_path(self._folder / artifact.path)
            self._page.text("Saved", f"{path}  {one_line(artifact.description, 120)}")


def _name(address: str) -> str:
    """The name of the step at an address, without its counter."""
    return address.rpartition("/")[2].rpartition("#")[0] or address


def _parent(address: str) -> str:
    return address.rpartition("/")[0]


def _holds(address: str, place: str) -> bool:
    """Whether the step at `place` is the one at `address` or lies below it."""
    return address in ("", place) or place.startswith(f"{address}/")
