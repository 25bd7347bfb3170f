# ruff: noqa: E501
"""Faults of a competition's files: each changes a folder that is in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

ROWS = 60
TASK = "# Kilns\n\nPredict `grade` for each row of test. Scored by accuracy.\n"
NUMBERS = "# Kilns\n\nPredict `grade` for each row of test. Scored by RMSE.\n"


@dataclass
class Competition:
    """The parts of a folder, before they are written."""

    train: pd.DataFrame
    test: pd.DataFrame
    sample: pd.DataFrame
    text: str = TASK


@dataclass(frozen=True)
class Fault:
    """`change` spoils the parts, `spoil` the files. What is made of it is said in an error or a
    doubt that `named` matches; with `named` "" it is repaired, so that nothing is said."""

    named: str
    change: Callable[[Competition], object] = lambda _: None
    spoil: Callable[[Path], object] = lambda _: None
    targets: tuple[str, ...] = ("grade",)


def sound(numbers: bool = False) -> Competition:
    """A task without a fault."""
    random = np.random.default_rng(8)
    whole = pd.DataFrame(
        {
            "piece": np.arange(100, 100 + 2 * ROWS),
            "heat": random.normal(900, 40, 2 * ROWS).round(1),
            "clay": random.choice(["red", "white", "grey"], 2 * ROWS),
            "weight": random.integers(20, 900, 2 * ROWS),
            "grade": random.choice(["A", "B"], 2 * ROWS),
        }
    )
    if numbers:
        whole["grade"] = random.gamma(4, 900, 2 * ROWS).round(2)
    train, test = whole[:ROWS], whole[ROWS:].drop(columns="grade").reset_index(drop=True)
    sample = pd.DataFrame({"piece": test["piece"], "grade": whole["grade"].iloc[0]})
    return Competition(train.copy(), test, sample, NUMBERS if numbers else TASK)


def written(parts: Competition, folder: Path) -> Path:
    """The folder of a competition."""
    folder.mkdir(parents=True)
    parts.train.to_csv(folder / "train.csv", index=False)
    parts.test.to_csv(folder / "test.csv", index=False)
    parts.sample.to_csv(folder / "sample_submission.csv", index=False)
    (folder / "task.md").write_text(parts.text, encoding="utf-8")
    return folder


def put(part: str, column: str, values: object) -> Callable[[Competition], object]:
    def change(parts: Competition) -> None:
        setattr(parts, part, getattr(parts, part).assign(**{column: values}))

    return change


def drop(part: str, *columns: str) -> Callable[[Competition], object]:
    def change(parts: Competition) -> None:
        setattr(parts, part, getattr(parts, part).drop(columns=list(columns)))

    return change


def say(text: str) -> Callable[[Competition], object]:
    def change(parts: Competition) -> None:
        parts.text = text

    return change


def bytes_of(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def recoded(name: str, codec: str, mark: bytes = b"") -> Callable[[Path], object]:
    def spoil(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8").replace("white", "weiß")
        (folder / name).write_bytes(mark + text.encode(codec))

    return spoil


def replaced(name: str, old: str, new: str, count: int = -1) -> Callable[[Path], object]:
    def spoil(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(old, new, count), encoding="utf-8")

    return spoil


def without_first_line(*names: str) -> Callable[[Path], object]:
    def spoil(folder: Path) -> None:
        for name in names:
            lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
            (folder / name).write_text("".join(lines[1:]), encoding="utf-8")

    return spoil


def only_first_line(name: str) -> Callable[[Path], object]:
    def spoil(folder: Path) -> None:
        first = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)[0]
        (folder / name).write_text(first, encoding="utf-8")

    return spoil


def _same_rows(parts: Competition) -> None:
    parts.test = parts.train.drop(columns="grade")
    parts.sample = parts.sample.assign(piece=parts.test["piece"].to_numpy())


def _second_target(parts: Competition) -> None:
    parts.train = parts.train.assign(bonus=np.arange(ROWS) % 2)
    parts.sample = parts.sample.rename(columns={"grade": "Expected"})
    parts.text = "Predict it. Scored by accuracy."


def _short_sample(parts: Competition) -> None:
    parts.sample = parts.sample[:40]


def _turned_sample(parts: Competition) -> None:
    parts.sample = parts.sample[::-1]


def _short_train(parts: Competition) -> None:
    parts.train = parts.train[:9]


def _other_target(parts: Competition) -> None:
    parts.text = "Predict `quality`. Accuracy counts."
    parts.sample = parts.sample.rename(columns={"grade": "quality"})


def _reordered(parts: Competition) -> None:
    parts.test = parts.test[["weight", "clay", "piece", "heat"]]


def _renamed(parts: Competition) -> None:
    parts.test = parts.test.rename(columns={"heat": "Heat"})


def _as_semicolons(folder: Path) -> None:
    for name in ("train.csv", "test.csv"):
        frame = pd.read_csv(folder / name)
        frame.to_csv(folder / name, index=False, sep=";", decimal=",")


def _twice_named(folder: Path) -> None:
    replaced("train.csv", "piece,heat,clay,weight", "piece,heat,clay,heat", 1)(folder)


RANDOM = np.random.default_rng(4)
FAULTS: dict[str, Fault] = {
    "nothing": Fault(""),
    "train is empty": Fault("train.csv.*is empty", spoil=bytes_of("train.csv", b"")),
    "train is binary": Fault("train.csv.*binary", spoil=bytes_of("train.csv", bytes(range(9)) * 500)),
    "test is empty": Fault("test.csv.*is empty", spoil=bytes_of("test.csv", b"")),
    "test is broken": Fault("test.csv.*cannot be read", spoil=bytes_of("test.csv", b"PAR1\0\0\1\2" * 90)),
    "the sample is binary": Fault("sample_submission.csv was left out", spoil=bytes_of("sample_submission.csv", bytes(range(9)) * 500)),
    "the sample is empty": Fault("sample_submission.csv was left out: .*empty", spoil=bytes_of("sample_submission.csv", b"")),
    "train has no rows": Fault("train has no rows", spoil=only_first_line("train.csv")),
    "test has no rows": Fault("test has no rows", spoil=only_first_line("test.csv")),
    "train has no target": Fault("train has no target", drop("train", "grade")),
    "one class": Fault("'grade' has only one value", put("train", "grade", "A")),
    "a class of one row": Fault("classes of a single row: 'C'", put("train", "grade", ["C"] + ["A", "B"] * 29 + ["A"])),
    "classes spelt alike": Fault("classes 'A' and 'a'|classes 'a' and 'A'", put("train", "grade", ["A", "B", "a"] * 20)),
    "target partly missing": Fault("'grade' is missing in 20 rows", put("train", "grade", ["A", "B", None] * 20)),
    "target wholly missing": Fault("'grade' has no value in train", put("train", "grade", np.nan)),
    "target in text, too": Fault("another text in nearly each row", put("train", "grade", [f"grade {i}" for i in range(ROWS)])),
    "identifiers twice in test": Fault("test has 30 rows whose 'piece'|test has 30 rows", put("test", "piece", np.repeat(np.arange(30), 2))),
    "identifiers twice in train": Fault("train has 30 rows whose 'piece'", put("train", "piece", np.repeat(np.arange(30), 2))),
    "identifiers missing in test": Fault("without 'piece'", put("test", "piece", [None, *range(161, 220)])),
    "identifier not in train": Fault("test has columns beside those of train: 'piece'", drop("train", "piece")),
    "identifier not in test": Fault("'piece'", drop("test", "piece")),
    "dates as text": Fault("'fired' holds dates written as text", lambda p: [put(n, "fired", [f"{i % 28 + 1}. {m} 2024" for i, m in enumerate(["Jan", "Feb", "Mar"] * 20)])(p) for n in ("train", "test")]),
    "numbers as text": Fault("'load' holds numbers written as text", lambda p: [put(n, "load", [f"{i},{i + 100} kg" for i in range(1, ROWS + 1)])(p) for n in ("train", "test")]),
    "unseen categories": Fault("values of 'clay' that train has not: 'blue'", put("test", "clay", ["red", "blue"] * 30)),
    "test lacks a column": Fault("test lacks.*'weight'", drop("test", "weight")),
    "test has one more": Fault("test has columns beside those of train: 'shelf'", put("test", "shelf", 3)),
    "other order of columns": Fault("", _reordered),
    "other case of a name": Fault("train calls a column 'heat' and test 'Heat'", _renamed),
    "other type in test": Fault("'weight' is integer in train and text in test", put("test", "weight", ["heavy", "light"] * 30)),
    "test has the target": Fault("test has values|test holds the target", put("test", "grade", "A")),
    "a column without values": Fault("train has columns without any value: 'smell'", lambda p: [put(n, "smell", np.nan)(p) for n in ("train", "test")]),
    "a column empty in test": Fault("'weight' is filled in train and empty in test", put("test", "weight", np.nan)),
    "sample with other columns": Fault("has the column 'colour'", put("sample", "colour", 1)),
    "sample lacks rows": Fault("sample submission has 40 rows and test 60", _short_sample),
    "sample with other identifiers": Fault("piece that test has not", put("sample", "piece", np.arange(900, 960))),
    "sample in another order": Fault("another order of piece", _turned_sample),
    "sample with one twice": Fault("piece", put("sample", "piece", [160, *range(160, 219)])),
    "test is train": Fault("same rows as train", _same_rows),
    "huge cells": Fault("cells of up to 60,000 characters", lambda p: [put(n, "note", ["x" * 60_000, *"ab" * 29, "c"])(p) for n in ("train", "test")]),
    "latin-1": Fault("", spoil=lambda f: [recoded(n, "cp1252")(f) for n in ("train.csv", "test.csv")]),
    "utf-16": Fault("", spoil=lambda f: [recoded(n, "utf-16")(f) for n in ("train.csv", "test.csv")]),
    "a byte order mark": Fault("", spoil=lambda f: [recoded(n, "utf-8", b"\xef\xbb\xbf")(f) for n in ("train.csv", "test.csv")]),
    "wrongly decoded": Fault("signs of a wrong encoding", lambda p: [put(n, "clay", ["weiÃŸ", "rot"] * 30)(p) for n in ("train", "test")]),
    "no line of names": Fault("no line of names|no target|no table", spoil=without_first_line("train.csv", "test.csv"), targets=("column4",)),
    "german numbers": Fault("", spoil=_as_semicolons),
    "two columns of one name": Fault("heat_1|'heat|weight", spoil=_twice_named),
    "text names another target": Fault("calls the target 'quality'", _other_target),
    "text asks for another column": Fault("text seems to ask for 'heat'|heat", say("The target is `heat`. Accuracy counts.")),
    "an unknown metric": Fault("metric 'wobble index' of the text is not known", say("Predict `grade`. Entries are evaluated using the wobble index.")),
    "a metric of numbers for words": Fault("not for a binary target", say("Predict `grade`. Scored by RMSE.")),
    "a wrong direction": Fault("says that lower is better", say("Predict `grade`. Scored by accuracy; lower is better.")),
    "no text": Fault("no task text", spoil=lambda f: (f / "task.md").unlink()),
    "two targets": Fault("does not say which", _second_target, targets=("bonus",)),
    "few rows": Fault("train has only 9 rows", _short_train),
}  # fmt: skip
