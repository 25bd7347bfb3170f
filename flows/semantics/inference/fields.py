"""The fields of a table: their roles, and how their values are cleaned."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flows.core.observation import Cell
from flows.data.tables import Column, Table
from flows.semantics.inference.evidence import Evidence, numbers_of, texts_of
from flows.semantics.inference.markers import is_marker, is_total, number_markers, word_markers
from flows.semantics.inference.numbers import read_number, written_numbers
from flows.semantics.inference.roles import Values, role_of
from flows.semantics.inference.scales import ordered
from flows.semantics.inference.spellings import flag_fold, fold_of, folded
from flows.semantics.inference.times import read_time, written_times
from flows.semantics.inference.words import synonyms_of
from flows.semantics.model import Cleaning, DataType, SemanticField, Time, Unknown

E = TypeVar("E", float, str)

_FOLDED = ("category", "boolean", "measure", "time", "text")
_LISTED = ("category", "flag", "place")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """How a column is cleaned, and what its values are then. `texts` are categories, `ends` the
    least and the greatest of numbers and times that were cleaned."""

    steps: tuple[Cleaning, ...]
    type: DataType
    unit: str = ""
    texts: tuple[str, ...] = ()
    ends: tuple[Cell, Cell] = (None, None)


def field_of(
    table: Table, column: Column, evidence: Evidence, keys: Collection[str], nouns: Sequence[str]
) -> SemanticField:
    """A column and what it means. `keys` are the columns that refer to a row or are referred to,
    `nouns` what rows of the table are called."""
    cleaned = _cleaned(table, column, evidence, is_key=column.name in keys)
    texts = cleaned.texts
    values = Values(cleaned.type, texts, joins=column.name in keys)
    role = role_of(column, values, nouns)
    listed = texts if role in _LISTED and column.values_complete else ()
    in_order = ordered(listed) if role == "category" else ()
    return SemanticField(
        name=column.name,
        role=role,
        type=cleaned.type,
        column=column.name,
        cleaning=cleaned.steps,
        unit=cleaned.unit or column.unit,
        words=synonyms_of(column.name),
        description=column.description,
        values=in_order or listed,
        ordered=bool(in_order),
        least=cleaned.ends[0],
        most=cleaned.ends[1],
    )


def _cleaned(table: Table, column: Column, evidence: Evidence, *, is_key: bool) -> Cleaned:
    if column.type in ("integer", "real"):
        markers = () if is_key else number_markers(table, column, evidence)
        texts = column.values if column.values_complete and column.role != "measure" else ()
        if not markers:
            return Cleaned((), column.type, texts=texts)
        read: type[int] | type[float] = int if column.type == "integer" else float
        numbers = numbers_of(table, column, evidence)
        ends = _ends([read(each) for each in numbers if each not in markers])
        return Cleaned((Unknown(values=markers),), column.type, texts=texts, ends=ends)
    plain = Cleaned((), column.type, texts=column.values if column.values_complete else ())
    if column.type != "text" or is_key:
        return plain
    if column.role == "id":  # each row may have a day of its own; other texts are identifiers
        amount = _number(table, column, evidence)
        if amount and amount.unit:
            return amount
        found = _time(table, column, evidence)
        return found if found and any(_has_days(each) for each in found.steps) else plain
    return _number(table, column, evidence) or _time(table, column, evidence) or _category(column)


def _number(table: Table, column: Column, evidence: Evidence) -> Cleaned | None:
    """A text column of numbers, if all that is not missing is one."""
    if written_numbers(column, _present(column.values)) is None:
        return None
    values = texts_of(table, column, evidence)
    found = written_numbers(column, _present(values))
    if found is None:
        return None
    ends = _ends([read_number(each, found.cleaning) for each in _present(values)])
    return Cleaned((*_missing(values), found.cleaning), "real", found.unit, ends=ends)


def _time(table: Table, column: Column, evidence: Evidence) -> Cleaned | None:
    """A text column of dates or times, if all that is not missing is one."""
    if written_times(_present(column.values), table.dialect) is None:
        return None
    values = texts_of(table, column, evidence)
    found = written_times(_present(values), table.dialect)
    if found is None:
        return None
    ends = _ends([read_time(each, *found) for each in _present(values)])
    return Cleaned((*_missing(values), found[0]), found[1], ends=ends)


def _has_days(step: Cleaning) -> bool:
    return isinstance(step, Time) and "%d" in step.format


def _category(column: Column) -> Cleaned:
    """A text column: markers of a missing value, and spellings that mean the same."""
    if not column.values_complete:
        return Cleaned((), "text", texts=column.values)
    markers = word_markers(column.values)
    kept = tuple(each for each in column.values if each not in markers)
    counts = {each.value: each.count for each in column.top}
    fold = flag_fold(kept)
    if fold is None and column.role in _FOLDED:
        fold = fold_of(kept, counts)
    steps: list[Cleaning] = [Unknown(values=markers)] if markers else []
    steps += [fold] if fold else []
    texts = tuple(dict.fromkeys(folded(each, fold) for each in kept))
    return Cleaned(tuple(steps), "text", texts=texts)


def _ends(values: Sequence[E | None]) -> tuple[E | None, E | None]:
    known = [each for each in values if each is not None]
    return (min(known), max(known)) if known else (None, None)


def _present(values: Sequence[str]) -> list[str]:
    return [each for each in values if not (is_marker(each) or is_total(each))]


def _missing(values: Sequence[str]) -> tuple[Unknown, ...]:
    markers = tuple(each for each in values if is_marker(each) or is_total(each))
    return (Unknown(values=markers),) if markers else ()
