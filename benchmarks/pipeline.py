"""How the pipeline scores on hidden labels beside plain histogram gradient boosting.

    python benchmarks/pipeline.py                           # all tasks, five seeds, `flows compete`
    python benchmarks/pipeline.py --direct --seeds 2        # the model phase alone, in this process
    python benchmarks/pipeline.py --tasks prices,clicks --seconds 300 --json out.json
    python benchmarks/pipeline.py --wide 10000x30           # what time one large table takes

The yardstick is HistGradientBoosting of scikit-learn with its own settings on all columns as they
are read, texts as the place of their value. A gain above 0 is for the pipeline, whatever the
direction of the metric; beside it is the standard error of the mean over the seeds.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pipeline_steps import run_directly
from pipeline_tasks import CASES, IDENTIFIER, PROBABILITIES, PredictionCase, wide

from flows.analysis.prediction.components.measure import measure


@dataclass(frozen=True, slots=True)
class Outcome:
    """One task with one seed. `fault` says what is wrong with the submission, "" if nothing is;
    `without` is the score without the toolsmith, `tools` are those that it made."""

    task: str
    seed: int
    metric: str
    score: float
    yardstick: float
    gain: float
    validated: float
    seconds: float
    fault: str = ""
    without: float = math.nan
    tools: list[str] = field(default_factory=list)


# What leaves the toolsmith out of the pipeline.
WITHOUT = "~FeatureEngineering.ToolSmith"


def plain_boosting(case: PredictionCase, seed: int) -> float:
    """The score of the yardstick on the hidden labels."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.preprocessing import OrdinalEncoder

    columns = [each for each in case.test.columns if each != IDENTIFIER]
    texts = [each for each in columns if not pd.api.types.is_numeric_dtype(case.train[each])]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    train, test = case.train[columns].copy(), case.test[columns].copy()
    if texts:
        places = encoder.fit_transform(train[texts].astype(object))
        further = encoder.transform(test[texts].astype(object))
        train = train.drop(columns=texts).assign(**dict(zip(texts, places.T, strict=True)))
        test = test.drop(columns=texts).assign(**dict(zip(texts, further.T, strict=True)))
    train, test = train[columns].astype(float), test[columns].astype(float)
    if case.kind == "regression":
        regressor = HistGradientBoostingRegressor(random_state=seed)
        said = regressor.fit(train, case.train[case.target]).predict(test)
        return scored(case, np.maximum(said, 0) if case.metric == "rmsle" else said)
    classifier = HistGradientBoostingClassifier(random_state=seed)
    classifier.fit(train, case.train[case.target])
    if case.metric in PROBABILITIES:
        return scored(case, classifier.predict_proba(test)[:, 1])
    return scored(case, classifier.predict(test))


def scored(case: PredictionCase, said: Any) -> float:
    classes = None
    if case.kind != "regression":
        classes = sorted(case.train[case.target].unique().tolist())
    return measure(case.hidden, said, metric=case.metric, classes=classes)


def fault_of(case: PredictionCase, submission: pd.DataFrame) -> str:
    """What is wrong with a submission by its columns, rows, identifiers and values."""
    if submission.columns.tolist() != [IDENTIFIER, case.target]:
        return f"columns {submission.columns.tolist()}"
    if submission[IDENTIFIER].tolist() != case.test[IDENTIFIER].tolist():
        return "other identifiers, or in another order"
    said = submission[case.target]
    if said.isna().any():
        return "missing values"
    if case.metric in PROBABILITIES and not said.between(0, 1).all():
        return "no probabilities"
    known = set(case.train[case.target])
    if case.kind != "regression" and case.metric not in PROBABILITIES and not set(said) <= known:
        return "unknown labels"
    return ""


def competed(
    folder: Path, out: Path, seconds: float, *overrides: str
) -> tuple[pd.DataFrame, float, list[str]]:
    """The submission and the validated score of `flows compete`, and the tools that it made."""
    command = [sys.executable, "-m", "flows", "compete", str(folder), *overrides]
    command += ["library=", "--out", str(out), "--time", str(seconds), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 3, check=False)
    if done.returncode != 0 or not (out / "submission.csv").exists():
        raise RuntimeError(f"flows compete gave {done.returncode}: {done.stderr[-2000:]}")
    told = json.loads(done.stdout)
    made = [str(each["name"]) for each in told["made_tools"]]
    return pd.read_csv(out / "submission.csv"), float(told.get("score") or math.nan), made


