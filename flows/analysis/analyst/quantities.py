"""Numbers with a unit: what a question says in kilograms or percent, as its column holds it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from flows.analysis.questions.units import (
    CURRENCIES,
    CURRENCY_NAMES,
    UNIT_NAMES,
    factor_between,
    unit_of,
)
from flows.analysis.questions.vocabulary import Vocabulary
from flows.core.observation import Caution
from flows.semantics.query import (
    Aggregate,
    Between,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    Period,
    Query,
)
from flows.semantics.tree import changed

# How sure an answer is at most that compares a number with what is measured in something else.
UNFIT: Final = 0.3
UNFIT_CODE: Final = "unit"
CONVERTED_CODE: Final = "converted"
_PERCENT = ("%", "percent", "per cent", "prozent")
_NAMES = sorted({*UNIT_NAMES, *CURRENCY_NAMES, *_PERCENT}, key=len, reverse=True)
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?P<number>\d[\d,]*(?:\.\d+)?) ?(?P<unit>{'|'.join(map(re.escape, _NAMES))})"
    rf"(?![\w-])"
)


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number of a question with its unit."""

    number: float
    unit: str
    text: str


def quantities_in(question: str) -> tuple[_Quantity, ...]:
    """The numbers of a question that stand before a unit."""
    return tuple(
        _Quantity(float(e.group("number").replace(",", "")), e.group("unit").lower(), e.group())
        for e in _QUANTITY.finditer(re.sub(r"(?<=\d )[A-Z](?=[a-z]{3,})", _lowered, question))
    )


def _lowered(found: re.Match[str]) -> str:
    return found.group().lower()


def settle_units(
    question: str, query: Query, vocabulary: Vocabulary
) -> tuple[Query, tuple[Caution, ...]]:
    """The query with the numbers that the question gives in other units as its columns hold them,
    and what is to be said of it."""
    said = quantities_in(question)
    if not said:
        return query, ()
    notes: dict[Caution, None] = {}

    def settle(node: BaseModel) -> BaseModel:
        if isinstance(node, Comparison) and isinstance(node.right, Constant):
            number = _settled(node.left, node.right, said, vocabulary, notes)
            return node if number is node.right else node.model_copy(update={"right": number})
        if isinstance(node, Between):
            ends = {
                name: _settled(node.of, end, said, vocabulary, notes)
                for name, end in (("low", node.low), ("high", node.high))
                if isinstance(end, Constant)
            }
            return node.model_copy(update=ends)
        return node

    made = changed(query, settle)
    return made, tuple(notes)


def _settled(
    of: Expression,
    number: Constant,
    said: Sequence[_Quantity],
    vocabulary: Vocabulary,
    notes: dict[Caution, None],
) -> Constant:
    """The number as what it is compared with holds it."""
    value = number.value
    given = [
        each
        for each in said
        if isinstance(value, int | float) and not isinstance(value, bool) and each.number == value
    ]
    if len({each.unit for each in given}) != 1:
        return number
    one, counts = given[0], isinstance(of, Aggregate) and of.function.startswith("count")
    inner = of.of if isinstance(of, Aggregate) else of
    if counts:
        notes[_unfit(f"{one.text!r} is compared with a number of rows.")] = None
        return number
    if isinstance(of, Period):
        notes[_unfit(f"{one.text!r} is compared with a time.")] = None
    if not isinstance(inner, FieldRef):
        return number
    factor, problem = _factor(one.unit, inner, vocabulary)
    if problem:
        notes[_unfit(f"{one.text!r}: {problem}")] = None
    if factor == 1.0:
        return number
    new = round(one.number * factor, 9)
    new = int(new) if new == int(new) else new
    notes[Caution(code=CONVERTED_CODE, text=f"{one.text} is read as {new} of {inner.field}.")] = (
        None
    )
    return number.model_copy(update={"value": new})


def _unfit(text: str) -> Caution:
    return Caution(code=UNFIT_CODE, text=text)


def _factor(unit: str, ref: FieldRef, vocabulary: Vocabulary) -> tuple[float, str]:
    """By what a number in a unit becomes one of a field, and what is wrong with comparing them."""
    field = vocabulary.field(ref)
    if field is None:
        return 1.0, ""
    own = unit_of(ref, vocabulary)
    if unit in _PERCENT:
        if own in UNIT_NAMES or field.unit in CURRENCIES:
            return 1.0, f"{field.name} is no percentage."
        least, most = vocabulary.ends_of(ref)
        return (0.01 if _is_fraction(least, most, field.unit) else 1.0), ""
    if unit in CURRENCY_NAMES:
        wanted = CURRENCY_NAMES[unit]
        if own in UNIT_NAMES:
            return 1.0, f"{field.name} is told in {own}."
        differs = field.unit in CURRENCIES and field.unit != wanted
        return 1.0, f"{field.name} is in {field.unit}, and it is not converted." if differs else ""
    factor = factor_between(unit, own)
    if factor is not None:
        return factor, ""
    return 1.0, f"{field.name} is told in {own}." if own in UNIT_NAMES else ""


def _is_fraction(least: object, most: object, unit: str) -> bool:
    """Whether values are parts of one, and not percentages."""
    return (
        unit != "%"
        and isinstance(least, int | float)
        and isinstance(most, int | float)
        and least >= 0
        and most <= 1
    )


def fitting(confidence: float, notes: Sequence[Caution]) -> float:
    """How sure a reading is of which this is to be said."""
    return min(confidence, UNFIT) if any(each.code == UNFIT_CODE for each in notes) else confidence


def fit(made: dict[str, Any]) -> dict[str, Any]:
    """A proposal, which is unsure where it compares a number with what has another unit."""
    if any(each["code"] == UNFIT_CODE for each in made["warnings"] or ()):
        return {**made, "confidence": min(made["confidence"], UNFIT)}
    return made
