"""The data sources of a run as its report names them."""

from __future__ import annotations

from typing import Final

from flows.config.redaction import redact
from flows.data.catalog import Catalog
from flows.data.files.sources import Source
from flows.data.frames import frame_name
from flows.data.servers import ServerSource
from flows.data.tables import Table
from flows.report.report import SourceTable, SourceUsed

# What pandas and DuckDB read by themselves as this package does, if nothing was noticed of it.
_PLAIN: Final = ("csv", "parquet", "json", "sqlite", "duckdb")


def sources_used(catalog: Catalog) -> tuple[SourceUsed, ...]:
    """All sources of a catalog, in its order. Errors: `SourceError`."""
    tables = catalog.tables()
    return tuple(_used(catalog, name, tables) for name in catalog.sources)


def _used(catalog: Catalog, name: str, tables: tuple[Table, ...]) -> SourceUsed:
    source = catalog.source(name)
    own = [each for each in tables if each.source == name]
    digest = catalog.source_hash(name)
    listed = tuple(
        SourceTable(
            name=each.name,
            frame=frame_name(each, tables),
            physical=catalog.place(each.name).physical,
            rows=each.rows,
        )
        for each in own
    )
    if isinstance(source, ServerSource):
        return SourceUsed(
            name=name, sha256=digest, tables=listed, kind=source.dialect, where=source.where
        )
    return SourceUsed(
        name=name,
        sha256=digest,
        tables=listed,
        kind=source.kind,
        where=redact(str(source.path)),
        options=_options(source),
        plain=_is_plain(source, own),
    )


def _is_plain(source: Source, tables: list[Table]) -> bool:
    noticed = any(each.notes for each in tables)
    packed = any(each.packing for each in source.files)
    return source.kind in _PLAIN and not noticed and not packed


def _options(source: Source) -> dict[str, str | bool]:
    if source.options is None:
        return {}
    return source.options.model_dump(exclude={"path"}, exclude_none=True)
