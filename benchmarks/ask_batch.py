"""Questions a second of `flows ask --batch`, from the start of the command to its end.

    python benchmarks/ask_batch.py [--questions 400] [--databases 4] [--rows 500] [--repeats 3]
                                   [--processes 0] [--cold] [--json FILE]

It makes small SQLite files and questions over them, and asks all of them by the command, as a
shell would. Each answer is compared with a query of Python's own. Without `--cold` the files were
profiled by an unmeasured run before. Exit code 1 when an answer is wrong or missing.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from report import machine, spread, table, write

# Each question with the query whose first cell has to be in its result.
ASKED = (
    ("How many sales are there?", "SELECT COUNT(*) FROM sales"),
    ("What is the average price of sales?", "SELECT AVG(price) FROM sales"),
    ("What is the total price for each product of sales?",
     "SELECT SUM(price) FROM sales GROUP BY product ORDER BY product"),
    ("How many sales have units more than {units}?",
     "SELECT COUNT(*) FROM sales WHERE units > {units}"),
    ("What is the highest price of sales with product {product}?",
     "SELECT MAX(price) FROM sales WHERE product = '{product}'"),
    ("How many shops are there in {city}?", "SELECT COUNT(*) FROM shops WHERE city = '{city}'"),
)  # fmt: skip
PRODUCTS = ("tea", "coffee", "cocoa", "lemonade")
CITIES = ("Bern", "Lyon", "Oslo", "Porto")


def main() -> int:
    options = _options()
    before = machine()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        files = [
            _database(folder / f"shop{n}.db", n, options.rows) for n in range(options.databases)
        ]
        right = list(_questions(files, options.questions, folder / "questions.jsonl"))
        taken = []
        for repeat in range(options.repeats + (not options.cold)):
            if options.cold:
                _forget(folder)
            seconds, wrong = _ask(folder, right, options.processes)
            if wrong:
                print(f"FAILED {len(wrong)} answers: {wrong[0]}", file=sys.stderr)
                return 1
            if repeat or options.cold:
                taken.append(seconds)
    rates = spread([options.questions / each for each in taken])
    kind = "profiled in the run" if options.cold else "profiled before"
    print(f"{options.questions} questions over {options.databases} SQLite files, {kind}\n")
    rows = [
        ["questions a second", *(f"{rates[key]:.1f}" for key in ("median", "min", "max"))],
        ["seconds", *(f"{spread(taken)[key]:.2f}" for key in ("median", "min", "max"))],
    ]
    print(table(["", "median", "min", "max"], rows))
    payload = {
        "benchmark": "ask_batch",
        "machine": before,
        "questions": options.questions,
        "databases": options.databases,
        "cold": options.cold,
        "questions_per_second": rates,
        "samples": [{"total_s": each} for each in taken],
    }
    write(payload, "ask_batch", options.json)
    return 0


def _ask(folder: Path, right: list[Any], processes: int) -> tuple[float, list[str]]:
    """The seconds of the whole command, and the answers that are not right."""
    command = [sys.executable, "-m", "flows", "ask", "--batch", "questions.jsonl", "--json",
               "--processes", str(processes)]  # fmt: skip
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(found) != len(right):
        return seconds, [done.stderr or "lines are missing"]
    wrong = [
        f"{each['id']}: {each['answer'] or each['reason']} (it is {wanted})"
        for each, wanted in zip(found, right, strict=True)
        if not any(_same(cell, wanted) for row in each["rows"] for cell in row)
    ]
    return seconds, wrong


def _same(cell: Any, wanted: Any) -> bool:
    if isinstance(cell, int | float) and isinstance(wanted, int | float):
        return abs(cell - wanted) <= 1e-6 * max(1.0, abs(wanted))
    return bool(cell == wanted)


def _questions(files: list[Path], number: int, out: Path) -> Iterator[Any]:
    """Write the questions; the right answer of each."""
    lines = []
    for place in range(number):
        file = files[place % len(files)]
        values = {
            "units": 1 + place % 7,
            "product": PRODUCTS[place % len(PRODUCTS)],
            "city": CITIES[place % len(CITIES)],
        }
        question, sql = ASKED[place % len(ASKED)]
        asked = question.format(**values)
        lines.append(json.dumps({"id": place, "question": asked, "data": [file.name]}))
        with closing(sqlite3.connect(file)) as shop:
            yield shop.execute(sql.format(**values)).fetchone()[0]
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _database(path: Path, seed: int, rows: int) -> Path:
    chance = random.Random(seed)
    with closing(sqlite3.connect(path)) as shop, shop:
        shop.execute("CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, city TEXT, opened INTEGER)")
        shop.execute(
            "CREATE TABLE sales (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops, "
            "product TEXT, price REAL, units INTEGER)"
        )
        shops = [(n, CITIES[n % len(CITIES)], 1990 + n) for n in range(1, 13)]
        shop.executemany("INSERT INTO shops VALUES (?, ?, ?)", shops)
        sales = [
            (n, chance.randint(1, 12), chance.choice(PRODUCTS), round(chance.uniform(1, 90), 2),
             chance.randint(1, 9))
            for n in range(1, rows + 1)
        ]  # fmt: skip
        shop.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", sales)
    return path


def _forget(folder: Path) -> None:
    for each in sorted((folder / ".flows").rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--databases", type=int, default=4)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--cold", action="store_true", help="profile the files in each run")
    parser.add_argument("--json", type=Path, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
