"""The questions nearest to one that is refused, each of which can be answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from flows.analysis.language.words import tokenize
from flows.analysis.linking.links import Link
from flows.analysis.linking.views import database_of
from flows.analysis.questions.reader import read_question
from flows.analysis.reading.reader import Reading, read
from flows.data.tables import Table
from flows.semantics.check import check
from flows.semantics.model import Dataset, SemanticModel
from flows.semantics.query import Aggregate, Comparison, Constant, FieldRef, Query, Transform
from flows.semantics.tree import parts

# So many are offered.
MOST: Final = 3


def nearest_queries(
    question: str, tables: Sequence[Table], model: SemanticModel, most_doubt: float
) -> list[Query]:
    """Queries near to what a question may mean that was not understood, the nearest first: what is
    left of it without the words that nothing stands for, else the figures of what it names."""
    if not database_of(tables, model).named(tokenize(question))[1]:
        return []
    found = _read_so_far(question, tables, model, most_doubt)
    said = list(dict.fromkeys(found)) or list(_of_names(question, tables, model))
    good = (each for each in said if is_plain(each) and not check(each, model))
    return list(islice(good, 2 * MOST))


def is_plain(query: Query) -> bool:
    """Whether a query is one that a person would ask in few words."""
    changes = any(isinstance(each, Transform) for each in parts(query))
    return not changes and query.having is None


def _read_so_far(
    question: str, tables: Sequence[Table], model: SemanticModel, most_doubt: float
) -> Iterator[Query]:
    whole = read(question, tables, model, most_doubt=most_doubt)
    if isinstance(whole, Reading):
        yield whole.query
    if (asked := read_question(question, tables, model)) is not None:
        yield asked.query


def _of_names(question: str, tables: Sequence[Table], model: SemanticModel) -> Iterator[Query]:
    name, links = database_of(tables, model).named(tokenize(question))
    dataset = next((each for each in model.datasets if each.table == name), None)
    if dataset is None or not links:
        return
    where = next(_conditions(links, dataset), None)
    columns = [name for each in links if each.kind == "column" for name in each.columns]
    fields = [each for each in map(dataset.find, columns) if each is not None]
    groups = tuple(
        FieldRef(dataset=dataset.name, field=each.name)
        for each in fields
        if each.role in ("category", "flag", "place")
    )[:1]
    measures = [each for each in fields if each.role == "measure"] or [
        each for each in dataset.fields if each.role == "measure" and where is not None
    ]
    for each in measures[:MOST]:
        of = FieldRef(dataset=dataset.name, field=each.name)
        metric = Aggregate(function="average", of=of)
        yield Query(dataset=dataset.name, metrics=(metric,), by=groups, where=where)
    count = Aggregate(function="count", dataset=dataset.name)
    yield Query(dataset=dataset.name, metrics=(count,), by=groups, where=where)


def _conditions(links: Sequence[Link], dataset: Dataset) -> Iterator[Comparison]:
    for each in links:
        for name, value in each.values[:1]:
            if dataset.find(name) is not None:
                of = FieldRef(dataset=dataset.name, field=name)
                yield Comparison(left=of, operator="=", right=Constant(value=value))
