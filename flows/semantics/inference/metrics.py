"""Metrics that fields tell by themselves: sums, averages, and what is computed from two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from flows.data.tables import Column, Table
from flows.semantics.inference.arithmetic import RATIOS, Identity
from flows.semantics.inference.derived import paid_price, totals_of_heads, yearly_revenue
from flows.semantics.inference.quantities import additive_of, better_of
from flows.semantics.inference.words import words_of
from flows.semantics.model import Dataset, Metric, SemanticField, Unknown
from flows.semantics.query import Aggregate, Arithmetic, Constant, Expression, FieldRef, MetricRef

_REVENUES = frozenset(("revenue", "sales", "turnover", "umsatz", "income"))
_COSTS = frozenset(("cost", "costs", "cogs", "expense", "expenses", "kosten"))
_PROFITS = frozenset(("profit", "gewinn", "margin", "earnings"))
_QUANTITIES = frozenset(("quantity", "qty", "units", "pieces", "menge", "stück", "stückzahl"))
_SALES_NOUNS = frozenset(
    ("order", "sale", "invoice", "transaction", "line", "item", "detail", "purchase", "receipt",
     "booking", "basket", "cart", "rechnung", "bestellung", "position")
)  # fmt: skip
_AMOUNTS = frozenset(("amount", "total", "revenue", "sales", "subtotal", "betrag", "umsatz", "sum"))


def metrics_of(
    table: Table, dataset: Dataset, identities: Sequence[Identity]
) -> tuple[Metric, ...]:
    """The metrics of a dataset. `identities` are what rows confirm of its figures."""
    fields = [each for each in dataset.fields if each.role == "measure"]
    columns = {each.name: each for each in table.columns}
    known = {each.of: each for each in identities}
    found = [_simple(dataset, each, columns[each.column], known.get(each.name)) for each in fields]
    found += _product(dataset, fields, columns)
    found += _profit(dataset, found, columns)
    found += [*paid_price(dataset, found), *totals_of_heads(dataset, found)]
    return (*found, *yearly_revenue(dataset))


def _simple(
    dataset: Dataset, field: SemanticField, column: Column, identity: Identity | None
) -> Metric:
    ends = (None, None) if field.cleaning else (column.minimum, column.maximum)
    additive = additive_of(field.name, field.unit, *ends, whole=field.type == "integer")
    definition: Expression = _total(dataset, field.name)
    if additive == "none":
        definition = Aggregate(function="average", of=_ref(dataset, field.name))
    if identity is not None and identity.form in RATIOS:
        definition = _ratio(dataset, identity)
        additive = "none"
    return Metric(
        name=field.name,
        dataset=dataset.name,
        definition=definition,
        unit=field.unit,
        additive=additive,
        better=better_of(field.name),
        words=field.words,
        description=_said(identity) if identity else "",
    )


def _ratio(dataset: Dataset, identity: Identity) -> Expression:
    """The ratio of the sums instead of the average of the rows' ratios."""
    a, b = (_total(dataset, each) for each in identity.parts)
    if identity.form == "(a - b) / a":
        return Arithmetic(operator="/", left=Arithmetic(operator="-", left=a, right=b), right=a)
    ratio = Arithmetic(operator="/", left=a, right=b)
    if identity.form == "a / b":
        return ratio
    return Arithmetic(operator="*", left=ratio, right=Constant(value=100))


def _said(identity: Identity) -> str:
    """The arithmetic in words, as `quantity * price in every row that was looked at`."""
    names = dict(zip("abc", identity.parts, strict=False))
    text = "".join(names.get(each, each) for each in identity.form)
    return f"{text} in every row that was looked at"


