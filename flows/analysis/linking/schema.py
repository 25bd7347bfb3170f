"""A table, or several joined, prepared for linking: the words of names, an index of values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, lru_cache

from flows.analysis.language.lexicon import TABLE_PREFIXES
from flows.analysis.language.spelling import is_common
from flows.analysis.language.words import split_identifier
from flows.analysis.linking.joins import key_of, reached
from flows.data.tables import Column, Table
from flows.semantics.calendar import last_day
from flows.semantics.inference.quantities import adds_up
from flows.semantics.inference.relationships import is_key
from flows.semantics.model import Relationship

# Between the names of a table and its column, where columns of several tables stand side by side.
BORDER = "\x1f"


# Score, column and reason of each column that some words may name.
Memory = tuple[tuple[float, str, str], ...]


@dataclass(frozen=True)
class Member:
    """One of the tables of a schema: its words, the columns that tell its rows apart, and what
    else its rows are called."""

    table: Table
    words: tuple[str, ...]
    key: tuple[str, ...]
    synonyms: frozenset[tuple[str, ...]] = frozenset()


@dataclass(frozen=True)
class Schema:
    """What one reading of a question is about: a table, or tables joined as if they were one.

    The columns of joined tables are called `TABLE BORDER COLUMN`. `owners` are the words of each
    column's table. `grain` is the table of which every joined row is one row, if there is one:
    then no row of it is repeated by the joins.
    """

    table: Table
    members: tuple[Member, ...]
    edges: tuple[Relationship, ...]
    grain: str | None
    owners: tuple[tuple[str, ...], ...]
    column_words: tuple[tuple[str, ...], ...]
    synonyms: tuple[frozenset[tuple[str, ...]], ...]
    values: dict[str, tuple[tuple[str, str], ...]] = field(repr=False)
    words_of_values: dict[int, tuple[str, ...]] = field(repr=False)
    by_name: dict[str, Column] = field(repr=False)
    words_by_name: dict[str, tuple[str, ...]] = field(repr=False)
    # With what the values begin: most spans of a question need no closer look.
    starts: frozenset[str] = field(repr=False)
    # The tables of a joined schema by themselves; what was found out about words.
    parts: tuple[Schema, ...] = field(default=(), repr=False)
    memory: dict[tuple[object, ...], Memory] = field(default_factory=dict, repr=False)

    @property
    def table_words(self) -> tuple[str, ...]:
        """The words of the first table."""
        return self.members[0].words

    @cached_property
    def last_day(self) -> date | None:
        """The last day that the columns of dates hold; None where there is no such column."""
        return last_day([self.table])

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The words of every name of its tables and columns."""
        others = (*(each.synonyms for each in self.members), *self.synonyms)
        own = (*(each.words for each in self.members), *self.column_words)
        return (*own, *(words for each in others for words in each))

    @property
    def joined(self) -> bool:
        return len(self.members) > 1

    def member(self, name: str) -> Member:
        return next(each for each in self.members if each.table.name == name)

    def home(self, column: str) -> str:
        """The table of a column."""
        return column.partition(BORDER)[0] if self.joined else self.table.name

    def columns_of(self, name: str) -> tuple[Column, ...]:
        """The columns of a table, called as they are called in this schema."""
        if not self.joined:
            return self.table.columns
        return tuple(each for each in self.table.columns if self.home(each.name) == name)

    def key(self, name: str) -> tuple[str, ...]:
        """The columns that tell the rows of a table apart, called as in this schema."""
        return tuple(self.called(name, each) for each in self.member(name).key)

    def same(self, column: str) -> frozenset[str]:
        """The columns that hold the same value as one in every row, since they are joined by it."""
        found, more = {column}, True
        while more:
            more = False
            for edge in self.edges:
                for one, other in zip(edge.fields, edge.to_fields, strict=True):
                    pair = {self.called(edge.dataset, one), self.called(edge.to, other)}
                    if pair & found and not pair <= found:
                        found |= pair
                        more = True
        return frozenset(found)

    def reached(self, name: str, *, forward: bool = False) -> frozenset[str]:
        """The tables of which each row of a table has one row at most, itself among them.

        `forward` follows only what rows refer to, and not what refers to them but once.
        """
        return reached([name], self.edges, forward=forward)

    def called(self, table: str, column: str) -> str:
        return f"{table}{BORDER}{column}" if self.joined else column


@lru_cache(maxsize=512)
def schema_of(table: Table) -> Schema:
    """The prepared table; one preparation serves every question about it."""
    return _prepared(table, (_member(table),), ())


