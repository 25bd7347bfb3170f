"""The tables of a run as data frames: Parquet files, written when code first names them."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from flows.core.artifacts import Artifact
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.files.source_options import SourceOptions
from flows.data.frames import frame_names
from flows.data.sql.table_copies import copied_table
from flows.data.tables import Table
from flows.errors import JournalError, SourceError, nearest
from flows.sandbox.syntax import compiled

# The data frame of a table that the run has kept, for code whose input it is.
DATA: Final = "data"


class Frames:
    """The exports of one run. They are made in a folder that goes with it."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._folder: Path | None = None
        self._files: dict[str, Path] = {}
        self._kept: dict[str, Table] = {}
        self._one = asyncio.Lock()
        self._looking = asyncio.Lock()

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

    async def kept(self, artifact: Artifact, folder: Path) -> Table:
        """A table that the run has kept, profiled over all its rows, as the data frame `data`; it
        says what the run's tables say of the columns that it took over.

        Errors: `SourceError` for one that is no table; `JournalError` for one whose file is gone
        or was changed.
        """
        form = next((each for each in artifact.files if each.kind == "parquet"), None)
        if form is None:
            raise SourceError(f"{artifact.name!r} is no table, but a {artifact.what}")
        if form.state(folder) != "whole":
            raise JournalError(f"the artifact {form.path} was changed after it was written")
        async with self._looking:
            if artifact.name not in self._kept:
                known = await asyncio.to_thread(self.catalog.tables)
                found = await asyncio.to_thread(_known, artifact, folder / form.path, known)
                if found is None:
                    profiled = await asyncio.to_thread(_profiled, folder / form.path)
                    found = _as_described(profiled, known)
                self._kept[artifact.name] = found
        return self._kept[artifact.name]

    def _export(self, table: Table) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="flows-frames-"))
        return self.catalog.export(table.name, self._folder)

    async def aclose(self) -> None:
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)


def kept_table(name: str, run: Run) -> Artifact:
    """The artifact of a result that somebody names. Errors: `SourceError` for one not there."""
    tables = {each.name: each for each in run.session.artifacts.all() if each.what == "table"}
    if name in tables:
        return tables[name]
    meant = nearest(name, tables)
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise SourceError(f"this run has kept no table {name!r}{hint}")


def _known(artifact: Artifact, path: Path, tables: Sequence[Table]) -> Table | None:
    """The profile of a kept table that is one of the run's tables as it stands, which is known."""
    from pyarrow import parquet

    query = artifact.origin.query if artifact.origin is not None else None
    table = copied_table(query, tables) if query else None
    if table is None:
        return None
    with parquet.ParquetFile(path) as file:
        names, rows = file.schema_arrow.names, file.metadata.num_rows
    if names != [each.name for each in table.columns] or rows != table.rows:
        return None
    own = {"source": DATA, "name": DATA, "dialect": "duckdb"}
    apart = {"primary_key": (), "foreign_keys": (), "keys": _keys(table), "joins": ()}
    return table.model_copy(update={**own, **apart})


def _keys(table: Table) -> tuple[tuple[str, ...], ...]:
    """The keys whose columns all are there."""
    names = {each.name for each in table.columns}
    return tuple(each for each in table.keys if names.issuperset(each))


def _profiled(path: Path) -> Table:
    """The profile of a Parquet file, as the table `data`."""
    options = SourceOptions(path=str(path.absolute()))
    with Catalog({DATA: options}, path.parent) as catalog:
        [table] = catalog.tables()
    return table.model_copy(update={"source": DATA, "name": DATA})


def _as_described(table: Table, known: Sequence[Table]) -> Table:
    """The table with the descriptions and units of columns of the same name and type, where all
    tables that have one say the same."""
    columns = []
    for column in table.columns:
        told = {
            (each.description, each.unit)
            for other in known
            for each in other.columns
            if each.name == column.name and (each.description or each.unit)
        }
        if len(told) == 1:
            [(description, unit)] = told
            column = column.model_copy(update={"description": description, "unit": unit})
        columns.append(column)
    return table.model_copy(update={"columns": tuple(columns)})


def named_in(code: str, frames: Collection[str], *, given: bool = False) -> tuple[str, ...]:
    """The frames that the code names, in their own order: all for `tables`, which holds them by
    their names, and the only one for `df`, unless code is `given` another. The code must be
    valid."""
    used = compiled(code, "<code>").names
    if "tables" in used or ("df" in used and len(frames) == 1 and not given):
        return tuple(frames)
    return tuple(name for name in frames if name in used)
