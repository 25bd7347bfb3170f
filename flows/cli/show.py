"""How a command shows a run: on the terminal, or as JSON with the progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from rich.console import Console

from flows.cli.output import write_json
from flows.cli.reserved_stdout import ReservedStdout
from flows.cli.telemetry import Telemetry, open_telemetry
from flows.core.events import Event, Listener, Notice, RunStarted
from flows.core.result import RunResult
from flows.errors import FlowsError, UsageError
from flows.services.report_files import write_reports
from flows.ui.console import make_console
from flows.ui.ending import show_result
from flows.ui.event_lines import STDOUT, EventLines
from flows.ui.live import LiveScreen
from flows.ui.screen import Screen

BrokenOff = Literal["failed", "interrupted"]


class Show:
    """Listens to a run, shows it, and turns its end into an exit code.

    `live` makes the screen of a run that is drawn again while it goes on, which is `watched` then.
    `listeners` are all that the run tells its events: this, the file of `--events`, and the spans.
    As a context it sees what goes wrong: with JSON wanted, there is one object in any case.
    Errors, when it is entered: `UsageError` for a file that cannot be written.
    """

    def __init__(
        self,
        *,
        as_json: bool,
        verbose: bool,
        events: str | None = None,
        live: Callable[[Console], LiveScreen] | None = None,
    ) -> None:
        self.as_json = as_json
        self.console = make_console(to_stderr=as_json or events == STDOUT)
        self.watched = live(self.console) if live is not None else None
        self.screen = self.watched or Screen(self.console, verbose=verbose)
        self.run_id: str | None = None
        self.events = events
        self._stdout: ReservedStdout | None = None
        self.outlets: list[EventLines | Telemetry] = []

    @property
    def listeners(self) -> list[Listener]:
        return [self.listen, *self.outlets]

    def note(self, text: str) -> None:
        """Say something that the run does not know."""
        self.screen(Notice(self.run_id or "", 0, "", 0, text))

    def listen(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.run_id = event.run
        self.screen(event)

    def end(
        self,
        result: RunResult,
        reports: Mapping[Path, str] = {},
        *,
        written: Sequence[Path] = (),
    ) -> int:
        """Write the `reports` of an analysis, by their kinds, show what the run came to and return
        the exit code; `written` is what is there already. Errors: `UsageError` for a report that
        cannot be written."""
        written = [*written, *write_reports(result, reports)]
        show_result(self.console, result, reports=written)
        if self.as_json:
            files = {"reports": [str(path) for path in written]} if reports or written else {}
            self.write({**result.as_json(), **files})
        if result.status != "waiting":
            note_unwritten(reports, written)
        return result.exit_code

    def __enter__(self) -> Self:
        # What code of the user's own prints may not stand among the JSON, nor may spans.
        if self.as_json:
            self._stdout = ReservedStdout()
        try:
            self._open()
        except UsageError as error:
            self.__exit__(UsageError, error, None)
            raise
        if self._stdout is None and self.events == STDOUT:
            self._stdout = ReservedStdout()
        return self

    def write(self, found: Mapping[str, Any]) -> None:
        """The one object, on what was standard output before: nothing else comes there."""
        if self._stdout is None:
            write_json(found)
            return
        with self._stdout.opened():
            write_json(found)

    def _open(self) -> None:
        if self.as_json and self.events == STDOUT:
            raise UsageError("--json and --events - both want standard output")
        if self.events is not None:
            self.outlets.append(EventLines(self.events, self.note))
        if (telemetry := open_telemetry()) is not None:
            self.outlets.append(telemetry)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, trace
        self.screen.close()
        for outlet in self.outlets:
            outlet.close()
        if isinstance(error, KeyboardInterrupt) and self.run_id:
            print(f"\ngo on with: flows resume {self.run_id}", file=sys.stderr)
        if self.as_json and isinstance(error, (FlowsError, KeyboardInterrupt)):
            stopped = isinstance(error, KeyboardInterrupt)
            status: BrokenOff = "interrupted" if stopped else "failed"
            self.write(self.broken_off(status, str(error) or "stopped"))
        if self._stdout is not None:
            self._stdout.release()

    def broken_off(self, status: BrokenOff, reason: str) -> dict[str, object]:
        """The object of a run that has no result."""
        failed = {"run_id": self.run_id, "status": status, "reason": reason}
        return {**failed, "outputs": {}, "usage": {}, "artifacts": []}


def note_unwritten(reports: Iterable[Path], written: Collection[Path]) -> None:
    """Say of which of the reports that were asked for there is none."""
    for path in reports:
        if path not in written:
            print(f"{path} was not written: there is no report", file=sys.stderr)
