"""Requests in the making: rows, figures, analyses and charts over the columns of a wide table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from flows.analysis.compiler.names import expression_name
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.request_arguments import given_to
from flows.analysis.team.goals.kinds import End
from flows.analysis.team.goals.wide_table import Wide
from flows.core.observation import Cell
from flows.semantics import query as q
from flows.semantics.model import SemanticModel
from flows.semantics.query import conjunction
from flows.semantics.request import Analysis, Argument, Chart, ChartType
from flows.semantics.tree import changed, parts

_NOTHING = SemanticModel(datasets=())


@dataclass(frozen=True, slots=True)
class Restriction:
    """A condition on one column of a wide table, and the values that it names."""

    column: str
    values: tuple[Cell, ...]
    predicate: q.Predicate

    @property
    def names_one(self) -> bool:
        return len(self.values) == 1


def restriction(test: q.Predicate, wide: Wide) -> Restriction | None:
    """A test of a row of the wide table; None for one between rows or tables, and for a choice
    between several."""
    inside = list(parts(test))
    fields = [each.field for each in inside if isinstance(each, q.FieldRef)]
    if len(fields) != 1 or any(isinstance(each, q.Or | q.Query) for each in inside):
        return None
    values = [each.value for each in inside if isinstance(each, q.Constant)]
    for each in inside:
        values += each.values if isinstance(each, q.OneOf) else ()
        values += (each.text,) if isinstance(each, q.Match) else ()
    [name] = fields

    def place(part: BaseModel) -> BaseModel:
        return wide.expression(name) if isinstance(part, q.FieldRef) else part

    return Restriction(name, tuple(values), changed(test, place))


def where_of(restrictions: Sequence[Restriction]) -> q.Predicate | None:
    """That all of them hold."""
    return conjunction([each.predicate for each in restrictions])


def rows(wide: Wide, names: Sequence[str] = (), where: Sequence[Restriction] = ()) -> q.Query:
    """The rows of the first table with these columns; without names all that say something."""
    kept = [each for each in dict.fromkeys(names) if each in wide.home]
    alone = len(wide.tables) == 1 and wide.made is None
    shown = kept or ([] if alone else list(wide.home))
    show = tuple(map(wide.expression, shown))
    return q.Query(dataset=wide.base.name, show=show, where=where_of(where))


def figure(wide: Wide, how: q.Function, name: str) -> q.Aggregate:
    """A column summed up."""
    return q.Aggregate(function=how, of=wide.expression(name))


def figures(
    wide: Wide,
    metrics: Sequence[q.Aggregate],
    by: q.Expression,
    where: Sequence[Restriction] = (),
    *,
    end: End = "",
    first: int = 0,
) -> q.Query:
    """Figures of groups, in the order of the groups, or that `end` of the figures first; of all or
    the first."""
    orders = (q.Order(by=metrics[0], descending=end == "high"),) if end else (q.Order(by=by),)
    return q.Query(
        dataset=wide.base.name, metrics=tuple(metrics), by=(by,), where=where_of(where),
        sort=() if first else orders, rank=q.Rank(by=orders, n=first) if first else None,
    )  # fmt: skip


def contrast(
    wide: Wide, names: Sequence[str], who: Restriction, where: Sequence[Restriction] = ()
) -> q.Query:
    """The averages of the rows that have a value beside those of all others."""
    own = " and ".join(map(str, who.values))
    return q.Query(
        dataset=wide.base.name, metrics=tuple(figure(wide, "average", each) for each in names),
        where=where_of(where),
        compare=q.Compare(
            a=q.Scope(name=own, where=who.predicate),
            b=q.Scope(name="the others", where=q.Not(of=who.predicate)),
        ),
    )  # fmt: skip


def reference(wide: Wide, name: str) -> q.FieldRef:
    """A column as an argument names it: what no table has by the name of its result."""
    found = wide.expression(name)
    if isinstance(found, q.FieldRef):
        return found
    return q.FieldRef(dataset=wide.base.name, field=expression_name(found, _NOTHING))


def analysis(
    method: str, wide: Wide, where: Sequence[Restriction] = (), **given: object
) -> Analysis | None:
    """A method over rows of the wide table; None where it cannot be given these arguments."""
    model = BY_NAME[method].arguments
    try:
        made = model.model_validate(given)
    except ValueError:  # such as too few columns
        return None
    over = q.Query(dataset=wide.base.name, where=where_of(where))
    arguments = tuple(_placed(given_to(made, wide.base.name, _NOTHING), wide))
    return Analysis(method=method, over=over, arguments=arguments)


def _placed(arguments: Sequence[Argument], wide: Wide) -> Iterator[Argument]:
    for each in arguments:
        values = tuple(
            reference(wide, value.field)
            if isinstance(value, q.FieldRef) and value.field in wide.home
            else value
            for value in each.values
        )
        yield each.model_copy(update={"values": values})


def picture(
    style: ChartType, wide: Wide, names: Sequence[str], where: Sequence[Restriction] = ()
) -> Chart:
    """A picture of rows: points, boxes or bars of how often values are."""
    show = tuple(map(wide.expression, names))
    query = q.Query(dataset=wide.base.name, show=show, where=where_of(where))
    return Chart(of=query, type=style)


def course(wide: Wide, names: Sequence[str], time: str, where: Sequence[Restriction] = ()) -> Chart:
    """The averages of columns over time."""
    metrics = [figure(wide, "average", each) for each in names]
    return Chart(of=figures(wide, metrics, wide.expression(time), where), type="line")
