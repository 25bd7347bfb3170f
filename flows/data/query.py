"""Running one query: through the firewall, in a worker, within limits of time, rows and bytes."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from flows.data.catalog import Catalog
from flows.data.deadline import too_slow
from flows.data.results.parquet import read_parquet, write_parquet
from flows.data.sql.firewall import CheckedQuery, check_query, parse_one, table_names
from flows.data.tables import Dialect, ResultTable, Table
from flows.data.workers.messages import FILES, RowsMessage
from flows.errors import QueryFailed, QueryRefused

_MOST_CELLS = 2_000_000

Engine = Literal["auto", "duckdb", "sqlite", "postgres", "mysql"]

_LABELS: dict[Dialect, str] = {
    "duckdb": "DuckDB",
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
}


def run_query(
    catalog: Catalog,
    sql: str,
    *,
    max_rows: int,
    timeout: float,
    engine: Engine = "auto",
    stop: threading.Event | None = None,
) -> ResultTable:
    """Run a reading query and return at most `max_rows` rows.

    `timeout` is in seconds from when the process that runs queries is ready: the first query, and
    one after a query that had to be killed, wait for its start. Setting `stop` ends it before.
    `engine` restricts the query to the tables of one database engine; with "auto" a query over
    tables of several is DuckDB's, into which those of the others are copied. Raises QueryRefused
    (the firewall or the guard of the database), QueryFailed (the database, or a limit of time or
    memory) and SourceError. It may be called in any thread, by several at once.
    """
    return _run_query(
        catalog, sql, max_rows=max_rows, timeout=timeout, engine=engine, stop=stop, target=None
    )


def _run_query(
    catalog: Catalog,
    sql: str,
    *,
    max_rows: int,
    timeout: float,
    engine: Engine,
    stop: threading.Event | None,
    target: Path | None,
) -> ResultTable:
    catalog.tables()  # loading the files is not a part of the first query's time
    started = time.monotonic()
    checked = plan_query(catalog, sql, engine)
    if time.monotonic() - started > timeout:
        raise QueryFailed(too_slow(timeout))
    names = [table.name for table in checked.tables]
    found = _run(catalog, checked.sql, checked.dialect, names, max_rows + 1, timeout, stop, target)
    read = sorted({table.source for table in checked.tables})
    return ResultTable(
        columns=tuple(_distinct_names(found.columns)),
        types=found.types,
        rows=found.rows[:max_rows],
        truncated=found.cut or len(found.rows) > max_rows,
        sql=checked.sql,
        sources={name: catalog.source_hash(name) for name in read},
        elapsed_ms=(time.monotonic() - started) * 1000,
    )


@dataclass(frozen=True, slots=True)
class Exported:
    """A query's result: the first rows as `table`, how many there are, all of them as Parquet."""

    table: ResultTable
    total: int
    parquet: bytes


def export_query(
    catalog: Catalog,
    sql: str,
    *,
    max_rows: int,
    timeout: float,
    engine: Engine = "auto",
    stop: threading.Event | None = None,
) -> Exported:
    """As `run_query`, with all rows: those that are more than `max_rows` never become cells."""
    with tempfile.TemporaryDirectory(prefix="flows-result-") as folder:
        target = Path(folder) / "result.parquet"
        table = _run_query(
            catalog, sql, max_rows=max_rows, timeout=timeout, engine=engine, stop=stop,
            target=target,
        )  # fmt: skip
        if not target.exists():
            return Exported(table, len(table.rows), write_parquet(table))
        content = target.read_bytes()
    first, total = read_parquet(content, most_rows=max_rows, most_cells=_MOST_CELLS)
    shown = {"columns": first.columns, "types": first.types, "rows": first.rows}
    kept = table.model_copy(update={**shown, "truncated": total > len(first.rows)})
    return Exported(kept, total, content)


def run_unchecked(
    catalog: Catalog, sql: str, dialect: Dialect, *, max_rows: int, timeout: float
) -> RowsMessage:
    """Run SQL as it is, without the firewall: what the walls behind it hold can be tested so.

    Errors: as of `run_query`.
    """
    names = [table.name for table in catalog.tables() if table.dialect == dialect]
    return _run(catalog, sql, dialect, names[:1], max_rows, timeout, None)


def plan_query(catalog: Catalog, sql: str, engine: Engine = "auto") -> CheckedQuery:
    """Send a query through the firewall for the engine that its tables need, without running it."""
    tables = catalog.tables()
    dialect, foreign = _choose(sql, tables) if engine == "auto" else (engine, False)
    physical = {
        name: name if foreign and catalog.place(name).engine != FILES else known
        for name, known in catalog.physical_names().items()
    }
    return check_query(sql, tables, dialect, physical, foreign=foreign)


def _choose(sql: str, tables: Sequence[Table]) -> tuple[Dialect, bool]:
    """The dialect of a query, and whether it reads tables of several databases."""
    dialects = sorted({table.dialect for table in tables}, key=list(_LABELS).index)
    places = {table.source if table.dialect != "duckdb" else FILES for table in tables}
    if len(places) < 2:
        return next(iter(dialects), "duckdb"), False
    by_name = {table.name.casefold(): table for table in tables}
    names, dialect = _names(sql, dialects)
    used = [by_name[name.casefold()] for name in names if name.casefold() in by_name]
    if len({FILES if table.dialect == "duckdb" else table.source for table in used}) > 1:
        return "duckdb", True
    return (used[0].dialect if used else dialect), False


def _names(sql: str, dialects: Sequence[Dialect]) -> tuple[list[str], Dialect]:
    """The tables that a query names, as the first dialect reads it that can."""
    first: QueryRefused | None = None
    for dialect in dict.fromkeys(("duckdb", *dialects)):
        try:
            return table_names(parse_one(sql, dialect)), dialect
        except QueryRefused as error:
            first = error
    assert first is not None
    raise first


def _run(
    catalog: Catalog,
    sql: str,
    dialect: Dialect,
    names: Sequence[str],
    rows: int,
    seconds: float,
    stop: threading.Event | None,
    target: Path | None = None,
) -> RowsMessage:
    places = {name: catalog.place(name) for name in names}
    if dialect == "duckdb":
        foreign = {name: place for name, place in places.items() if place.engine != FILES}
        if not foreign and all(table.dialect != "duckdb" for table in catalog.tables()):
            raise QueryRefused(_no_source(dialect))
        return catalog.workers.query(FILES, sql, (), foreign, rows, seconds, stop, target)
    engine = _only_engine(catalog, dialect, [place.source.name for place in places.values()])
    own = [catalog.place(each.name) for each in catalog.tables() if each.source == engine]
    return catalog.workers.query(engine, sql, own, {}, rows, seconds, stop, target)


def _only_engine(catalog: Catalog, dialect: Dialect, read: Sequence[str]) -> str:
    several = sorted(set(read))
    if len(several) > 1:
        raise QueryRefused(
            f"one query cannot read two {_LABELS[dialect]} databases ({', '.join(several)}) in "
            "their own SQL; write it as DuckDB SQL for the engine auto, which can"
        )
    names = several or [each.source for each in catalog.tables() if each.dialect == dialect]
    if not names:
        raise QueryRefused(_no_source(dialect))
    return names[0]


def _no_source(dialect: Dialect) -> str:
    return f"there is no source that {_LABELS[dialect]} reads"


def _distinct_names(names: Sequence[str]) -> Iterator[str]:
    """Column names, with a number where a name comes again."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}_{seen[name]}"