def joined_schema(tables: Sequence[Table], edges: tuple[Relationship, ...]) -> Schema:
    """The tables as one, connected by the joins; the first is what the question is about first."""
    columns = tuple(
        column.model_copy(
            update={"name": f"{table.name}{BORDER}{column.name}", "additive": adds_up(column)}
        )
        for table in tables
        for column in table.columns
    )
    members = tuple(_referred(_member(each), edges) for each in tables)
    grain = _grain(members, edges)
    key = next((m.key for m in members if m.table.name == grain), ())
    changed = {"columns": columns, "primary_key": tuple(f"{grain}{BORDER}{each}" for each in key)}
    whole = tables[0].model_copy(
        update={**changed, "foreign_keys": (), "joins": (), "keys": (), "sample": ()}
    )
    return replace(_prepared(whole, members, edges), parts=tuple(map(schema_of, tables)))


def _member(table: Table) -> Member:
    words = tuple(w for w in split_identifier(table.name) if w not in TABLE_PREFIXES)
    own = words or (table.name.casefold(),)
    return Member(table, own, key_of(table), _synonyms(table.words) - {own})


def _synonyms(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """Other names as the words that are looked for in a question."""
    return frozenset(split_identifier(each) for each in words if any(map(str.isalnum, each)))


def _referred(member: Member, edges: tuple[Relationship, ...]) -> Member:
    """The table with the key by which others refer to it, where it declares none."""
    if member.table.primary_key:
        return member
    ways = [e.to_fields for e in edges if e.to == member.table.name]
    ways += [e.fields for e in edges if e.single and e.dataset == member.table.name]
    return replace(member, key=ways[0]) if ways and is_key(member.table, ways[0]) else member


def _prepared(table: Table, members: tuple[Member, ...], edges: tuple[Relationship, ...]) -> Schema:
    index: dict[str, list[tuple[str, str]]] = {}
    for column in table.columns:
        if column.type in ("text", "boolean", "other"):
            for value in column.values:
                index.setdefault(value.strip().casefold(), []).append((column.name, value))
    lengths: dict[int, list[str]] = {}
    for key in index:
        if 4 < len(key) < 40:
            lengths.setdefault(len(key), []).append(key)
    words = tuple(words for each in members for words in _column_words(each))
    return Schema(
        table=table,
        members=members,
        edges=edges,
        grain=_grain(members, edges),
        owners=tuple(m.words for m in members for _ in m.table.columns),
        column_words=words,
        synonyms=tuple(_synonyms(each.words) for each in table.columns),
        values={key: tuple(found) for key, found in index.items()},
        words_of_values={size: tuple(keys) for size, keys in lengths.items()},
        starts=frozenset(map(first_run, index)),
        by_name={column.name: column for column in table.columns},
        words_by_name={c.name: w for c, w in zip(table.columns, words, strict=True)},
    )


def _column_words(member: Member) -> list[tuple[str, ...]]:
    """The words of a table's columns, without a short form of the table before most of them."""
    found = [split_identifier(each.name) for each in member.table.columns]
    firsts = [each[0] for each in found if len(each) > 1]
    common = max(firsts, key=firsts.count, default="")
    short = any(_shortens(common, word) for word in member.words)
    if not short or firsts.count(common) * 2 < len(found):
        return [_in_full(each, member.words) for each in found]
    return [each[1:] if each[0] == common and len(each) > 1 else each for each in found]


def _in_full(words: tuple[str, ...], owner: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a column, its table in full: dept_name of departments is the department name."""
    first = words[0]
    if len(words) < 2 or len(first) < _SHORT or is_common(first):
        return words
    return next(((each, *words[1:]) for each in owner if _shortens(first, each)), words)


_SHORT = 3


def _shortens(short: str, word: str) -> bool:
    """Whether a word was shortened: stu for student, crs for course."""
    if len(short) < 2 or len(short) >= len(word) or short[0] != word[0]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in short)


def first_run(text: str) -> str:
    """The letters and digits with which a text begins, or its first mark."""
    found = _RUN.match(text)
    return found.group() if found else text[:1]


_RUN = re.compile(r"\w+")


def _grain(members: tuple[Member, ...], edges: tuple[Relationship, ...]) -> str | None:
    """The table from which every other one is reached from the many to the one."""
    names = {each.table.name for each in members}
    return next(
        (each.table.name for each in members if reached([each.table.name], edges) >= names), None
    )