def _product(
    dataset: Dataset, fields: Sequence[SemanticField], columns: Mapping[str, Column]
) -> Iterator[Metric]:
    """Quantity times unit price, less the discount, where no field holds what that comes to."""
    quantity = _only(fields, lambda words: bool(words & _QUANTITIES))
    price = _only(fields, _is_unit_price)
    words = {word for each in fields for word in words_of(each.name)}
    sold = _SALES_NOUNS.intersection(dataset.noun.split())
    if quantity is None or price is None or words & _AMOUNTS or not sold:
        return
    row: Expression = Arithmetic(
        operator="*", left=_ref(dataset, quantity.name), right=_ref(dataset, price.name)
    )
    said = f"{quantity.name} * {price.name}"
    discount = _only(fields, lambda words: bool(words & {"discount", "rabatt"}))
    part = None if discount is None else _part(dataset, discount, columns[discount.column])
    if discount is not None and part is not None:
        left = Arithmetic(operator="-", left=Constant(value=1), right=part)
        row = Arithmetic(operator="*", left=row, right=left)
        said += f" * (1 - {discount.name}{' / 100' if discount.unit == '%' else ''})"
    elif discount is not None:
        said += f", before {discount.name}, which some rows do not have"
    yield Metric(
        name="revenue",
        dataset=dataset.name,
        definition=Aggregate(function="sum", of=row),
        unit=price.unit,
        better="up",
        words=("sales", "turnover"),
        description=said,
    )


def _is_unit_price(words: frozenset[str]) -> bool:
    priced = bool(words & {"price", "preis"}) or "unitprice" in words
    return (priced and bool(words & {"unit", "unitprice", "per", "each", "einzel"})) or bool(
        words & {"einzelpreis", "stückpreis", "unitprice"}
    )


def _part(dataset: Dataset, discount: SemanticField, column: Column) -> Expression | None:
    """The discount as a part of one; None where rows have none, or it is an amount."""
    of = _ref(dataset, discount.name)
    if discount.unit == "%":
        whole = not any(isinstance(each, Unknown) for each in discount.cleaning)
        part = Arithmetic(operator="/", left=of, right=Constant(value=100))
        return part if whole and not column.missing else None
    low, high = column.minimum, column.maximum
    numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
    is_part = numbers and low >= 0 and high <= 1 and not column.missing  # type: ignore[operator]
    return of if is_part else None


def _profit(
    dataset: Dataset, metrics: Sequence[Metric], columns: Mapping[str, Column]
) -> Iterator[Metric]:
    """Revenue less cost and its part of the revenue, where both are there and no profit is."""
    names = {each.name: frozenset(words_of(each.name)) for each in metrics}
    revenue = [each for each in metrics if names[each.name] <= _REVENUES]
    cost = [each for each in metrics if names[each.name] <= _COSTS]
    has_profit = any(words & _PROFITS for words in names.values())
    if len(revenue) != 1 or len(cost) != 1 or has_profit or revenue[0].additive != "all":
        return
    if cost[0].additive != "all" or _is_per_unit(revenue[0], cost[0], metrics, columns):
        return
    gain = Arithmetic(
        operator="-", left=MetricRef(metric=revenue[0].name), right=MetricRef(metric=cost[0].name)
    )
    said = f"{revenue[0].name} - {cost[0].name}"
    yield Metric(
        name="profit", dataset=dataset.name, definition=gain, unit=revenue[0].unit, better="up",
        words=("gain",), description=said,
    )  # fmt: skip
    yield Metric(
        name="margin", dataset=dataset.name, better="up", additive="none",
        definition=Arithmetic(operator="/", left=gain, right=MetricRef(metric=revenue[0].name)),
        words=("profit margin",), description=f"({said}) / {revenue[0].name}",
    )  # fmt: skip


def _is_per_unit(
    revenue: Metric, cost: Metric, metrics: Sequence[Metric], columns: Mapping[str, Column]
) -> bool:
    """Whether the cost may be that of one unit: times the quantity it is below the revenue too."""
    means = [columns[each.name].mean if each.name in columns else None for each in (revenue, cost)]
    if means[0] is None or means[1] is None:
        return True
    pieces = [
        columns[each.name].mean or 1.0
        for each in metrics
        if each.name in columns and set(words_of(each.name)) & _QUANTITIES
    ]
    return any(means[1] * each <= means[0] for each in pieces) or means[1] > 2 * means[0]


def _only(
    fields: Sequence[SemanticField], fits: Callable[[frozenset[str]], bool]
) -> SemanticField | None:
    """The one field whose words fit; None where there is none, or several."""
    found = [each for each in fields if fits(frozenset(words_of(each.name)))]
    return found[0] if len(found) == 1 else None


def _total(dataset: Dataset, field: str) -> Aggregate:
    return Aggregate(function="sum", of=_ref(dataset, field))


def _ref(dataset: Dataset, field: str) -> FieldRef:
    return FieldRef(dataset=dataset.name, field=field)
