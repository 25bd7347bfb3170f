"""What kind of thing a name is, as the results so far tell: a customer, a fabric, no supplier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.filters import plain_value
from flows.analysis.functions.records import data_of, fields_of, lists_of
from flows.analysis.functions.schema import FunctionArgument
from flows.analysis.functions.terms import identifier_terms, related, term_set

# Arguments and keys that do not say what kind of thing they name.
_ANY: Final = term_set("id key keys name code number value text query question reference ref")
_FITS, _OTHER = 0.6, -0.6
_MOST_ROWS: Final = 500


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of values by their text: the terms of the keys and arguments that they stood
    under. `denied` are pairs of a value and the terms of an argument that found nothing by it."""

    known: dict[str, set[str]] = field(default_factory=dict)
    denied: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    def fit(self, value: str, argument: FunctionArgument) -> float | None:
        """What is to be added to the fit of a value; None where it does not fit at all."""
        text = plain_value(value)
        if (text, argument.terms) in self.denied:
            return None
        kinds = self.known.get(text)
        telling = [each for each in argument.terms if each not in _ANY]
        if not kinds or not telling:
            return 0.0
        return _FITS if any(related(each, kind) for each in telling for kind in kinds) else _OTHER


def kinds_of(results: Sequence[CallResult]) -> Kinds:
    """The kinds of all values of the results, and of the arguments of the calls."""
    found = Kinds()
    for result in results:
        texts = {k: v for k, v in result.arguments.items() if isinstance(v, str)}
        if result.kind != "ok":
            if len(result.arguments) == 1:
                found.denied.update((plain_value(v), identifier_terms(k)) for k, v in texts.items())
            continue
        for name, value in texts.items():
            _add(found, value, identifier_terms(name))
        data = data_of(result)
        for each in fields_of(data):
            if isinstance(each.value, str):
                _add(found, each.value, each.terms)
        for records in lists_of(data):
            for row in records.rows[:_MOST_ROWS]:
                for key, cell in row.items():
                    if isinstance(cell, str) and key:
                        _add(found, cell, identifier_terms(key.rsplit("/", 1)[-1]))
    return found


def _add(kinds: Kinds, value: str, terms: Sequence[str]) -> None:
    telling = {each for each in terms if each not in _ANY}
    if telling:
        kinds.known.setdefault(plain_value(value), set()).update(telling)
