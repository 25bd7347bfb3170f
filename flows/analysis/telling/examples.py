"""A question that can be answered over these very tables, to show how questions look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.analysis.language.words import tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.schema import schema_of
from flows.analysis.reading.reader import Reading, read
from flows.data.tables import Column, Table
from flows.semantics.model import SemanticModel

_MOST_GROUPS = 50


def example_question(text: str, tables: Sequence[Table], model: SemanticModel) -> str | None:
    """A question over the table that a text speaks of most, made from its columns."""
    tokens = tokenize(text)

    def named(table: Table) -> float:
        links = link(tokens, schema_of(table), prefer_table=True)
        return -sum(each.score for each in links if each.kind != "literal")

    for table in sorted(tables, key=named):
        for question in _questions(table):
            reading = read(question, tables, model)
            if isinstance(reading, Reading) and reading.table == table:
                return question
    return None


def _questions(table: Table) -> Iterator[str]:
    measures = [column for column in table.columns if column.role == "measure"]
    groups = [column for column in table.columns if _groups_well(column)]
    for measure in measures[:2]:
        for group in groups[:2]:
            yield f"Which {group.name} has the highest average {measure.name}?"
    yield from (f"What is the average {measure.name}?" for measure in measures[:2])
    yield from (f"How many different {group.name} are there?" for group in groups[:2])
    yield f"How many rows of {table.name} are there?"
    yield f"Show the first 5 rows of `{table.name}`"


def _groups_well(column: Column) -> bool:
    return column.role == "category" and 1 < column.distinct <= _MOST_GROUPS
