"""Models with difficult names, and requests over them of every shape, also such as mean nothing.

`tests/semantics/strategies.py` makes requests that can be answered; the grammar has to hold for
all, so that a request that is refused can be told in words too. Everything here comes from one
seed, many thousands of requests a minute.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, get_args

from flows.analysis.parser.periods import Length
from flows.semantics import query as q
from flows.semantics import request as r
from flows.semantics.model import Dataset, Metric, Relationship, SemanticField, SemanticModel

_NAMES = (
    "amount|order date|order_date|unitPrice|count|top|2024|order|select|year|month|"
    "total amount|first name|number|number of orders|by|is|name|orders|customer|"
    'customers|customer name|date of birth|it\'s|say "no"|tick`ed|Größe|straße|the|a|'
    "price|Price|last month|x|y|rows|values|this|more than|different|share|in stock|"
    "top 5|q1|Q1 2024|a; b|(c)|per cent %|-|status|of|amount of orders|their|high|"
    "overall|sales 2024|2nd|no value|true|rank of|test|model|bar chart|employee|"
    "employees|manager|zip-code|  padded |ID|id|order id|ORDER|İstanbul|données|年|_|"
    "__x__|1e5|metric|boss of|amount by|name and"
)
NAMES = tuple(_NAMES.split("|"))
TEXTS = (
    "open",
    "it's",
    'a "b"',
    "",
    "2024-01-01",
    "2024-03-01",
    "2024",
    "a, b or c",
    "`x`",
    "' '",
    "true",
    "2024-01-01T10:00:00",
    "2024-01-01 10:00:00.5",
    "(1)",
    "x;y",
    "é\n\t",
    "''",
    "in 2024",
    "March 2024",
)
NUMBERS = (
    0,
    1,
    -1,
    5,
    2024,
    10**12,
    1.0,
    0.5,
    -2.5,
    1e22,
    1e-7,
    0.1 + 0.2,
    float("inf"),
    float("-inf"),
)
WIDTHS = (1.0, 5.0, 0.1, 2.5, 1e-7, 1e17, 99.9, 11.0, 90.0, 22.0)
Make = Callable[[], Any]


def model_of(seed: int) -> SemanticModel:
    """A model of up to four datasets whose names, nouns, fields and metrics may be alike."""
    chance = Random(seed)
    names = chance.sample(NAMES, chance.randint(1, 4))

    def some(most: int) -> list[str]:
        return chance.sample(NAMES, chance.randint(0, most))

    datasets = []
    for name in names:
        called = chance.sample(NAMES, chance.randint(1, 6))
        fields = tuple(
            SemanticField(name=each, role="category", type="text", words=tuple(some(1)))
            for each in called
        )
        datasets.append(
            Dataset(
                name=name,
                source="s",
                table=name,
                noun=chance.choice(NAMES),
                plural=chance.choice(NAMES),
                words=tuple(some(1)),
                fields=fields,
                time=chance.choice(["", *called]),
                label=chance.choice(["", *called]),
            )
        )
    links = tuple(
        Relationship(
            name=name,
            dataset=chance.choice(names),
            fields=("id",),
            to=chance.choice(names),
            to_fields=("id",),
            role=chance.choice(("", "boss", "manager")),
        )
        for name in some(3)
    )
    metrics = tuple(
        Metric(name=name, dataset=chance.choice(names), definition=q.Aggregate(function="count"))
        for name in some(3)
    )
    return SemanticModel(datasets=tuple(datasets), relationships=links, metrics=metrics)


class Anything:
    """Makes requests of every kind over one model, by chance."""

    def __init__(self, model: SemanticModel, seed: int) -> None:
        self.model, self.chance = model, Random(seed)

    def one(self, *makes: Make) -> Any:
        return self.chance.choice(makes)()

    def maybe(self, make: Make) -> Any:
        return make() if self.chance.random() < 0.5 else None

    def some(self, make: Make, most: int = 2, least: int = 0) -> tuple[Any, ...]:
        return tuple(make() for _ in range(self.chance.randint(least, most)))

    def rare(self, make: Make) -> Any:
        return make() if self.chance.random() < 0.2 else ()

    def dataset(self) -> str:
        return self.chance.choice(self.model.datasets).name

    def via(self) -> tuple[str, ...]:
        steps = [way + each.name for each in self.model.relationships for way in ("", "-")]
        few = self.chance.random() < 0.7 or not steps
        return () if few else tuple(self.chance.choices(steps, k=self.chance.randint(1, 2)))

    def field(self) -> q.FieldRef:
        dataset = self.chance.choice(self.model.datasets)
        field = self.chance.choice(dataset.fields).name
        return q.FieldRef(dataset=dataset.name, field=field, via=self.via())

    def cell(self) -> Any:
        return self.chance.choice((None, True, False, *TEXTS, *NUMBERS))

    def constant(self) -> q.Constant:
        return q.Constant(value=self.cell())

    def metric(self) -> Any:
        metrics = self.model.metrics
        return q.MetricRef(metric=self.chance.choice(metrics).name) if metrics else self.field()

    def expression(self, deep: int) -> Any:
        leaves = (self.field, self.field, self.constant, self.metric)
        if deep <= 0:
            return self.one(*leaves)
        inner: Make = lambda: self.expression(deep - 1)  # noqa: E731
        pick = self.chance.choice
        return self.one(
            *leaves,
            lambda: q.Arithmetic(operator=pick("+-*/"), left=inner(), right=inner()),
            lambda: q.Period(of=inner(), grain=pick(get_args(q.Grain))),
            lambda: q.Bin(of=inner(), width=pick(WIDTHS)),
            lambda: q.Cast(of=inner()),
            lambda: self.aggregate(deep),
            lambda: self.aggregate(deep),
            lambda: self.aggregate(deep, dataset=self.dataset(), via=self.via()),
            lambda: q.Scalar(query=self.query(deep - 1)),
        )

    def aggregate(self, deep: int, **changes: Any) -> q.Aggregate:
        function = self.chance.choice(get_args(q.Function))
        of = self.maybe(lambda: self.expression(deep - 1))
        at = self.chance.choice((None, *(each for each in WIDTHS if each <= 100)))
        return q.Aggregate(
            function=function,
            of=of,
            where=self.maybe(lambda: self.predicate(deep - 1)),
            at=at if function == "percentile" else None,
            **changes,
        )

    def predicate(self, deep: int) -> Any:
        of: Make = lambda: self.expression(deep - 1)  # noqa: E731
        pick, number = self.chance.choice, self.chance.randint
        dates, grains = (
            ("2024-01-01", "2024-03-01", 2024, "0999-01-01", 999, True),
            ("year", "quarter", "month"),
        )
        leaves: list[Make] = [
            lambda: q.Comparison(left=of(), operator=pick(get_args(q.Operator)), right=of()),
            lambda: q.Comparison(
                left=q.Period(of=of(), grain=pick(grains)),
                operator=pick(("=", "=", ">")),
                right=q.Constant(value=pick(dates)),
            ),
            lambda: q.Missing(of=of()),
            lambda: q.Match(of=of(), place=pick(("contains", "starts", "ends")), text=pick(TEXTS)),
            lambda: q.OneOf(of=of(), values=self.some(self.cell, 3, 1)),
            lambda: q.Between(of=of(), low=of(), high=of()),
            lambda: q.During(
                of=of(),
                grain=pick(get_args(Length)),
                first=number(-4, 4),
                length=number(1, 4),
                to_date=pick((True, False)),
            ),
        ]
        if deep <= 0:
            return self.one(*leaves)
        inner: Make = lambda: self.predicate(deep - 1)  # noqa: E731
        return self.one(
            *leaves,
            lambda: q.Not(of=inner()),
            lambda: q.And(of=self.some(inner, 3, 2)),
            lambda: q.Or(of=self.some(inner, 3, 2)),
            lambda: q.Exists(dataset=self.dataset(), via=self.via(), where=self.maybe(inner)),
            lambda: q.Among(of=of(), query=self.query(deep - 1)),
        )

    def query(self, deep: int) -> q.Query:
        of: Make = lambda: self.expression(deep)  # noqa: E731
        metrics = self.some(of, 3)
        dataset, pick = self.dataset(), self.chance.choice

        def orders() -> Any:
            first = (q.Order(by=metrics[0], descending=pick((True, False))),) if metrics else ()
            return self.one(lambda: (), lambda: first, lambda: self.some(order))

        def order() -> Any:
            return q.Order(by=self.expression(deep - 1), descending=pick((True, False)))

        def rank() -> Any:
            return q.Rank(
                by=orders(),
                n=pick((1, 5)),
                skip=pick((0, 0, 3)),
                ties=pick((True, False)),
                within=self.rare(lambda: self.some(of)),
            )

        def transform() -> Any:
            operation = pick(get_args(q.Transform.model_fields["operation"].annotation))
            return q.Transform(
                operation=operation,
                of=of(),
                along=orders(),
                within=self.rare(lambda: self.some(of)),
                n=pick((1, 1, 3)),
                base=self.maybe(of),
            )

        def scope() -> Any:
            return q.Scope(name=pick(TEXTS), where=self.predicate(deep))

        def combine() -> Any:
            return q.Combine(
                operation=pick(("union", "intersect", "except")), query=self.query(deep - 1)
            )

        return q.Query(
            dataset=dataset,
            metrics=metrics,
            by=self.some(of),
            show=self.rare(lambda: self.some(of)),
            identity=self.rare(lambda: self.some(self.field)),
            where=self.maybe(lambda: self.predicate(deep)),
            having=self.rare(lambda: self.predicate(deep)) or None,
            transforms=self.rare(lambda: self.some(transform)),
            compare=(self.rare(lambda: q.Compare(a=scope(), b=scope())) or None),
            combine=self.rare(lambda: self.some(combine)) if deep > 0 else (),
            sort=self.rare(orders),
            rank=self.rare(rank) or None,
            unique=pick((False, False, True)),
            decimals=pick((None, None, 2)),
        )

    def analysis(self, deep: int) -> r.Analysis:
        pick = self.chance.choice
        names = ("fields", "target", "number", "x", "the", "Level 1", "as")

        def argument() -> r.Argument:
            return r.Argument(name=pick(names), values=self.some(lambda: self.expression(1), 3))

        method = pick(
            ("correlation", "key_drivers", "change explained", "my own", "clustering", *NAMES)
        )
        return r.Analysis(method=method, over=self.rows(deep), arguments=self.some(argument))

    def rows(self, deep: int) -> q.Query:
        """Often only a dataset and a condition."""
        if self.chance.random() < 0.5:
            return self.query(deep)
        return q.Query(dataset=self.dataset(), where=self.maybe(lambda: self.predicate(deep)))

    def chart(self, deep: int) -> r.Chart:
        shown: Make = lambda: self.maybe(lambda: self.expression(1))  # noqa: E731
        of = self.one(lambda: self.query(deep), lambda: self.analysis(deep))
        kind = self.chance.choice(get_args(r.ChartType))
        return r.Chart(of=of, type=kind, x=shown(), y=shown(), color=shown())

    def describe(self) -> r.Describe:
        field, metrics = self.field(), ["", *(each.name for each in self.model.metrics)]
        return r.Describe(
            subject=self.chance.choice(get_args(r.Describe.model_fields["subject"].annotation)),
            dataset=self.chance.choice(("", field.dataset)),
            metric=self.chance.choice(metrics),
            field=self.chance.choice(("", field.field)),
        )

    def prepare(self, deep: int) -> r.Prepare:
        pick = self.chance.choice
        step: Make = lambda: self.one(  # noqa: E731
            lambda: r.Derive(name=pick(NAMES), of=self.expression(1)),
            lambda: r.Keep(where=self.predicate(1)),
            lambda: r.Encode(field=self.field(), way=pick(("one-hot", "ordinal"))),
            lambda: r.Impute(
                field=self.field(),
                way=pick(("mean", "median", "most frequent", "value")),
                value=self.maybe(self.constant),
            ),
            lambda: r.Split(test=pick((0.2, 0.333, 1e-5)), seed=pick((0, 7, -3))),
        )
        then = self.one(lambda: self.query(deep), lambda: self.analysis(deep))
        return r.Prepare(dataset=self.dataset(), steps=self.some(step, 3, 1), then=then)

    def request(self, deep: int) -> r.Request:
        made: r.Request = self.one(
            lambda: self.query(deep),
            lambda: self.query(deep),
            lambda: self.rows(deep),
            lambda: self.analysis(deep),
            lambda: self.chart(deep),
            self.describe,
            lambda: self.prepare(deep),
            lambda: self.compound(deep),
        )
        return made

    def compound(self, deep: int) -> r.Compound:
        return r.Compound(requests=self.some(lambda: self.request(min(deep, 1)), 3, 2))
