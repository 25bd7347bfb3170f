"""A small task of prediction in a folder, for the tests of `flows compete`."""

from __future__ import annotations

import random
from pathlib import Path

# The phases that a short run does without.
SHORT = ("~PreliminaryEDA", "~InDepthEDA", "~FeatureEngineering", "DataCleaning.most_tries=1")
TASK = """# Weights of beans

Predict `weight`, in grams, for each row of test.csv. The identifier is `bean_id`.

## Evaluation

Submissions are evaluated by the root mean squared error.

## Submission

A CSV file with the columns `bean_id` and `weight`, as in sample_submission.csv.
"""


def contest(folder: Path, rows: int = 120, hidden: int = 40) -> Path:
    """Write the task into the folder: beans whose weight goes with their length and kind."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(7)
    train, test = ["bean_id,length,kind,weight"], ["bean_id,length,kind"]
    sample = ["bean_id,weight"]
    for number in range(1, rows + hidden + 1):
        length, kind = round(chance.uniform(4, 12), 2), chance.choice(["red", "white", "black"])
        weight = round(0.4 * length + (kind == "red") + chance.gauss(0, 0.1), 3)
        shown = "" if number % 11 == 0 else length
        if number <= rows:
            train.append(f"{number},{shown},{kind},{weight}")
        else:
            test.append(f"{number},{shown},{kind}")
            sample.append(f"{number},0")
    for name, lines in (("train", train), ("test", test), ("sample_submission", sample)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "task.md").write_text(TASK, encoding="utf-8")
    return folder