def run(
    case: PredictionCase, seed: int, seconds: float, *, direct: bool, told: bool, both: bool
) -> Outcome:
    yardstick = plain_boosting(case, seed)
    start = time.monotonic()
    tools: list[str] = []
    without = math.nan
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / case.name
        case.write(folder)
        try:
            if direct:
                made = run_directly(case, folder, seconds, told=told)
                submission, scores = made["submission"], made["scores"]
                if told:
                    print(scores.drop(columns=["target", "metric"]).to_string())
                validated = float(scores[scores["chosen"]]["score"].iloc[0])
            else:
                submission, validated, tools = competed(folder, Path(place) / "out", seconds)
            fault = fault_of(case, submission)
            if both and not direct:
                other, _, _ = competed(folder, Path(place) / "other", seconds, WITHOUT)
                without = scored(case, other[case.target])
        except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
            submission, validated, fault = None, math.nan, str(error)
    elapsed = time.monotonic() - start
    score = math.nan if fault or submission is None else scored(case, submission[case.target])
    gain = score - yardstick if case.greater_is_better else yardstick - score
    return Outcome(
        case.name, seed, case.metric, score, yardstick, gain, validated, round(elapsed, 1), fault,
        without, tools,
    )  # fmt: skip


def summary(outcomes: list[Outcome]) -> str:
    heads = ("yardstick", "pipeline", "validated", "no tools")
    rows = [f"{'task':<13}{'metric':<10}" + "".join(f"{each:>10}" for each in heads)
            + f"{'gain':>9}{'error':>9}{'better':>8}{'valid':>7}{'seconds':>9}"]  # fmt: skip
    better = 0
    names = list(dict.fromkeys(each.task for each in outcomes))
    for name in names:
        mine = [each for each in outcomes if each.task == name]
        fine = [each for each in mine if not each.fault]
        if not fine:
            rows.append(f"{name:<13}{mine[0].metric:<10} no submission: {mine[0].fault[:120]}")
            continue
        gains = [each.gain for each in fine]
        gain = statistics.fmean(gains)
        error = statistics.stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else math.nan
        wins = len(fine) == len(mine) and gain > (0 if math.isnan(error) else error)
        better += wins
        means = [
            statistics.fmean(getattr(each, part) for each in fine)
            for part in ("yardstick", "score", "validated", "without")
        ]
        said = "".join(f"{each:>10.4f}" for each in means)
        rows.append(
            f"{name:<13}{mine[0].metric:<10}{said}{gain:>+9.4f}{error:>9.4f}"
            f"{'yes' if wins else 'no':>8}{f'{len(fine)}/{len(mine)}':>7}"
            f"{statistics.fmean(each.seconds for each in fine):>9.1f}"
        )
    for name in names:
        kept = sorted({tool for each in outcomes if each.task == name for tool in each.tools})
        rows.append(f"tools made for {name}: {', '.join(kept) or 'none'}")
    rows.append(f"better by more than a standard error: {better} of {len(names)}")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", default=",".join(CASES), help="names, with commas")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=300.0, help="of the pipeline, or phase")
    parser.add_argument("--direct", action="store_true", help="the model phase alone")
    parser.add_argument("--wide", default="", metavar="ROWSxCOLUMNS", help="one made table instead")
    parser.add_argument("--both", action="store_true", help="without the toolsmith, too")
    parser.add_argument("--told", action="store_true", help="print the models of each run")
    parser.add_argument("--json", type=Path, help="where the outcomes are written, too")
    given = parser.parse_args()
    outcomes = []
    if given.wide:
        rows, columns = (int(each) for each in given.wide.split("x"))
        planned = [(wide(rows, columns, given.first), given.first)]
    else:
        seeds = range(given.first, given.first + given.seeds)
        planned = [(CASES[name](seed), seed) for name in given.tasks.split(",") for seed in seeds]
    for case, seed in planned:
        outcome = run(
            case, seed, given.seconds, direct=given.direct, told=given.told, both=given.both
        )
        print(json.dumps(asdict(outcome)), flush=True)
        outcomes.append(outcome)
    print(summary(outcomes))
    if given.json:
        given.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1))


if __name__ == "__main__":
    main()
