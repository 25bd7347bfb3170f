"""The tool `save_code_to_file`: code as a file in the run's folder."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import ClassVar, Final

from pydantic import Field

from flows.core.artifacts import write_whole
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Ports
from flows.core.run import Run

_KINDS: Final = (".txt", ".py")


class SaveCodeToFileConfig(AtomicConfig):
    """The keys of this tool."""

    description: str = "Keeps code as a file of the run."


class SaveCodeToFileInputs(Ports):
    code: str
    file_path: str = Field(default="code.txt", description="a path in the run's folder")


class SaveCodeToFileOutputs(Ports):
    """`file_path` is where the file is, in the run's folder; `error` says why there is none."""

    success: bool
    file_path: str = ""
    error: str = ""


class SaveCodeToFileFlow(AtomicFlow):
    """Writes code whole or not at all. A path that leads out of the run's folder, that the run
    keeps its own files under, or that is no `.txt` or `.py`, is refused."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = SaveCodeToFileConfig
    Inputs: ClassVar[type[Ports]] = SaveCodeToFileInputs
    Outputs: ClassVar[type[Ports]] = SaveCodeToFileOutputs

    async def run(self, inputs: SaveCodeToFileInputs, run: Run) -> SaveCodeToFileOutputs:
        path = PurePosixPath(inputs.file_path)
        folder = run.session.folder
        if path.is_absolute() or ".." in path.parts or "\x00" in inputs.file_path:
            return _refused(f"{inputs.file_path!r} is not in the run's folder")
        if path.suffix not in _KINDS:
            return _refused(f"{inputs.file_path!r} ends in none of {', '.join(_KINDS)}")
        if path.parts[0] == "artifacts":
            return _refused("the run keeps its own files in artifacts/")
        target = folder / path
        if not target.parent.resolve().is_relative_to(folder.resolve()):
            return _refused(f"{inputs.file_path!r} is not in the run's folder")
        try:
            await asyncio.to_thread(write_whole, target, inputs.code.encode())
        except OSError as error:
            return _refused(f"{inputs.file_path!r} cannot be written: {error.strerror}")
        return SaveCodeToFileOutputs(success=True, file_path=str(path))


def _refused(why: str) -> SaveCodeToFileOutputs:
    return SaveCodeToFileOutputs(success=False, error=why)
