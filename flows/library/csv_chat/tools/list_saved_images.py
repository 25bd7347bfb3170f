"""The tool `list_saved_images`: the figures of a session."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.library.csv_chat.session_files import IMAGES


class ListSavedImagesConfig(AtomicConfig):
    """The keys of this tool."""

    description: str = "Lists the figures of a session."


class ListSavedImagesInputs(Ports):
    session_id: str


class ListSavedImagesOutputs(Ports):
    """`images` are paths in the run's folder, in the order of their names."""

    session_id: str
    images: tuple[str, ...]
    count: int


class ListSavedImagesFlow(AtomicFlow):
    """Lists the pictures of the folder that a session's figures are kept in."""

    Config: ClassVar[type[FlowConfig]] = ListSavedImagesConfig
    Inputs: ClassVar[type[Ports]] = ListSavedImagesInputs
    Outputs: ClassVar[type[Ports]] = ListSavedImagesOutputs

    async def run(self, inputs: ListSavedImagesInputs, run: Run) -> ListSavedImagesOutputs:
        images = await asyncio.to_thread(_images, run.session.folder, inputs.session_id)
        return ListSavedImagesOutputs(
            session_id=inputs.session_id, images=images, count=len(images)
        )


def _images(folder: Path, session: str) -> tuple[str, ...]:
    """The pictures of a session; of a name that is no session there are none."""
    held = folder / IMAGES
    if Path(session).name != session or not (held / session).is_dir():
        return ()
    found = sorted((held / session).glob("*.png"))
    return tuple(str(each.relative_to(folder)) for each in found if each.is_file())
