"""Rates of something that is so or not: `attrition rate`, `churn rate`, `return rate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.language.words import root, singular, split_identifier
from flows.analysis.questions.concepts import meanings_of
from flows.analysis.questions.names import are_kin
from flows.analysis.questions.parts import PlacedPart, RatePart, RatioPart
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import NameMatch
from flows.semantics.model import SemanticField, SemanticModel
from flows.semantics.query import (
    Arithmetic,
    Comparison,
    Constant,
    FieldRef,
    Missing,
    Not,
    Predicate,
)

# Quantities that are the rest of a whole, and those that are the whole.
_GOOD = frozenset(["good", "ok", "okay", "passed", "accepted", "usable", "sound", "successful"])
# What is thrown away is no part of what is sold.
_WASTED = frozenset(
    ["waste", "wasted", "scrap", "binned", "discarded", "spoiled", "unsold", "lost"]
)
_KEPT = frozenset(["sold", "delivered", "shipped", "used"])
_WHOLES = frozenset(
    ["total", "produced", "made", "output", "checked", "tested", "inspected", "sent", "delivered",
     "shipped", "ordered", "sold", "processed", "handled", "attempts", "started"]
)  # fmt: skip
_RATES = frozenset(["rate", "rates", "ratio", "quota"])
_YES: Final = frozenset(["yes", "y", "true", "t", "1", "ja", "oui", "si"])
_LEAVING = frozenset(["churn", "attrition", "cancellation", "turnover", "termination"])
_LEFT = frozenset(
    [
        "end",
        "ended",
        "left",
        "leave",
        "cancelled",
        "canceled",
        "cancel",
        "cancellation",
        "exit",
        "terminated",
        "termination",
        "churned",
        "churn",
        "closed",
        "quit",
    ]
)
_WORST: Final = 0.4
_OPPOSITES: Final = {"retention": "attrition churn", "survival": "died death churn"}


def read_rate(text: Text, at: int) -> Iterator[PlacedPart]:
    """`attrition rate`, `rate of returns`, `retention rate`."""
    if text.word(at) in _RATES and text.word(at + 1) == "of":
        word, end = text.word(at + 2), at + 3
    elif text.word(at + 1) in _RATES:
        word, end = text.word(at), at + 2
    else:
        return
    for part, cost in _of_quantities(word, text):
        yield PlacedPart(part, at, end, cost)
    end += text.word(end) == "of" and bool(list(text.nouns(end + 1)))
    for test, dataset, cost in _tests(word, text):
        yield PlacedPart(RatePart(dataset, test), at, end, cost)
    for opposite in _OPPOSITES.get(word, "").split():
        for test, dataset, cost in _tests(opposite, text):
            yield PlacedPart(RatePart(dataset, _opposite(test)), at, end, cost)


def _of_quantities(word: str, text: Text) -> Iterator[tuple[RatioPart, float]]:
    """A quantity as a part of the whole that its row tells: `scrap rate` of what is good and what
    is scrap, or of all that was made."""
    for found in text.vocabulary.fields([word]):
        part = found.operand
        if found.role != "measure" or found.cost > _WORST or not isinstance(part, FieldRef):
            continue
        others = [
            (set(each.words), each.operand)
            for each in text.vocabulary.names
            if each.dataset == part.dataset and each.role == "measure" and each.operand != part
        ]
        rest_too = _WASTED.intersection(split_identifier(part.field))
        for called, cost in ((_GOOD | _KEPT if rest_too else _GOOD, 0.03), (_WHOLES, 0.06)):
            of = [each for words, each in others if words & called and isinstance(each, FieldRef)]
            if len(set(of)) == 1:
                rest = of[0]
                made = Arithmetic(operator="+", left=rest, right=part)
                yield RatioPart(part, rest if called is _WHOLES else made), found.cost + cost
                return


def _tests(word: str, text: Text) -> Iterator[tuple[Predicate, str, float]]:
    """What is so of the rows of a dataset that a word calls."""
    for found in text.vocabulary.fields([word]):
        field = text.vocabulary.field(found.operand)
        if field is None or found.cost > _WORST or not isinstance(found.operand, FieldRef):
            continue
        test = _is_so(found, field)
        if test is not None:
            yield test, found.operand.dataset, found.cost
    for of in _ends(text.vocabulary.model) if word in _LEAVING else ():
        yield Not(of=Missing(of=of)), of.dataset, 0.1 if word == "churn" else 0.2
    for of, value in _values_like(word, text.vocabulary.model):
        test = Comparison(left=of, operator="=", right=Constant(value=value))
        yield test, of.dataset, 0.05


def _is_so(found: NameMatch, field: SemanticField) -> Predicate | None:
    """The test of a flag, or of a time that only some rows have: that of their end."""
    of = found.operand
    if field.role == "flag":
        if field.type == "boolean":
            return Comparison(left=of, operator="=", right=Constant(value=True))
        yes = next((each for each in field.values if each.casefold() in _YES), None)
        return yes and Comparison(left=of, operator="=", right=Constant(value=yes))  # type: ignore[return-value]
    return Not(of=Missing(of=of)) if field.role == "time" else None


def _ends(model: SemanticModel) -> Iterator[FieldRef]:
    """The times at which rows ended, if they did."""
    for dataset in model.datasets:
        for field in dataset.fields:
            if field.role == "time" and _LEFT.intersection(split_identifier(field.name)):
                yield FieldRef(dataset=dataset.name, field=field.name)


def _values_like(word: str, model: SemanticModel) -> Iterator[tuple[FieldRef, str]]:
    """The values that say that it is so: `returned` for a return rate."""
    meant = [singular(word), *(each for each in meanings_of(word) if len(each) > 4)]
    for dataset in model.datasets:
        for field in dataset.fields:
            for value in field.values if field.role in ("category", "text") else ():
                said = value.casefold()
                if any(root(each) == root(said) or are_kin(each, said) for each in meant):
                    yield FieldRef(dataset=dataset.name, field=field.name), value


def _opposite(test: Predicate) -> Predicate:
    if isinstance(test, Not):
        return test.of
    if isinstance(test, Comparison):
        return test.model_copy(update={"operator": "!="})
    return Not(of=test)
