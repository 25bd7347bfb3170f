"""A small database to ask, as a user has it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

BREEDS = ("Jersey", "Simmental", "Angler")
AVERAGE = "What is the average milk for each breed of cows?"


def farm(folder: Path, name: str = "farm.db") -> Path:
    """30 cows and 8 barns; the milk of cow n is n, by breed in turn."""
    path = folder / name
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE cows (cow_id INTEGER PRIMARY KEY, breed TEXT, milk REAL)")
        cows = [(n, BREEDS[n % 3], float(n)) for n in range(1, 31)]
        made.executemany("INSERT INTO cows VALUES (?, ?, ?)", cows)
        made.execute("CREATE TABLE barns (barn_id INTEGER PRIMARY KEY, place TEXT, size INTEGER)")
        barns = [(n, f"field {n}", 10 * n) for n in range(1, 9)]
        made.executemany("INSERT INTO barns VALUES (?, ?, ?)", barns)
    return path


def two_prices(folder: Path) -> Path:
    """Two tables that both have prices, so that a price alone says not which."""
    path = folder / "prices.db"
    with closing(sqlite3.connect(path)) as made, made:
        for table, name, first in (("books", "title", 5.0), ("meals", "dish", 50.0)):
            made.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {name} TEXT, price REAL)")
            rows = [(f"{name} {n}", first + n) for n in range(20)]
            made.executemany(f"INSERT INTO {table} ({name}, price) VALUES (?, ?)", rows)
    return path


def jsonl(path: Path, lines: Sequence[Mapping[str, Any] | str]) -> Path:
    """A file with an object a line; a text stands as it is."""
    texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    path.write_text("".join(f"{each}\n" for each in texts), encoding="utf-8")
    return path
