"""What the description of a function says of the fields of its results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from flows.analysis.functions.hints import measure_of, unit_words
from flows.analysis.functions.schema import arguments_of
from flows.analysis.functions.terms import identifier_terms, related, term, term_set, terms
from flows.core.function_description import FunctionDescription

# Between the phrases of `Maker, oil volume in litres, and the substation that it stands in.`
_PHRASES: Final = re.compile(r"[,;:.()\n]|\band\b|\bor\b|\bwith\b|\bwhether\b")
_IN_UNIT: Final = re.compile(r"\bin ([^\W\d_]+)\b")
# Words of phrases that say nothing of one field alone.
_PLAIN: Final = term_set("""
    name number code id key total value amount kind type record list data detail information every
    each one all more example
""")
_LONGEST: Final = 8  # words of a phrase that describes a field
_LEAST_LIMIT: Final = 1
_LIMITS: Final = term_set("limit top count size n max maximum most number length rows results hits")


@dataclass(frozen=True, slots=True)
class FieldNotes:
    """The terms that a description gives for the fields of a result, by pairs of a key and its
    terms, the key of the value that the function is for, "" where it names none, and whether it
    says that it gives an amount of money."""

    noted: tuple[tuple[str, tuple[str, ...]], ...] = ()
    main: str = ""
    is_money: bool = False

    def of(self, key: str) -> tuple[str, ...]:
        """The terms for a key, without those of its own name."""
        last = key.rsplit("/", 1)[-1]
        return next((terms_ for name, terms_ in self.noted if name == last), ())


NO_NOTES: Final = FieldNotes()


@lru_cache(maxsize=1024)
def notes_of(said: str, keys: tuple[str, ...]) -> FieldNotes:
    """The notes on keys in what a function says of itself. A phrase belongs to the key that shares
    a term with it: `contracted power in kW` to `contracted_kw`."""
    names = tuple(dict.fromkeys(key.rsplit("/", 1)[-1] for key in keys))
    found: dict[str, tuple[str, ...]] = {}
    for phrase in _phrases(said):
        key = _key_for(phrase, names)
        if key:
            own = identifier_terms(key)
            more = [each for each in _told(phrase) if each not in own and each not in _PLAIN]
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *more)))
    return FieldNotes(tuple(found.items()), _main(said, names))


def _phrases(said: str) -> Iterator[str]:
    for each in _PHRASES.split(said):
        phrase = each.strip()
        if phrase and len(phrase.split()) <= _LONGEST:
            yield phrase


def _told(phrase: str) -> tuple[str, ...]:
    """The terms of a phrase, and those for what its unit measures."""
    unit = _IN_UNIT.search(phrase)
    measured = map(term, unit_words(unit[1].casefold())) if unit else ()
    return tuple(dict.fromkeys((*terms(phrase), *measured)))


def _key_for(phrase: str, keys: Sequence[str]) -> str:
    """The only key that shares the most terms with a phrase; "" for none."""
    said = terms(phrase)
    scores = {
        key: sum(any(related(one, each) for each in said) for one in identifier_terms(key))
        for key in keys
    }
    best = max(scores.values(), default=0)
    fitting = [key for key, score in scores.items() if score == best]
    return fitting[0] if best and len(fitting) == 1 else ""


def _main(said: str, keys: Sequence[str]) -> str:
    """The key of what the first phrase of a description names, or of the unit that it is in."""
    first = re.split(r"\.\s|\n", said.strip(), maxsplit=1)[0]
    head = terms(re.split(r"\bof\b|\bfor\b|\bin\b|,", first, maxsplit=1)[0])
    named = [key for key in keys if any(each in identifier_terms(key) for each in head)]
    if len(named) == 1:
        return named[0]
    units = [measure_of(each) for each in _IN_UNIT.findall(first)]
    measured = [
        key for key in keys
        if any(each and each == measure_of(part) for each in units for part in key.split("_"))
    ]  # fmt: skip
    return measured[0] if len(measured) == 1 else ""


def is_cut(function: FunctionDescription, given: Sequence[str], length: int) -> bool:
    """Whether a list is as long as a limit that the function sets by default, so that there may be
    more. `given` are the names of the arguments of the call."""
    return any(length == limit for name, limit in limits_of(function).items() if name not in given)


def limits_of(function: FunctionDescription) -> dict[str, int]:
    """The arguments of a function that say how long its list is at most, with their defaults."""
    properties = function.parameters.get("properties") or {}
    found: dict[str, int] = {}
    for each in arguments_of(function.parameters):
        schema = properties.get(each.name)
        default = schema.get("default") if isinstance(schema, Mapping) else None
        named = _LIMITS & {*each.terms, *each.described}
        if named and each.type == "integer" and isinstance(default, int) and default > _LEAST_LIMIT:
            found[each.name] = default
    return found
