"""Figures that a question computes from two columns: `quantity times price`, `tip percentage`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from flows.analysis.language.phrasebook import OPERATORS
from flows.analysis.language.words import split_identifier
from flows.data.tables import Column, Table
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.query import Arithmetic, Constant, Expression, FieldRef
from flows.semantics.request import Request
from flows.semantics.row_values import NoRowHasIt, of_a_row
from flows.semantics.tree import changed

_PERCENT: Final = r"(?:as|in) (?:a |an )?(?:percent|percentage|%) of"
_SIGNS: Final = re.compile(r"\W+")
_OF_SUMS: Final = re.compile(r"^\W*(?:by|per|for each|overall|in total|altogether)\b", re.I)
_IN_TOTAL: Final = re.compile(r"^\W*(?:in total|altogether|overall|in sum)\b", re.I)
_OPTIONS: Final = 3
_PARTS: Final = 3


@dataclass(frozen=True, slots=True)
class Computed:
    """A question with the name of a computed column in the place of its words, and the tables and
    the model that have this column."""

    question: str
    tables: tuple[Table, ...]
    model: SemanticModel
    field: SemanticField

    def spelled(self, request: Request) -> Request:
        """A request with the arithmetic itself in the place of the column."""

        def spell(node: BaseModel) -> BaseModel:
            mine = isinstance(node, FieldRef) and node.field == self.field.name
            found = self.field.expression if mine else None
            return node if found is None else found

        return changed(request, spell)


def computed(question: str, tables: Sequence[Table], model: SemanticModel) -> Computed | None:
    """What a question computes from two columns of one table; None for nothing."""
    for table in tables:
        names = "|".join(f"(?:{_words(each)})" for each in _figures(table))
        ways = f"{_PERCENT}|{OPERATORS.pattern(*OPERATORS)}"
        pattern = rf"(?<![\w`])({names})\s+({ways})\s+(?:the |its |their )?({names})(?![\w`])"
        match = re.search(pattern, question, re.IGNORECASE) if names else None
        if match is not None and _OF_SUMS.search(question[match.end() :]):
            share = re.fullmatch(_PERCENT, match[2], re.IGNORECASE)
            if share is not None:
                return None  # of each group, the one sum is set against the other
        if match is not None:
            return _with_column(question, match, table, tables, model)
    return None


def _with_column(
    question: str,
    match: re.Match[str],
    table: Table,
    tables: Sequence[Table],
    model: SemanticModel,
) -> Computed | None:
    left, right = (_column(match[place], table) for place in (1, 3))
    dataset = model.dataset(table.name)
    if left is None or right is None or left == right or dataset is None:
        return None
    one, other = (_of_a_row(each.name, dataset, model) for each in (left, right))
    if one is None or other is None:
        return None
    operator = OPERATORS.read(match[2].casefold())
    made: Expression = Arithmetic(operator=operator or "/", left=one, right=other)
    if operator is None:
        made = Arithmetic(operator="*", left=made, right=Constant(value=100))
    name = _SIGNS.sub(" ", match[0]).strip()
    field = SemanticField(name=name, role="measure", type="real", expression=made)
    column = Column(name=name, type="real", role="measure", rows=table.rows, missing=0,
                    distinct=table.rows)  # fmt: skip
    wider = table.model_copy(update={"columns": (*table.columns, column)})
    own = dataset.model_copy(update={"fields": (*dataset.fields, field)})
    datasets = tuple(own if each is dataset else each for each in model.datasets)
    behind = question[match.end() :]
    if (total := _IN_TOTAL.match(behind)) is not None:
        # Of each row it is a figure; altogether it is their sum.
        name_asked, behind = f"what is the total `{name}`", behind[total.end() :]
    else:
        name_asked = f"`{name}`"
    return Computed(
        f"{question[: match.start()]}{name_asked}{behind}",
        tuple(wider if each is table else each for each in tables),
        model.model_copy(update={"datasets": datasets}),
        field,
    )


def _of_a_row(name: str, dataset: Dataset, model: SemanticModel) -> Expression | None:
    """What a row has under a name: a field, or what a metric sums up; None for any other metric."""
    if dataset.find(name) is not None:
        return FieldRef(dataset=dataset.name, field=name)
    metric = model.metric(name)
    try:
        return None if metric is None else of_a_row(metric)
    except NoRowHasIt:
        return None


def percentages(question: str, tables: Sequence[Table]) -> list[str] | None:
    """A question about the percentage that a column is, of what it does not say, as questions that
    say it; None for any other."""
    for table in tables:
        for column in _figures(table):
            pattern = rf"(?<![\w`])({_words(column)}) (?:percentages?|percent|pct)(?![\w`])"
            match = re.search(pattern, question, re.IGNORECASE)
            named = match and any(_column_of(match[0], each) for each in tables)
            if match is not None and not named and not _is_percentage(column, table):
                others = [each for each in _figures(table) if each != column]
                return [
                    f"{question[: match.start()]}{match[1]} as a percentage of "
                    f"{each.name}{question[match.end() :]}"
                    for each in others[:_OPTIONS]
                ]
    return None


def _column_of(text: str, table: Table) -> bool:
    return any(re.fullmatch(_words(each), text, re.IGNORECASE) for each in table.columns)


def _is_percentage(column: Column, table: Table) -> bool:
    """Whether figures may be percentages as they are: they come near to a hundred, and not over, or
    they do so together with those of the columns beside them."""
    if _are_parts(column, table):
        return True
    low, high = column.minimum, column.maximum
    numbers = isinstance(low, int | float) and isinstance(high, int | float)
    return column.unit == "%" or (numbers and low >= 0 and 50 < high <= 100)  # type: ignore[operator]


def _are_parts(column: Column, table: Table) -> bool:
    """Whether the averages of several columns in a row, this among them, add up to a hundred."""
    columns = table.columns
    means = [each.mean if each.role == "measure" else None for each in columns]
    at = columns.index(column)
    for start in range(at + 1):
        for end in range(max(at + 1, start + _PARTS), len(means) + 1):
            known = [each for each in means[start:end] if each is not None and each >= 0]
            if len(known) == end - start and abs(sum(known) - 100) < 1:
                return True
    return False


def _figures(table: Table) -> Iterator[Column]:
    kinds = ("integer", "real")
    yield from (each for each in table.columns if each.role == "measure" and each.type in kinds)


def _column(text: str, table: Table) -> Column | None:
    fitting = (c for c in _figures(table) if re.fullmatch(_words(c), text, re.IGNORECASE))
    return next(fitting, None)


def _words(column: Column) -> str:
    """A pattern for what people write for a column."""
    words = r"[\s_-]*".join(map(re.escape, split_identifier(column.name)))
    return rf"{words}s?|{re.escape(column.name)}"
