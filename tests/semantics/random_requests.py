"""Random requests over a random model, of every kind, that `check` accepts."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from flows.semantics.check import check
from flows.semantics.cumulation import find_periods, goes_along, grain_of
from flows.semantics.model import Cumulative, SemanticModel
from flows.semantics.query import (
    Aggregate,
    And,
    Between,
    Bin,
    Combine,
    Compare,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    MetricRef,
    Missing,
    Not,
    Or,
    Order,
    Period,
    Predicate,
    Query,
    Rank,
    Scalar,
    Scope,
    Transform,
)
from flows.semantics.request import (
    Analysis,
    Argument,
    Chart,
    Compound,
    Derive,
    Describe,
    Encode,
    Impute,
    Keep,
    Prepare,
    Request,
    Split,
    Step,
    Unparsed,
)
from tests.semantics import random_expressions as some
from tests.semantics.random_expressions import Kind, Place
from tests.semantics.random_predicates import compared, predicate

_ALONG = ("running", "moving", "change", "growth", "index")
_ALONE = ("share", "rank", "difference")


@st.composite
def queries(draw: DrawFn, model: SemanticModel, deep: int = 3) -> Query:
    """Figures of groups, figures of all rows, or rows."""
    place = Place(model, draw(st.sampled_from(model.datasets)).name)
    made = draw(st.sampled_from((_figures, _groups, _groups, _rows, _combined, _series)))
    return draw(made(place, deep))


@st.composite
def _figures(draw: DrawFn, place: Place, deep: int) -> Query:
    """Figures of all rows."""
    metrics = draw(_distinct(some.figure(place, 1), 1, 3))
    query = Query(
        dataset=place.dataset,
        metrics=metrics,
        where=draw(st.none() | predicate(place.one(), deep)),
        decimals=draw(_decimals()),
    )
    compare = draw(_compare(place, metrics))
    return query.model_copy(
        update={"compare": compare, "having": draw(_having(place, query, deep))}
    )


@st.composite
def _groups(draw: DrawFn, place: Place, deep: int) -> Query:
    """Groups, mostly with figures."""
    by = draw(_distinct(group(place), 1, 2))
    metrics = draw(_distinct(some.figure(place, 1), 0, 2))
    metrics = tuple(each for each in metrics if _fits(place, each, by))
    identity = draw(st.lists(some.field(place), max_size=1)) if draw(st.booleans()) else []
    query = Query(
        dataset=place.dataset,
        by=by,
        metrics=metrics,
        identity=tuple(each for each in identity if each not in by),
        where=draw(st.none() | predicate(place.one(), deep)),
        decimals=draw(_decimals()),
    )
    compare = draw(_compare(place, metrics)) if metrics else None
    ranked = [*by, *metrics, *draw(st.lists(some.aggregate(place, 0), max_size=1))]
    show: tuple[Expression, ...] = ()
    if metrics and not draw(st.integers(0, 2)):
        show = draw(st.permutations((*by, *metrics)).map(tuple))
        show = show[: draw(st.integers(1, len(show)))]
    transforms = () if compare else draw(_transforms(place, metrics, by))
    unique = bool(show) and not compare and draw(st.booleans())
    if unique:
        ranked, transforms = list(show), ()
    return query.model_copy(
        update={
            "having": draw(_having(place, query, deep)),
            "compare": compare,
            "show": show,
            "transforms": transforms,
            "unique": unique,
            "sort": draw(_orders(ranked)),
            "rank": draw(_rank(ranked, [each for each in by if not unique or each in show])),
        }
    )


@st.composite
def _series(draw: DrawFn, place: Place, deep: int) -> Query:
    """Figures along time, among them those that are summed up."""
    timed = [each for each in place.model.datasets if each.time]
    if not timed:
        return draw(_groups(place, deep))
    place = Place(place.model, draw(st.sampled_from(timed)).name)
    dataset = place.model.dataset(place.dataset)
    assert dataset is not None
    time = FieldRef(dataset=dataset.name, field=dataset.time)
    grain = draw(st.sampled_from(("year", "half", "quarter", "month", "week", "day")))
    by = (Period(of=time, grain=grain), *draw(st.lists(group(place.one()), max_size=1)))
    summed = [each for each in some.metric(place, plain=False) if _fits(place, each, by)]
    metrics = draw(st.lists(st.sampled_from(summed), max_size=2, unique=True)) if summed else []
    figures: tuple[Expression, ...] = (*metrics, draw(some.aggregate(place, 1)))
    query = Query(dataset=dataset.name, by=by, metrics=figures)
    return query.model_copy(
        update={
            "having": draw(_having(place, query, 0)),
            "sort": draw(_orders((*by, *figures))),
            "rank": draw(_rank((*by, *figures), by)),
            "compare": draw(_compare(place, figures)),
        }
    )


@st.composite
def _rows(draw: DrawFn, place: Place, deep: int) -> Query:
    """Rows, with some of their fields or with all."""
    show = draw(_distinct(_shown(place, deep), 0, 3))
    unique = bool(show) and draw(st.integers(0, 2)) == 0
    ranked = list(show) if unique else [*show, draw(some.field(place.one()))]
    within = list(show) if unique else [draw(group(place.one()))]
    return Query(
        dataset=place.dataset,
        show=show,
        where=draw(st.none() | predicate(place.one(), deep)),
        transforms=draw(_transforms(place, ranked, within)) if not unique else (),
        sort=draw(_orders(ranked)),
        rank=draw(_rank(ranked, within)),
        unique=unique,
        decimals=draw(_decimals()),
    )


@st.composite
def _combined(draw: DrawFn, place: Place, deep: int) -> Query:
    """The rows of several queries as one."""
    wanted = [draw(st.sampled_from(_grouped(place))) for _ in range(draw(st.integers(1, 2)))]
    first = draw(_columns(place, wanted, deep))
    others = []
    for _ in range(draw(st.integers(1, 2))):
        usable = [each for each in _places(place) if set(wanted) <= set(_grouped(each))]
        other = draw(_columns(draw(st.sampled_from(usable)), wanted, deep - 1))
        operation = draw(st.sampled_from(("union", "intersect", "except")))
        others.append(Combine(operation=operation, query=other))
    shown = list(dict.fromkeys(first.show))
    rank = draw(_rank(shown, shown))
    return first.model_copy(
        update={"combine": tuple(others), "sort": draw(_orders(shown)), "rank": rank}
    )


def _places(place: Place) -> list[Place]:
    return [Place(place.model, each.name) for each in place.model.datasets]


def _grouped(place: Place) -> list[Kind]:
    return [each for each in some.kinds(place) if each != "other"]


@st.composite
def _columns(draw: DrawFn, place: Place, wanted: Sequence[Kind], deep: int) -> Query:
    """Rows with columns of these kinds."""
    return Query(
        dataset=place.dataset,
        show=tuple(draw(some.field(place, each)) for each in wanted),
        where=draw(st.none() | predicate(place.one(), max(0, deep - 1))),
    )


@st.composite
def one_column(draw: DrawFn, place: Place, wanted: Kind, deep: int) -> Query:
    """A query whose rows have one value each, of this kind."""
    usable = [each for each in _places(place) if some.has(each, wanted)]
    there = draw(st.sampled_from(usable))
    choice = draw(st.sampled_from(("rows", "groups", "first")))
    if choice == "rows":
        return draw(_columns(there, (wanted,), deep))
    by = draw(some.field(there, wanted))
    rank = Rank(by=(Order(by=by, descending=draw(st.booleans())),), n=draw(st.integers(1, 3)))
    if choice == "first":
        return Query(dataset=there.dataset, show=(by,), sort=(), rank=rank, unique=True)
    count = Aggregate(function="count")
    having = draw(compared(count, "number", st.just(count), there, 0))
    return Query(dataset=there.dataset, by=(by,), show=(by,), having=having)


@st.composite
def one_value(draw: DrawFn, place: Place, wanted: Kind, deep: int) -> Query:
    """A query that gives one value of this kind."""
    usable = [each for each in _places(place) if wanted == "number" or some.has(each, wanted)]
    there = draw(st.sampled_from(usable))
    where = draw(st.none() | predicate(there.one(), max(0, deep)))
    if wanted == "number":
        made = draw(some.figure(there, 0).filter(some.is_number(there)))
    else:
        function = draw(st.sampled_from(("minimum", "maximum")))
        made = Aggregate(function=function, of=draw(some.field(there, wanted)))
    return Query(dataset=there.dataset, metrics=(made,), where=where)


@st.composite
def group(draw: DrawFn, place: Place) -> Expression:
    """What rows are grouped by."""
    choice = draw(st.sampled_from(("field", "field", "period", "bin")))
    if choice == "period":
        found = draw(some.period(place, 1))
        if found is not None:
            return found
    if choice == "bin" and some.has(place, "number"):
        return Bin(of=draw(some.number(place, 0)), width=draw(st.sampled_from((1, 5, 10, 2.5))))
    return draw(some.field(place))


@st.composite
def _shown(draw: DrawFn, place: Place, deep: int) -> Expression:
    return draw(some.value(place, draw(st.sampled_from(some.kinds(place))), min(deep, 2)))


def _distinct(
    part: SearchStrategy[Expression], least: int, most: int
) -> SearchStrategy[tuple[Expression, ...]]:
    return st.lists(part, min_size=least, max_size=most, unique=True).map(tuple)


def _decimals() -> SearchStrategy[int | None]:
    return st.sampled_from((None, None, None, 0, 2))


def _fits(place: Place, each: Expression, by: Sequence[Expression]) -> bool:
    """Whether a metric that sums up along time can be shown by these periods."""
    if not isinstance(each, MetricRef):
        return not any(_fits(place, part, by) is False for part in _parts(each))
    metric = place.model.metric(each.metric)
    if metric is None or not isinstance(metric.definition, Cumulative):
        return True
    dataset = place.model.dataset(place.dataset)
    assert dataset is not None
    periods = find_periods(by, dataset)
    return len(periods) < 2 and all(
        goes_along(metric.definition, grain_of(each, dataset)) for each in periods
    )


def _parts(each: Expression) -> list[Expression]:
    return [getattr(each, name) for name in ("left", "right") if hasattr(each, name)]


@st.composite
def _having(draw: DrawFn, place: Place, query: Query, deep: int) -> Predicate | None:
    if draw(st.integers(0, 2)) or not query.metrics:
        return None
    fits = [each for each in query.metrics if some.is_number(place)(each)]
    left = draw(st.sampled_from(fits)) if fits else Aggregate(function="count")
    others = some.figure(place, 0).filter(
        lambda each: some.is_number(place)(each) and _fits(place, each, query.by)
    )
    made = compared(left, "number", others, place, min(deep, 1))
    listed = Between(of=left, low=Constant(value=0), high=Constant(value=3))
    others_tests: tuple[Predicate, ...] = (listed, Missing(of=left))
    tests: SearchStrategy[Predicate] = st.one_of(made, made, st.sampled_from(others_tests))
    held = st.tuples(tests, tests)
    several = held.map(lambda each: And(of=each)) | held.map(lambda each: Or(of=each))
    choices: list[SearchStrategy[Predicate]] = [
        tests,
        tests,
        several,
        tests.map(lambda each: Not(of=each)),
    ]
    return draw(st.one_of(choices))


@st.composite
def _compare(draw: DrawFn, place: Place, metrics: Sequence[Expression]) -> Compare | None:
    if draw(st.integers(0, 3)) or not all(map(some.is_number(place), metrics)):
        return None
    a, b = (
        Scope(name=name, where=draw(predicate(place.one(), 1))) for name in ("this", "last year")
    )
    return Compare(a=a, b=b)


def _orders(ranked: Sequence[Expression]) -> SearchStrategy[tuple[Order, ...]]:
    order = st.builds(Order, by=st.sampled_from(ranked), descending=st.booleans())
    return st.lists(order, max_size=2, unique_by=lambda each: each.by).map(tuple)


@st.composite
def _rank(draw: DrawFn, ranked: Sequence[Expression], within: Sequence[Expression]) -> Rank | None:
    if draw(st.booleans()):
        return None
    by = draw(_orders(ranked))
    return Rank(
        by=by,
        n=draw(st.integers(1, 3)),
        skip=draw(st.sampled_from((0, 0, 1))),
        ties=bool(by) and draw(st.booleans()),
        within=tuple(draw(st.lists(st.sampled_from(within), max_size=1))) if within else (),
    )


@st.composite
def _transforms(
    draw: DrawFn, place: Place, columns: Sequence[Expression], groups: Sequence[Expression]
) -> tuple[Transform, ...]:
    figures = [each for each in columns if _is_figure(place, each)]
    if not figures or draw(st.integers(0, 2)):
        return ()
    made = []
    for _ in range(draw(st.integers(1, 2))):
        operation = draw(st.sampled_from((*_ALONG, *_ALONE)))
        along: tuple[Order, ...] = ()
        base, n = None, 1
        if operation in _ALONG:
            order = st.builds(Order, by=st.sampled_from(groups), descending=st.booleans())
            along = (draw(order),)
        if operation in ("moving", "change", "growth"):
            n = draw(st.integers(1, 3))
        if operation == "difference":
            scalar = one_value(place, "number", 0).map(lambda each: Scalar(query=each))
            base = draw(st.one_of(st.sampled_from(figures), scalar))
        within = tuple(draw(st.lists(st.sampled_from(groups), max_size=1)))
        if operation == "difference":
            within = ()
        made.append(
            Transform(
                operation=operation,
                of=draw(st.sampled_from(figures)),
                along=along,
                within=within,
                n=n,
                base=base,
            )
        )
    return tuple(made)


def _is_figure(place: Place, each: Expression) -> bool:
    """Whether a column holds numbers that may be summed up."""
    if isinstance(each, MetricRef):
        metric = place.model.metric(each.metric)
        return metric is not None and metric.type == "simple" and metric.additive == "all"
    if isinstance(each, Aggregate):
        return each.function in ("count", "sum")
    return (
        isinstance(each, FieldRef)
        and each in place.fields(("number",))
        and not some.is_identifier(place, each)
    )


@st.composite
def analyses(draw: DrawFn, model: SemanticModel, deep: int = 2) -> Analysis:
    over = draw(queries(model, deep).filter(lambda each: not each.combine))
    place = Place(model, over.dataset)
    values = st.lists(st.one_of(some.field(place), some.constant("number")), max_size=2)
    argument = st.builds(Argument, name=st.sampled_from(("of", "by")), values=values.map(tuple))
    arguments = draw(st.lists(argument, max_size=2, unique_by=lambda each: each.name))
    method = draw(st.sampled_from(("correlation", "drivers", "forecast")))
    return Analysis(method=method, over=over, arguments=tuple(arguments))


@st.composite
def charts(draw: DrawFn, model: SemanticModel, deep: int = 2) -> Chart:
    of = draw(st.one_of(queries(model, deep), analyses(model, deep)))
    drawn = of if isinstance(of, Query) else of.over
    columns = drawn.show or (*drawn.by, *drawn.metrics)
    axis = st.none() | st.sampled_from(columns) if columns else st.none()
    kinds = ("", "bar", "line", "area", "stacked", "scatter", "histogram", "box", "pie", "heatmap")
    return Chart(
        of=of, type=draw(st.sampled_from(kinds)), x=draw(axis), y=draw(axis), color=draw(axis)
    )


@st.composite
def descriptions(draw: DrawFn, model: SemanticModel) -> Describe:
    subject = draw(st.sampled_from(("tables", "profile", "columns", "values", "definition")))
    dataset = draw(st.sampled_from(model.datasets))
    field = draw(st.sampled_from(dataset.fields))
    if subject == "tables":
        return Describe(subject="tables")
    if subject == "values" or (subject == "definition" and draw(st.booleans())):
        return Describe(subject=subject, dataset=dataset.name, field=field.name)
    if subject == "definition" and model.metrics:
        return Describe(subject=subject, metric=draw(st.sampled_from(model.metrics)).name)
    return Describe(subject=subject, dataset=dataset.name)


@st.composite
def preparations(draw: DrawFn, model: SemanticModel) -> Prepare:
    """Steps over a dataset, and a query or an analysis of what they leave."""
    then = draw(st.one_of(queries(model, 1), analyses(model, 1)))
    over = then if isinstance(then, Query) else then.over
    place = Place(model, over.dataset, many=False)
    dataset = model.dataset(over.dataset)
    assert dataset is not None
    own = [FieldRef(dataset=dataset.name, field=each.name) for each in dataset.fields]
    field = st.sampled_from(own)
    numbers = some.number(place, 1)
    names = st.sampled_from(("new", "worth per head", "derived"))
    steps: list[SearchStrategy[Step]] = [
        st.builds(Derive, name=names, of=numbers),
        st.builds(Keep, where=predicate(place, 1)),
        st.builds(Encode, field=field, way=st.sampled_from(("one-hot", "ordinal"))),
        st.builds(Impute, field=field, way=st.just("most frequent")),
        st.builds(Split, test=st.sampled_from((0.2, 0.5)), seed=st.integers(0, 3)),
    ]
    if any(each in own for each in place.fields(("number",))):
        filled = st.sampled_from([each for each in place.fields(("number",)) if each in own])
        steps.append(st.builds(Impute, field=filled, way=st.sampled_from(("mean", "median"))))
        steps.append(
            st.builds(Impute, field=filled, way=st.just("value"), value=some.constant("number"))
        )
    made = draw(st.lists(st.one_of(steps), min_size=1, max_size=3))
    kept: list[Step] = []
    for step in (*made, Split()):
        more = Prepare(dataset=over.dataset, steps=(*kept, step), then=then)
        if not check(more, model) and (not kept or step in made):
            kept.append(step)
    return Prepare(dataset=over.dataset, steps=tuple(kept), then=then)


def requests(model: SemanticModel, deep: int = 3) -> SearchStrategy[Request]:
    """Anything that can be asked, several requests in one and texts that were not read included."""
    single = st.one_of(
        queries(model, deep), queries(model, deep), analyses(model), charts(model),
        descriptions(model), preparations(model),
    )  # fmt: skip
    unread = st.builds(
        Unparsed,
        text=st.just("how bluish are they"),
        reason=st.just("nothing stands for a word"),
        words=st.sampled_from(((), ("bluish",))),
        understood=st.none() | single,
        nearest=st.lists(queries(model, 1), max_size=2).map(tuple),
    )
    several = st.lists(st.one_of(single, unread), min_size=2, max_size=3)
    return st.one_of(
        single, single, single, several.map(lambda each: Compound(requests=tuple(each))), unread
    )


__all__ = ["Comparison", "one_column", "one_value", "queries", "requests"]
