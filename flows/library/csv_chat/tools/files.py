"""The files that a tool may read: those of the run's data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.data.catalog import Catalog
from flows.data.files.sources import Source
from flows.data.tables import Table
from flows.errors import SourceError


def table_of(file: str, catalog: Catalog, tables: Mapping[str, Table]) -> str:
    """The data frame of a file, that is named by its path, its file name or its source's name.

    Errors: `SourceError` for a file that is not of the run's data, or that holds several tables.
    """
    for name in catalog.sources:
        if file not in _names(name, catalog):
            continue
        found = [frame for frame, table in tables.items() if table.source == name]
        if len(found) == 1:
            return found[0]
        raise SourceError(f"{file} holds several tables: {', '.join(found)}")
    known = ", ".join(catalog.sources)
    raise SourceError(f"{file} is not of the run's data\nallowed: {known}")


def _names(name: str, catalog: Catalog) -> set[str]:
    """What a source may be called by."""
    source = catalog.source(name)
    if not isinstance(source, Source):
        return {name}
    path = Path(source.path)
    return {name, str(path), path.name, str(path.absolute())}
