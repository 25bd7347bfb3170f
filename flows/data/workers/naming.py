"""What queries call the tables of a catalog: names of which no two are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.data.files.sources import Source
from flows.data.servers import ServerSource
from flows.data.tables import Table
from flows.data.workers.messages import NamedTable
from flows.errors import SourceError

_OWN_NAME = ("csv", "parquet", "json", "glob")


def check_distinct(sources: Sequence[Source | ServerSource]) -> None:
    """Raise SourceError when two sources would be one table."""
    seen: dict[str, str] = {}
    for source in sources:
        other = seen.setdefault(source.table.casefold(), source.name)
        if other != source.name:
            raise SourceError(
                f"the sources '{other}' and '{source.name}' would both be the table "
                f"{source.table}; rename one of them"
            )


def name_tables(
    sources: Sequence[Source | ServerSource], found: Mapping[str, Sequence[NamedTable]]
) -> list[NamedTable]:
    """All tables in the order of their sources; a name that is taken gets the source's before it.

    Files keep their names, then come databases in their order.
    """
    taken: set[str] = set()
    named: dict[str, list[NamedTable]] = {}
    for source in sorted(sources, key=_rank):
        tables = found[source.name]
        names = {each.table.name: _free(each.table.name, source, taken) for each in tables}
        named[source.name] = [
            each.model_copy(update={"table": _renamed(each.table, names)}) for each in tables
        ]
    return [each for source in sources for each in named[source.name]]


def _rank(source: Source | ServerSource) -> int:
    if isinstance(source, ServerSource):
        return 3
    if source.kind in _OWN_NAME:
        return 0
    return 1 if source.dialect == "duckdb" else 2


def _free(name: str, source: Source | ServerSource, taken: set[str]) -> str:
    wanted = [name, f"{source.table}_{name}"]
    wanted += [f"{source.table}_{name}_{number}" for number in range(2, len(taken) + 3)]
    free = next(each for each in wanted if each.casefold() not in taken)
    taken.add(free.casefold())
    return free


def _renamed(table: Table, names: Mapping[str, str]) -> Table:
    if all(old == new for old, new in names.items()):
        return table
    folded = {old.casefold(): new for old, new in names.items()}
    keys = tuple(
        key.model_copy(update={"table": folded.get(key.table.casefold(), key.table)})
        for key in table.foreign_keys
    )
    joins = tuple(
        join.model_copy(update={"table": folded.get(join.table.casefold(), join.table)})
        for join in table.joins
    )
    return table.model_copy(
        update={"name": names[table.name], "foreign_keys": keys, "joins": joins}
    )
