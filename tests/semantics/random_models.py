"""Random semantic models: a few datasets, fields of every role and type, ways between them."""

from __future__ import annotations

from datetime import date
from itertools import permutations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from flows.semantics.model import (
    Calendar,
    Cleaning,
    Conversion,
    Cumulative,
    Dataset,
    Fold,
    Metric,
    Number,
    Relationship,
    SemanticField,
    SemanticModel,
    Time,
    Unknown,
)
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Constant,
    FieldRef,
    MetricRef,
    Missing,
    Not,
    Period,
)

TODAY = date(2024, 5, 17)

TABLES = (
    "orders", "customers", "order items", "flights", "count", "top", "2024", "order", "select",
    "by", "o'clock", "Käufe", "group", 'a"b', "from",
)  # fmt: skip
FIELDS = (
    "amount", "price", "name", "city", "Region", "unit price", "count", "sum", "top", "by", "2023",
    "order", "select", "où", "Größe", "it's", 'say "x"', "date", "day", "hired", "status", "value",
    "total", "rate", "per", "min", "null", "where", "of", "tip %", "a_b", "first", "kind", "time",
)  # fmt: skip
KEYS = ("id", "number", "key", "code", "order id", "#")
LINKS = ("owner", "parent", "ref", "manager", "home port", "in", "customer id", "to")
METRICS = ("revenue", "average", "margin", "orders per head", "count", "best", "Umsatz", "so far")


@st.composite
def models(draw: DrawFn) -> SemanticModel:
    """One to four datasets; each but the first may refer to those before it, in several ways."""
    names = draw(st.lists(st.sampled_from(TABLES), min_size=1, max_size=4, unique=True))
    keys = [draw(st.integers(0, 4)) for _ in names]  # 4 stands for a key of two fields
    made: list[Dataset] = []
    links: list[Relationship] = []
    for place, name in enumerate(names):
        targets = [each for each in made if each.key]
        wanted = draw(st.lists(st.sampled_from(targets), max_size=2)) if targets else []
        if targets and not wanted and draw(st.integers(0, 3)):
            wanted = [targets[-1]]
        own = draw(_dataset(name, place, keys[place]))
        if len(own.key) == 1 and draw(st.integers(0, 2)) == 0:
            wanted = [*wanted, own]
        for target in wanted:
            own, link = draw(_linked(own, target, {each.name for each in links}))
            links.append(link)
        made.append(own)
    model = SemanticModel(
        name=draw(st.sampled_from(("data", "shop"))),
        datasets=tuple(made),
        relationships=tuple(links),
        calendar=Calendar(
            today=TODAY,
            fiscal_start=draw(st.integers(1, 12)),
            week_start=draw(st.sampled_from(("monday", "sunday"))),
        ),
    )
    return model.model_copy(update={"metrics": draw(_metrics(model))})


@st.composite
def _dataset(draw: DrawFn, name: str, place: int, keyed: int) -> Dataset:
    fields: list[SemanticField] = []
    taken: set[str] = set()
    key_size = {0: 0, 4: 2}.get(keyed, 1)
    for each in draw(
        st.lists(st.sampled_from(KEYS), min_size=key_size, max_size=key_size, unique=True)
    ):
        fields.append(SemanticField(name=each, role="identifier", type="integer", column=each))
        taken.add(each.casefold())
    free = st.lists(st.sampled_from(FIELDS), min_size=2, max_size=6, unique_by=str.casefold)
    for each in draw(free):
        if each.casefold() not in taken:
            fields.append(draw(_field(each, fields, name)))
    if all(each.type in ("other", "time", "boolean") for each in fields):
        fields.append(SemanticField(name="size", role="measure", type="integer", column="size"))
    times = [each.name for each in fields if each.type in ("date", "timestamp")]
    labels = [each.name for each in fields if each.type == "text"]
    folded = [each.name for each in fields if each.role == "category" and not each.expression]
    folded += [e.name for e in fields if any(isinstance(step, Time) for step in e.cleaning)]
    total = draw(st.sampled_from((*folded, "", ""))) if folded else ""
    plural = f"{name} rows" if draw(st.booleans()) else name
    return Dataset(
        name=name,
        source=draw(st.sampled_from(("main", "own files"))),
        table=name if draw(st.integers(0, 4)) else f"t{place} of",
        noun=name.removesuffix("s") or name,
        plural=plural,
        words=draw(st.sampled_from(((), ("deals",), ("our people",)))),
        fields=tuple(fields),
        key=tuple(each.name for each in fields[:key_size]),
        label=draw(st.sampled_from(("", *labels))),
        time=times[0] if times else "",
        totals=((total, ("Total",)),) if total else (),
    )


