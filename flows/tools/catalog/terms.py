"""The words that a function is found by, and those of a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.language.terms import STOP_WORDS, words
from flows.analysis.language.words import root
from flows.core.function_description import FunctionDescription

VERSION: Final = 1
"""Of the words that are kept: an index that was made with another version is made anew."""

_DEEPEST: Final = 4  # levels of a schema
_MOST_WORDS: Final = 2_000  # of one field; a longer text says no more about what a function does
# How often a word of the field counts. Fitted on one half of the tuning queries.
NAME_WEIGHT: Final = 3
DESCRIPTION_WEIGHT: Final = 2
PARAMETER_WEIGHT: Final = 1


@dataclass(frozen=True, slots=True)
class FunctionTerms:
    """The words of a function's name, of its description and of its arguments."""

    name: Sequence[str]
    description: Sequence[str]
    parameters: Sequence[str]

    def counts(self) -> Counter[str]:
        """How often each word stands there, by the weight of its field."""
        counts: Counter[str] = Counter()
        fields = (
            (NAME_WEIGHT, self.name),
            (DESCRIPTION_WEIGHT, self.description),
            (PARAMETER_WEIGHT, self.parameters),
        )
        for weight, field in fields:
            for term in field:
                counts[term] += weight
        return counts


def terms(text: str) -> list[str]:
    """The telling words of a text in order, each without its endings."""
    return [root(word) for word in words(text) if word not in STOP_WORDS]


def terms_of(function: FunctionDescription) -> FunctionTerms:
    """The words that the function is found by."""
    described = f"{function.description} {function.returns}"
    return FunctionTerms(
        name=terms(function.name)[:_MOST_WORDS],
        description=terms(described)[:_MOST_WORDS],
        parameters=terms(parameter_text(function.parameters))[:_MOST_WORDS],
    )


def text_of(function: FunctionDescription) -> str:
    """The function as one text, for an embedder."""
    named = " ".join(words(function.name))
    arguments = parameter_text(function.parameters).replace("_", " ")
    return " ".join(f"{named}: {function.description} {arguments}".split())


def parameter_text(schema: Mapping[str, Any]) -> str:
    """The names, descriptions and allowed texts of a schema's arguments."""
    return " ".join(_pieces(schema, _DEEPEST))


def _pieces(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    if depth == 0:
        return
    properties = schema.get("properties")
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        yield str(name)
        if isinstance(part, Mapping):
            yield from _described(part, depth)
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _described(items, depth)


def _described(part: Mapping[str, Any], depth: int) -> Iterator[str]:
    if isinstance(text := part.get("description"), str):
        yield text
    if isinstance(allowed := part.get("enum"), Sequence):
        yield from (each for each in allowed if isinstance(each, str))
    yield from _pieces(part, depth - 1)
