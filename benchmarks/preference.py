"""Which of two readings of a question is right, and how well the analyst tells which.

    python benchmarks/preference.py CASES... [--part 0/8] [--fit] [--json FILE]

CASES are files of JSON lines: with `question`, `sql` and `database`, a SQLite file beside it, or
with `question`, `data` and a `gold` as of `questions.py`, of which only the tuning part is used.
`--part` takes every n-th database of the former. Each question is read phrase by phrase and as a
whole; both queries are run. Printed are how often each is right, the one that the analyst prefers,
the one that a logistic regression over the same signs prefers (groups of databases are left out
in turn) and any of both, and how often a chance comes true. `--fit` prints weights for
`flows/analysis/analyst/preference.py`, fitted on all; questions with a gold, which are
fewer, count sixfold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from questions import lines_of, part_of
from report import table
from scoring import grade_of

from flows.analysis.analyst.meaning import refusal_of
from flows.analysis.analyst.preference import prefers_phrases, signs_of, weigh
from flows.analysis.analyst.proposal import Analyst
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
GOLD_WEIGHT = 6.0


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
        model = infer_model(catalog.tables())
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
    files: Sequence[Path], place: int, parts: int
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
            if int(digest, 16) % parts == place:
                found[(str((file.parent / case["database"]).resolve()),)].append(case)
    return found


def fitted(readings: Sequence[TwoReadings], of: str) -> tuple[float, dict[str, float]]:
    """Bias and weights of the signs for the chance that a reading is right."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    names = list(readings[0].signs)
    values = np.array([[each.signs[name] for name in names] for each in readings])
    scaler = StandardScaler().fit(values)
    model = LogisticRegression(C=0.3, max_iter=5000)
    right = [bool(getattr(each, of)) for each in readings]
    model.fit(scaler.transform(values), right, [each.weight for each in readings])
    weights = model.coef_[0] / scaler.scale_
    bias = float(model.intercept_[0] - (weights * scaler.mean_).sum())
    return bias, dict(zip(names, map(float, weights), strict=True))


def chances(readings: Sequence[TwoReadings], of: str) -> Iterator[float]:
    """How likely each reading is right by the questions over other databases."""
    import math

    folds = {each.data: int(hashlib.sha256(each.data.encode()).hexdigest(), 16) % FOLDS
             for each in readings}  # fmt: skip
    known = {
        fold: fitted([each for each in readings if folds[each.data] != fold], of)
        for fold in sorted(set(folds.values()))
    }
    for each in readings:
        bias, weights = known[folds[each.data]]
        score = bias + sum(weights[name] * value for name, value in each.signs.items())
        yield 1 / (1 + math.exp(-score))


def print_shares(name: str, readings: Sequence[TwoReadings], fits: Sequence[bool]) -> None:
    ways = {
        "phrase by phrase": [each.phrases for each in readings],
        "as a whole": [each.whole for each in readings],
        "preferred": [each.preferred for each in readings],
        "by the regression": list(fits),
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
    parser.add_argument("--part", default="0/1", help="k/n: of n parts of the databases the k-th")
    parser.add_argument("--fit", action="store_true", help="print weights")
    parser.add_argument("--json", type=Path, help="where to keep what was read")
    options = parser.parse_args()
    place, parts = map(int, options.part.split("/"))
    by_data = cases_by_data(options.cases, place, parts)
    with ProcessPoolExecutor(2) as pool:
        readings = [one for of in pool.map(read_all, by_data, by_data.values()) for one in of]
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in readings]))
    phrases, whole = (list(chances(readings, of)) for of in ("phrases", "whole"))
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
        both = [fitted(readings, of) for of in ("phrases", "whole")]
        print(f'_BIAS: Final = {{"phrases": {both[0][0]:.3f}, "whole": {both[1][0]:.3f}}}')
        for name in readings[0].signs:
            print(f'    "{name}": ({both[0][1][name]:.3f}, {both[1][1][name]:.3f}),')


if __name__ == "__main__":
    main()
