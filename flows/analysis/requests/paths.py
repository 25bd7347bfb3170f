"""Ways over relationships: from a query's dataset to the datasets of its fields."""

from __future__ import annotations

from collections.abc import Iterable

from flows.analysis.plan import Joined
from flows.semantics.model import Relationship, SemanticModel

Path = tuple[str, ...]


class Paths:
    """The shortest ways over a model's relationships, each looked for once."""

    def __init__(self, model: SemanticModel) -> None:
        self._model = model
        self._found: dict[str, dict[str, list[Path]]] = {}

    def of_joins(self, start: str, joins: Iterable[Joined]) -> dict[str, Path]:
        """The way from a dataset to each dataset that these joins connect with it.

        Raises LookupError for a join that is no relationship of the model.
        """
        ways: dict[str, Path] = {start: ()}
        left = list(joins)
        while left:
            near = next((j for j in left if {j.table, j.to} & ways.keys()), None)
            if near is None:
                break
            left.remove(near)
            here, there = (near.table, near.to) if near.table in ways else (near.to, near.table)
            if there not in ways:
                ways[there] = (*ways[here], self._relationship(near).name)
        return ways

    def only(self, start: str, end: str) -> Path | None:
        """The one shortest way between two datasets; None where there is none or several."""
        ways = self._ways_from(start).get(end, [])
        return ways[0] if len(ways) == 1 else None

    def joins(self, start: str, way: Path) -> list[Joined]:
        """The joins of a way. Raises LookupError for a name that is no relationship here."""
        found, here = [], start
        for name in way:
            each = self._model.relationship(name)
            if each is None or here not in (each.dataset, each.to):
                raise LookupError(f"no relationship {name!r} of {here}")
            found.append(Joined(each.dataset, each.fields, each.to, each.to_fields, each.single))
            here = each.to if here == each.dataset else each.dataset
        return found

    def end(self, start: str, way: Path) -> str:
        """The dataset that a way leads to."""
        here = start
        for join in self.joins(start, way):
            here = join.to if here == join.table else join.table
        return here

    def _relationship(self, join: Joined) -> Relationship:
        sides = {(join.table, join.columns), (join.to, join.to_columns)}
        for each in self._model.relationships:
            if sides == {(each.dataset, each.fields), (each.to, each.to_fields)}:
                return each
        raise LookupError(f"no relationship of {join.table} with {join.to}")

    def _ways_from(self, start: str) -> dict[str, list[Path]]:
        """The shortest ways from a dataset to every other; several where they are equally long."""
        if start in self._found:
            return self._found[start]
        ways: dict[str, list[Path]] = {start: [()]}
        edge = [start]
        while edge:
            further: dict[str, list[Path]] = {}
            for here in edge:
                for each, there in self._model.neighbours(here):
                    if there not in ways:
                        more = [(*way, each.name) for way in ways[here]]
                        further.setdefault(there, []).extend(more)
            ways |= further
            edge = list(further)
        self._found[start] = ways
        return ways
