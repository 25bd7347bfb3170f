"""A remark changes what it names of a request, and nothing else."""

from __future__ import annotations

import pytest

from flows.analysis.parser.edit import edit
from flows.analysis.parser.exact import parse_exact, words
from flows.semantics.model import Dataset, SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Unparsed
from tests.analysis.parser.anything import Anything, model_of
from tests.analysis.parser.shop import SHOP

TABLE = "total amount by region, where order date is in 2023, highest first, top 5"
# Remarks about `TABLE`, and how the request is told then.
REMARKS = {
    "only 2024": "total amount by region, where order date is in 2024, highest first, top 5",
    "what about 2022?": "total amount by region, where order date is in 2022, highest first, top 5",
    "in the last 3 months": "total amount by region, where order date is in the last 3 months,"
    " highest first, top 5",
    "only where status is 'open'": "total amount by region, where order date is in 2023 and status"
    " is 'open', highest first, top 5",
    "only open": "total amount by region, where order date is in 2023 and status is 'open',"
    " highest first, top 5",
    "by month instead": "total amount by month of order date, where order date is in 2023,"
    " highest first, top 5",
    "and by status": "total amount by region and status, where order date is in 2023, highest"
    " first, top 5",
    "break this down by status": "total amount by region and status, where order date is in 2023,"
    " highest first, top 5",
    "show me the top 3 only": "total amount by region, where order date is in 2023, highest first,"
    " top 3",
    "all of them": "total amount by region, where order date is in 2023, highest first",
    "without region": "total amount, where order date is in 2023, highest first, top 5",
    "without order date": "total amount by region, highest first, top 5",
    "as a bar chart": f"bar chart of {TABLE}",
    "the average instead": "average amount by region, where order date is in 2023, highest first,"
    " top 5",
    "average instead of total": "average amount by region, where order date is in 2023, highest"
    " first, top 5",
    "number of orders instead": "number of orders by region, where order date is in 2023, highest"
    " first, top 5",
    "and the number of orders": "total amount and number of orders by region, where order date is"
    " in 2023, highest first, top 5",
    "sorted by region": "total amount by region, where order date is in 2023, sorted by region,"
    " top 5",
    "compared with 2022": "total amount by region, in 2023 compared with 2022, highest first,"
    " top 5",
    "only 2024, and by month": "total amount by region and month of order date, where order date is"
    " in 2024, highest first, top 5",
    "rounded to 2 decimals": f"{TABLE}, rounded to 2 decimals",
    "in percent": "total amount by region, where order date is in 2023, with the percentage of the"
    " total of total amount, highest first, top 5",
    "the other way round": "total amount by region, where order date is in 2023, lowest first,"
    " bottom 5",
    "and the median?": "median amount by region, where order date is in 2023, highest first,"
    " top 5",
    "per month instead": "total amount by month of order date, where order date is in 2023,"
    " highest first, top 5",
    "break it down further by status": "total amount by region and status, where order date is in"
    " 2023, highest first, top 5",
    "and by status?": "total amount by status, where order date is in 2023, highest first, top 5",
    "how does that compare with 2022?": "total amount by region, in 2023 compared with 2022,"
    " highest first, top 5",
    "second highest": "total amount by region, where order date is in 2023, highest first, top 1"
    " after the first 1",
    "only 2022 and 2023": "total amount by region, where year of order date is one of 2022 or"
    " 2023, highest first, top 5",
    "without open and paid": "total amount by region, where order date is in 2023 and status is"
    " not one of 'open' or 'paid', highest first, top 5",
    "sort it by name": "total amount by region, where order date is in 2023, sorted by region,"
    " top 5",
    "what about the quantity?": "total quantity by region, where order date is in 2023, highest"
    " first, top 5",
    "all years": "total amount by region, highest first, top 5",
}  # fmt: skip


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_changes_what_it_names(remark: str) -> None:
    request = parse_exact(TABLE, SHOP)
    assert request is not None
    changed = edit(request, remark, SHOP)
    assert words(changed, SHOP) == REMARKS[remark]


@pytest.mark.parametrize("remark", ["", "banana", "only banana", "by colour", "why", "as a poem"])
def test_what_is_no_change_is_not_read(remark: str) -> None:
    request = parse_exact(TABLE, SHOP)
    assert request is not None
    assert isinstance(edit(request, remark, SHOP), Unparsed)


def test_a_picture_and_an_analysis_are_changed_too() -> None:
    def changed(text: str, remark: str) -> str:
        request = parse_exact(text, SHOP)
        assert request is not None
        after = edit(request, remark, SHOP)
        return words(after, SHOP)

    assert changed(f"bar chart of {TABLE}", "as a line chart") == f"line chart of {TABLE}"
    assert changed(f"bar chart of {TABLE}", "as a table") == TABLE
    assert changed(f"bar chart of {TABLE}", "top 3") == f"bar chart of {TABLE[:-1]}3"
    correlation = "correlation of amount and quantity over orders"
    assert changed(correlation, "only 2024") == f"{correlation}, where order date is in 2024"
    assert changed("total amount by month of order date", "by year") == (
        "total amount by year of order date"
    )


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def asked(seed: int) -> tuple[SemanticModel, Query, Dataset]:
    """A random query with figures, sorted and ranked or not, and its dataset."""
    model = model_of(seed)
    query = Anything(model, seed).query(1)
    metrics = query.metrics or (Anything(model, seed).aggregate(0),)
    dataset = next(each for each in model.datasets if each.name == query.dataset)
    return model, query.model_copy(update={"metrics": metrics}), dataset


@pytest.mark.parametrize("seed", range(60))
def test_everything_else_stays(seed: int) -> None:
    model, query, dataset = asked(seed)
    field = f"{quoted(dataset.fields[0].name)} of {quoted(dataset.name)}"
    for remark, named in (
        (f"and by {field}", {"by", "show"}), (f"sorted by {field}", {"sort"}),
        ("top 3 only", {"rank"}), (f"where {field} is missing", {"where"}),
        ("rounded to 3 decimals", {"decimals"}), ("without repeats", {"unique"}),
    ):  # fmt: skip
        changed = edit(query, remark, model)
        assert isinstance(changed, Query), remark
        if remark.startswith("sorted"):  # a figure to sort by is shown, and one row becomes all
            named |= {"rank"} | ({"metrics", "show"} if query.by else set())
        others = set(Query.model_fields) - named - {"spans"}
        assert all(getattr(changed, each) == getattr(query, each) for each in others), remark
