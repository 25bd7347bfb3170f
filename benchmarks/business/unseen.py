"""Questions about trades that no rule was made by, with known answers, for `questions.py`.

    python benchmarks/business/unseen.py FOLDER [--check] [--only NAME,...]

writes FOLDER/open and FOLDER/locked, each with `data/` and `cases.jsonl`, and FOLDER/cases.jsonl
with both. Every data set is made from a fixed seed, with the messes of real files; each truth is
computed by pandas from the tables before they were messed up. `--check` computes it again by SQL
over the files as they were written, every cell a text, and fails where the two differ.

Five data sets are locked: nobody makes rules by their cases, and `questions.py` prints nothing of
them but sums.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
if TYPE_CHECKING:
    from business.unseen_sets.form import Made, Question

# Of the ten that were made first, by the hash of the name: the first half in its order is locked.
# Those that came later are open, all of them.
LOCKED: Final = ("campus", "parcels", "handwerk", "hospital", "hotel")
OPEN: Final = (
    "plant", "library", "league", "harvest", "meters",
    "school", "garage", "charity", "port", "festival", "wasser",
)  # fmt: skip
PARTS: Final[Mapping[str, Sequence[str]]] = {"open": OPEN, "locked": LOCKED}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true", help="each truth by SQL as well")
    parser.add_argument("--only", default=",".join((*OPEN, *LOCKED)), help="names of data sets")
    asked = parser.parse_args()
    wanted, differing, every = asked.only.split(","), 0, []
    for part, names in PARTS.items():
        cases = []
        for name in names:
            if name in wanted:
                made = load(name)
                paths = write(asked.folder / part / "data" / name, name, made)
                cases += cases_of(name, part, made, paths)
                if asked.check:
                    for case in differences(cases[-len(made.questions) :], made, paths):
                        print(case, file=sys.stderr)
                        differing += 1
        write_cases(asked.folder / part / "cases.jsonl", cases)
        every += [{**e, "data": [f"{part}/{path}" for path in e["data"]]} for e in cases]
        print(
            f"{part}: {len(cases)} questions about {len({e['dataset'] for e in cases})} data sets"
        )
    write_cases(asked.folder / "cases.jsonl", every)
    return 1 if differing else 0


def load(name: str) -> Made:
    """A data set, made anew."""
    module = importlib.import_module(f"business.unseen_sets.{name}")
    made: Made = module.make()
    return made


def write(folder: Path, name: str, made: Made) -> list[Path]:
    from business.unseen_sets.form import write_csv

    folder.mkdir(parents=True, exist_ok=True)
    return (made.write or write_csv)(folder, name, made.tables)


def write_cases(file: Path, cases: Sequence[Mapping[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in cases]
    file.write_text("".join(lines), encoding="utf-8")


def cases_of(name: str, part: str, made: Made, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The lines of a data set, as `questions.py` reads them."""
    return [
        {"id": f"{name}-{number:02d}", "dataset": name, "part": part_named(part),
         "data": [f"data/{name}/{path.name}" for path in paths],
         "question": each.text, "kind": each.kind, "gold": each.gold,
         "golds_alt": [*each.alts, *rounded(each)], "ordered": each.ordered,
         "tolerance": each.tolerance, "unit": each.unit, "truth_sql": list(queries(each))}
        for number, each in enumerate(made.questions, 1)
    ]  # fmt: skip


def rounded(question: Question) -> Sequence[Any]:
    """A correlation as people round it: more than the tolerance where it is near nought."""
    if question.kind != "correlation":
        return ()
    value = question.gold["value"]
    return [{"type": "scalar", "value": round(value, places)} for places in (2, 3)]


def part_named(part: str) -> str:
    """As `questions.py` calls it."""
    return "tuning" if part == "open" else part


def queries(question: Question) -> Sequence[str]:
    sql = question.sql
    return [" ".join(each.split()) for each in ((sql,) if isinstance(sql, str) else sql)]


def differences(
    cases: Sequence[Mapping[str, Any]], made: Made, paths: Sequence[Path]
) -> Iterator[str]:
    """The cases whose truth SQL does not find in the raw files."""
    from scoring import grade_of

    database = duckdb.connect()
    for table, frame in raw_tables(made, paths).items():
        database.register(f"raw_{table}", frame)
    database.execute(made.views)
    for case in cases:
        golds = case["gold"]["parts"] if case["gold"]["type"] == "parts" else [case["gold"]]
        if case["gold"]["type"] in ("ask", "decline"):
            continue
        if len(golds) != len(case["truth_sql"]):
            yield f"{case['id']}: {len(golds)} golds, {len(case['truth_sql'])} queries"
            continue
        for gold, sql in zip(golds, case["truth_sql"], strict=True):
            found = [[plain_cell(c) for c in row] for row in database.execute(sql).fetchall()]
            exact = {"gold": gold, "ordered": case["ordered"], "tolerance": 1e-6}
            free = {"unit": "labels_free" if "labels_free" in case["unit"] else ""}
            if grade_of({**exact, **free}, found, "") != "right":
                yield f"{case['id']}: {case['question']}\n  {str(gold)[:600]}\n  {str(found)[:600]}"
    database.close()


def raw_tables(made: Made, paths: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """The tables as they stand in the files, every cell a text."""
    import sqlite3

    if paths[0].suffix == ".sqlite":
        with sqlite3.connect(paths[0]) as base:
            found = {
                n: pd.read_sql(f'select * from "{n}"', base, dtype=object) for n in made.tables
            }
        base.close()
        return {n: f.astype("string") for n, f in found.items()}
    files = zip(made.tables, paths, strict=True)
    return {name: read_texts(path) for name, path in files}


def read_texts(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path).astype("string")
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252")
    lines = text.splitlines()
    head = 0 if lines[1].strip() else 2  # a title and an empty line
    mark = ";" if lines[head].count(";") > lines[head].count(",") else ","
    return pd.read_csv(path, dtype="string", sep=mark, skiprows=head, keep_default_na=False,
                       encoding="utf-8" if text.encode("utf-8") == raw else "cp1252")  # fmt: skip


def plain_cell(value: Any) -> Any:
    from business.unseen_sets.form import plain

    return float(value) if type(value).__name__ == "Decimal" else plain(value)


if __name__ == "__main__":
    sys.exit(main())
