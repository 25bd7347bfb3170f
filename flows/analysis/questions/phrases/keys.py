"""Rows by their key: `ticket 700105`, `order number A-17`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.analysis.language.words import split_identifier
from flows.analysis.questions.parts import PlacedPart, ValuePart
from flows.analysis.questions.text import Text
from flows.core.observation import Cell
from flows.semantics.model import Dataset, SemanticField
from flows.semantics.query import FieldRef

_KEY = re.compile(r"\s*(?:number|no\.?|nr\.?|id|#)?\s*#?([A-Za-z]{0,6}[-_/]?\d[\w/-]*)(?![\w.%])")
_KEY_WORDS = frozenset(["id", "key", "code", "no", "nr", "num", "number", "ref", "uuid"])


def read_key(text: Text, at: int) -> Iterator[PlacedPart]:
    """A noun and the key of one of its rows."""
    if text.tokens[at].kind != "word" or at + 1 >= len(text):
        return
    for end, dataset, field, cost in _keyed(text, at):
        found = _KEY.match(text.question, text.tokens[end - 1].end)
        value = None if found is None else _value_of(found[1], field)
        if found is None or value is None:
            continue
        last = end
        while last < len(text) and text.tokens[last].start < found.end(1):
            last += 1
        of = FieldRef(dataset=dataset, field=field.name)
        yield PlacedPart(ValuePart(of, (value,)), at, last, cost + 0.03)


def _keyed(text: Text, at: int) -> Iterator[tuple[int, str, SemanticField, float]]:
    """What words with a key may mean: rows that they call, or whose key is named by them."""
    model = text.vocabulary.model
    for end, dataset, cost in text.nouns(at):
        target = model.dataset(dataset)
        field = identifier_of(target) if target is not None else None
        if field is not None and cost <= 0.2:
            yield end, dataset, field, cost
    for target in model.datasets:
        field = target.find(target.key[0]) if len(target.key) == 1 else None
        if field is not None and _rest(field) == [text.word(at)] != target.noun.split():
            yield at + 1, target.name, field, 0.0


def _rest(field: SemanticField) -> list[str]:
    return [each for each in split_identifier(field.name) if each not in _KEY_WORDS]


def identifier_of(dataset: Dataset) -> SemanticField | None:
    """The field that tells the rows of a dataset apart, also where some are there twice."""
    if len(dataset.key) == 1:
        return dataset.find(dataset.key[0])
    for each in dataset.fields:
        if each.role == "identifier" and _rest(each) == dataset.noun.split():
            return each
    return None


def _value_of(written: str, field: SemanticField) -> Cell:
    """What is written as a value of a key; None where it cannot be one."""
    if field.type != "integer":
        return written if field.type == "text" and not written.isdigit() else None
    if not written.isdigit():
        return None
    low = field.least if isinstance(field.least, int | float) else None
    high = field.most if isinstance(field.most, int | float) else None
    number = int(written)
    within = (low is None or low <= number) and (high is None or number <= high)
    return number if within else None