@st.composite
def _field(draw: DrawFn, name: str, before: list[SemanticField], dataset: str) -> SemanticField:
    role, type_, cleaning = draw(st.sampled_from(_SHAPES))
    column = name if draw(st.integers(0, 5)) else f"c_{name}"
    words = draw(st.sampled_from(((), ("worth",), ("how big",))))
    numbers = [each for each in before if each.type in ("integer", "real")]
    times = [each for each in before if each.type in ("date", "timestamp")]
    if role == "measure" and numbers and draw(st.integers(0, 5)) == 0:
        left, right = (
            FieldRef(dataset=dataset, field=draw(st.sampled_from(numbers)).name) for _ in range(2)
        )
        made = Arithmetic(
            operator=draw(st.sampled_from(("+", "-", "*", "/"))), left=left, right=right
        )
        return SemanticField(name=name, role=role, type="real", expression=made, words=words)
    if type_ == "date" and times and draw(st.integers(0, 5)) == 0:
        of = FieldRef(dataset=dataset, field=draw(st.sampled_from(times)).name)
        return SemanticField(
            name=name, role=role, type="date", expression=Period(of=of, grain="month")
        )
    unit = draw(st.sampled_from(("", "", "EUR", "kg"))) if role == "measure" else ""
    values = VALUES if role == "category" else ()
    return SemanticField(
        name=name, role=role, type=type_, column=column, cleaning=cleaning, unit=unit, words=words,
        values=values, ordered=bool(values) and draw(st.booleans()),
    )  # fmt: skip


VALUES = ("Berlin", "Zürich", "O'Hare", "100%", "top 3")
_FRAMES = (
    ("", 0), ("year", 0), ("quarter", 0), ("month", 0), ("month", 2), ("year", 2), ("quarter", 2),
    ("half", 1), ("week", 0), ("week", 2), ("day", 30),
)  # fmt: skip
_MONEY = Number(decimal=",", thousands=".")
_SHAPES: tuple[tuple[str, str, tuple[Cleaning, ...]], ...] = (
    ("measure", "integer", ()),
    ("measure", "real", ()),
    ("measure", "integer", (Unknown(values=(-99,)),)),
    ("measure", "real", (Unknown(values=("n/a", "-")), _MONEY)),
    ("measure", "real", (Number(scale=0.01),)),
    ("measure", "real", (Number(thousands=",", left_out=("EUR/month", "o'clock")),)),
    ("category", "text", ()),
    ("category", "text", (Fold(names=(("berlin", "Berlin"), ("BERLIN", "Berlin"))),)),
    ("category", "text", (Unknown(values=("n/a", "")),)),
    ("flag", "boolean", ()),
    ("time", "date", ()),
    ("time", "date", (Time(format="%d.%m.%Y"),)),
    ("time", "date", (Time(format="%Y-%m-%d", others=("%d.%m.%Y",)),)),
    ("time", "date", (Unknown(values=("Total",)), Time(format="%d.%m.%Y"))),
    ("time", "timestamp", ()),
    ("time", "timestamp", (Time(format="%Y/%m/%d %H:%M"),)),
    ("time", "time", ()),
    ("text", "text", ()),
    ("place", "text", ()),
    ("identifier", "text", ()),
    ("text", "other", ()),
)


@st.composite
def _linked(
    draw: DrawFn, dataset: Dataset, target: Dataset, taken: set[str]
) -> tuple[Dataset, Relationship]:
    """A dataset with new fields that refer to another one (or to itself), and the relationship."""
    names = {each.name.casefold() for each in dataset.fields}
    free = [each for each in LINKS if each not in names and f"{each} 2" not in names]
    name = draw(st.sampled_from(free))
    own = tuple(f"{name} {place}" if place > 1 else name for place, _ in enumerate(target.key, 1))
    fields = tuple(
        SemanticField(name=each, role="identifier", type="integer", column=each) for each in own
    )
    called = draw(st.sampled_from((f"{dataset.name} {name}", name)))
    if called in taken:
        called = f"{dataset.name} {name} {len(taken)}"
    link = Relationship(
        name=called, dataset=dataset.name, fields=own, to=target.name, to_fields=target.key,
        single=draw(st.integers(0, 4)) == 0,
        role=draw(st.sampled_from(("", name))),
        back=draw(st.sampled_from(("", "reports"))),
    )  # fmt: skip
    grown = dataset.model_copy(update={"fields": (*dataset.fields, *fields)})
    return grown, link


