"""The tables of a run as data frames: Parquet files, written when code first names them."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path

from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.frames import frame_names
from flows.data.tables import Table
from flows.sandbox.syntax import compiled


class Frames:
    """The exports of one run. They are made in a folder that goes with it."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._folder: Path | None = None
        self._files: dict[str, Path] = {}
        self._one = asyncio.Lock()

    @classmethod
    def of(cls, catalog: Catalog, run: Run) -> Frames:
        """Those that all steps of the run share."""
        return run.session.hold((cls, id(catalog)), lambda: cls(catalog))

    async def tables(self) -> dict[str, Table]:
        """The tables by the names of their frames."""
        return frame_names(await asyncio.to_thread(self.catalog.tables))

    async def files(self, names: Iterable[str]) -> dict[str, Path]:
        """The files of these frames. Errors: `SourceError` for a table that cannot be read."""
        known = await self.tables()
        async with self._one:
            for name in names:
                if name not in self._files:
                    self._files[name] = await asyncio.to_thread(self._export, known[name])
        return {name: self._files[name] for name in names}

    def _export(self, table: Table) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="flows-frames-"))
        return self.catalog.export(table.name, self._folder)

    async def aclose(self) -> None:
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


def named_in(code: str, frames: Collection[str]) -> tuple[str, ...]:
    """The frames that the code names, in their own order: all for `tables`, which holds them by
    their names, and the only one for `df`. The code must be valid."""
    used = compiled(code, "<code>").names
    if "tables" in used or ("df" in used and len(frames) == 1):
        return tuple(frames)
    return tuple(name for name in frames if name in used)
