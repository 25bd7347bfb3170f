"""Which tables a question may be about: each alone, and those that a few joins connect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from flows.analysis.language.phrasebook import ARTICLES
from flows.analysis.language.spelling import is_common
from flows.analysis.language.words import Token, root, singular
from flows.analysis.linking.joins import Joins, length
from flows.analysis.linking.linker import candidates
from flows.analysis.linking.links import Link, content_size, cover
from flows.analysis.linking.schema import Schema, joined_schema, schema_of
from flows.data.tables import Table
from flows.semantics.model import Relationship, SemanticModel

# What each join costs, in words that a view must explain more than a smaller one.
_JOIN = 0.45
_ALONE, _PAIRED, _MOST = 12, 8, 8
# A view that explains so much less than the best one is not looked at.
_FAR = 2.5
_LEAST = 0.5
# Links that name something of the data.
_NAMES = ("table", "column", "value")


@dataclass
class Database:
    """The tables of all sources, and the views of them that were made."""

    tables: tuple[Table, ...]
    joins: Joins
    alone: dict[str, Schema] = field(init=False)
    _views: dict[tuple[tuple[str, ...], tuple[Relationship, ...]], Schema] = field(
        default_factory=dict
    )

    def words_elsewhere(self, schema: Schema) -> frozenset[str]:
        """The words of the names of tables that are not in a schema."""
        inside = {member.table.name for member in schema.members}
        outside = [each for each in self.tables if each.name not in inside]
        return frozenset(word for each in outside for word in schema_of(each).table_words)

    def __post_init__(self) -> None:
        self.alone = {table.name: schema_of(table) for table in self.tables}

    def views(self, tokens: Sequence[Token]) -> list[tuple[float, Schema]]:
        """The views that explain the words best, best first, each with what it explains."""
        linked = {
            name: [c for c in candidates(tokens, schema) if c.kind != "literal"]
            for name, schema in self.alone.items()
        }
        linked = self._fairly_named(linked)
        roots = frozenset(root(token.lower) for token in tokens if token.kind == "word")
        found: list[tuple[float, Schema]] = []
        for names in self._groups(linked, len(tokens)):
            worth = _explained([link for name in names for link in linked[name]], len(tokens))
            for edges in self.joins.trees(_as_named(names, linked), roots):
                cost = sum(_JOIN * length(each) for each in edges)
                found.append((worth - cost, self._view(names, edges)))
        found.sort(key=lambda each: -each[0])
        return [each for each in _unlike(found)[:_MOST] if each[0] > found[0][0] - _FAR]

    def named(self, tokens: Sequence[Token]) -> tuple[str, tuple[Link, ...]]:
        """The table of which the words name most, and what they name of it."""
        found = [
            (name, tuple(each for each in candidates(tokens, schema) if each.kind in _NAMES))
            for name, schema in self.alone.items()
        ]
        name, links = max(found, key=lambda each: _explained(each[1], len(tokens)))
        return name, cover(links, len(tokens), True)

    def knows(self, word: str) -> bool:
        """Whether the names or values of the data hold a word, or English does as a usual one."""
        return word in self._words or singular(word) in self._words or is_common(word)

    @cached_property
    def _words(self) -> frozenset[str]:
        schemas = [schema_of(table) for table in self.tables]
        names = {w for s in schemas for words in s.names for w in words}
        return frozenset(names | {w for s in schemas for key in s.values for w in key.split()})

    def _fairly_named(self, linked: dict[str, list[Link]]) -> dict[str, list[Link]]:
        """The links of each table, by what the other tables are called.

        A link of little weight weighs less where the words name another table exactly, and the
        name of a table more where another one refers to it by the same words.
        """
        exact = {
            (x.start, x.end): name
            for name, links in linked.items()
            for x in links
            if x.kind == "table" and x.score >= _EXACT
        }
        referred, away = self._referred(linked), self._numbers

        def fair(name: str, one: Link) -> Link:
            span = (one.start, one.end)
            if one.kind == "table" and span in referred.get(name, ()):
                return replace(one, score=max(one.score, _REFERRED))
            others = {exact[s, e] for s, e in exact if one.start <= s and e <= one.end} - {name}
            if one.kind == "column" and exact.get(span) in away.get((name, *one.columns), ()):
                return replace(one, score=one.score * _NUMBERED)
            ends = any(one.start < s and e == one.end for s, e in exact)
            if one.kind == "column" and ends and others:
                # `names of the parties`, where parties are a table of their own
                return replace(one, score=one.score / 2)
            if one.kind != "value" and one.score < _WEAK and others:
                return replace(one, score=one.score / 2)
            return one

        return {name: [fair(name, each) for each in links] for name, links in linked.items()}

    @property
    def _numbers(self) -> dict[tuple[str, ...], set[str]]:
        """The tables that each column only numbers the rows of."""
        found: dict[tuple[str, ...], set[str]] = {}
        for edge in self.joins.edges:
            by_name = self.alone[edge.dataset].by_name
            if len(edge.fields) == 1 and by_name[edge.fields[0]].type == "integer":
                found.setdefault((edge.dataset, *edge.fields), set()).add(edge.to)
        return found

    def _referred(self, linked: dict[str, list[Link]]) -> dict[str, set[tuple[int, int]]]:
        """The spans by which other tables refer to each table."""
        found: dict[str, set[tuple[int, int]]] = {}
        for edge in self.joins.edges:
            for one in linked[edge.dataset]:
                if one.kind == "column" and set(one.columns) <= set(edge.fields):
                    found.setdefault(edge.to, set()).add((one.start, one.end))
        return found

    def known(self, texts: Iterable[str]) -> int:
        """How many of the texts some table holds as a value."""
        keys = [text.strip().casefold() for text in texts]
        return sum(any(key in each.values for each in self.alone.values()) for key in keys)

    def slighted(self, tokens: Sequence[Token], schema: Schema, links: Sequence[Link]) -> int:
        """How many words are taken for something else though they name a table exactly."""
        members = {each.table.name for each in schema.members}
        others = {each.table_words for name, each in self.alone.items() if name not in members}
        found = 0
        for one in links:
            written = tuple(token.lower for token in tokens[one.start : one.end])
            named = tuple(map(singular, written))
            if one.kind == "column" and "of" in written and _behind_of(named) in others:
                found += _OF_ANOTHER
            if one.kind not in ("table", "column") or named not in others:
                continue
            coded = one.kind == "column" and schema.by_name[one.columns[0]].type != "integer"
            found += (one.score < _WEAK and not coded) or (coded and named != written)
        return found

    def _groups(self, linked: dict[str, list[Link]], size: int) -> Iterator[tuple[str, ...]]:
        """Single tables, then pairs and threes of those that explain something."""
        worth = {name: _explained(links, size) for name, links in linked.items()}
        names = sorted((n for n in worth if worth[n] >= _LEAST), key=lambda n: -worth[n])
        for name in names[:_ALONE]:
            yield (name,)
        for pair in combinations(names[:_PAIRED], 2):
            both = _explained([link for name in pair for link in linked[name]], size)
            more = both > max(worth[name] for name in pair) + _JOIN / 2
            if more or _share_a_value(*(linked[name] for name in pair)):
                yield pair
        for three in combinations(names[: _PAIRED - 2], 3):
            whole = _explained([link for name in three for link in linked[name]], size)
            parts = combinations(three, 2)
            if all(
                whole > _explained([x for name in two for x in linked[name]], size) + _JOIN / 2
                for two in parts
            ):
                yield three

    def _view(self, names: tuple[str, ...], edges: tuple[Relationship, ...]) -> Schema:
        known = {table.name: table for table in self.tables}
        if not edges:
            return self.alone[names[0]]
        passed = [end for each in edges for end in (each.dataset, each.to)]
        every = tuple(dict.fromkeys([*names, *passed]))
        if (every, edges) not in self._views:
            self._views[every, edges] = joined_schema([known[name] for name in every], edges)
        return self._views[every, edges]


# How much more it is to take `the names of the parties` for a column of other rows.
_OF_ANOTHER = 3


def _behind_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """What stands behind the last `of` of some words, without articles."""
    last = len(words) - words[::-1].index("of")
    return tuple(each for each in words[last:] if each not in ARTICLES)


_EXACT, _WEAK, _REFERRED, _NUMBERED = 0.95, 0.8, 0.9, 0.7


def _unlike(views: Sequence[tuple[float, Schema]]) -> list[tuple[float, Schema]]:
    """The views without those of the same tables and joins as a better one."""
    found: dict[tuple[frozenset[str], frozenset[Relationship]], tuple[float, Schema]] = {}
    for worth, schema in views:
        names = frozenset(each.table.name for each in schema.members)
        found.setdefault((names, frozenset(schema.edges)), (worth, schema))
    return list(found.values())


def _as_named(names: tuple[str, ...], linked: dict[str, list[Link]]) -> list[str]:
    """The tables in the order in which a question names them, those that it does not name last."""
    places = {
        name: min(
            (x.start for x in linked[name] if x.kind == "table" and x.score > 0.8), default=99
        )
        for name in names
    }
    return sorted(names, key=lambda name: places[name])


def _share_a_value(one: Sequence[Link], other: Sequence[Link]) -> bool:
    """Whether two tables hold the same value, and the question names one of them: the value may be
    that of the other, to which the rows belong."""
    places = {(x.start, x.end) for x in one if x.kind == "value"}
    shared = any(x.kind == "value" and (x.start, x.end) in places for x in other)
    return shared and any(x.kind == "table" and x.score >= _EXACT for x in (*one, *other))


def _explained(links: Sequence[Link], size: int) -> float:
    return sum(each.score * content_size(each) for each in cover(links, size, True))


_KEPT = 64
_databases: dict[object, Database] = {}


def database_of(tables: Sequence[Table], model: SemanticModel) -> Database:
    """The prepared tables with the joins that the model has; one preparation serves every question
    about them."""
    # By identity: to hash the values of large tables takes longer than to read a question.
    key = (tuple(map(id, tables)), model.relationships)
    if key not in _databases:
        while len(_databases) >= _KEPT:
            _databases.pop(next(iter(_databases)), None)
        names = {each.name for each in tables}
        _databases[key] = Database(tuple(tables), Joins.of(model.relationships, names))
    return _databases[key]
