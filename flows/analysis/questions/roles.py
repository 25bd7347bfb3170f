"""What one row is to another: relationships by the words that call their roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.analysis.language.words import root, singular
from flows.analysis.questions.parts import NounPart
from flows.semantics.model import Relationship, SemanticModel
from flows.semantics.query import FieldRef


def roles_of(words: Sequence[str], model: SemanticModel) -> Iterator[tuple[Relationship, float]]:
    """The relationships whose referred row some words call: `support rep`, `home team`, with what
    it costs to believe it."""
    ones = tuple(singular(each) for each in words)
    heads = [each.role.split()[-1] for each in model.relationships if each.role]
    for each in model.relationships:
        role = tuple(each.role.split())
        if not role:
            continue
        if ones == role:
            yield each, 0.0
        elif ones[-1] == role[-1] and len(role) > 1 and heads.count(role[-1]) == 1:
            if len(ones) == 1:
                yield each, 0.1
            elif len(ones) == len(role):
                yield each, 0.15


def moves_of(word: str, model: SemanticModel) -> Iterator[Relationship]:
    """The relationships whose role a verb speaks of: `departed` for `departure airport`."""
    stem = root(word)
    if len(stem) < 5:
        return
    for each in model.relationships:
        if each.role and any(one.startswith(stem[:-1]) for one in each.role.split()):
            yield each


def hierarchies(model: SemanticModel) -> Iterator[Relationship]:
    """The relationships of a dataset with itself in which one row stands above others."""
    for each in model.relationships:
        if each.dataset == each.to and each.back == "reports":
            yield each


def is_own_key(field: FieldRef, model: SemanticModel) -> bool:
    """Whether a field tells the rows of its own dataset apart."""
    dataset = model.dataset(field.dataset)
    return dataset is not None and dataset.key == (field.field,)


def thing_of(field: FieldRef, model: SemanticModel) -> FieldRef | NounPart:
    """The rows that a key stands for, where words name them and not their number."""
    if is_own_key(field, model):
        return NounPart(field.dataset)
    for each in model.relationships:
        if (each.dataset, each.fields) == (field.dataset, (field.field,)):
            return NounPart(each.to, (each.name,))
    return field
