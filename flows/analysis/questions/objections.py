"""Words of a question that ask for what no column of the data can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.questions.people import doers_of, does, is_of_people, persons_in
from flows.analysis.questions.roles import hierarchies
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import Vocabulary, vocabulary_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

# Deeds of a person who stands above others or owns a thing: the data must know such persons.
_IN_CHARGE: Final = frozenset(["manager", "owner", "doctor"])
_COSTING: Final = frozenset(["cost", "weigh"])
_SAYING: Final = frozenset(["say", "think", "feel", "complain", "write"])
_WHAT: Final = (["what", "do"], ["what", "does"], ["what", "did"])
_WRITTEN: Final = ("comment", "review", "feedback", "text", "message", "note", "opinion", "remark")


def objections_to(question: str, tables: Sequence[Table], model: SemanticModel) -> tuple[str, ...]:
    """The words of a question for which the data hold nothing, whatever else it says."""
    return tuple(_objections(Text(question, vocabulary_of(model, tables))))


def _objections(text: Text) -> Iterator[str]:
    vocabulary = text.vocabulary
    for at, word in enumerate(text.lowers):
        before = text.lowers[:at]
        if before == ["who"] and _IN_CHARGE & set(doers_of(word)):
            if not _has_person(doers_of(word), vocabulary):
                yield word
        elif before[:2] == ["how", "much"] and word in _COSTING:
            if not vocabulary.measured(word) and not vocabulary.fields([word]):
                yield word
        elif before[:2] in _WHAT and word in _SAYING and not _has_texts(vocabulary):
            yield word


def _has_texts(vocabulary: Vocabulary) -> bool:
    return any(vocabulary.fields([each]) for each in _WRITTEN)


def _has_person(wanted: tuple[str, ...], vocabulary: Vocabulary) -> bool:
    model = vocabulary.model
    if "manager" in wanted and any(hierarchies(model)):
        return True
    for dataset in model.datasets:
        called = (dataset.noun, *dataset.words)
        if is_of_people(dataset) and any(does(tuple(each.split()), wanted) for each in called):
            return True
        for field in (*persons_in(dataset), *dataset.fields):
            words = split_identifier(field.name)
            if does(words, wanted) or words[-1] == "by":
                return True
    return any(does(tuple(each.role.split()), wanted) for each in model.relationships if each.role)
