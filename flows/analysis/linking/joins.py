"""How tables hang together: the smallest trees of joins that connect some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from flows.analysis.language.words import root, split_identifier
from flows.analysis.plan import Joined
from flows.data.tables import Join, Table

# How much longer a way over a join that was only found is than one over a declared join.
_FOUND = 1.4
_LONGEST = 3.0
_TREES = 3


@dataclass(frozen=True, slots=True)
class Edge:
    """Rows of `joined.table` refer to rows of `joined.to`; `length` is what the way costs."""

    joined: Joined
    length: float

    def other(self, name: str) -> str:
        return self.joined.to if name == self.joined.table else self.joined.table


@dataclass(frozen=True)
class Joins:
    """The joins between tables, declared and found."""

    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Joins:
        """The joins that the profiles of the tables know; a pair of tables may have several."""
        known = {table.name: table for table in tables}
        found: dict[frozenset[tuple[str, tuple[str, ...]]], Edge] = {}
        for table in tables:
            for join in table.joins:
                if join.table not in known or join.table == table.name:
                    continue
                sides = frozenset([(table.name, join.columns), (join.table, join.to_columns)])
                edge = Edge(
                    _joined(table, known[join.table], join), 1.0 if join.declared else _FOUND
                )
                if sides not in found or (join.declared and found[sides].length > 1.0):
                    found[sides] = edge
        return cls(tuple(found.values()))

    def trees(
        self, names: Iterable[str], words: frozenset[str] = frozenset()
    ) -> list[tuple[Edge, ...]]:
        """The shortest trees that connect the tables, shortest first; none if nothing does.

        Of several joins between two tables, those with columns called by one of the `words`
        (roots, as `start` for a start station) are shorter.
        """
        wanted = list(dict.fromkeys(names))
        ways: list[tuple[str, str]] = []
        reached = [wanted[0]]
        for name in wanted[1:]:
            if name in reached:
                continue
            way = self._way(reached, name)
            if way is None:
                return []
            ways += way
            reached += [there for _, there in way if there not in reached]
        choices = [self._between(*step, words) for step in ways]
        trees = [tuple(tree) for tree in product(*choices)]
        return sorted(trees, key=lambda tree: sum(each.length for each in tree))[:_TREES]

    def _between(self, one: str, other: str, words: frozenset[str]) -> list[Edge]:
        ends = {one, other}
        found = [e for e in self.edges if {e.joined.table, e.joined.to} == ends]
        if len(found) > 1 and words:
            said = [sum(is_said(each, words) for each in roles(e)) for e in found]
            found = [e for e, times in zip(found, said, strict=True) if times == max(said)]
        return sorted(found, key=lambda each: each.length)[:_TREES]

    def _way(self, reached: Sequence[str], goal: str) -> list[tuple[str, str]] | None:
        """The steps from the tables that were reached to another, by the shortest way.

        Of equal ways, the one from the table that was reached first.
        """
        best: dict[str, tuple[float, list[tuple[str, str]]]] = {r: (0.0, []) for r in reached}
        open_ = list(reached)
        while open_:
            here = min(open_, key=lambda name: best[name][0])
            open_.remove(here)
            length, way = best[here]
            if here == goal:
                return way
            for edge in self.edges:
                if here not in (edge.joined.table, edge.joined.to):
                    continue
                there, total = edge.other(here), length + edge.length
                if total <= _LONGEST and (there not in best or total < best[there][0]):
                    best[there] = (total, [*way, (here, there)])
                    open_.append(there)
        return None


def roles(edge: Edge) -> frozenset[str]:
    """The roots of the words by which a join's column says in which role it refers."""
    joined = edge.joined
    parts = {p for name in joined.columns for p in split_identifier(name)}
    theirs = {p for name in joined.to_columns for p in split_identifier(name)}
    return frozenset(map(root, parts - theirs - set(split_identifier(joined.to))))


def is_said(role: str, words: Iterable[str]) -> bool:
    """Whether words speak of a role: `end` for trips that ended."""
    return any(word == role or (len(role) > 2 and word.startswith(role)) for word in words)


def _joined(table: Table, to: Table, join: Join) -> Joined:
    """A join from the many to the one, whichever way round it was found."""
    here, there = is_key(table, join.columns), is_key(to, join.to_columns)
    if here and not there and not join.declared:
        return Joined(to.name, join.to_columns, table.name, join.columns)
    return Joined(table.name, join.columns, to.name, join.to_columns, single=here)


def is_key(table: Table, columns: tuple[str, ...]) -> bool:
    """Whether no two rows of a table have the same values in these columns."""
    wanted = set(columns)
    if (table.primary_key and set(table.primary_key) <= wanted) or any(
        set(key) <= wanted for key in table.keys
    ):
        return True
    found = [each for each in table.columns if each.name in wanted]
    return any(each.missing == 0 and each.distinct == each.rows > 0 for each in found)


def key_of(table: Table) -> tuple[str, ...]:
    """The columns that tell the rows of a table apart; empty when nothing is known to."""
    if table.primary_key:
        return table.primary_key
    away = {name for each in table.foreign_keys for name in each.columns}
    ids = [each.name for each in table.columns if each.role == "id" and is_key(table, (each.name,))]
    ids = sorted(ids, key=lambda name: name in away)
    return (ids[0],) if ids else table.keys[0] if table.keys else ()
