"""What a remark is read with: the turns before it, the data, and how a piece of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.turn import ConversationTurn
from flows.analysis.questions.vocabulary import Vocabulary, vocabulary_of
from flows.core.observation import Cell
from flows.semantics.check import check
from flows.semantics.kinds import columns_of
from flows.semantics.labels import labelled_grain, value_of
from flows.semantics.model import SemanticField, SemanticModel
from flows.semantics.query import (
    Comparison,
    Constant,
    Expression,
    FieldRef,
    OneOf,
    Period,
    Predicate,
    Query,
)
from flows.semantics.request import REQUEST, Request


@dataclass(frozen=True)
class Context:
    """The turns that were answered, the latest last; there is one at least."""

    analyst: Analyst
    before: Sequence[ConversationTurn]

    @property
    def model(self) -> SemanticModel:
        return self.analyst.model

    @cached_property
    def last(self) -> ConversationTurn:
        """The last turn with a query that can be changed; without one the last."""
        asked = [each for each in self.before if each.query is not None]
        return (asked or self.before)[-1]

    @cached_property
    def query(self) -> Query | None:
        """The query that was asked last."""
        return self.last.query

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return vocabulary_of(self.model, self.analyst.tables)

    def fits(self, request: Request | None) -> bool:
        """Whether a request can be answered."""
        return request is not None and not check(request, self.model)

    def query_of(self, text: str, least: float = 0.3) -> Query | None:
        """The query that a piece of text asks by itself; None where it asks none surely enough."""
        made = self.analyst.propose(text)
        if made["sql"] is None or made["request"] is None or made["confidence"] < least:
            return None
        request = REQUEST.validate_python(made["request"])
        return request if isinstance(request, Query) else None

    def field(self, of: Expression) -> SemanticField | None:
        """The field that an expression is, or is a period of."""
        inner = of.of if isinstance(of, Period) else of
        if not isinstance(inner, FieldRef):
            return None
        dataset = self.model.dataset(inner.dataset)
        return None if dataset is None else dataset.find(inner.field)


def labels_of(turn: ConversationTurn, context: Context) -> list[tuple[Expression, int]]:
    """The columns of a turn's result that name its rows, each with its place."""
    query = turn.query
    if query is None or not turn.rows:
        return []
    found = []
    for place, each in enumerate(columns_of(query, context.model)):
        field = context.field(each)
        named = field is not None and field.role in ("identifier", "category", "place", "text",
                                                     "time", "flag")  # fmt: skip
        if place < len(turn.columns) and (named or each in query.by):
            found.append((each, place))
    return found


def equal(of: Expression, values: Sequence[Cell]) -> Predicate:
    """That an expression has this value, or one of these, as a result shows them."""
    if (grain := labelled_grain(of)) is not None:
        values = [value_of(each, grain) for each in values]
    if len(values) == 1:
        return Comparison(left=of, operator="=", right=Constant(value=values[0]))
    return OneOf(of=of, values=tuple(values))
