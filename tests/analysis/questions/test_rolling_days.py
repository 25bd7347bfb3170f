"""Several days or weeks are counted back from the last day of the data, and that day is of them."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from tests.analysis.questions.lendings import open_sheet


@pytest.mark.parametrize(("said", "days"), [("90 days", 90), ("7 days", 7), ("4 weeks", 28)])
def test_the_last_day_is_one_of_the_last_days(
    tmp_path_factory: pytest.TempPathFactory, said: str, days: int
) -> None:
    dice = random.Random(days)
    last = pd.Timestamp("2024-08-13")
    frame = pd.DataFrame(
        [(last - pd.Timedelta(days=dice.randrange(200)), dice.randint(1, 90)) for _ in range(300)]
        + [(last, 1000)],
        columns=["sold_on", "revenue"],
    )
    first = last - pd.Timedelta(days=days - 1)
    with open_sheet(tmp_path_factory.mktemp("sales"), "sales", frame) as sheet:
        question = f"total revenue in the last {said}"
        assert sheet.rows(question) == [(frame[frame.sold_on >= first].revenue.sum(),)]
        warnings = [each["text"] for each in sheet.asked(question)["warnings"]]
    assert any(f"{first.date()} to {last.date()}" in each for each in warnings)
