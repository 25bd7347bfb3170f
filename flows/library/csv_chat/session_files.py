"""The files of a session in its run's folder: its figures, and its code as one file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

from pydantic import Field

from flows.core.artifacts import Artifact, SavedFile, write_whole
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.library.csv_chat.summary import TaskAnswer
from flows.report.script import ScriptPiece, script_head, script_piece
from flows.report.sources import sources_used

IMAGES: Final = "images"
CODE: Final = "code.txt"
_NAME_CHARS: Final = 80
_TURN: Final = "# Turn {}"


class SessionFilesInputs(Ports):
    """The turn, counted from 1, and its tasks with what they came to."""

    session_id: str
    turn: int
    tasks: tuple[TaskAnswer, ...]


class SessionFilesOutputs(Ports):
    """The paths of the turn's figures, by their artifacts, and of the session's code, all in the
    run's folder."""

    images: Mapping[str, str] = Field(default={})
    code_path: str = ""


class SessionFilesFlow(AtomicFlow):
    """Writes the figures of a turn as `images/SESSION/NAME.png`, and what answered it at the end of
    `code.txt`. The same turn, written again, takes the place of what it had written."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = SessionFilesInputs
    Outputs: ClassVar[type[Ports]] = SessionFilesOutputs

    def __init__(self, config: AtomicConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: SessionFilesInputs, run: Run) -> SessionFilesOutputs:
        folder = run.session.folder
        images: dict[str, str] = {}
        for task in inputs.tasks:
            for name in task.figures:
                figure = run.session.artifacts.find(name)
                path = f"{IMAGES}/{inputs.session_id}/{_called(task.question, images.values())}.png"
                if await asyncio.to_thread(_copy, figure, folder, folder / path):
                    images[name] = path
        if not any(each.sql or each.code for each in inputs.tasks):
            return SessionFilesOutputs(images=images)
        await asyncio.to_thread(self._write_code, inputs, folder / CODE)
        return SessionFilesOutputs(images=images, code_path=CODE)

    def _write_code(self, inputs: SessionFilesInputs, path: Path) -> None:
        sources = sources_used(self.catalog)
        mark = _TURN.format(inputs.turn)
        before = path.read_text("utf-8") if path.exists() else script_head(sources) + "\n"
        kept = before.split(f"\n{mark}\n")[0].rstrip()
        pieces = [script_piece(each, sources) for each in _pieces(inputs)]
        write_whole(path, "\n\n\n".join((kept, "\n\n".join((mark, *pieces)), "")).encode())


def _pieces(inputs: SessionFilesInputs) -> Iterator[ScriptPiece]:
    done = [each for each in inputs.tasks if each.sql or each.code]
    for place, task in enumerate(done, 1):
        number = str(inputs.turn) if len(done) == 1 else f"{inputs.turn}_{place}"
        yield ScriptPiece(number, task.question, task.sql, task.code)


def _copy(figure: Artifact, folder: Path, path: Path) -> bool:
    """Write the picture of a figure under another name; False where it has none."""
    forms: tuple[Artifact | SavedFile, ...] = (figure, *figure.forms)
    found = next((each for each in forms if each.kind == "png"), None)
    if found is None:
        return False
    write_whole(path, (folder / found.path).read_bytes())
    return True


def _called(question: str, taken: Iterable[str]) -> str:
    """A name for a figure by what it shows, that no other of the turn has."""
    name = re.sub(r"[^a-z0-9]+", "_", question.casefold()).strip("_")[:_NAME_CHARS] or "figure"
    same = sum(Path(each).stem.startswith(name) for each in taken)
    return f"{name}_{same + 1}" if same else name
