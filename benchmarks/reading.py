"""How often the rule-based reader is right on questions with a known query, and how sure it is.

python benchmarks/reading.py CASES.jsonl [--key data] [--part held] [--fit] [--json FILE]

Each case has `question`, `sql` and, under the key, one SQLite file beside CASES. The parts are
chosen by the hash of that file's name, so that no database is in two of them. A reading is right
when its query gives the same rows as the case's: with the same columns in any order, and rows in
any order unless the case's query orders them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.analysis.reading.reader import Unread, read
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.evaluation.compare import same_rows
from flows.evaluation.kinds import is_ordered, kind_of
from flows.semantics.inference.model import infer_model

PARTS = {"tuning": range(6), "development": range(6, 8), "held": range(8, 10)}
SECONDS = 10.0
PROFILES = Path(".flows/profiles")


@dataclass(frozen=True)
class Outcome:
    """What became of one question; without signs it was not read at all."""

    kind: str
    database: str
    right: bool
    confidence: float
    seconds: float
    signs: dict[str, float]


def part_of(name: str) -> str:
    """Which part a database is in."""
    number = int(hashlib.sha1(name.encode()).hexdigest(), 16) % 10
    return next(part for part, numbers in PARTS.items() if number in numbers)


def rows_of(connection: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    until = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
    return connection.execute(sql).fetchall()


def ask_all(path: Path, cases: Sequence[dict[str, Any]]) -> list[Outcome]:
    """The outcomes of the questions over one database."""
    with Catalog({path.stem: str(path)}, Path.cwd(), PROFILES) as catalog:
        tables = catalog.tables()
    model = infer_model(tables)
    found = []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        for case in cases:
            expected = rows_of(connection, case["sql"])
            began = time.perf_counter()
            reading = read(case["question"], tables, model, most_doubt=float("inf"))
            seconds = time.perf_counter() - began
            kind, name = kind_of(case["sql"]), path.stem
            if isinstance(reading, Unread):
                found.append(Outcome(kind, name, False, 0.0, seconds, {}))
                continue
            try:
                got = rows_of(connection, sql_of(reading.query, model, tables))
            except sqlite3.Error:
                got = [()]
            right = same_rows(expected, got, ordered=is_ordered(case["sql"]), exact=True)
            signs = dict(reading.signs)
            found.append(Outcome(kind, name, right, reading.confidence, seconds, signs))
    return found


def outcomes(file: Path, key: str, part: str) -> Iterator[Outcome]:
    by_path: dict[Path, list[dict[str, Any]]] = defaultdict(list)
    for line in file.read_text().splitlines():
        case = json.loads(line)
        if part in ("all", part_of(case[key])):
            by_path[file.parent / case[key]].append(case)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for each in pool.map(ask_all, by_path, by_path.values()):
            yield from each


def summary(found: Sequence[Outcome]) -> dict[str, Any]:
    """Shares of right readings: all, by kind, and among the half that is surest."""
    surest = sorted(found, key=lambda each: -each.confidence)
    seconds = sorted(each.seconds for each in found)
    kinds = {each.kind for each in found}
    by_kind = {k: [each for each in found if each.kind == k] for k in sorted(kinds)}

    def right(some: Sequence[Outcome]) -> float:
        return round(sum(each.right for each in some) / max(1, len(some)), 4)

    coverages = [n / 10 for n in range(1, 11)]
    return {
        "questions": len(found),
        "databases": len({each.database for each in found}),
        "right": right(found),
        "by kind": {kind: (len(some), right(some)) for kind, some in by_kind.items()},
        "right at coverage": {c: right(surest[: round(len(found) * c)]) for c in coverages},
        "median ms": round(seconds[len(seconds) // 2] * 1000, 1),
        "most ms": round(seconds[-1] * 1000, 1),
    }


def fitted(found: Sequence[Outcome]) -> tuple[float, dict[str, float]]:
    """Bias and weights of the signs: a logistic regression over signs of one scale."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    read_ones = [each for each in found if each.signs]
    names = sorted(read_ones[0].signs)
    values = np.array([[each.signs[name] for name in names] for each in read_ones])
    scaler = StandardScaler().fit(values)
    model = LogisticRegression(C=0.3, max_iter=5000)
    model.fit(scaler.transform(values), [each.right for each in read_ones])
    weights = model.coef_[0] / scaler.scale_
    bias = float(model.intercept_[0] - (weights * scaler.mean_).sum())
    return bias, {name: float(weight) for name, weight in zip(names, weights, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--key", default="data", help="what a case calls its database")
    parser.add_argument("--part", default="held", choices=[*PARTS, "all"])
    parser.add_argument("--fit", action="store_true", help="print weights for the confidence")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = list(outcomes(options.cases, options.key, options.part))
    told = summary(found)
    print(json.dumps(told, indent=2))
    if options.fit:
        bias, weights = fitted(found)
        print(f"BIAS = {bias:.3f}")
        print("\n".join(f'    "{name}": {weight:.3f},' for name, weight in weights.items()))
    if options.json:
        options.json.write_text(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()
