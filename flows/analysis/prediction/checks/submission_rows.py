"""The submission has a row for each row of test.

Phases: model_building
"""

from __future__ import annotations

from typing import Any

import pandas as pd


def submission_rows(
    submission: pd.DataFrame,
    raw_test: pd.DataFrame | None = None,
    test: pd.DataFrame | None = None,
    sample: pd.DataFrame | None = None,
) -> dict[str, Any] | None:
    """As many rows as test had when it was read; without a test, as many as the sample.

    Args:
        submission: what is to be handed in.
        raw_test: test as it was read.
        test: the rows to predict.
        sample: the sample submission.
    Returns:
        None if there are as many, else what is wrong.
    Example:
        submission_rows(submission, raw_test)
    """
    tables = (("test", raw_test), ("test", test), ("the sample submission", sample))
    label, asked = next(
        ((each, len(table)) for each, table in tables if table is not None), ("", 0)
    )
    if not label or len(submission) == asked:
        return None
    return {
        "message": f"the submission has {len(submission)} rows, and {label} has {asked}",
        "advice": "predict each row of test once; make_submission writes a row for each",
    }


def test_a_row_too_few_is_told() -> None:
    table = pd.DataFrame({"a": [1, 2]})
    assert submission_rows(table, table) is None
    wrong = submission_rows(table[:1], table)
    assert wrong is not None
    assert wrong["message"].startswith("the submission has 1 rows")


def test_property_only_the_same_number_passes() -> None:
    table = pd.DataFrame({"a": range(9)})
    for count in range(10):
        wrong = submission_rows(table[:count], sample=table)
        assert (wrong is None) == (count == 9)