@st.composite
def _metrics(draw: DrawFn, model: SemanticModel) -> tuple[Metric, ...]:
    made: list[Metric] = []
    for name in draw(st.lists(st.sampled_from(METRICS), max_size=4, unique_by=str.casefold)):
        dataset = draw(st.sampled_from(model.datasets))
        made.append(draw(_metric(name, dataset, made)))
    events = _conversions(model)
    if events:
        made += draw(st.sampled_from(events))
    timed = [each for each in model.datasets if each.time]
    summed_up: bool = draw(st.booleans())
    if timed and summed_up:
        dataset = draw(st.sampled_from(timed))
        count = Aggregate(function="count")
        made.append(Metric(name="sold", dataset=dataset.name, definition=count))
        grain, window = draw(st.sampled_from(_FRAMES))
        summed = Cumulative(metric="sold", grain=grain, window=window)
        made.append(
            Metric(name="sold until then", dataset=dataset.name, additive="none", definition=summed)
        )
    return tuple(made)


def _metric(name: str, dataset: Dataset, before: list[Metric]) -> SearchStrategy[Metric]:
    rows = Aggregate(function="count")
    numbers = [
        FieldRef(dataset=dataset.name, field=each.name)
        for each in dataset.fields
        if each.type in ("integer", "real") and each.role == "measure"
    ]
    sums = [Aggregate(function="sum", of=each) for each in numbers]
    averages = [Aggregate(function="average", of=each) for each in numbers]
    own = [each for each in before if each.dataset == dataset.name and each.type != "cumulative"]
    additive = [each.name for each in own if each.additive == "all" and each.type == "simple"]
    choices = [Metric(name=name, dataset=dataset.name, definition=each) for each in (rows, *sums)]
    choices += [
        Metric(name=name, dataset=dataset.name, definition=each, additive="none", unit="EUR")
        for each in (*averages, *(Arithmetic(operator="/", left=s, right=rows) for s in sums))
    ]
    choices += [
        Metric(
            name=name,
            dataset=dataset.name,
            additive="none",
            better="up",
            definition=Arithmetic(
                operator="*", left=MetricRef(metric=each.name), right=Constant(value=100)
            ),
        )
        for each in own
        if each.type != "conversion"
    ]
    if dataset.time:
        choices += [
            Metric(
                name=name,
                dataset=dataset.name,
                additive="none",
                definition=Cumulative(metric=each, grain=grain, window=window),
            )
            for each in additive
            for grain, window in _FRAMES
        ]
    return st.sampled_from(choices)


def _conversions(model: SemanticModel) -> list[tuple[Metric, Metric, Metric]]:
    """The metrics of entities of one dataset that come up in another later, behind those two."""
    made = []
    for one, other in permutations(model.datasets, 2):
        shared = [
            each.name
            for each in one.fields
            if (there := other.find(each.name))
            and there.role == each.role == "identifier"
            and there.type == each.type
        ]
        if one.time and other.time and shared:
            made += [_conversion(one, other, shared[0], days) for days in (0, 30)]
    return made


def _conversion(
    one: Dataset, other: Dataset, entity: str, days: int
) -> tuple[Metric, Metric, Metric]:
    known = Not(of=Missing(of=FieldRef(dataset=other.name, field=other.fields[-1].name)))
    visits = Aggregate(function="count")
    purchases = Aggregate(function="count", where=known if days else None)
    share = Conversion(base="visits", converted="purchases", entity=entity, days=days)
    return (
        Metric(name="visits", dataset=one.name, definition=visits),
        Metric(name="purchases", dataset=other.name, definition=purchases),
        Metric(name="bought", dataset=one.name, additive="none", definition=share),
    )
