"""What a profile of a large CSV file costs: time and memory beside pandas, DuckDB and polars.

    python benchmarks/profile_csv.py                  # makes a file of 1 GB, about two minutes
    python benchmarks/profile_csv.py --megabytes 100 --only flows,pandas

Each runs in a process of its own, in turns. `flows` is the exact profile (distinct values,
quantiles, frequent values, keys), `catalog` the same as a run does it: hashed, in a worker behind
walls, with the file's content as the key of its cache. Memory is the largest sum over the processes
of one contestant, looked at every 10 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROWS_PER_MEGABYTE = 7_950


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: seconds on the clock and of the processors, MB at the highest, what it printed."""

    seconds: float
    processor: float
    megabytes: float
    said: str


CONTESTANTS = {
    "flows": """
import sys, tempfile, duckdb
from pathlib import Path
from flows.data.profiles.large import profile_large
from flows.data.files.readers import read_source
from flows.data.files.sources import open_source
with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
    source = open_source("big", sys.argv[1], Path("."))
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute("SET enable_progress_bar = false")
        (reading,) = read_source(source, connection, Path(folder))
    table = profile_large(source, reading, Path(folder))
print(table.rows, sum(each.missing for each in table.columns))
""",
    "catalog": """
import sys
from pathlib import Path
from flows.data.catalog import Catalog
with Catalog({"big": sys.argv[1]}, Path(".")) as catalog:
    (table,) = catalog.tables()
print(table.rows, sum(each.missing for each in table.columns))
""",
    "pandas": """
import sys
import pandas
frame = pandas.read_csv(sys.argv[1])
described = frame.describe(include="all")
print(len(frame), int(frame.isna().sum().sum()))
""",
    "duckdb summarize": """
import sys
import duckdb
connection = duckdb.connect(config={"threads": 2})
connection.execute("SET enable_progress_bar = false")
found = connection.execute(
    f"SUMMARIZE SELECT * FROM read_csv('{sys.argv[1]}')").fetchall()
rows = found[0][-2]
print(rows, round(sum(float(each[-1]) * rows / 100 for each in found)))
""",
    "polars": """
import sys
import polars
frame = polars.scan_csv(sys.argv[1], try_parse_dates=True)
columns = frame.collect_schema().names()
found = frame.select(
    *[polars.col(each).n_unique().alias(f"distinct {each}") for each in columns],
    *[polars.col(each).null_count().alias(f"missing {each}") for each in columns],
    *[polars.col(each).min().alias(f"min {each}") for each in columns],
    *[polars.col(each).max().alias(f"max {each}") for each in columns],
    polars.len().alias("rows"),
).collect(engine="streaming")
print(found["rows"][0], sum(found[f"missing {each}"][0] for each in columns))
""",
}
PREVIEW = """
import sys, time
from pathlib import Path
from flows.data.catalog import Catalog
started = time.perf_counter()
with Catalog({"big": sys.argv[1]}, Path(".")) as catalog:
    (table,) = catalog.preview(rows=20)
print(time.perf_counter() - started)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, default=1000, help="size of the file (1000)")
    parser.add_argument("--repeats", type=int, default=1, help="measured runs of each (1)")
    parser.add_argument("--only", metavar="NAMES", help="names of contestants, with commas")
    parser.add_argument("--file", type=Path, help="where the file is, or is made and kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(CONTESTANTS)
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "big.csv"
        if not path.exists():
            make_file(path, options.megabytes * ROWS_PER_MEGABYTE)
        results = compare(path, names, options.repeats, folder)
        show(path, results)
    if options.json:
        options.json.write_text(
            json.dumps(
                {name: [asdict(each) for each in found] for name, found in results.items()},
                indent=1,
            )
        )


def make_file(path: Path, rows: int) -> None:
    """Twelve columns of arithmetic: the same bytes on every machine."""
    import duckdb

    def mixed(factor: int, modulus: int) -> str:
        return f"(((i * {factor} + {factor % 977}) % 2147483647) * 16807 % 2147483647) % {modulus}"

    columns = {
        "order_id": "i + 1",
        "customer_code": f"printf('C%08x', {mixed(48271, 4000000)} * 1013904223 % 4294967296)",
        "product": f"'SKU-' || ({mixed(69621, 50000)})",
        "city": f"'city ' || ({mixed(40692, 300)})",
        "status": f"['new', 'paid', 'packed', 'sent', 'returned'][1 + {mixed(39373, 5)}]",
        "amount_usd": f"CASE WHEN {mixed(16807, 33)} = 0 THEN NULL "
        f"ELSE round({mixed(30307, 1000000)} / 100.0, 2) END",
        "score": "sin(i * 0.7) * ln(2 + i % 1000)",
        "quantity": f"1 + {mixed(30323, 100)}",
        "ordered": f"DATE '2019-01-01' + ({mixed(26183, 2000)})::INT",
        "updated_at": f"TIMESTAMP '2019-01-01' + to_seconds({mixed(28657, 150000000)})",
        "is_gift": f"{mixed(21001, 7)} < 3",
        "note": f"CASE WHEN {mixed(23003, 5)} = 0 THEN NULL "
        f"ELSE 'note about ' || ({mixed(51749, 1000)}) || ' things' END",
    }
    selected = ", ".join(f"{text} AS {name}" for name, text in columns.items())
    with duckdb.connect(config={"threads": 2, "memory_limit": "1GB"}) as connection:
        connection.execute(
            f"COPY (SELECT {selected} FROM range({rows}) numbers(i)) TO '{path}' (HEADER)"
        )


def compare(path: Path, names: list[str], repeats: int, folder: str) -> dict[str, list[Sample]]:
    results: dict[str, list[Sample]] = {}
    for turn in range(repeats):
        for name in names:
            print(f"{turn + 1}/{repeats}: {name}", file=sys.stderr, flush=True)
            results.setdefault(name, []).append(run(CONTESTANTS[name], path, folder))
    looked = run(PREVIEW, path, folder)
    results["preview of 20 rows"] = [replace(looked, seconds=float(looked.said), said="")]
    return results


def run(code: str, path: Path, folder: str) -> Sample:
    """One contestant in a process of its own."""
    before = processor_seconds()
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    most = 0.0
    while process.poll() is None:
        most = max(most, tree_megabytes(process.pid))
        time.sleep(0.01)
    seconds = time.perf_counter() - started
    printed, errors = process.communicate()
    if process.returncode:
        printed = "failed: " + (errors.strip().splitlines() or ["?"])[-1]
    return Sample(seconds, processor_seconds() - before, most, printed.strip())


def processor_seconds() -> float:
    """What all children that have ended used of the processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tree_megabytes(pid: int) -> float:
    """The resident memory of a process and all that it started."""
    total = 0.0
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        total = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                total += tree_megabytes(int(child))
    except OSError:  # it has just ended
        return total
    return total


def show(path: Path, results: dict[str, list[Sample]]) -> None:
    print(f"{path.stat().st_size / 1e6:,.0f} MB")
    for name, samples in results.items():
        best = min(samples, key=lambda each: each.seconds)
        print(
            f"{name:20} {best.seconds:7.2f} s  {best.processor:7.2f} s of processors "
            f"{best.megabytes:7,.0f} MB  {best.said}"
        )


if __name__ == "__main__":
    main()
