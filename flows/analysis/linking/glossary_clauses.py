"""A question that says what its words stand for, as the glossary writes it, in plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.words import singular, split_identifier
from flows.analysis.linking.schema import schema_of
from flows.data.meaning.meanings import find_clauses, without_clauses
from flows.data.tables import Table


def without_meanings(question: str, tables: Sequence[Table]) -> str:
    """The question without its clauses such as `where 'OMEGA' is a brand`.

    A value that several columns of a table hold, or none, gets the name of its column before it.
    """
    clauses = find_clauses(question)
    if not clauses:
        return question
    plain = without_clauses(question, clauses)
    named_once: set[str] = set()
    for each in clauses:
        if each.entity in named_once:  # `the brand OMEGA and ALPHA` is one condition
            continue
        if not _is_clear(each.value, tables) and _is_column(each.entity, tables):
            named_once.add(each.entity)
            named = f"{each.entity} '{each.value}'"
            before = rf"(?<!\w)(?<!')(?:{re.escape(each.entity)}\s+)?"
            wanted = rf"{before}{re.escape(each.value)}(?!\w)"
            plain = re.sub(wanted, named.replace("\\", r"\\"), plain, count=1)
    return plain


def _is_clear(value: str, tables: Sequence[Table]) -> bool:
    """Whether a value is found, and never in two columns of one table."""
    key = value.strip().casefold()
    found = [len({column for column, _ in schema_of(t).values.get(key, ())}) for t in tables]
    return max(found, default=0) == 1


def _is_column(entity: str, tables: Sequence[Table]) -> bool:
    wanted = [singular(word) for word in split_identifier(entity)]
    return any(
        [singular(word) for word in split_identifier(column.name)] == wanted
        for table in tables
        for column in table.columns
    )
