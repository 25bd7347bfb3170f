"""How tables hang together: the smallest trees of joins that connect some of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from flows.analysis.language.words import root, split_identifier
from flows.data.tables import Table
from flows.semantics.inference.relationships import is_key
from flows.semantics.model import Relationship

# How much longer a way over a join that was only found is than one over a declared join.
_FOUND = 1.4
_LONGEST = 3.0
_TREES = 3


@dataclass(frozen=True)
class Joins:
    """The joins between tables: relationships of a semantic model, without those of a table with
    itself."""

    edges: tuple[Relationship, ...]

    @classmethod
    def of(cls, relationships: Iterable[Relationship], names: Container[str]) -> Joins:
        """The joins between tables of these names; a pair of tables may have several."""
        return cls(
            tuple(
                each for each in relationships
                if each.dataset != each.to and each.dataset in names and each.to in names
            )
        )  # fmt: skip

    def trees(
        self, names: Iterable[str], words: frozenset[str] = frozenset()
    ) -> list[tuple[Relationship, ...]]:
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
        return sorted(trees, key=lambda tree: sum(map(length, tree)))[:_TREES]

    def _between(self, one: str, other: str, words: frozenset[str]) -> list[Relationship]:
        ends = {one, other}
        found = [e for e in self.edges if {e.dataset, e.to} == ends]
        if len(found) > 1 and words:
            said = [sum(is_said(each, words) for each in roles(e)) for e in found]
            found = [e for e, times in zip(found, said, strict=True) if times == max(said)]
        return sorted(found, key=length)[:_TREES]

    def _way(self, reached: Sequence[str], goal: str) -> list[tuple[str, str]] | None:
        """The steps from the tables that were reached to another, by the shortest way.

        Of equal ways, the one from the table that was reached first.
        """
        best: dict[str, tuple[float, list[tuple[str, str]]]] = {r: (0.0, []) for r in reached}
        open_ = list(reached)
        while open_:
            here = min(open_, key=lambda name: best[name][0])
            open_.remove(here)
            so_far, way = best[here]
            if here == goal:
                return way
            for edge in self.edges:
                if here not in (edge.dataset, edge.to):
                    continue
                there = edge.to if here == edge.dataset else edge.dataset
                total = so_far + length(edge)
                if total <= _LONGEST and (there not in best or total < best[there][0]):
                    best[there] = (total, [*way, (here, there)])
                    open_.append(there)
        return None


def length(edge: Relationship) -> float:
    """What a way over a join costs."""
    return _FOUND if edge.inferred else 1.0


def roles(edge: Relationship) -> frozenset[str]:
    """The roots of the words by which a join's column says in which role it refers."""
    parts = {p for name in edge.fields for p in split_identifier(name)}
    theirs = {p for name in edge.to_fields for p in split_identifier(name)}
    return frozenset(map(root, parts - theirs - set(split_identifier(edge.to))))


def is_said(role: str, words: Iterable[str]) -> bool:
    """Whether words speak of a role: `end` for trips that ended."""
    return any(word == role or (len(role) > 2 and word.startswith(role)) for word in words)


def reached(
    names: Iterable[str], edges: Sequence[Relationship], *, forward: bool = False
) -> frozenset[str]:
    """The tables of which a row of one of these has one row at most, these among them.

    `forward` follows only what rows refer to, and not what refers to them but once.
    """
    found, more = set(names), True
    while more:
        there = {each.to for each in edges if each.dataset in found}
        if not forward:
            there |= {each.dataset for each in edges if each.single and each.to in found}
        more = not there <= found
        found |= there
    return frozenset(found)


def key_of(table: Table) -> tuple[str, ...]:
    """The columns that tell the rows of a table apart; empty when nothing is known to."""
    if table.primary_key:
        return table.primary_key
    away = {name for each in table.foreign_keys for name in each.columns}
    ids = [each.name for each in table.columns if each.role == "id" and is_key(table, (each.name,))]
    ids = sorted(ids, key=lambda name: name in away)
    return (ids[0],) if ids else table.keys[0] if table.keys else ()
