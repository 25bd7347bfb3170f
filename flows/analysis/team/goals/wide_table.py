"""One wide table: the rows of a table with what each of them belongs to in related tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from flows.analysis.linking.joins import Joins, length
from flows.data.tables import Column, Table
from flows.semantics.inference.relationships import is_key
from flows.semantics.model import Relationship, SemanticModel
from flows.semantics.path import is_only
from flows.semantics.query import Expression, FieldRef
from flows.semantics.tree import parts

_MOST_RELATED = 5
# Names of things that can still be compared by; how long a name may be, how unlike the names.
_MOST_NAMES = 200
_SHORT = 60
_UNIQUE = 0.95


@dataclass(frozen=True)
class Wide:
    """A table with columns of others beside its own. `home` maps each name of `table`, which is the
    profile of the result, to the table and the column that it is taken from. `ways` are the
    relationships that lead to the other tables, where they are not the only ones; `made` is the
    name of a column that no table has, and what it is computed of."""

    tables: tuple[Table, ...]
    table: Table
    home: dict[str, tuple[str, str]]
    edges: tuple[Relationship, ...] = ()
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    made: tuple[str, Expression] | None = None

    @property
    def base(self) -> Table:
        return self.tables[0]

    @property
    def names(self) -> dict[tuple[str, str], str]:
        """What the columns of the tables are called here."""
        return {place: name for name, place in self.home.items()}

    def of(self, name: str) -> Column:
        return next(each for each in self.table.columns if each.name == name)

    def owner(self, name: str) -> str:
        """The table that a column is taken from."""
        return self.home[name][0]

    def expression(self, name: str) -> Expression:
        """What a column is in a request."""
        if self.made is not None and name == self.made[0]:
            return self.made[1]
        table, column = self.home[name]
        return FieldRef(dataset=table, field=column, via=self.ways.get(table, ()))

    def whole(self) -> Wide:
        """The same without the related tables that rows of the base may have no partner in."""
        lost: set[str] = set()
        known = {each.name: each for each in self.tables}
        for edge in self.edges:
            keys = [c for c in known[edge.dataset].columns if c.name in edge.fields]
            if edge.dataset in lost or any(each.missing for each in keys):
                lost.add(edge.to)
        if not lost:
            return self
        edges = tuple(each for each in self.edges if each.to not in lost)
        kept = tuple(each for each in self.tables if each.name not in lost)
        made = with_column(wide_of(kept, edges, self.names), self.made)
        return replace(made, ways=self.ways)


def with_column(wide: Wide, made: tuple[str, Expression] | None) -> Wide:
    """The wide table with one more column; as it is where it does not have what that is made of."""
    if made is None or made[0] in wide.home:
        return wide
    rows, name = wide.table.rows, made[0]
    known = {(t.name, c.name) for t in wide.tables for c in t.columns}
    if any((e.dataset, e.field) not in known for e in parts(made[1]) if isinstance(e, FieldRef)):
        return wide
    column = Column(name=name, type="real", role="measure", rows=rows, missing=0, distinct=rows)
    table = wide.table.model_copy(
        update={"columns": (*wide.table.columns, column), "sample": (), "keys": ()}
    )
    home = {**wide.home, name: (wide.base.name, name)}
    return replace(wide, table=table, home=home, made=made)


_KEPT = 16
_known: dict[object, tuple[tuple[Table, ...], list[Wide]]] = {}


def wides_of(tables: Sequence[Table], model: SemanticModel) -> list[Wide]:
    """Each table with those that its rows belong to by the model; made once for the same tables."""
    # By identity, as in `linking.views`: to hash the values of large tables takes longer.
    key = (tuple(map(id, tables)), model.relationships)
    if key not in _known:
        while len(_known) >= _KEPT:
            _known.pop(next(iter(_known)), None)
        _known[key] = (tuple(tables), _wides(tables, model))
    return _known[key][1]


def _wides(tables: Sequence[Table], model: SemanticModel) -> list[Wide]:
    known = {each.name: each for each in tables}
    joins = Joins.of(model.relationships, known)
    found = []
    for table in tables:
        edges = _forward(table.name, joins, known)
        related = [known[each.to] for each in edges]
        ways: dict[str, tuple[str, ...]] = {table.name: ()}
        for each in edges:
            ways[each.to] = (*ways[each.dataset], each.name)
        several = {to: way for to, way in ways.items() if not is_only(model, table.name, way, to)}
        found.append(replace(wide_of((table, *related), edges), ways=several))
    return found


def wide_of(
    tables: tuple[Table, ...],
    edges: tuple[Relationship, ...],
    known: Mapping[tuple[str, str], str] | None = None,
) -> Wide:
    """The first table with the columns of the others that say something."""
    base = tables[0]
    # What only numbers rows is of no use once they are joined.
    columns = [
        each for each in base.columns
        if len(tables) == 1 or each.role != "id" or names_things(each)
    ]  # fmt: skip
    home = {each.name: (base.name, each.name) for each in columns}
    taken = set(home)
    for table in tables[1:]:
        for column in table.columns:
            if column.role in ("id", "text") and column.name not in _labels(table):
                continue
            name = column.name if column.name not in taken else f"{table.name}_{column.name}"
            # A wide table with fewer tables calls the columns as the whole does.
            name = (known or {}).get((table.name, column.name), name)
            if name in taken:
                continue
            taken.add(name)
            home[name] = (table.name, column.name)
            columns.append(column.model_copy(update={"name": name}))
    if len(tables) == 1:
        return Wide(tables, base, home)
    whole = base.model_copy(
        update={
            "columns": tuple(columns),
            "primary_key": (),
            "keys": (),
            "foreign_keys": (),
            "joins": (),
            "sample": (),
        }
    )
    return Wide(tables, whole, home, edges)


def names_things(column: Column) -> bool:
    """Whether an id is a name of text, as `Mill 7`, and no number."""
    return column.role == "id" and column.type == "text" and column.distinct <= _MOST_NAMES


def _labels(table: Table) -> set[str]:
    """Columns of text that name the rows: few enough to be compared by, or the name of each."""
    few = {c.name for c in table.columns if c.role == "text" and c.distinct <= _MOST_NAMES}
    name = next((c.name for c in table.columns if _is_label(c)), None)
    return few | ({name} if name else set())


def _is_label(column: Column) -> bool:
    """Whether a column of short texts has another one in each row."""
    short = all(len(value) <= _SHORT for value in column.values[:50])
    return (
        column.role == "text" and column.type == "text" and bool(column.values) and short
        and column.distinct + column.missing >= _UNIQUE * column.rows
    )  # fmt: skip


def _forward(name: str, joins: Joins, known: dict[str, Table]) -> tuple[Relationship, ...]:
    """The joins from a table to those of which each of its rows has one at most, near ones first.

    A table that several joins lead to equally is taken by none: which is meant is not known.
    """
    found: list[Relationship] = []
    reached, open_ = {name}, [name]
    while open_ and len(found) < _MOST_RELATED:
        here = open_.pop(0)
        for edge in _steps(here, joins, known):
            there = edge.to
            if there in reached or not _together(known[there], known[name]):
                continue
            reached.add(there)
            open_.append(there)
            found.append(edge)
    return tuple(found[:_MOST_RELATED])


def _together(one: Table, other: Table) -> bool:
    """Whether one query reads both tables: those of one source, or files."""
    return one.source == other.source or one.dialect == other.dialect == "duckdb"


def _steps(here: str, joins: Joins, known: dict[str, Table]) -> list[Relationship]:
    """The one shortest join from a table to each other, from the many to the one."""
    ways: dict[str, list[Relationship]] = {}
    for edge in joins.edges:
        to = known.get(edge.to)
        if edge.dataset == here and to and is_key(to, edge.to_fields):
            ways.setdefault(to.name, []).append(edge)
    found = []
    for edges in ways.values():
        least = min(map(length, edges))
        shortest = [each for each in edges if length(each) == least]
        if len(shortest) == 1:
            found += shortest
    return found
