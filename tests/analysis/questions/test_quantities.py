"""Numbers with units in questions over columns that hold other units."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model

CRATES = pd.DataFrame(
    {
        "crate": [f"C{n:03}" for n in range(40)],
        "weight_g": [250 * n for n in range(40)],
        "length (cm)": [10 * n for n in range(40)],
        "deposit": [n / 80 for n in range(40)],
        "fee": [f"${25 * n + 0.5:,.2f}" for n in range(40)],
    }
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalog, Analyst]]:
    folder: Path = tmp_path_factory.mktemp("crates")
    CRATES.to_csv(folder / "crates.csv", index=False)
    with Catalog({"crates": str(folder / "crates.csv")}, folder) as catalog:
        yield catalog, Analyst(catalog.tables(), infer_model(catalog.tables()))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many crates weigh more than 5 kg?", (CRATES["weight_g"] > 5000).sum()),
        ("how many crates have a weight over 750 g?", (CRATES["weight_g"] > 750).sum()),
        ("how many crates are longer than 1 m?", (CRATES["length (cm)"] > 100).sum()),
        ("how many crates have a deposit of more than 10 %?", (CRATES["deposit"] > 0.1).sum()),
    ],
)
def test_a_number_is_read_in_the_unit_of_its_column(
    opened: tuple[Catalog, Analyst], question: str, expected: int
) -> None:
    catalog, analyst = opened
    made = analyst.propose(question)
    assert made["sql"] is not None, made
    found = run_unchecked(catalog, made["sql"], "duckdb", max_rows=9, timeout=30)
    assert found.rows[0][0] == expected


@pytest.mark.parametrize(
    "question", ["how many crates have a fee over 100 euros?", "crates with a weight over 3 hours"]
)
def test_a_unit_that_does_not_fit_leaves_the_answer_unsure(
    opened: tuple[Catalog, Analyst], question: str
) -> None:
    made = opened[1].propose(question)
    assert made["sql"] is None or made["confidence"] <= 0.3
