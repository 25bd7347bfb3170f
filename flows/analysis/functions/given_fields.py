"""The fields that a function gives: seen in its results, named by its type, or told in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.matching import READING
from flows.analysis.functions.records import Scalar, data_of, fields_of, lists_of
from flows.analysis.functions.schema import arguments_of
from flows.analysis.functions.terms import identifier_terms, is_content, term
from flows.analysis.language.words import singular, split_identifier
from flows.core.function_description import FunctionDescription

# How surely a field is there that only the description of a function speaks of.
TOLD: Final = 0.85
# The name of a function, and how its description begins, where it gives a figure.
_FIGURE: Final = re.compile(
    r"^(?:count|sum|average|mean|total)\b"
    r"|\. (?:how many|how much|the (?:number|sum|average|total) of)\b",
    re.IGNORECASE,
)
_PLAIN_WORD: Final = re.compile(r"[a-z][a-z]{2,}")


@dataclass(frozen=True, slots=True)
class GivenField:
    """A field of a function's result.

    `path` is a JSON pointer, with a `*` for every element of a list; `terms` are those of its name,
    `around` those of the names around it. `sure` is 1 where a result or a type shows it. `values`
    are those that were seen.
    """

    path: str
    terms: tuple[str, ...]
    around: tuple[str, ...] = ()
    sure: float = 1.0
    values: tuple[Scalar, ...] = ()

    @property
    def is_many(self) -> bool:
        """Whether it stands in each element of a list."""
        return "/*" in self.path


def given_fields(
    function: FunctionDescription, results: Sequence[CallResult] = ()
) -> tuple[GivenField, ...]:
    """The fields of a function. What was seen in `results` of it counts alone; without one its
    type counts, then the words of its description."""
    own = [each for each in results if each.name == function.name and each.kind == "ok"]
    if found := _unique(field for each in own for field in seen_fields(each)):
        return found
    if function.fields:
        return _unique(_declared(each) for each in function.fields)
    return _unique(_told(function))


def _unique(fields: Iterator[GivenField]) -> tuple[GivenField, ...]:
    """The first field of each path."""
    found: dict[str, GivenField] = {}
    for each in fields:
        found.setdefault(each.path, each)
    return tuple(found.values())


def seen_fields(result: CallResult) -> Iterator[GivenField]:
    """The fields of a result, with their values."""
    data = data_of(result)
    for each in fields_of(data):
        yield GivenField(each.path, each.terms, each.around, values=(each.value,))
    for records in lists_of(data):
        around = identifier_terms(records.name) if records.name else ()
        for key in records.keys:
            values = tuple(dict.fromkeys(row[key] for row in records.rows if key in row))
            path = f"{records.path}/*/{key}" if key else f"{records.path}/*"
            yield GivenField(path, _terms_of(key), around, values=values)


def _declared(path: str) -> GivenField:
    names = [each for each in path.split("/") if each and each != "*"]
    around = tuple(term for name in names[:-1] for term in identifier_terms(name))
    return GivenField(path, _terms_of(names[-1] if names else ""), around)


def _terms_of(key: str) -> tuple[str, ...]:
    return tuple(each for part in key.split("/") for each in identifier_terms(part))


def _told(function: FunctionDescription) -> Iterator[GivenField]:
    """The nouns of a description that may be fields: all words of content but those that say what
    the function takes. A function that counts or sums gives a number, and no thing."""
    if _FIGURE.search(f"{' '.join(split_identifier(function.name))}. {function.description}"):
        return
    taken = {term for each in arguments_of(function.parameters) for term in each.terms}
    for word in _PLAIN_WORD.findall(f"{function.description} {function.returns}"):
        root = term(word)
        if not is_content(word) or root in taken or root in READING:
            continue
        name = singular(word)
        path = f"/*/{name}" if name != word and _is_list(function) else f"/{name}"
        yield GivenField(path, (root,), sure=TOLD)


def _is_list(function: FunctionDescription) -> bool:
    """Whether a function says that it gives several things."""
    said = f"{function.name} {function.returns}".casefold()
    return re.search(r"(?:^|[_\W])(?:list|all|search|find)(?:[_\W]|$)", said) is not None
