"""Requests of every kind have an answer: working tables, what the data hold, several in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.semantics.model import Cumulative
from flows.semantics.request import Describe
from flows.semantics.tables import meant
from tests.analysis.test_ask_meaning import RECEIPTS, Desk


@pytest.fixture
def receipts(tmp_path: Path) -> Desk:
    return Desk(tmp_path, "receipts", RECEIPTS)


def test_a_working_table_stands_on_what_the_values_mean(receipts: Desk) -> None:
    """Money as text is a number in the step that computes with it."""
    found, _ = receipts.ask(
        "prepare receipts: derive `double` as price times 2, then keep where branch is Graz,"
        " and then total `double` by branch over receipts"
    )
    prices = [number + 0.5 for number in range(1, 61) if number % 3 == 0]
    assert found == [("Graz", pytest.approx(2 * sum(prices)))]


def test_steps_are_made_in_their_order(receipts: Desk) -> None:
    keep, fill = "keep where branch is Graz", "fill missing weight with value 0"
    counted = "and then number of receipts where weight is 0 over receipts"
    made = [
        receipts.propose(f"prepare receipts: {steps}, {counted}")["sql"] for steps in (
            f"{keep}, then {fill}", f"{fill}, then {keep}"
        )
    ]  # fmt: skip
    assert None not in made
    assert made[0] != made[1]


def test_what_the_data_hold_is_said_of_the_model(receipts: Desk) -> None:
    said = str(receipts.propose("definition of price")["text"])
    assert said.startswith("price is a field of receipts (measure, real")
    assert "from 1.5 to 60.5" in said or "60 different values" in said
    profile = str(receipts.propose("describe receipts")["text"])
    assert "receipts has 60 rows" in profile


def test_each_metric_has_a_definition(receipts: Desk) -> None:
    from flows.analysis.analyst.proposal import Analyst
    from flows.semantics.model import Metric
    from flows.semantics.models import SemanticModels
    from flows.semantics.query import Aggregate, FieldRef

    price = FieldRef(dataset="receipts", field="price")
    total = Metric(
        name="takings", dataset="receipts", definition=Aggregate(function="sum", of=price),
        unit="EUR", better="up", words=("revenue",), inferred=False,
    )  # fmt: skip
    running = Metric(
        name="so far", dataset="receipts", definition=Cumulative(metric="takings", grain="year")
    )
    model = SemanticModels(receipts.catalog).model()
    model = model.model_copy(update={"metrics": (*model.metrics, total, running)})
    analyst = Analyst(meant(receipts.catalog.tables(), model), model)
    for name, definition in {
        "takings": "takings of receipts is total price, in EUR. More of it is better. It is also "
        "called revenue.",
        "so far": "so far of receipts is takings summed up over time within the year. Nobody has "
        "declared it: names in the data suggest it.",
    }.items():
        assert (
            analyst.propose_for(Describe(subject="definition", metric=name))["text"] == definition
        )


def test_several_requests_are_several_proposals(receipts: Desk) -> None:
    made = receipts.propose("total price by branch over receipts; the tables")
    assert [bool(each["sql"]) for each in made["parts"]] == [True, False]
    assert str(made["parts"][1]["text"]).startswith("The data: receipts has 60 rows")


def test_a_split_is_that_of_the_model_that_learns(receipts: Desk) -> None:
    """What is tested with is the part that the step says."""
    made = receipts.propose(
        "prepare receipts: split off 0.4 of the rows as the test with seed 3, and then analysis"
        " `predictive_model` over receipts, using price as target, using weight as fields"
    )
    assert made["cannot"] is None, made["cannot"]
    assert "0.4, 3)" in made["code"]
