"""Python lines that read a source again: with DuckDB and pandas where they read it as the run did,
else with this package."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pprint import pformat
from typing import Final

from flows.config.redaction import HIDDEN
from flows.report.report import SourceUsed

# What a config says of a CSV file, in the words of DuckDB.
_OPTIONS: Final = {
    "delimiter": "delim", "quote": "quote", "header": "header", "decimal": "decimal_separator",
}  # fmt: skip
_SERVERS: Final = ("postgres", "mysql")
SETUP: Final = '''\
import sqlite3
from pathlib import Path

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go

connection = duckdb.connect()
databases = {}


def quoted(name):
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def keep(name, read):
    """Make a table of what was read."""
    connection.register("just_read", read)
    connection.execute(f"CREATE TABLE {quoted(name)} AS FROM just_read")
    connection.unregister("just_read")'''


def lines_of_sources(source: SourceUsed) -> Iterator[str]:
    """Statements after which `connection` has the tables of the source, and `databases` the SQLite
    file. Names and paths are literals."""
    if HIDDEN in source.where and source.kind not in _SERVERS:
        yield "# Where it is was a secret of the run: write the path here."
    known = source.plain and not (source.options.keys() - _OPTIONS.keys())
    if source.kind in _SERVERS:
        yield "# Give the password in the address, as the run's file of settings has it."
        yield from _by_package(source)
    elif known and source.kind == "sqlite":
        yield from _sqlite(source)
    elif known and source.kind == "duckdb":
        yield from _duckdb(source)
    elif known and len(source.tables) == 1:
        yield f"path = {source.where!r}"
        read = f"duckdb.read_{source.kind}(path{_options(source)})"
        yield f"keep({source.tables[0].name!r}, {read}.to_arrow_table())"
    else:
        yield "# It takes more than one way of reading to get this source right."
        yield from _by_package(source)


def reads_by_itself(source: SourceUsed) -> bool:
    """Whether DuckDB reads the source, of one table, as the run did."""
    is_file = source.kind in ("csv", "parquet", "json") and len(source.tables) == 1
    hidden = HIDDEN in source.where
    return is_file and source.plain and not hidden and not source.options.keys() - _OPTIONS.keys()


def expression_of_source(source: SourceUsed) -> str:
    """What reads such a source as a data frame."""
    read = f"duckdb.read_{source.kind}({source.where!r}{_options(source)})"
    return f"{read}.to_arrow_table().to_pandas()"


def lines_of_frames(sources: Sequence[SourceUsed]) -> str:
    """Statements after which `tables` has each table as a data frame, by its name in code."""
    frames = {table.frame: table.name for source in sources for table in source.tables}
    return (
        f"FRAMES = {pformat(frames)}\n\n\n"
        "def frame(name):\n"
        '    """A table as a data frame of its own."""\n'
        "    read = connection.sql(f'SELECT * FROM {quoted(FRAMES[name])}')\n"
        "    return read.to_arrow_table().to_pandas()\n\n\n"
        "tables = {name: frame(name) for name in FRAMES}"
    )


def lines_of_given(sources: Sequence[SourceUsed]) -> Iterator[str]:
    """Statements after which code finds what it found in the run: the tables by their names, none
    of them changed before, `df` for one alone, and nothing in `result` and `figure`."""
    yield "globals().update({name: each.copy() for name, each in tables.items()})"
    tables = [table for source in sources for table in source.tables]
    if len(tables) == 1:
        yield f"df = {tables[0].frame}.copy()"
    yield "result = figure = None"


def asking_again(sql: str, sources: Sequence[SourceUsed], names: Collection[str] = ()) -> str:
    """An expression that asks a query again, of the database that answered it: the sources with
    these names, or all."""
    read = [each for each in sources if each.name in names] or list(sources)
    if len(read) == 1 and read[0].kind == "sqlite":
        return f"pd.read_sql_query({sql!r}, databases[{read[0].name!r}])"
    return f"connection.sql({sql!r}).to_arrow_table().to_pandas()"


def _options(source: SourceUsed) -> str:
    if source.kind != "csv":
        return ""
    given = ((_OPTIONS[name], value) for name, value in source.options.items())
    return "".join(f", {name}={value!r}" for name, value in given)


def _sqlite(source: SourceUsed) -> Iterator[str]:
    """The tables are copied for queries over several sources; its own are asked of the file."""
    yield f"path = Path({source.where!r})"
    yield "found = sqlite3.connect(f'{path.as_uri()}?mode=ro', uri=True)"
    yield f"databases[{source.name!r}] = found"
    yield f"for name, physical in {_pairs(source)!r}:"
    yield "    keep(name, pd.read_sql_query(f'SELECT * FROM {quoted(physical)}', found))"


def _duckdb(source: SourceUsed) -> Iterator[str]:
    yield f"found = duckdb.connect({source.where!r}, read_only=True)"
    yield f"for name, physical in {_pairs(source)!r}:"
    yield "    keep(name, found.sql(f'SELECT * FROM {quoted(physical)}').to_arrow_table())"
    yield "found.close()"


def _by_package(source: SourceUsed) -> Iterator[str]:
    options = {"path": source.where, **source.options} if source.options else source.where
    where = f"SourceOptions(**{options!r})" if source.options else repr(options)
    yield "import tempfile"
    yield ""
    yield "from flows.data.catalog import Catalog"
    yield "from flows.data.files.source_options import SourceOptions"
    yield ""
    yield f"with Catalog({{{source.name!r}: {where}}}, Path()) as catalog:"
    yield "    with tempfile.TemporaryDirectory() as folder:"
    yield "        for table in catalog.tables():"
    yield "            copy = catalog.export(table.name, Path(folder))"
    yield "            keep(table.name, pd.read_parquet(copy))"


def _pairs(source: SourceUsed) -> list[tuple[str, str]]:
    return [(each.name, each.physical) for each in source.tables]
