"""A test case out of a run: a small file for pytest, and the run's recording beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from flows.core.artifacts import write_whole
from flows.core.file_lock import LOCK
from flows.core.rows import Row, row_text
from flows.core.store import FILE, JournalFile
from flows.errors import FlowsError, UsageError
from flows.records.lookup import find_run
from flows.runners.replay import replay

RUNS: Final = "runs"
PROMPTS: Final = "prompts"
_TEXT: Final = '''"""What the run {run_id} was, it has to stay. Written by `flows test`."""

from pathlib import Path

import flows

HERE = Path(__file__).parent


def test_run_{name}() -> None:
    result = flows.replay({arguments})

    assert result.status == "{status}"
'''


def write_case(
    run_id: str, out: Path, *, runs: str | Path = "runs", trust: Sequence[str] = ()
) -> tuple[Path, Path]:
    """Write a pytest case that replays the run, and its recording; returns both paths.

    Errors: `UsageError` if there is one already; as for `replay` when it does not come to the same
    now. Then nothing is written.
    """
    place = find_run(Path(runs), run_id)
    result = replay(place.run_id, runs=runs, trust=trust)
    name = re.sub(r"\W", "_", place.run_id)
    case, recording = out / f"test_run_{name}.py", out / RUNS / place.run_id
    for path in (case, recording):
        if path.exists():
            raise UsageError(f"{path} is there already; remove it to have it written again")
    rows = place.rows()
    arguments = [json.dumps(place.run_id), f'runs=HERE / "{RUNS}"', *_base(rows[0], out)]
    if trust:
        arguments.append(f"trust={json.dumps(list(trust))}")
    text = _TEXT.format(
        run_id=place.run_id, name=name, arguments=_laid_out(arguments), status=result.status
    )
    try:
        _write_recording(place.run_id, rows, recording)
        write_whole(case, text.encode())
    except OSError as error:
        shutil.rmtree(recording, ignore_errors=True)
        raise UsageError(f"the test case cannot be written: {error}") from error
    except FlowsError:
        shutil.rmtree(recording, ignore_errors=True)
        raise
    return case, recording


def _base(start: Row, out: Path) -> list[str]:
    """Where the run's own prompts are, seen from the test; nothing without any."""
    base = Path(start.data()["base"])
    if not (base / PROMPTS).is_dir():
        return []
    there = Path(os.path.relpath(base, out.absolute())).as_posix()
    return ["base=HERE" if there == "." else f'base=HERE / "{there}"']


def _laid_out(arguments: Sequence[str]) -> str:
    """Arguments on one line if they fit there, else each on its own, as formatters have it."""
    line = ", ".join(arguments)
    if len(line) <= 60:
        return line
    return "\n" + "".join(f"        {each},\n" for each in arguments) + "    "


def _write_recording(run_id: str, rows: Sequence[Row], folder: Path) -> None:
    """Write the rows of one run as a single file. Its artifacts are not needed for a replay."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as part:
        made = Path(part)
        file = JournalFile(made, new=True, durability="normal")
        try:
            number = file.number_of(run_id)
            before = ""
            for row in rows:
                text = row_text(before, *row[:6])
                file.add(*row[1:], number, text=text, durable=False)
                before = row.checksum
        finally:
            file.close()
        with closing(sqlite3.connect(made / FILE)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
        (made / LOCK).unlink()
        folder.mkdir()
        (made / FILE).replace(folder / FILE)
