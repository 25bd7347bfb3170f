"""What one row is to another: relationships by the words that call their roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from flows.analysis.language.words import root, singular, split_identifier
from flows.analysis.questions.draft import Condition, Entity, Impossible, QuestionDraft
from flows.analysis.questions.parts import ContainingPart, NounPart, ValuePart
from flows.analysis.questions.people import doers_of
from flows.semantics.model import Relationship, SemanticModel
from flows.semantics.query import FieldRef

# Words of columns, and of what one row is to another, for where something begins and where it ends.
BEGINS = frozenset(
    ["from", "origin", "orig", "source", "src", "start", "departure", "dep", "sender", "pickup",
     "begin"]
)  # fmt: skip
ENDS = frozenset(
    ["to", "destination", "dest", "dst", "target", "end", "arrival", "arr", "receiver", "recipient",
     "dropoff", "delivery"]
)  # fmt: skip
# Those to whom others report.
_ABOVE = frozenset(["manager", "boss", "supervisor", "superior", "chief"])


def roles_of(words: Sequence[str], model: SemanticModel) -> Iterator[tuple[Relationship, float]]:
    """The relationships whose referred row some words call: `support rep`, `home team`, with what
    it costs to believe it."""
    ones = tuple(singular(each) for each in words)
    for each in model.relationships if len(ones) > 1 else ():
        called = ones[-1] in _things(each, model) and ones != tuple(each.role.split())
        if called and is_modifier(ones[:-1], each, model):
            yield each, 0.02
    heads = [each.role.split()[-1] for each in model.relationships if each.role]
    for each in model.relationships:
        role = tuple(each.role.split())
        if not role:
            continue
        if ones == role:
            yield each, 0.0
        elif each.back == "reports" and len(ones) == 1 and ones[0] in _ABOVE:
            yield each, 0.04
        elif ones[-1] == role[-1] and len(role) > 1 and heads.count(role[-1]) == 1:
            if len(ones) == 1:
                yield each, 0.1
            elif len(ones) == len(role):
                yield each, 0.08


def _things(relationship: Relationship, model: SemanticModel) -> frozenset[str]:
    """What the row that is referred to is called, in one word each."""
    to = model.dataset(relationship.to)
    called = () if to is None else (to.noun, *to.words, to.label)
    return frozenset(singular(split_identifier(each)[-1]) for each in called if each)


def is_modifier(words: Sequence[str], relationship: Relationship, model: SemanticModel) -> bool:
    """Whether words say which of the roles it is, without the thing: `home`, `departure`."""
    role = relationship.role.split()
    if len(role) > 1 and role[-1] in _things(relationship, model):
        role.pop()
    if list(words) == role:
        return True
    return any(len(words) == len(role) == 1 and {*words, *role} <= kin for kin in (BEGINS, ENDS))


def deeds_of(verb: str, model: SemanticModel) -> Iterator[Relationship]:
    """The relationships with those who do what a verb says: `sent` and the sender."""
    doers = doers_of(verb)
    for each in model.relationships:
        if each.role and not set(each.role.split()).isdisjoint(doers):
            yield each


def bind_role(draft: QuestionDraft, name: str, model: SemanticModel) -> None:
    """Ties a role that no value follows to what is spoken of: a value before it, what is denied,
    what is asked for, or a group."""
    relationship = model.relationship(name)
    assert relationship is not None
    tie = _Tie(relationship)
    draft.conditions = [tie.condition(each) for each in draft.conditions]
    draft.denied = [tie.condition(each) for each in draft.denied]
    if tie.done:
        return
    denial = draft.denial
    denied = relationship.to if denial is not None and denial.listed else relationship.dataset
    if denial is not None and (denied in (denial.datasets or ()) or denial.datasets == ()):
        draft.denial = replace(denial, datasets=(denied,), via=(relationship.name,))
    elif draft.subject is not None and tie.entity(draft.subject) != draft.subject:
        draft.subject = tie.entity(draft.subject)
    else:
        draft.groups = [tie.entity(each) for each in draft.groups]
        if not tie.done:
            raise Impossible("no row is named in the role")


class _Tie:
    """Puts a role to the fields and rows of the dataset that it refers to."""

    def __init__(self, relationship: Relationship) -> None:
        self.relationship = relationship
        self.done = False

    def condition(self, condition: Condition) -> Condition:
        if isinstance(condition, ValuePart | ContainingPart) and self._fits(condition.field):
            return replace(condition, field=self._field(condition.field))
        return condition

    def entity(self, entity: Entity) -> Entity:
        if isinstance(entity, FieldRef) and self._fits(entity):
            return self._field(entity)
        free = isinstance(entity, NounPart) and not entity.via
        if isinstance(entity, NounPart) and free and entity.dataset == self.relationship.to:
            self.done = True
            return NounPart(entity.dataset, (self.relationship.name,))
        return entity

    def _fits(self, field: FieldRef) -> bool:
        return field.dataset == self.relationship.to and not field.via

    def _field(self, field: FieldRef) -> FieldRef:
        self.done = True
        return field.model_copy(update={"via": (self.relationship.name,)})


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
