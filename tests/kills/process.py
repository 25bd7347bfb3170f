"""Forked processes: everything is imported already, so that a thousand attempts take minutes."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.kills.attempt import Tell, tell_by

LIMIT: Final = 60.0  # seconds; an attempt takes less than one


@dataclass
class Ended:
    """How a process ended. `seconds` are those since it told that its run had started, which was at
    `started` on the clock of `time.monotonic`."""

    started: float | None = None
    killed: bool = False
    hung: bool = False
    seconds: float = 0.0
    told: list[dict[str, Any]] = field(default_factory=list)
    trouble: str = ""

    def last(self, key: str) -> Any:
        """What it told last under that key, or None."""
        return next((each[key] for each in reversed(self.told) if key in each), None)


def in_a_process(
    work: Callable[[Tell], None], folder: Path, log: Path, kill_after: float | None = None
) -> Ended:
    """Do the work in a fork of this process, in that folder; `log` is its KILLS_LOG.

    With `kill_after` it is killed so many seconds after its run started, if it lives so long.
    """
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        _work(work, folder, log, writer)
    os.close(writer)
    try:
        ended = _listen(process, reader, kill_after)
    finally:
        os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    ended.killed = status == -signal.SIGKILL and not ended.hung
    ended.trouble = ended.last("trouble") or ("" if status in (0, -9) else f"exit code {status}")
    return ended


def _work(work: Callable[[Tell], None], folder: Path, log: Path, writer: int) -> None:
    code = 1
    tell = tell_by(writer)
    try:
        os.chdir(folder)
        os.environ["KILLS_LOG"] = str(log)
        work(tell)
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, it is told, and this process ends
        tell({"trouble": traceback.format_exc()})
    finally:
        sys.stderr.flush()
        os._exit(code)


def _listen(process: int, reader: int, kill_after: float | None) -> Ended:
    ended = Ended()
    began = time.monotonic()
    for line in _lines(reader, lambda: _time_left(process, ended, began, kill_after)):
        ended.told.append(json.loads(line))
        if ended.started is None and "started" in ended.told[-1]:
            ended.started = time.monotonic()
    ended.seconds = time.monotonic() - (ended.started or began)
    return ended


def _time_left(process: int, ended: Ended, began: float, kill_after: float | None) -> float:
    """Seconds until something has to be done; what is due is done."""
    now = time.monotonic()
    at = began + LIMIT
    if kill_after is not None and ended.started is not None:
        at = min(at, ended.started + kill_after)
    if now >= at:
        ended.hung = now >= began + LIMIT
        os.kill(process, signal.SIGKILL)
        return 1.0
    return at - now


def _lines(reader: int, time_left: Callable[[], float]) -> Iterator[bytes]:
    """The whole lines that come by the pipe until its other end is closed."""
    rest = b""
    while True:
        if not select.select([reader], [], [], time_left())[0]:
            continue
        piece = os.read(reader, 65_536)
        if not piece:
            return
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
