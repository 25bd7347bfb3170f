"""A look at the first rows of sources, by a process of its own that ends with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.errors import SourceError
from flows.sandbox.processes import tree

NOTE = "a preview: only the first 20 rows were looked at"


def look(folder: Path, **sources: str) -> tuple[Table, ...]:
    with Catalog(sources, folder) as catalog:
        return catalog.preview(rows=20)


@pytest.mark.long("data of some size, read and asked in workers")
def test_several_sources_are_looked_at_together(tmp_path: Path) -> None:
    (tmp_path / "many.csv").write_text("a,b\n" + "".join(f"{n},x{n}\n" for n in range(50_000)))
    (tmp_path / "few.csv").write_text("a\n1\n2\n")
    many, few = look(tmp_path, many="many.csv", few="few.csv")
    assert (many.name, many.rows, many.notes) == ("many", 20, (NOTE,))
    assert many.sample[0] == (0, "x0")
    assert (few.name, few.rows, few.notes) == ("few", 2, ())


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_look_leaves_no_process_and_reads_no_profile(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    before = set(tree(os.getpid()))
    with Catalog({"t": "t.csv"}, tmp_path, tmp_path / "profiles") as catalog:
        catalog.preview(rows=20)
        assert set(tree(os.getpid())) <= before
        assert not (tmp_path / "profiles").exists()
        assert catalog.tables()[0].rows == 1


@pytest.mark.long("data of some size, read and asked in workers")
def test_rows_of_several_lines_are_not_taken_for_the_whole_file(tmp_path: Path) -> None:
    rows = [{"n": n, "text": "y" * 10_000} for n in range(300)]
    (tmp_path / "t.json").write_text(json.dumps(rows, indent=1))
    (table,) = look(tmp_path, t="t.json")
    assert (table.rows, table.notes[0]) == (20, NOTE)
    long = "".join(f'{n},"{"line" + chr(10)}{"z" * 3000}"\n' for n in range(300))
    (tmp_path / "t.csv").write_text("n,text\n" + long)
    (table,) = look(tmp_path, t="t.csv")
    assert (table.rows, table.notes[0]) == (20, NOTE)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(SourceError, match=r"source 't': cannot read .*t.parquet"):
        look(tmp_path, t="t.parquet")


def test_two_sources_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(SourceError, match="would both be the table"):
        look(tmp_path, a_b="t.csv", **{"a b": "t.csv"})


@pytest.mark.long("a query that takes seconds is the point")
def test_a_long_query_draws_no_bar(tmp_path: Path) -> None:
    # DuckDB draws one after two seconds, where Python runs without a file.
    code = (
        "from pathlib import Path\n"
        "from flows.data.deadline import Deadline\n"
        "from flows.data.engines.duckdb_files import DuckDBFiles\n"
        "from flows.errors import QueryFailed\n"
        "try:\n"
        f"    DuckDBFiles([], Path({str(tmp_path)!r})).query(\n"
        "        'SELECT count(*) FROM range(1000000) a, range(1000000) b '\n"
        "        'WHERE a.range * b.range % 7 = 9', [], 1, Deadline(3.0))\n"
        "except QueryFailed:\n"
        "    print('late')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("late\n", "")
