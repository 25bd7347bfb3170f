"""Datasets: what a row is, its fields, its key, its label and its time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from flows.data.tables import Column, Table
from flows.semantics.inference.dates import date_field
from flows.semantics.inference.evidence import MOST_ROWS, Evidence
from flows.semantics.inference.fields import field_of
from flows.semantics.inference.nouns import noun_of
from flows.semantics.inference.times import time_of
from flows.semantics.inference.totals import totals_of
from flows.semantics.inference.words import words_of
from flows.semantics.model import Dataset, SemanticField
from flows.semantics.translation import english_name

_KEY_ROLES = ("identifier", "category", "place", "text", "time")
_ROLE_ORDER = ("identifier", "place", "category", "time", "text")
_LABELS = ("name", "title", "label", "bezeichnung", "nom", "nombre", "titel")
_PAIRED = 6
_DIFFERENT = 0.5
_TITLES = 0.9
_SHORT = 40
_NO_NAMES = frozenset(
    ("phone", "telephone", "tel", "fax", "mobile", "email", "mail", "address", "street", "url",
     "ip", "website", "comment", "note", "notes", "zip", "postcode", "postal")
)  # fmt: skip


def dataset_of(table: Table, tables: Sequence[Table], evidence: Evidence) -> Dataset:
    """A table and what a row of it is."""
    noun, plural, words = noun_of(table, tables)
    joined = _joined(table, tables)
    nouns = (noun, table.name) if noun != "row" else (table.name,)
    fields = tuple(field_of(table, each, evidence, joined, nouns) for each in table.columns)
    day = date_field(table, fields, noun, evidence)
    key = _key(table, fields, noun, evidence)
    label = _label(table, fields, noun)
    totals = totals_of(table, fields, evidence)
    return Dataset(
        name=table.name,
        source=table.source,
        table=table.name,
        noun=noun,
        plural=plural,
        words=words,
        description=table.description,
        fields=(
            *(_without(each, dict(totals).get(each.name, ())) for each in fields),
            *([] if day is None else [day]),
        ),
        key=key,
        unique=_unique(table, fields, key, label),
        label=label,
        time=time_of(table, fields, noun) if day is None else day.name,
        totals=totals,
    )


def _without(field: SemanticField, totals: tuple[str, ...]) -> SemanticField:
    """The field without values that are no category but the sum of all."""
    if not totals:
        return field
    kept = tuple(each for each in field.values if each not in totals)
    return field.model_copy(update={"values": kept})


def _unique(
    table: Table, fields: Sequence[SemanticField], key: tuple[str, ...], label: str
) -> tuple[tuple[str, ...], ...]:
    """Further keys: identifiers and names; that an address does not repeat says nothing."""
    able = {each.name for each in fields if each.role == "identifier"} | {label}
    return tuple(each for each in _keys(table, fields) if each != key and able.issuperset(each))


def _joined(table: Table, tables: Sequence[Table]) -> Collection[str]:
    """The columns that refer to a row of a table, or are referred to."""
    own = {name for each in table.joins for name in each.columns}
    return own | {
        name
        for other in tables
        for each in other.joins
        if each.table == table.name
        for name in each.to_columns
    }


def _keys(table: Table, fields: Sequence[SemanticField]) -> list[tuple[str, ...]]:
    """The keys that are no accident: figures and dates that happen not to repeat are none."""
    roles = {each.name: each.role for each in fields}
    return [
        key
        for key in table.keys
        if key == table.primary_key
        or (
            all(roles[name] in _KEY_ROLES for name in key)
            and any(roles[name] != "time" for name in key)
            and (len(key) > 1 or roles[key[0]] != "time")
        )
    ]


def _key(
    table: Table, fields: Sequence[SemanticField], noun: str, evidence: Evidence
) -> tuple[str, ...]:
    if table.primary_key:
        return table.primary_key
    roles = {each.name: each.role for each in fields}
    keys = sorted(_keys(table, fields), key=lambda key: _rank(key, roles, noun))
    if keys:
        return keys[0]
    return _pair(table, fields, evidence)


def _rank(key: tuple[str, ...], roles: Mapping[str, str], noun: str) -> tuple[int, int, int]:
    """Single identifiers first, and of those the one that is called like the row."""
    named = set(noun.split()) & {word for name in key for word in words_of(name)}
    return len(key), max(_ROLE_ORDER.index(roles[name]) for name in key), 0 if named else 1


def _pair(table: Table, fields: Sequence[SemanticField], evidence: Evidence) -> tuple[str, ...]:
    """Two fields that no two rows share, where a figure that happens not to repeat hides them."""
    by_name = {each.name: each for each in table.columns}
    able = [
        by_name[each.column]
        for each in fields
        if each.role in _ROLE_ORDER and not by_name[each.column].missing
    ][:_PAIRED]
    for at, one in enumerate(able):
        for other in able[at + 1 :]:
            if _are_enough(one, other, table.rows):
                rows = evidence.rows(table, [one.name, other.name], MOST_ROWS)
                if rows is not None and len(set(rows)) == len(rows) == table.rows:
                    return one.name, other.name
    return ()


def _are_enough(one: Column, other: Column, rows: int) -> bool:
    repeated = 1 < one.distinct < rows and 1 < other.distinct < rows
    return repeated and rows <= MOST_ROWS and one.distinct * other.distinct >= rows > 1


def _label(table: Table, fields: Sequence[SemanticField], noun: str) -> str:
    """The field that names a row to people."""
    columns = {each.name: each for each in table.columns}
    able = [each for each in fields if each.role in ("text", "category", "place", "identifier")]
    able = [each for each in able if each.type == "text"]
    different = [each for each in able if _tells_apart(columns[each.column])]
    things = {noun, noun.split()[-1]}
    ranked = sorted(
        (rank, place, each.name)
        for place, each in enumerate(different)
        if (rank := _label_rank(each.name, things)) is not None
    )
    if ranked:
        return ranked[0][2]
    unique = (each.name for each in different if _is_name(each, columns[each.column]))
    return next(unique, "")


def _tells_apart(column: Column) -> bool:
    """Whether most rows have a value, and rather one of their own. Titles are those of books, or
    those of people, which repeat."""
    filled = column.rows - column.missing
    share = _TITLES if "title" in words_of(column.name) else _DIFFERENT
    return filled > 0.5 * column.rows and column.distinct >= share * filled


def _is_name(field: SemanticField, column: Column) -> bool:
    """Whether a field that is not called so names each row: in words, and no two alike."""
    named = field.role in ("category", "place", "text") and not _NO_NAMES & set(
        words_of(field.name)
    )
    short = column.lengths is not None and column.lengths.mean <= _SHORT
    return named and short and column.distinct == column.rows > 1


def _label_rank(name: str, things: Collection[str]) -> int | None:
    words = english_name(name) or words_of(name)
    said = " ".join(words)
    if words == ("name",) or (words[-1] in _LABELS and " ".join(words[:-1]) in things):
        return 0
    if said in things or said in _LABELS:
        return 1
    if said in ("full name", "company name", "display name", "company"):
        return 2
    return None
