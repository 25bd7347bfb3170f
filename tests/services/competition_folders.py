"""Folders of competitions that tests make: of plain data, in many formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

TASK = """# Yield of the kilns

Predict `grade` for each row of test.csv. Submissions are scored by accuracy.
"""


def frames(rows: int = 40, seed: int = 3) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Train, test and sample submission of one small task."""
    random = np.random.default_rng(seed)
    whole = pd.DataFrame(
        {
            "piece": np.arange(100, 100 + 2 * rows),
            "heat": random.normal(900, 40, 2 * rows).round(1),
            "clay": random.choice(["red", "white", "grey"], 2 * rows),
            "grade": random.choice(["A", "B"], 2 * rows),
        }
    )
    train, test = whole[:rows], whole[rows:].drop(columns="grade").reset_index(drop=True)
    return train, test, pd.DataFrame({"piece": test["piece"], "grade": "A"})


def write(folder: Path, **texts: str | bytes) -> Path:
    """Files by their names, with __ for a dot and / written as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def competition(folder: Path, ending: str = "csv", task: str = TASK) -> Path:
    """A folder with a task, train, test and sample submission in one format."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("train", "test", "sample_submission")
    for name, frame in zip(names, frames(), strict=True):
        save(frame, folder / f"{name}.{ending}")
    (folder / "task.md").write_text(task, encoding="utf-8")
    return folder


def save(frame: pd.DataFrame, path: Path) -> None:
    """A table in the format that the ending of its name says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ending = path.name.partition(".")[2]
    if ending.startswith("parquet"):
        frame.to_parquet(path)
    elif ending == "json":
        frame.to_json(path, orient="records")
    elif ending == "tsv":
        frame.to_csv(path, index=False, sep="\t")
    else:
        frame.to_csv(path, index=False)
