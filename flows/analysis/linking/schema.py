"""A table prepared for linking: the words of its names, and an index of its values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from flows.analysis.language.lexicon import TABLE_PREFIXES
from flows.analysis.language.words import split_identifier
from flows.data.tables import Column, Table


@dataclass(frozen=True)
class Schema:
    """A table prepared for linking: the words of its names and an index of its values."""

    table: Table
    table_words: tuple[str, ...]
    column_words: tuple[tuple[str, ...], ...]
    values: dict[str, tuple[tuple[str, str], ...]] = field(repr=False)
    words_of_values: dict[int, tuple[str, ...]] = field(repr=False)
    by_name: dict[str, Column] = field(repr=False)


@lru_cache(maxsize=512)
def schema_of(table: Table) -> Schema:
    """The prepared table; one preparation serves every question about it."""
    words = tuple(w for w in split_identifier(table.name) if w not in TABLE_PREFIXES)
    index: dict[str, list[tuple[str, str]]] = {}
    for column in table.columns:
        if column.type in ("text", "boolean", "other"):
            for value in column.values:
                index.setdefault(value.strip().casefold(), []).append((column.name, value))
    lengths: dict[int, list[str]] = {}
    for key in index:
        if 4 < len(key) < 40:
            lengths.setdefault(len(key), []).append(key)
    return Schema(
        table=table,
        table_words=words or (table.name.casefold(),),
        column_words=tuple(split_identifier(column.name) for column in table.columns),
        values={key: tuple(found) for key, found in index.items()},
        words_of_values={size: tuple(keys) for size, keys in lengths.items()},
        by_name={column.name: column for column in table.columns},
    )
