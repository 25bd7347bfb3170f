"""Semantic models of all kinds, as Hypothesis makes them: those that inference could make, and
stranger ones, with names that SQL and YAML have other uses for."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from flows.semantics.model import (
    Calendar,
    Conversion,
    Cumulative,
    Dataset,
    DataType,
    Fold,
    Metric,
    Number,
    Relationship,
    Role,
    SemanticField,
    SemanticModel,
    Time,
    Unknown,
)
from flows.semantics.query import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Bin,
    Cast,
    Comparison,
    Constant,
    During,
    Exists,
    Expression,
    FieldRef,
    Match,
    MetricRef,
    Missing,
    Not,
    OneOf,
    Or,
    Period,
    Predicate,
    Query,
    Scalar,
)

HARD = (
    "count", "top", "2024", "order", "select", "from", "Straße", "Umsatz in €", 'the "big" one',
    "a.b", "it's", "yes", "null", "1e5", "0x1F", "x: y", "- item", "#hash", "%", "date", "SUM",
    "true", "Name", "name", "NAME", "${x}", "???", "*", "&a", "!b", "@c", "`d`", "{e}", "1:30",
    " lead", "tail ", "tab\there", "a  b", "\u00a0", "😀", "_x", "-", "~", "=",
)  # fmt: skip
PLAIN = ("orders", "customers", "amount", "customer_id", "ordered_at", "region", "price", "status")
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
NAMES = st.one_of(st.sampled_from(PLAIN), st.sampled_from(HARD), TEXT.filter(str.strip))
NUMBERS = st.one_of(
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0),
)
CELLS = st.one_of(NUMBERS, TEXT, st.booleans(), st.none())
OPERATORS = st.sampled_from(["=", "!=", ">", ">=", "<", "<="])
GRAINS = st.sampled_from(
    ["year", "half", "quarter", "month", "week", "day", "hour", "quarter of year", "month of year",
     "day of month", "weekday", "hour of day", "fiscal year", "fiscal quarter"]
)  # fmt: skip
PLACES = st.sampled_from(["contains", "starts", "ends"])
THOUSANDS = st.sampled_from(["", " ", "'"])
WORDS = st.lists(NAMES, max_size=2).map(tuple)
CLEANING = st.one_of(
    st.builds(Number, decimal=st.sampled_from([".", ","]), thousands=THOUSANDS,
              scale=st.sampled_from([1.0, 0.01])),
    st.builds(Time, format=st.sampled_from(["%d.%m.%Y", "%H:%M"])),
    st.builds(Unknown, values=st.lists(CELLS, min_size=1, max_size=3).map(tuple)),
    st.builds(Fold, names=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple)),
)  # fmt: skip


def _values(fields: st.SearchStrategy[FieldRef]) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(fields, st.builds(Constant, value=CELLS))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Arithmetic, operator=st.sampled_from("+-*/"), left=inner, right=inner),
            st.builds(Period, of=inner, grain=GRAINS),
            st.builds(Bin, of=inner, width=st.floats(0.1, 1000)),
            st.builds(Cast, of=inner),
        ),
        max_leaves=3,
    )


def _predicates(
    values: st.SearchStrategy[Expression], dataset: str
) -> st.SearchStrategy[Predicate]:
    cells = st.lists(CELLS, min_size=1, max_size=3).map(tuple)
    leaves = st.one_of(
        st.builds(Comparison, left=values, operator=OPERATORS, right=values),
        st.builds(Between, of=values, low=values, high=values),
        st.builds(OneOf, of=values, values=cells),
        st.builds(
            Match, of=values, place=st.sampled_from(["contains", "starts", "ends"]), text=TEXT
        ),
        st.builds(Missing, of=values),
        st.builds(During, of=values, grain=st.just("month"), first=st.just(-1)),
        st.builds(Exists, dataset=st.just(dataset)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, of=inner),
            st.builds(And, of=st.lists(inner, min_size=2, max_size=3).map(tuple)),
            st.builds(Or, of=st.lists(inner, min_size=2, max_size=3).map(tuple)),
        ),
        max_leaves=3,
    )


def _figures(fields: st.SearchStrategy[FieldRef], dataset: str) -> st.SearchStrategy[Expression]:
    values = _values(fields)
    where = st.none() | _predicates(values, dataset)
    simple = st.sampled_from(
        ["count", "count distinct", "sum", "average", "median", "minimum", "maximum", "deviation"]
    )
    scalar = Scalar(query=Query(dataset=dataset, metrics=(Aggregate(function="count"),)))
    return st.one_of(
        st.builds(Aggregate, function=simple, of=values, where=where),
        st.builds(Aggregate, function=st.just("count"), where=where),
        st.builds(Aggregate, function=st.just("share"), of=st.none() | values, where=where),
        st.builds(Aggregate, function=st.just("percentile"), of=values,
                  at=st.one_of(st.integers(0, 100), st.floats(0, 100))),
        st.builds(Aggregate, function=st.just("sum"), of=fields, dataset=st.just(dataset)),
        st.just(scalar),
    )  # fmt: skip


@st.composite
def _fields(draw: st.DrawFn, dataset: str) -> tuple[SemanticField, ...]:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    made: list[SemanticField] = []
    for name in names:
        before = st.sampled_from([each.name for each in made] or [""])
        refs = before.map(lambda each: FieldRef(dataset=dataset, field=each))
        is_made = bool(made) and draw(st.booleans())
        made.append(
            SemanticField(
                name=name,
                role=draw(st.sampled_from(get_args(Role))),
                type=draw(st.sampled_from(get_args(DataType))),
                column="" if is_made else draw(st.one_of(st.just(name), st.just(""), NAMES)),
                expression=draw(_values(refs)) if is_made else None,
                cleaning=tuple(draw(st.lists(CLEANING, max_size=2))),
                unit=draw(st.sampled_from(["", "€", "kg", "%"])),
                words=draw(WORDS),
                description=draw(TEXT | st.just("Two\nlines: 'and' \"more\"")),
                values=tuple(draw(st.lists(TEXT, max_size=2))),
                ordered=draw(st.booleans()),
                inferred=draw(st.booleans()),
            )
        )  # fmt: skip
    return tuple(made)


@st.composite
def _dataset(draw: st.DrawFn, name: str) -> Dataset:
    fields = draw(_fields(name))
    names = st.sampled_from([each.name for each in fields])
    keys = st.lists(names, min_size=1, max_size=2, unique=True).map(tuple)
    return Dataset(
        name=name,
        source=draw(st.sampled_from(["", "shop", "shop.v2", "my shop", "a..b", "data/shop.csv"])),
        table=draw(st.one_of(st.just(name), NAMES)),
        noun=draw(NAMES),
        plural=draw(NAMES),
        words=draw(WORDS),
        description=draw(TEXT),
        fields=fields,
        key=draw(st.just(()) | keys),
        unique=tuple(draw(st.lists(keys, max_size=2))),
        label=draw(st.just("") | names),
        time=draw(st.just("") | names),
        totals=tuple(draw(st.lists(st.tuples(names, st.just(("all", "Summe"))), max_size=1))),
    )


@st.composite
def _relationship(draw: st.DrawFn, name: str, datasets: tuple[Dataset, ...]) -> Relationship:
    start, end = draw(st.sampled_from(datasets)), draw(st.sampled_from(datasets))
    return Relationship(
        name=name,
        dataset=start.name,
        fields=(draw(st.sampled_from(start.fields)).name,),
        to=end.name,
        to_fields=(draw(st.sampled_from(end.fields)).name,),
        single=draw(st.booleans()),
        role=draw(st.sampled_from(["", "manager"])),
        back=draw(st.sampled_from(["", "reports"])),
        inferred=draw(st.booleans()),
    )


@st.composite
def _metric(
    draw: st.DrawFn, name: str, datasets: tuple[Dataset, ...], before: list[Metric]
) -> Metric:
    home = draw(st.sampled_from(datasets))
    pairs = [(each.name, one.name) for each in datasets for one in each.fields]
    vias = st.sampled_from([(), (), ("-back",)])
    fields = st.builds(
        lambda pair, via: FieldRef(dataset=pair[0], field=pair[1], via=via),
        st.sampled_from(pairs), vias,
    )  # fmt: skip
    figures = _figures(fields, home.name)
    kinds: list[st.SearchStrategy[Any]] = [figures]
    if before:
        others = st.sampled_from(before).map(lambda each: each.name)
        refs = others.map(lambda each: MetricRef(metric=each))
        operands = st.one_of(figures, refs, st.builds(Constant, value=NUMBERS))
        kinds += [
            st.builds(Arithmetic, operator=st.sampled_from("+-*/"), left=operands, right=operands),
            st.builds(Cumulative, metric=others, window=st.integers(0, 3),
                      grain=st.sampled_from(["", "year", "half", "quarter", "month"])),
            st.builds(Conversion, base=others, converted=others, entity=st.just("user"),
                      days=st.integers(0, 30)),
        ]  # fmt: skip
    return Metric(
        name=name,
        dataset=home.name,
        definition=draw(st.one_of(kinds)),
        unit=draw(st.sampled_from(["", "€", "%"])),
        additive=draw(st.sampled_from(["all", "not over time", "none"])),
        better=draw(st.sampled_from(["", "up", "down"])),
        words=draw(WORDS),
        description=draw(TEXT),
        inferred=draw(st.booleans()),
    )


@st.composite
def models(draw: st.DrawFn) -> SemanticModel:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    datasets = tuple(draw(_dataset(name)) for name in names)
    paths = draw(st.lists(NAMES, max_size=2, unique=True))
    metrics: list[Metric] = []
    for name in draw(st.lists(NAMES, max_size=3, unique=True)):
        metrics.append(draw(_metric(name, datasets, metrics)))
    return SemanticModel(
        name=draw(NAMES),
        description=draw(TEXT),
        datasets=datasets,
        relationships=tuple(draw(_relationship(name, datasets)) for name in paths),
        metrics=tuple(metrics),
        calendar=draw(st.builds(Calendar, today=st.sampled_from(["data", "clock", "2024-02-29"]),
                             fiscal_start=st.integers(1, 12),
                             week_start=st.sampled_from(["monday", "sunday"]))),
    )  # fmt: skip
