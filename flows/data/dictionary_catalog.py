"""A catalog whose tables have what a data dictionary says of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.data.catalog import Catalog
from flows.data.files.source_options import SourceOptions
from flows.data.meaning.dictionary import DataDictionary
from flows.data.tables import Table


class DescribedCatalog(Catalog):
    """The tables of the sources, with the descriptions and units of a dictionary; what in it fits
    no table is among the notes of the first one."""

    def __init__(
        self,
        sources: Mapping[str, str | SourceOptions],
        base: Path,
        cache: Path | None = None,
        *,
        dictionary: DataDictionary,
    ) -> None:
        super().__init__(sources, base, cache)
        self.dictionary = dictionary
        self._described: tuple[tuple[Table, ...], tuple[Table, ...]] | None = None

    def tables(self) -> tuple[Table, ...]:
        found = super().tables()
        known = self._described
        if known is None or known[0] is not found:
            known = self._described = (found, with_dictionary(found, self.dictionary))
        return known[1]


def with_dictionary(tables: tuple[Table, ...], dictionary: DataDictionary) -> tuple[Table, ...]:
    """The tables as the dictionary describes them, with its problems as notes of the first."""
    described = dictionary.describe(tables)
    problems = dictionary.problems(tables)
    if not problems or not described:
        return described
    first = described[0].model_copy(update={"notes": (*described[0].notes, *problems)})
    return (first, *described[1:])
