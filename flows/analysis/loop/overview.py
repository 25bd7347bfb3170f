"""Questions about the tables themselves: their columns, rows and missing values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.words import tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.schema import schema_of
from flows.analysis.loop.commands import asks_overview, asks_search
from flows.analysis.telling.description import (
    column_list,
    general,
    missing,
    profile,
    row_count,
    sentences,
)
from flows.analysis.telling.query_words import in_words
from flows.data.tables import Table

_TABLES_LISTED = 8
_SURE = 0.8
_COUNT = re.compile(
    r"\b(?:how many|number of)\s+(?:different\s+)?"
    r"(?P<what>tables|columns|fields|variables|sources)\b",
    re.IGNORECASE,
)
_ROWS_EACH = re.compile(
    r"\b(?:rows|records|entries)\b.*\b(?:each|every|per|all|the)\s+(?:of\s+)?(?:the\s+)?"
    r"(?:tables?|sources?|files?)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\b(?:which|what)\s+(?:of the )?(?:tables?|sources?|files?)\b.*\b(?:has|have|hold|holds|"
    r"contains?|with|stores?|is|are|includes?|about)\b|\bin (?:which|what) (?:table|source|file)\b",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"\bmissing (?:values?|data|cells?|entries)\b|\bwhat(?:'s| is) missing\b|\b(?:null|empty) "
    r"(?:values?|cells?)\b|\bnulls\b|\banything missing\b|\bcomplete\?",
    re.IGNORECASE,
)
_OF_ROWS = re.compile(r"\b(?:rows|records|list|show me the \w+ with)\b", re.IGNORECASE)
_SHOW_DATA = re.compile(
    r"^(?:show|see|let me see|display|look at)(?: me| us)? (?:the |my |our )?(?:data|dataset|"
    r"tables|sources|files)\W*$",
    re.IGNORECASE,
)


def asks_about_tables(text: str, tables: Sequence[Table]) -> bool:
    """Whether a text asks what the data is like, and not for what stands in its rows."""
    if asks_search(text):
        return False
    if _COUNT.search(text) or _WHERE.search(text) or _SHOW_DATA.match(text):
        return True
    if _MISSING.search(text) and not _OF_ROWS.search(text):
        return True
    if len(tables) > 1 and not _named(text, tables) and _counts_rows(text):
        return True
    return asks_overview(text)


_PROFILE = re.compile(
    r"^\W*(?:(?:please|can you|could you|give|show|make|create|build|run|do|me|us|a|an|the|full|"
    r"complete|detailed|data|in|detail)\s+)*profil(?:e|ing|es)\b"
    r"|\bprofil(?:e|ing)\s+(?:of\s+)?(?:(?:the|all|my|our|this|each|every)\s+)*(?:data|tables?|"
    r"columns?|sources?|files?)\b"
    r"|\bquality\s+of\s+(?:(?:the|my|our|this)\s+)*(?:data|tables?|files?|sources?)\b"
    r"|\bdata[- ]quality\b|\bhow\s+(?:clean|complete)\s+(?:is|are)\b",
    re.IGNORECASE,
)


# A second thing that is asked for in the same breath, which no profile answers.
_MORE = re.compile(
    r"\b(?:and|then|also|plus)\s+(?:please\s+)?(?:write|compose|sing|email|send|translate|post|tweet|"
    r"book|buy|order|call|tell\s+me\s+a|make\s+(?:me\s+)?(?:a|an)\s+(?!profile|summary|table|report))\b",
    re.IGNORECASE,
)


def asks_profile(text: str) -> bool:
    """Whether a text asks for tables in full: their profile, their quality, what is missing."""
    if asks_search(text) or _MORE.search(text):
        return False
    return bool(_PROFILE.search(text) or (_MISSING.search(text) and not _OF_ROWS.search(text)))


def profiled_tables(text: str, tables: Sequence[Table]) -> list[Table]:
    """The tables that a text names; all of them when it names none."""
    return _named(text, tables) or list(tables)


def profile_answer(text: str, tables: Sequence[Table]) -> str:
    """What a profile says first: size, what is missing, keys."""
    named = profiled_tables(text, tables)
    if _MISSING.search(text) and not _PROFILE.search(text):
        return _missing(text, named)
    return profile(named)


def _counts_rows(text: str) -> bool:
    plain = r"\W*(?:how many|number of) (?:rows|records) (?:are there|do we have|is there)?\W*$"
    return bool(_ROWS_EACH.search(text) or re.match(plain, text, re.IGNORECASE))


def overview(text: str, tables: Sequence[Table]) -> str:
    """The answer from what is known of the tables."""
    named = _named(text, tables) or list(tables)
    counted = _COUNT.search(text)
    if counted and counted["what"].casefold() in ("tables", "sources"):
        return _count_tables(tables)
    if _WHERE.search(text):
        return _where(text, tables)
    if _MISSING.search(text):
        return _missing(text, named)
    if counted:
        return sentences(f"{t.name} has {in_words(len(t.columns))} columns: {column_list(t)}"
                          for t in named[:_TABLES_LISTED])  # fmt: skip
    if _counts_rows(text):
        return sentences(f"{t.name} has {row_count(t)}" for t in named)
    return general(named)


def _count_tables(tables: Sequence[Table]) -> str:
    names = ", ".join(table.name for table in tables)
    if len(tables) == 1:
        return f"There is one table: {names}."
    return f"There are {in_words(len(tables))} tables: {names}."


def _where(text: str, tables: Sequence[Table]) -> str:
    """The tables that a word of the question names, or whose columns or values it names."""
    named = _named(text, tables)
    if named:
        return general(named)
    said = []
    for table in tables:
        columns = _named_columns(text, table)
        held = [each for each in link(tokenize(text), schema_of(table), prefer_table=False)
                if each.kind == "value"]  # fmt: skip
        if columns:
            said.append(f"{table.name} has the column {' and '.join(columns)}")
        elif held:
            said.append(f"{table.name} has {held[0].values[0][1]} in {held[0].values[0][0]}")
    return sentences(said) or f"No table has that. {general(tables)}"


def _missing(text: str, tables: Sequence[Table]) -> str:
    """What is missing in the columns that a text names, or in the tables."""
    said: list[str] = []
    for table in tables:
        columns = {c.name: c.missing for c in table.columns}
        said += [f"{name} of {table.name} has {columns[name]:,} missing values"
                 for name in _named_columns(text, table)]  # fmt: skip
    return sentences(said) or missing(tables)


def _named(text: str, tables: Sequence[Table]) -> list[Table]:
    """The tables that a text names, the exact names before those that are only like one."""
    tokens = tokenize(text)
    found = []
    for table in tables:
        links = link(tokens, schema_of(table), prefer_table=True)
        score = max((each.score for each in links if each.kind == "table"), default=0.0)
        if score >= _SURE:
            found.append((score, table))
    best = max((score for score, _ in found), default=0.0)
    return [table for score, table in found if score > best - 0.01]


def _named_columns(text: str, table: Table) -> list[str]:
    links = link(tokenize(text), schema_of(table), prefer_table=False)
    names = [each.columns[0] for each in links if each.kind == "column" and each.score >= _SURE]
    return list(dict.fromkeys(names))
