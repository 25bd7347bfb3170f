"""Which of two readings of a question is right, and how well the analyst tells which.

    python benchmarks/preference.py CASES... [--part 0/8] [--fit] [--json FILE]

CASES are files of JSON lines: with `question`, `sql` and `database`, a SQLite file beside it, or
with `question`, `data` and a `gold` as of `questions.py`, of which only the tuning part is used.
`--part` takes every n-th database of the former, from one place or several (`1,3/8`). Each question
is read phrase by phrase and as a whole; both queries are run. Printed are how often each is right,
the one that the analyst prefers, the one that boosted trees over the same signs prefer (groups of
databases are left out in turn) and any of both, and how often a chance comes true. `--fit` writes
the trees that are fitted on all to `flows/analysis/analyst/preference.json`; questions with a gold,
which are fewer, count fourfold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from questions import lines_of, part_of
from report import table
from scoring import grade_of

from flows.analysis.analyst.meaning import refusal_of
from flows.analysis.analyst.preference import prefers_phrases, weigh
from flows.analysis.analyst.proposal import Analyst
from flows.analysis.analyst.signs import signs_of
from flows.analysis.questions.reader import read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.errors import FlowsError
from flows.evaluation.compare import same_rows
from flows.evaluation.kinds import is_ordered
from flows.library.ask.config import AskConfig
from flows.semantics.inference.model import infer_model
from flows.semantics.tables import meant

FOLDS = 8
SECONDS = 10
GOLD_WEIGHT = 4.0
ROOT = Path(__file__).resolve().parent.parent
TREES = ROOT / "flows" / "analysis" / "analyst" / "preference.json"


@dataclass(frozen=True)
class TwoReadings:
    """The signs of two readings of a question, and which of them is right."""

    data: str
    weight: float
    signs: dict[str, float]
    phrases: bool
    whole: bool
    preferred: bool
    chance: float


def read_all(data: tuple[str, ...], cases: Sequence[Mapping[str, Any]]) -> list[TwoReadings]:
    """The readings of the questions over one database that both readers answer."""
    found = []
    with Catalog({Path(each).stem: each for each in data}, Path.cwd(), Path(".flows/profiles")
                 ) as catalog:  # fmt: skip
        model = infer_model(catalog.tables(), catalog.inspection)
        tables = meant(catalog.tables(), model)
        limits = AskConfig.model_fields
        answer_above, ask_above = (limits[each].default for each in ("answer_above", "ask_above"))
        analyst = Analyst(tables, model, answer_above, ask_above)
        for case in cases:
            question = case["question"]
            asked = read_question(question, tables, model)
            made = analyst.propose_whole(question)
            if asked is None or refusal_of(asked.query, model) or made["code"] or made["text"]:
                continue
            if len(asked.choices) > 1:  # it asks back
                continue
            right = partial(is_right, case, catalog)
            phrases = right(sql_of(asked.query, model, tables))
            whole = made["sql"] is not None and right(made["sql"])
            prefers, chances = prefers_phrases(made, asked, answer_above), weigh(made, asked)
            found.append(
                TwoReadings(
                    data=data[0],
                    weight=GOLD_WEIGHT if "gold" in case else 1.0,
                    signs={name: float(value) for name, value in signs_of(made, asked).items()},
                    phrases=phrases,
                    whole=whole,
                    preferred=phrases if prefers else whole,
                    chance=chances.phrases if prefers else chances.whole,
                )
            )
    return found


def is_right(case: Mapping[str, Any], catalog: Catalog, sql: str) -> bool:
    dialect = catalog.tables()[0].dialect
    run = partial(run_unchecked, catalog, dialect=dialect, max_rows=5000, timeout=SECONDS)
    try:
        rows = run(sql).rows
        if "gold" in case:
            return grade_of(case, rows, " ".join(map(str, rows[0])) if rows else "") == "right"
        expected = run(case["sql"]).rows
    except FlowsError:
        return False
    return same_rows(expected, rows, ordered=is_ordered(case["sql"]), exact=True)


def cases_by_data(
    files: Sequence[Path], places: Sequence[int], parts: int
) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    found: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for file in files:
        for case in lines_of(file):
            if "gold" in case:
                if part_of(case) == "tuning":
                    paths = tuple(str((file.parent / each).resolve()) for each in case["data"])
                    found[paths].append(case)
                continue
            digest = hashlib.sha256(case["database"].encode()).hexdigest()
            if int(digest, 16) % parts in places:
                found[(str((file.parent / case["database"]).resolve()),)].append(case)
    return found


def fitted(readings: Sequence[TwoReadings], of: str) -> Any:
    """Boosted trees for the chance that a reading is right."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=6, learning_rate=0.08, min_samples_leaf=25,
        l2_regularization=5.0, early_stopping=False, random_state=0,
    )  # fmt: skip
    right = [bool(getattr(each, of)) for each in readings]
    weights = np.array([each.weight for each in readings])
    return model.fit(values_of(readings), right, weights)


