"""All that a worker may import: importing this once, where it can be written, compiles it."""

from __future__ import annotations

import duckdb
import python_calamine

from flows.data.engines import duckdb_files, head, mysql, postgres, server_head, sqlite_files
from flows.data.files import excel
from flows.data.profiles import large
from flows.data.workers import program, worker

__all__ = [
    "duckdb",
    "duckdb_files",
    "excel",
    "head",
    "large",
    "mysql",
    "postgres",
    "program",
    "python_calamine",
    "server_head",
    "sqlite_files",
    "worker",
]
