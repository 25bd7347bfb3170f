"""Looking at some of a table's data where its profile does not say enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.core.observation import Cell
from flows.data.physical import quote_name, quote_table
from flows.data.tables import Table
from flows.data.workers.pair import TablePlace, Workers
from flows.errors import QueryFailed

# One look is worth no more time than this.
_SECONDS = 5.0


class Inspection:
    """Values and rows of tables. `places` says where each table is.

    A look that takes longer than 5 seconds finds nothing. Errors: `SourceError`.
    """

    def __init__(self, workers: Workers, places: Mapping[str, TablePlace]) -> None:
        self._workers = workers
        self._places = places

    def values(self, table: Table, column: str, most: int) -> tuple[Cell, ...] | None:
        """The distinct values of a column; None when there are more than `most`."""
        name = quote_name(column, self._places[table.name].source.dialect)
        found = self._fetch(table, f"DISTINCT {name}", most + 1)
        return None if found is None or len(found) > most else tuple(row[0] for row in found)

    def rows(
        self, table: Table, columns: Sequence[str], most: int
    ) -> tuple[tuple[Cell, ...], ...] | None:
        """Some columns of the first `most` rows."""
        dialect = self._places[table.name].source.dialect
        names = ", ".join(quote_name(each, dialect) for each in columns)
        return self._fetch(table, names, most)

    def _fetch(self, table: Table, what: str, most: int) -> tuple[tuple[Cell, ...], ...] | None:
        place = self._places[table.name]
        own = [each for each in self._places.values() if each.engine == place.engine]
        sql = f"SELECT {what} FROM {quote_table(place.physical, place.source.dialect)} LIMIT {most}"
        try:
            found = self._workers.query(place.engine, sql, own, {}, most, _SECONDS, None)
        except QueryFailed:  # too slow, or too much: then the profile has to do
            return None
        return None if found.cut else found.rows
