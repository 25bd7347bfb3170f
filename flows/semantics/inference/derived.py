"""Metrics that are computed from several fields: a price paid, totals of figures per head, and the
profit where what a thing costs stands in another dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.semantics.inference.words import words_of
from flows.semantics.model import Dataset, Metric, Relationship, SemanticField
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Constant,
    Expression,
    FieldRef,
    MetricRef,
    Missing,
)

_QUANTITIES = frozenset(("quantity", "qty", "units", "pieces", "menge", "stück", "stückzahl"))
_REVENUES = frozenset(("revenue", "sales", "turnover", "umsatz"))
_PRICES = frozenset(("price", "preis", "unitprice", "rate"))
_COSTS = frozenset(("cost", "unitcost", "cogs", "kosten"))
_OF_ONE = frozenset(("unit", "standard", "std", "per", "piece", "item", "product"))
_PROFITS = frozenset(("profit", "gewinn", "margin", "gain"))
_PEOPLE = frozenset(("pop", "population", "inhabitants", "residents", "einwohner"))
_ENDS = frozenset(("end", "ended", "cancelled", "canceled", "churned", "terminated", "expired"))
_HEADS = ({"per", "capita"}, {"percap"}, {"percapita"}, {"per", "head"}, {"per", "person"})


def paid_price(dataset: Dataset, metrics: Sequence[Metric]) -> Iterator[Metric]:
    """Revenue per unit sold, where no field is a price."""
    revenue = [each for each in metrics if set(words_of(each.name)) <= _REVENUES]
    units = [each for each in metrics if set(words_of(each.name)) <= _QUANTITIES]
    priced = any(_PRICES.intersection(words_of(each.name)) for each in dataset.fields)
    if len(revenue) != 1 or len(units) != 1 or priced:
        return
    of = MetricRef(metric=revenue[0].name)
    yield Metric(
        name="price",
        dataset=dataset.name,
        definition=Arithmetic(operator="/", left=of, right=MetricRef(metric=units[0].name)),
        unit=revenue[0].unit,
        additive="none",
        words=("unit price", "price per unit"),
        description=f"{revenue[0].name} / {units[0].name}",
    )


def totals_of_heads(dataset: Dataset, metrics: Sequence[Metric]) -> Iterator[Metric]:
    """A figure per head times the number of heads, where no field holds what that comes to."""
    people = [each for each in dataset.fields if _PEOPLE.intersection(words_of(each.name))]
    people = [each for each in people if each.role == "measure"]
    if len(people) != 1:
        return
    known = {each.name.casefold() for each in metrics}
    for field in dataset.fields:
        words = words_of(field.name)
        heads = next((each for each in _HEADS if each <= set(words)), None)
        name = "_".join(each for each in words if each not in (heads or ()))
        if field.role == "measure" and heads and name and name not in known:
            yield Metric(
                name=name,
                dataset=dataset.name,
                definition=Aggregate(
                    function="sum",
                    of=Arithmetic(
                        operator="*", left=_ref(dataset, field), right=_ref(dataset, people[0])
                    ),
                ),
                unit=field.unit,
                additive="not over time",
                description=f"{field.name} * {people[0].name}",
            )


def yearly_revenue(dataset: Dataset) -> Iterator[Metric]:
    """Twelve times what recurs each month, of the rows that have not ended."""
    monthly = [each for each in dataset.fields if _is_monthly(each)]
    ends = [
        each
        for each in dataset.fields
        if each.role == "time" and _ENDS.intersection(words_of(each.name))
    ]
    known = {word for each in dataset.fields for word in words_of(each.name)}
    if len(monthly) != 1 or len(ends) > 1 or known & {"arr", "annual"}:
        return
    running = Missing(of=_ref(dataset, ends[0])) if ends else None
    said = f" where there is no {ends[0].name}" if ends else ""
    total = Aggregate(function="sum", of=_ref(dataset, monthly[0]), where=running)
    yield Metric(
        name="arr",
        dataset=dataset.name,
        definition=Arithmetic(operator="*", left=total, right=Constant(value=12)),
        unit=monthly[0].unit,
        additive="not over time",
        better="up",
        words=("annual recurring revenue", "yearly recurring revenue"),
        description=f"{monthly[0].name} * 12{said}",
    )


def _is_monthly(field: SemanticField) -> bool:
    called = [set(words_of(each)) for each in (field.name, *field.words)]
    return field.role == "measure" and any(
        "mrr" in each or {"monthly", "recurring"} <= each for each in called
    )


def joined_profit(
    datasets: Sequence[Dataset], relationships: Sequence[Relationship], groups: list[list[Metric]]
) -> None:
    """Adds the profit and the margin to the metrics of datasets whose rows say how many pieces were
    sold, and lead to the one that says what a piece costs."""
    by_name = {each.name: each for each in datasets}
    for dataset, metrics in zip(datasets, groups, strict=True):
        revenue = [each for each in metrics if set(words_of(each.name)) <= _REVENUES]
        units = [
            each
            for each in dataset.fields
            if each.role == "measure" and _QUANTITIES.intersection(words_of(each.name))
        ]
        called = [*(each.name for each in dataset.fields), *(each.name for each in metrics)]
        names = {word for name in called for word in words_of(name)}
        if len(revenue) != 1 or len(units) != 1 or names & (_COSTS | _PROFITS):
            continue
        ends = [each for each in relationships if each.dataset == dataset.name]
        costs = [
            FieldRef(dataset=each.to, field=field.name)
            for each in ends
            for field in by_name[each.to].fields
            if _is_unit_cost(field)
        ]
        if len(costs) == 1 and sum(each.to == costs[0].dataset for each in ends) == 1:
            cost = Arithmetic(operator="*", left=_ref(dataset, units[0]), right=costs[0])
            said = f"{units[0].name} * {costs[0].field} of {costs[0].dataset}"
            metrics += _profit(revenue[0], cost, said)


def _is_unit_cost(field: SemanticField) -> bool:
    words = set(words_of(field.name))
    return field.role == "measure" and bool(words & _COSTS) and words <= _COSTS | _OF_ONE


def _profit(revenue: Metric, cost: Expression, said: str) -> Iterator[Metric]:
    of = MetricRef(metric=revenue.name)
    gain = Arithmetic(operator="-", left=of, right=Aggregate(function="sum", of=cost))
    yield Metric(
        name="profit", dataset=revenue.dataset, definition=gain, unit=revenue.unit, better="up",
        words=("gain",), description=f"{revenue.name} - {said}",
    )  # fmt: skip
    yield Metric(
        name="margin", dataset=revenue.dataset, better="up", additive="none",
        definition=Arithmetic(operator="/", left=gain, right=of),
        words=("profit margin",), description=f"({revenue.name} - {said}) / {revenue.name}",
    )  # fmt: skip


def _ref(dataset: Dataset, field: SemanticField) -> FieldRef:
    return FieldRef(dataset=dataset.name, field=field.name)
