"""Tasks of prediction with hidden labels, as folders of a competition: made, or from scikit-learn.

Each has a text, train.csv, test.csv and sample_submission.csv. What is hidden stays with the
caller. The seed makes other data, or another split of data that is packaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

IDENTIFIER = "row_id"
SENTENCES = {
    "accuracy": "Submissions are evaluated by accuracy.",
    "auc": "Submissions are evaluated by the area under the ROC curve. Predict a probability.",
    "log_loss": "Submissions are evaluated by log loss. Predict the probability of 1.",
    "f1": "Submissions are evaluated by the F1 score.",
    "f1_macro": "Submissions are evaluated by the macro-averaged F1 score.",
    "qwk": "Submissions are evaluated by quadratic weighted kappa.",
    "rmse": "Submissions are evaluated by the root mean squared error.",
    "rmsle": "Submissions are evaluated by the root mean squared logarithmic error (RMSLE).",
    "mae": "Submissions are evaluated by the mean absolute error.",
}
# Words of reviews.
FINE = ("works", "great", "love", "perfect", "easy", "fast", "solid", "happy", "quiet", "bright")
POOR = ("broke", "refund", "slow", "noisy", "cheap", "returned", "poor", "leaks", "late", "dull")
PLAIN = (
    "the", "it", "a", "this", "after", "with", "my", "box", "and", "one", "day", "was", "very",
    "for", "in", "kitchen", "blue", "set",
)  # fmt: skip
LESS_IS_BETTER = ("log_loss", "rmse", "rmsle", "mae")
PROBABILITIES = ("auc", "log_loss")


@dataclass(frozen=True)
class PredictionCase:
    """One task: its tables without the hidden target, and that target in the order of test."""

    name: str
    train: pd.DataFrame
    test: pd.DataFrame
    hidden: pd.Series
    target: str
    kind: str
    metric: str
    story: str
    group: str | None = None
    time: str | None = None
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def greater_is_better(self) -> bool:
        return self.metric not in LESS_IS_BETTER

    def sample(self) -> pd.DataFrame:
        said: Any = 0.5 if self.metric in PROBABILITIES else self.train[self.target].iloc[0]
        return pd.DataFrame({IDENTIFIER: self.test[IDENTIFIER], self.target: said})

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.train.to_csv(folder / "train.csv", index=False)
        self.test.to_csv(folder / "test.csv", index=False)
        self.sample().to_csv(folder / "sample_submission.csv", index=False)
        fields = "\n".join(f"- `{name}`: {text}" for name, text in self.notes.items())
        (folder / "task.md").write_text(
            f"# {self.name.replace('_', ' ').title()}\n\n{self.story}\n\n"
            f"Predict `{self.target}` for each row of test.csv. The identifier is `{IDENTIFIER}`.\n"
            f"\n## Evaluation\n\n{SENTENCES[self.metric]}\n\n## Submission\n\n"
            f"A CSV file with the columns `{IDENTIFIER}` and `{self.target}`, as in "
            f"sample_submission.csv.\n" + (f"\n## Columns\n\n{fields}\n" if fields else ""),
            encoding="utf-8",
        )


def _case(name: str, table: pd.DataFrame, rows: Any, **more: Any) -> PredictionCase:
    """The case with these rows as its test."""
    target = str(more["target"])
    test, train = table[rows], table[~rows]
    train = train.reset_index(drop=True)
    train.insert(0, IDENTIFIER, np.arange(1, len(train) + 1))
    hidden, test = test[target].reset_index(drop=True), test.drop(columns=target)
    test = test.reset_index(drop=True)
    test.insert(0, IDENTIFIER, np.arange(len(train) + 1, len(train) + len(test) + 1))
    return PredictionCase(name, train, test, hidden, **more)


def _drawn(random: np.random.Generator, rows: int, share: float) -> Any:
    return random.permutation(rows) < share * rows


def tumours(seed: int) -> PredictionCase:
    """Binary, packaged: few rows, alike columns."""
    from sklearn.datasets import load_breast_cancer

    random = np.random.default_rng(seed)
    table = load_breast_cancer(as_frame=True).frame.rename(columns={"target": "benign"})
    return _case(
        "tumours", table, _drawn(random, len(table), 0.4), target="benign", kind="binary",
        metric="log_loss", story="Cells of tumours were measured under a microscope.",
    )  # fmt: skip


def digits(seed: int) -> PredictionCase:
    """Ten classes, packaged."""
    from sklearn.datasets import load_digits

    random = np.random.default_rng(seed)
    table = load_digits(as_frame=True).frame.rename(columns={"target": "digit"})
    return _case(
        "digits", table, _drawn(random, len(table), 0.4), target="digit", kind="multiclass",
        metric="accuracy", story="Written digits, as the brightness of 64 pixels.",
    )  # fmt: skip


def progression(seed: int) -> PredictionCase:
    """Regression, packaged: 442 rows."""
    from sklearn.datasets import load_diabetes

    random = np.random.default_rng(seed)
    table = load_diabetes(as_frame=True).frame.rename(columns={"target": "progression"})
    return _case(
        "progression", table, _drawn(random, len(table), 0.4), target="progression",
        kind="regression", metric="rmse",
        story="How far a disease went on within a year, from what was measured at its start.",
    )  # fmt: skip


def prices(seed: int) -> PredictionCase:
    """A skewed target of numbers with categories and missing values."""
    random, rows = np.random.default_rng(seed), 2600
    area = random.lognormal(4.5, 0.4, rows)
    age = random.integers(0, 90, rows).astype(float)
    place = random.choice([f"quarter {each}" for each in "ABCDEFGHIJKL"], rows)
    worth = dict(zip(sorted(set(place)), random.normal(0, 0.3, 12), strict=True))
    state = random.choice(["poor", "fair", "good", "new"], rows, p=[0.15, 0.4, 0.35, 0.1])
    steps = {"poor": -0.3, "fair": 0.0, "good": 0.15, "new": 0.4}
    floor = random.integers(0, 8, rows)
    lift = random.choice(["yes", "no"], rows)
    logarithm = (
        7.5 + 0.9 * np.log(area) - 0.006 * age + 0.00005 * age**2
        + np.array([worth[each] for each in place]) + np.array([steps[each] for each in state])
        - 0.05 * floor * (lift == "no") + random.normal(0, 0.18, rows)
    )  # fmt: skip
    table = pd.DataFrame(
        {"area": area.round(1), "year": 2024 - age, "place": place, "state": state,
         "floor": floor, "lift": lift, "rooms": np.maximum(1, (area / 28).round()),
         "distance": random.exponential(4, rows).round(2), "price": np.exp(logarithm).round(-1)}
    )  # fmt: skip
    table.loc[random.random(rows) < 0.15, "year"] = np.nan
    table.loc[random.random(rows) < 0.1, "state"] = np.nan
    return _case(
        "prices", table, _drawn(random, rows, 0.4), target="price", kind="regression",
        metric="rmsle", story="Flats that were sold, with what the advertisement said of them.",
    )  # fmt: skip


def rentals(seed: int) -> PredictionCase:
    """Counts in time: test is later than train."""
    random, rows = np.random.default_rng(seed), 2400
    when = pd.date_range("2023-01-01", periods=rows, freq="6h")
    day = np.arange(rows) / 4
    warmth = 12 - 10 * np.cos(2 * np.pi * day / 365) + random.normal(0, 4, rows)
    rain = random.gamma(0.4, 3, rows) * (random.random(rows) < 0.4)
    hour = {0: -1.2, 6: 0.1, 12: 0.5, 18: 0.7}
    logarithm = (
        3.2 + np.array([hour[each] for each in when.hour]) + 0.05 * warmth
        - 0.0012 * np.maximum(warmth - 20, 0) ** 2 - 0.06 * rain
        + 0.25 * (when.dayofweek >= 5) * (when.hour == 12) + 0.0003 * day
    )  # fmt: skip
    table = pd.DataFrame(
        {"at": when.strftime("%Y-%m-%d %H:%M:%S"), "temperature": warmth.round(1),
         "rain": rain.round(1), "wind": random.gamma(3, 4, rows).round(1),
         "holiday": (random.random(rows) < 0.03).astype(int),
         "rentals": random.poisson(np.exp(logarithm + random.normal(0, 0.15, rows)))}
    )  # fmt: skip
    return _case(
        "rentals", table, np.arange(rows) >= rows * 0.65, target="rentals", kind="regression",
        metric="mae", time="at",
        story="Bicycles that were rented in six hours. The rows of test are later than those of "
        "train.",
    )  # fmt: skip


def patients(seed: int) -> PredictionCase:
    """Several rows of each person; the persons of test are new."""
    random, people = np.random.default_rng(seed), 420
    own = random.normal(size=(people, 3))
    visits = random.integers(3, 9, people)
    person = np.repeat(np.arange(people), visits)
    rows = len(person)
    table = pd.DataFrame({"person": [f"P{each:04d}" for each in person]})
    table["visit"] = table.groupby("person").cumcount() + 1
    table["age"] = (50 + 12 * own[person, 0]).round()
    pulse = 70 + 6 * own[person, 1] + random.normal(0, 5, rows)
    pressure = 125 + 8 * own[person, 0] + 6 * own[person, 2] + random.normal(0, 8, rows)
    table["pulse"], table["pressure"] = pulse.round(), pressure.round()
    table["drug"] = random.choice(["a", "b", "none"], people)[person]
    for place in range(4):
        table[f"marker_{place}"] = (own[person, place % 3] + random.normal(0, 1.5, rows)).round(2)
    risk = (
        -1.2 + 0.7 * own[person, 0] * (table["drug"] == "none") + 0.5 * own[person, 2]
        + 0.05 * (pulse - 70) + 0.4 * random.normal(size=people)[person]
    )  # fmt: skip
    table["relapse"] = (random.random(rows) < 1 / (1 + np.exp(-risk))).astype(int)
    return _case(
        "patients", table, np.isin(person, random.permutation(people)[: people * 2 // 5]),
        target="relapse", kind="binary", metric="auc", group="person",
        story="Visits of patients, several of each `person`. The persons of test are not in train.",
    )  # fmt: skip


def reviews(seed: int) -> PredictionCase:
    """A field of text beside numbers, and a metric that wants a threshold."""
    random, rows = np.random.default_rng(seed), 2000
    score = random.normal(-0.9, 1.1, rows)
    texts = []
    for each in score:
        words = random.choice(PLAIN, random.integers(6, 18)).tolist()
        for _ in range(random.integers(1, 4)):
            bad = random.random() < 1 / (1 + np.exp(-1.5 * each))
            said = str(random.choice(POOR if bad else FINE))
            words.insert(int(random.integers(len(words))), said)
        texts.append(" ".join(words))
    days = random.gamma(2, 3, rows)
    table = pd.DataFrame(
        {"review": texts, "days": days.round(1), "price": random.lognormal(3, 0.7, rows).round(2),
         "shop": random.choice(["north", "south", "west"], rows)}
    )  # fmt: skip
    logit = 1.4 * score + 0.08 * (days - 6) + 0.5 * (table["shop"] == "west")
    table["returned"] = (random.random(rows) < 1 / (1 + np.exp(-logit))).astype(int)
    return _case(
        "reviews", table, _drawn(random, rows, 0.4), target="returned", kind="binary", metric="f1",
        story="What buyers wrote, and whether they returned what they had bought.",
    )  # fmt: skip


def clicks(seed: int) -> PredictionCase:
    """Categories with many values."""
    random, rows = np.random.default_rng(seed), 3000
    sizes = {"site": 250, "advert": 120, "city": 60, "browser": 8, "weekday": 7}
    table = pd.DataFrame()
    logit = np.full(rows, -0.8)
    for name, size in sizes.items():
        share = 1 / np.arange(1, size + 1) ** 0.8
        drawn = random.choice(size, rows, p=share / share.sum())
        logit += random.normal(0, 0.6, size)[drawn]
        table[name] = [f"{name[:2]}{each:03d}" for each in random.permutation(1000)[:size][drawn]]
    table["seconds"] = random.exponential(20, rows).round(1)
    table["earlier"] = random.poisson(1.5, rows)
    logit += 0.25 * np.minimum(table["earlier"], 4) - 0.01 * table["seconds"]
    table["clicked"] = (random.random(rows) < 1 / (1 + np.exp(-logit))).astype(int)
    return _case(
        "clicks", table, _drawn(random, rows, 0.4), target="clicked", kind="binary", metric="auc",
        story="Adverts that were shown, and whether somebody clicked them.",
    )  # fmt: skip


def sensors(seed: int) -> PredictionCase:
    """Three classes, many missing values, some of which tell something."""
    random, rows = np.random.default_rng(seed), 2200
    hidden = random.normal(size=(rows, 4))
    mix = random.normal(size=(4, 18))
    values = hidden @ mix + random.normal(0, 1.2, (rows, 18))
    values[:, 3] = np.exp(values[:, 3] / 2)
    signal = hidden[:, 0] + hidden[:, 1] * hidden[:, 2] * 0.6 + random.normal(0, 0.5, rows)
    state = np.array(["idle", "normal", "fault"])[np.digitize(signal, [-0.9, 1.1])]
    missing = random.random((rows, 18)) < 0.3
    missing[:, 5] |= (state == "fault") & (random.random(rows) < 0.4)
    table = pd.DataFrame(np.where(missing, np.nan, values.round(3)))
    table.columns = pd.Index([f"sensor_{each}" for each in range(18)])
    table["state"] = state
    return _case(
        "sensors", table, _drawn(random, rows, 0.4), target="state", kind="multiclass",
        metric="f1_macro", story="Readings of a machine; many could not be taken.",
    )  # fmt: skip


def grades(seed: int) -> PredictionCase:
    """Ordered grades, judged by how far they are apart."""
    random, rows = np.random.default_rng(seed), 2000
    table = pd.DataFrame(
        {"hours": random.gamma(3, 2, rows).round(1), "absent": random.poisson(3, rows),
         "school": random.choice([f"S{each}" for each in range(25)], rows),
         "tutor": random.choice(["yes", "no"], rows, p=[0.3, 0.7]),
         "earlier": random.normal(60, 12, rows).round()}
    )  # fmt: skip
    school = dict(zip(sorted(set(table["school"])), random.normal(0, 0.5, 25), strict=True))
    signal = (
        0.6 * np.log1p(table["hours"]) + 0.05 * (table["earlier"] - 60) - 0.1 * table["absent"]
        + 0.4 * (table["tutor"] == "yes") * (table["earlier"] < 60)
        + table["school"].map(school) + random.normal(0, 0.7, rows)
    )  # fmt: skip
    table["grade"] = np.digitize(signal, np.quantile(signal, [0.08, 0.3, 0.65, 0.9])) + 1
    return _case(
        "grades", table, _drawn(random, rows, 0.4), target="grade", kind="multiclass",
        metric="qwk", story="Pupils, and the grade from 1 to 5 that they had in the end.",
    )  # fmt: skip


CASES: dict[str, Callable[[int], PredictionCase]] = {
    each.__name__: each
    for each in (
        tumours, digits, progression, prices, rentals, patients, reviews, clicks, sensors, grades,
    )
}  # fmt: skip


def wide(rows: int, columns: int, seed: int) -> PredictionCase:
    """A table of any size, for what time and memory it takes."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(rows, columns)).astype(np.float32)
    table = pd.DataFrame(values.round(3), columns=[f"c{each}" for each in range(columns)])
    for place in range(0, columns, 5):
        table[f"c{place}"] = np.char.add("k", random.integers(0, 12, rows).astype(str))
    signal = values[:, 1] + values[:, 2] * values[:, 3] + np.sin(values[:, 4] * 2)
    table["y"] = (signal + random.normal(0, 1, rows) > 0).astype(int)
    return _case(
        "wide", table, _drawn(random, rows, 0.2), target="y", kind="binary", metric="auc",
        story="A table of many rows.",
    )  # fmt: skip
