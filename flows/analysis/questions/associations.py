"""Whether two figures of the same rows go together: `does it cost more to go far? correlation`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Final

from flows.analysis.questions.concepts import form_of, meanings_of_verb
from flows.analysis.questions.draft import Impossible
from flows.analysis.questions.measures import home_of
from flows.analysis.questions.parts import Operand
from flows.analysis.questions.phrases.durations import lives_of
from flows.analysis.questions.phrases.lateness import late_at
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import NameMatch, Vocabulary, vocabulary_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Arithmetic, Expression, FieldRef, MetricRef, Query
from flows.semantics.request import Analysis, Argument, Derive, Prepare

_ASKED: Final = re.compile(
    r"\bcorr\w*|\b(?:linear |any |a )?(?:relationship|association|connection|link|dependence)"
    r" between\b|\b(?:go|goes|going|come|comes) (?:along|together|hand in hand)(?: with)?\b"
    r"|\b(?:related|linked|connected|tied) (?:to|with)\b", re.I,
)  # fmt: skip
_OTHERS: Final = re.compile(
    r"\b(?:strongest|weakest|each other|matrix|all (?:pairs|columns|numeric)|which|most|by|per|for"
    r" each|spearman|kendall|rank|heat ?map)\b", re.I,
)  # fmt: skip
_WORST: Final = 0.45
_EXACT: Final = 0.03  # at most, what it costs that words are a name itself
_FAR: Final = 0.1
_BEYOND: Final = 0.6  # what it costs that the figures stand in two tables
_CLAUSES: Final = re.compile(r"[?!;:,()]|\.(?!\d)|\b(?:i\.e\.?|meaning|that is)(?=\s)")
_LENGTHS: Final = frozenset(["longer", "long", "days", "duration", "time", "hours"])


def read_association(
    question: str, tables: Sequence[Table], model: SemanticModel
) -> Analysis | Prepare | None:
    """The correlation of the two figures that a question names; None where it asks for none, or
    names not just two of them."""
    if _ASKED.search(question) is None or _OTHERS.search(question) is not None:
        return None
    vocabulary = vocabulary_of(model, tables)
    for said in _places(question):
        text = Text(said, vocabulary)
        found = [
            (one.cost + other.cost + cost, made)
            for verbs in (False, True)
            for places in pairwise_apart(list(_figures(text, verbs)))
            for one, other in product(*places)
            if one.operand != other.operand
            for cost, made in _correlations(one.operand, other.operand, vocabulary)
        ]
        if found:
            return min(found, key=lambda each: each[0])[1]
    return None


def _places(question: str) -> Iterator[str]:
    """Where the two figures may be said: behind `correlation between`, in the clause that asks
    for it, or anywhere."""
    clauses = [each.strip() for each in _CLAUSES.split(question) if each.strip()]
    for each in clauses:
        asked = _ASKED.search(each)
        if asked is not None:
            yield each[asked.end() :]
            yield each
    yield question


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


def _figures(text: Text, verbs: bool) -> Iterator[list[NameMatch]]:
    """What is named at each place, the likeliest first; each word is a part of one name. With
    `verbs` also what they speak of: `weigh`."""
    at = 0
    while at < len(text):
        end, found = _figures_at(text, at, verbs)
        if found:
            yield sorted(found, key=lambda each: each.cost)
        at = max(end, at + 1)


def _figures_at(text: Text, at: int, verbs: bool) -> tuple[int, list[NameMatch]]:
    """The figures that the words at a place may name, and the place behind them."""
    if (late := late_at(text, at)) is not None:
        return late[0], [NameMatch(late[1], 0.0, "measure")]
    named = [(end, each) for end, each in text.names(at) if _fits(each, text)]
    called = min(text.nouns(at), key=lambda each: each[2], default=None)
    if called is not None and all(called[2] < each.cost for _, each in named):
        return called[0], []  # the rows: `items that weigh more`
    exact = min((each.cost for _, each in text.names(at)), default=1.0)
    if named and exact < _EXACT and min(each.cost for _, each in named) > exact + _FAR:
        return at + 1, []  # it is no number, and is not to be taken for a longer name
    if named:
        end = max(end for end, each in named)
        return end, [each for last, each in named if last == end]
    spoken = verbs and bool(meanings_of_verb(text.word(at)))
    if form_of(text.word(at)) < 0 and text.word(at) not in _LENGTHS and not spoken:
        return at + 1, []
    # A thing that is called right behind says of which rows: `a longer track`.
    found = [each for each, _ in text.vocabulary.measured(text.word(at)) if _fits(each, text)]
    if not found and text.word(at) in _LENGTHS:
        found = list(lives_of(text))  # `lent for longer`: from its beginning to its end
    return at + 1, found


def _fits(match: NameMatch, text: Text) -> bool:
    if isinstance(match.operand, MetricRef) or match.cost >= _WORST:
        return False
    field = text.vocabulary.field(match.operand)
    a_year = match.role == "time" and field is not None and field.type == "integer"
    return match.role == "measure" or a_year


def _correlations(
    one: Operand, other: Operand, vocabulary: Vocabulary
) -> Iterator[tuple[float, Analysis | Prepare]]:
    """The correlation of two figures over the rows of either, of which each leads to no more than
    one of the other, with what that costs."""
    for name in dict.fromkeys((home_of(one), home_of(other))):
        dataset = vocabulary.model.dataset(name)
        assert dataset is not None  # a field stands in it
        rows = DatasetRows(dataset, vocabulary)
        with suppress(Impossible):
            values = [rows.value(each) for each in (one, other) if not isinstance(each, MetricRef)]
            beyond = _BEYOND * (home_of(one) != home_of(other))
            yield rows.cost + beyond, _correlation(values, name)


def _correlation(values: Sequence[Expression], dataset: str) -> Analysis | Prepare:
    steps, fields = [], []
    for each in values:
        if not isinstance(each, FieldRef) or each.dataset != dataset:
            steps.append(Derive(name=_called(each), of=each))
            each = FieldRef(dataset=dataset, field=steps[-1].name)
        fields.append(each)
    then = Analysis(
        method="correlation",
        over=Query(dataset=dataset),
        arguments=(Argument(name="fields", values=tuple(fields)),),
    )
    return Prepare(dataset=dataset, steps=tuple(steps), then=then) if steps else then


def _called(figure: Expression) -> str:
    """A name for what is computed of a row, or what the row that it leads to has."""
    if isinstance(figure, FieldRef):
        return f"{figure.dataset}_{figure.field}"
    assert isinstance(figure, Arithmetic)
    ends = [each.field for each in (figure.right, figure.left) if isinstance(each, FieldRef)]
    return "_to_".join(ends) or "figure"
