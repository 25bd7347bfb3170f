"""Where something goes from and to: `from Oslo`, `to depot 4`, `leaving Bergen`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import split_identifier
from flows.analysis.questions.parts import PlacedPart, ValuePart
from flows.analysis.questions.phrases.values import values_at
from flows.analysis.questions.roles import BEGINS, ENDS
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_WAYS: Phrases[bool] = Phrases({
    True: "from|out of|leaving|leaving from|left from|departing|departing from|departed from"
    "|starting in|starting at|starting from|sent from|coming from|originating in|leave",
    False: "to|into|towards|bound for|going to|arriving in|arriving at|arrived at|arrived in"
    "|sent to|heading to|reaching|ending in|ending at|landing in|landing at",
})  # fmt: skip


def read_direction(text: Text, at: int) -> Iterator[PlacedPart]:
    """`from Oslo to Bergen`: the values of the two fields, or of what a row leads to."""
    if (way := text.phrase(_WAYS, at)) is None:
        return
    wanted = BEGINS if way[0] else ENDS
    for end, field, value, cost in values_at(text, way[1]):
        for found in _in_direction(text, field, wanted):
            yield PlacedPart(ValuePart(found, (value,)), at, end, cost)


def _in_direction(text: Text, field: FieldRef, wanted: frozenset[str]) -> Iterator[FieldRef]:
    """The field itself where its name says the direction, or as the rows with such a role have
    it."""
    if wanted & set(split_identifier(field.field)):
        yield field
    for each in text.vocabulary.model.relationships:
        if each.to == field.dataset and wanted & set(each.role.split()):
            yield field.model_copy(update={"via": (each.name,)})