def values_of(readings: Sequence[TwoReadings]) -> Any:
    """The signs of readings as a matrix, in the order of their names."""
    import numpy as np

    return np.array([list(each.signs.values()) for each in readings])


def chances(readings: Sequence[TwoReadings], of: str) -> list[float]:
    """How likely each reading is right by the questions over other databases."""
    import numpy as np

    folds = np.array([int(hashlib.sha256(each.data.encode()).hexdigest(), 16) % FOLDS
                      for each in readings])  # fmt: skip
    found = np.zeros(len(readings))
    for fold in sorted(set(folds)):
        others = [each for each, own in zip(readings, folds, strict=True) if own != fold]
        model = fitted(others, of)
        here = [each for each, own in zip(readings, folds, strict=True) if own == fold]
        found[folds == fold] = model.predict_proba(values_of(here))[:, 1]
    return [float(each) for each in found]


def as_json(model: Any, names: Sequence[str]) -> dict[str, Any]:
    """Trees in the form of `flows/analysis/analyst/trees.py`."""
    trees = [
        [round(float(node["value"]), 5) if node["is_leaf"]
         else [names[node["feature_idx"]], float(node["num_threshold"]),
               int(node["left"]), int(node["right"])]
         for node in predictor.nodes]
        for (predictor,) in model._predictors
    ]  # fmt: skip
    return {"base": round(float(model._baseline_prediction.ravel()[0]), 5), "trees": trees}


def print_shares(name: str, readings: Sequence[TwoReadings], fits: Sequence[bool]) -> None:
    ways = {
        "phrase by phrase": [each.phrases for each in readings],
        "as a whole": [each.whole for each in readings],
        "preferred": [each.preferred for each in readings],
        "by the trees": list(fits),
        "any": [each.phrases or each.whole for each in readings],
    }
    rows = [[way, f"{sum(of) / max(1, len(of)):.3f}"] for way, of in ways.items()]
    print(f"\n{name}: {len(readings)} questions\n{table(['reading', 'right'], rows)}")


def print_reliability(pairs: Sequence[tuple[float, bool]]) -> None:
    rows = []
    for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)):
        of = [right for chance, right in pairs if low <= chance < high]
        rows.append([f"{low:.0%} on", str(len(of)), f"{sum(of) / max(1, len(of)):.2f}"])
    print(table(["chance", "questions", "right"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument(
        "--part", default="0/1", help="k/n: of n parts of the databases the k-th, or several: 1,3/8"
    )
    parser.add_argument("--fit", action="store_true", help="write the trees")
    parser.add_argument("--json", type=Path, help="where to keep what was read")
    options = parser.parse_args()
    places, _, parts = options.part.partition("/")
    by_data = cases_by_data(options.cases, [int(each) for each in places.split(",")], int(parts))
    with ProcessPoolExecutor(2) as pool:
        readings = [one for of in pool.map(read_all, by_data, by_data.values()) for one in of]
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in readings]))
    phrases, whole = (chances(readings, of) for of in ("phrases", "whole"))
    likelier = [
        (max(pair), one.phrases if pair[0] >= pair[1] else one.whole)
        for pair, one in zip(zip(phrases, whole, strict=True), readings, strict=True)
    ]
    for name, weight in (("with a query", 1.0), ("with a gold", GOLD_WEIGHT)):
        some = [(fit, one) for fit, one in zip(likelier, readings, strict=True)
                if one.weight == weight]  # fmt: skip
        if some:
            print_shares(name, [one for _, one in some], [right for (_, right), _ in some])
            print_reliability([fit for fit, _ in some])
    if options.fit:
        names = list(readings[0].signs)
        models = {of: as_json(fitted(readings, of), names) for of in ("phrases", "whole")}
        told = ",\n".join(
            f'"{of}": {{"base": {made["base"]}, "trees": [\n'
            + ",\n".join(json.dumps(tree) for tree in made["trees"])
            + "\n]}"
            for of, made in models.items()
        )
        TREES.write_text(f"{{\n{told}\n}}\n", encoding="utf-8")
        print(f"written: {TREES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
