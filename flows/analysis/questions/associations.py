"""Whether two figures of the same rows go together: `does it cost more to go far? correlation`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from flows.analysis.questions.concepts import form_of
from flows.analysis.questions.measures import home_of
from flows.analysis.questions.parts import Operand
from flows.analysis.questions.phrases.lateness import late_at
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import NameMatch, vocabulary_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Arithmetic, FieldRef, MetricRef, Query
from flows.semantics.request import Analysis, Argument, Derive, Prepare

_ASKED: Final = re.compile(
    r"\bcorrelat\w*|\b(?:linear )?(?:relationship|association) between\b", re.I
)
_OTHERS: Final = re.compile(
    r"\b(?:strongest|weakest|each other|matrix|all (?:pairs|columns|numeric)|which|most|by|per|for"
    r" each|spearman|kendall|rank|heat ?map)\b", re.I,
)  # fmt: skip
_WORST: Final = 0.45


def read_association(
    question: str, tables: Sequence[Table], model: SemanticModel
) -> Analysis | Prepare | None:
    """The correlation of the two figures that a question names; None where it asks for none, or
    names not just two of the same rows."""
    if _ASKED.search(question) is None or _OTHERS.search(question) is not None:
        return None
    text = Text(question, vocabulary_of(model, tables))
    pairs = [
        (one.cost + other.cost, (one.operand, other.operand))
        for places in pairwise_apart(list(_figures(text)))
        for one, other in product(*places)
        if one.operand != other.operand and home_of(one.operand) == home_of(other.operand)
    ]
    if not pairs:
        return None
    named = min(pairs, key=lambda each: each[0])[1]
    return _correlation(named, home_of(named[0]))


def pairwise_apart(
    places: list[list[NameMatch]],
) -> Iterator[tuple[list[NameMatch], list[NameMatch]]]:
    """The two places at which figures are named; what is named twice is one. None of more."""
    different: list[list[NameMatch]] = []
    for each in places:
        if not any(each[0].operand == before[0].operand for before in different):
            different.append(each)
    if len(different) == 2:
        yield different[0], different[1]


def _figures(text: Text) -> Iterator[list[NameMatch]]:
    """What is named at each place, the likeliest first; each word is a part of one name."""
    at = 0
    while at < len(text):
        end, found = _figures_at(text, at)
        if found:
            yield sorted(found, key=lambda each: each.cost)
        at = max(end, at + 1)


def _figures_at(text: Text, at: int) -> tuple[int, list[NameMatch]]:
    """The figures that the words at a place may name, and the place behind them."""
    if (late := late_at(text, at)) is not None:
        return late[0], [NameMatch(late[1], 0.0, "measure")]
    named = [(end, each) for end, each in text.names(at) if _fits(each)]
    if named:
        end = max(end for end, each in named)
        return end, [each for last, each in named if last == end]
    if form_of(text.word(at)) < 0:
        return at + 1, []
    # A thing that is called right behind says of which rows: `a longer track`.
    found = [each for each, _ in text.vocabulary.measured(text.word(at)) if _fits(each)]
    return at + 1, found


def _fits(match: NameMatch) -> bool:
    usual = match.role == "measure" and match.cost < _WORST
    return usual and not isinstance(match.operand, MetricRef)


def _correlation(named: tuple[Operand, Operand], dataset: str) -> Analysis | Prepare:
    steps, fields = [], []
    for each in named:
        if isinstance(each, Arithmetic):
            name = _called(each)
            steps.append(Derive(name=name, of=each))
            each = FieldRef(dataset=dataset, field=name)
        assert isinstance(each, FieldRef)
        fields.append(each)
    then = Analysis(
        method="correlation",
        over=Query(dataset=dataset),
        arguments=(Argument(name="fields", values=tuple(fields)),),
    )
    return Prepare(dataset=dataset, steps=tuple(steps), then=then) if steps else then


def _called(figure: Arithmetic) -> str:
    """A name for what is computed of two fields."""
    ends = [each.field for each in (figure.right, figure.left) if isinstance(each, FieldRef)]
    return "_to_".join(ends) or "figure"
