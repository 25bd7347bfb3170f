"""A conversation about data: its turns, each told when it is over."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final

from flows.core.events import Event, Listener, RunStarted, StepFinished
from flows.core.loop import synchronous
from flows.core.observation import Cell
from flows.core.pause import Pause
from flows.core.result import RunResult
from flows.data.tables import ResultTable
from flows.library.csv_chat.conversation import SAY
from flows.library.csv_chat.reply import TurnReply
from flows.runners import door
from flows.services.request import DataQuestion, Options, run_file

_ARTIFACTS: Final = "artifacts"
Rows = tuple[tuple[Cell, ...], ...]
Tell = Callable[[TurnReply, Rows], None]


def conversation_file() -> Path:
    """The run file of `flows chat`. Errors: `ConfigError` when the package came without it."""
    return run_file("csv_chat", "flows chat")


def start_conversation(
    request: DataQuestion,
    options: Options,
    *,
    tell: Tell,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
) -> Coroutine[Any, Any, RunResult]:
    """Talk about data until the person ends it. `tell` is given each turn when it is over, with all
    rows of its result. A question of the request is the first turn. By the `pause` a turn can be
    stopped.

    Errors: `ConfigError` for options and data that nothing can be asked with; what goes wrong in
    the run is in the result.
    """
    return door.start_run(
        conversation_file(),
        options.overrides,
        settings=(*options.settings(), *request.settings()),
        inputs=request.inputs if request.question else {},
        listeners=(TurnListener(tell), *listeners),
        trust=options.trust,
        begin=lambda _: pause,
    )


converse = synchronous(start_conversation, "converse")


class TurnListener:
    """Listens to the run of a conversation, and tells each turn that is over now; turns that were
    over before the run went on are not told again."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._folder = Path()

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._folder = Path(event.folder)
        elif isinstance(event, StepFinished) and event.flow == SAY and not event.reused:
            reply = TurnReply.model_validate(event.outputs["reply"])
            self._tell(reply, rows_of(reply, self._folder))


def rows_of(reply: TurnReply, folder: Path) -> Rows:
    """All rows of a turn's result; the first of them where the file that holds all is gone."""
    table = reply.table
    if table is None:
        return ()
    if table.total_rows > len(table.rows) and table.artifact is not None:
        path = folder / _ARTIFACTS / f"{table.artifact}.json"
        if path.is_file():
            return ResultTable.model_validate_json(path.read_bytes()).rows
    return table.rows
