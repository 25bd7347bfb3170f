"""The submission has the columns that are asked for.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def submission_columns(
    submission: pd.DataFrame | None = None,
    test: pd.DataFrame | None = None,
    sample: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """There is a submission where rows of test are to be predicted; its columns are those of the
    task, or of the sample, in their order.

    Args:
        submission: what is to be handed in.
        test: the rows to predict.
        sample: the sample submission.
        task: what is predicted: `has_test`, `targets`, `identifier` and `submission`.
    Returns:
        None if they are right, else what is wrong.
    Example:
        submission_columns(submission, test, sample, task={"targets": ["price"]})
    """
    if submission is None:
        if test is None or not task.get("has_test", True):
            return None
        return {
            "message": "no submission was made",
            "advice": "make_submission makes it of the predictions, as the last step",
        }
    asked = list((task.get("submission") or {}).get("columns") or ())
    if not asked and sample is not None:
        asked = list(sample.columns)
    if not asked:
        name = task.get("identifier")
        asked = [*([name] if name else []), *task["targets"]]
    own = list(submission.columns)
    if own == asked:
        return None
    lacking = [name for name in asked if name not in own]
    extra = [name for name in own if name not in asked]
    told = [f"it lacks {', '.join(map(repr, lacking[:5]))}"] if lacking else []
    told += [f"it has {', '.join(map(repr, extra[:5]))}, too"] if extra else []
    return {
        "message": f"the columns of the submission are not those that are asked for, "
        f"{', '.join(asked[:10])}: {'; '.join(told) or 'they are in another order'}",
        "advice": "make_submission writes the columns that the task asks for, in their order",
        "culprits": [*lacking, *extra],
    }


def test_another_column_is_told_and_another_order() -> None:
    task = {"targets": ["y"], "identifier": "i"}
    table = pd.DataFrame({"i": [1], "y": [2]})
    assert submission_columns(table, task=task) is None
    wrong = submission_columns(table.rename(columns={"y": "z"}), task=task)
    assert wrong is not None
    assert wrong["culprits"] == ["y", "z"]
    wrong = submission_columns(table[["y", "i"]], task=task)
    assert wrong is not None
    assert "another order" in wrong["message"]


def test_no_submission_is_told_where_there_is_a_test() -> None:
    task = {"targets": ["y"]}
    wrong = submission_columns(None, pd.DataFrame({"a": [1]}), task=task)
    assert wrong is not None
    assert wrong["message"] == "no submission was made"
    assert submission_columns(task=task) is None


def test_property_the_columns_of_the_sample_pass() -> None:
    for count in range(1, 6):
        sample = pd.DataFrame({f"c{at}": [0] for at in range(count)})
        assert submission_columns(sample.copy(), sample=sample, task={"targets": ["y"]}) is None
        more = sample.assign(more=1)
        assert submission_columns(more, sample=sample, task={"targets": ["y"]}) is not None
