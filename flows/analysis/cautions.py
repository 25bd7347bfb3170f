"""What must be said beside the result of a query: what was left out, and what misleads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from flows.core.observation import Caution
from flows.data.tables import Column, Table
from flows.semantics.kinds import fields_in, parts
from flows.semantics.model import SemanticModel
from flows.semantics.node import Node
from flows.semantics.path import find_path, leads_to_many
from flows.semantics.query import (
    Aggregate,
    Exists,
    Expression,
    FieldRef,
    MetricRef,
    Query,
    conjuncts,
)

# Fewer rows than this, on average, are few for the average of a group.
SMALL_GROUP = 5
# Above this share of missing values, what is left may not stand for the whole.
MUCH_MISSING = 0.05
# A mean and a median that are further apart than this part of the middle half of the values.
SKEWED = 0.5


def cautions(query: Query, model: SemanticModel, tables: Sequence[Table]) -> tuple[Caution, ...]:
    """The cautions that a query and the profiles of its tables call for, the gravest first."""
    known = {table.name: table for table in tables}
    if query.dataset not in known:
        return ()
    figures = list(dict.fromkeys(_figures(_shown(query), model)))
    found = (
        *_repeated(query, figures, model), *_copied(query, figures, known),
        *_whole(query, figures), *_missing(figures, known),
        *_small(query, figures, known), *_skewed(query, figures, model, known),
    )  # fmt: skip
    return tuple(dict.fromkeys(found))


def _shown(query: Query) -> Iterator[Node]:
    """What stands in the result, tests its groups, or puts it in order."""
    yield from (*query.metrics, *query.show)
    yield from (*query.sort, *(query.rank.by if query.rank else ()))
    if query.having is not None:
        yield query.having


def _figures(nodes: Iterable[Node], model: SemanticModel) -> Iterator[Aggregate]:
    """The figures of the query's own rows; of a metric, those that it is made of."""
    for node in nodes:
        if isinstance(node, Aggregate):
            yield node
        elif isinstance(node, MetricRef):
            metric = model.metric(node.metric)
            made = metric.definition if metric else None
            yield from _figures((made,) if isinstance(made, Node) else (), model)
        else:
            yield from _figures((part for place, part in parts(node) if place != "query"), model)


def _column(ref: FieldRef, known: dict[str, Table]) -> Column | None:
    table = known.get(ref.dataset)
    found = (each for each in table.columns if each.name == ref.field) if table else ()
    return next(iter(found), None)


def _columns(of: Expression | None, known: dict[str, Table]) -> Iterator[Column]:
    """The columns that an expression reads."""
    for ref in fields_in(of) if of is not None else ():
        column = _column(ref, known)
        if column is not None:
            yield column


def _repeated(
    query: Query, figures: Sequence[Aggregate], model: SemanticModel
) -> Iterator[Caution]:
    """Sums and averages of a field whose rows the joins repeat."""
    groups = [ref for each in query.by for ref in fields_in(each)]
    many = next(
        (ref.dataset for ref in groups
         if leads_to_many(find_path(model, query.dataset, ref.via, ref.dataset) or ())),
        query.dataset,
    )  # fmt: skip
    for figure in figures:
        if figure.of is None or figure.function not in ("sum", "average", "median"):
            continue
        for ref in fields_in(figure.of):
            path = find_path(model, query.dataset, ref.via, ref.dataset) or ()
            if any(step.reverse().many for step in path) or many not in (
                query.dataset,
                ref.dataset,
            ):
                name = "total" if figure.function == "sum" else figure.function
                yield Caution(
                    code="fan_out",
                    text=f"A row of {ref.dataset} counts once for each row of {many} that "
                    f"belongs to it, so the {name} of {ref.field} may count it several times.",
                )


def _copied(
    query: Query, figures: Sequence[Aggregate], known: dict[str, Table]
) -> Iterator[Caution]:
    """Rows that stand in the data twice, and count twice."""
    copies = known[query.dataset].copies
    told = ("minimum", "maximum", "count distinct")
    if copies and any(each.function not in told for each in figures):
        rows = "1 row is an exact copy" if copies == 1 else f"{copies:,} rows are exact copies"
        counted = "is counted" if copies == 1 else "are counted"
        text = f"In {query.dataset} {rows} of another and {counted} as well."
        yield Caution(code="copies", text=text)


def _whole(query: Query, figures: Sequence[Aggregate]) -> Iterator[Caution]:
    """Sums over rows that conditions on rows of another dataset have chosen."""
    tests = [each for each in conjuncts(query.where) if isinstance(each, Exists) and each.where]
    if tests and any(each.function == "sum" for each in figures):
        yield Caution(
            code="whole_rows",
            text=f"Each row of {query.dataset} that has a matching row of {tests[0].dataset} "
            "counts in whole, and not only for the part that matches.",
        )


def _missing(figures: Sequence[Aggregate], known: dict[str, Table]) -> Iterator[Caution]:
    for figure in figures:
        for column in _columns(figure.of, known):
            share = column.missing / column.rows if column.rows else 0.0
            if share >= MUCH_MISSING and figure.function != "share":
                yield Caution(
                    code="missing_data",
                    text=f"{column.missing:,} of {column.rows:,} values of {column.name} are "
                    f"missing ({share:.0%}) and are left out.",
                )


def _small(
    query: Query, figures: Sequence[Aggregate], known: dict[str, Table]
) -> Iterator[Caution]:
    """Averages over groups that have few rows."""
    averaged = any(each.function in ("average", "median") for each in figures)
    fields = [each for each in (*query.by, *query.identity) if isinstance(each, FieldRef)]
    if not averaged:
        return
    rows = known[query.dataset].rows
    most = max((c.distinct for f in fields if (c := _column(f, known))), default=0)
    if most and rows / most < SMALL_GROUP:
        yield Caution(
            code="small_groups",
            text=f"The groups have {rows / most:.1f} rows on average: an average over so few says "
            "little.",
        )


def _skewed(
    query: Query, figures: Sequence[Aggregate], model: SemanticModel, known: dict[str, Table]
) -> Iterator[Caution]:
    """An average that single large values pull away from the middle; of all rows, since the average
    of others is not known."""
    dataset = model.dataset(query.dataset)
    if query.where is not None or query.by or (dataset is not None and dataset.totals):
        return
    for figure in figures:
        column = _column(figure.of, known) if isinstance(figure.of, FieldRef) else None
        if figure.function != "average" or column is None or column.quantiles is None:
            continue
        middle, half = column.quantiles.p50, column.quantiles.p75 - column.quantiles.p25
        if column.mean is not None and half > 0 and abs(column.mean - middle) > SKEWED * half:
            yield Caution(
                code="skewed",
                text=f"{column.name} is skewed: half of its values are below {middle:,.6g}, the "
                f"average is {column.mean:,.6g}.",
            )
