"""The data dictionary: what each column means, of which type and unit it is, what it holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell
from flows.data.tables import Column, Frequent, Table
from flows.errors import nearest

_CATEGORIES_SHOWN = 5
_LONGEST = 160


class Statistics(BaseModel):
    """What the values of a column are: of numbers also mean, median and standard deviation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: int
    missing: int
    distinct: int
    minimum: Cell = None
    maximum: Cell = None
    mean: float | None = None
    median: float | None = None
    std: float | None = None
    mode: str | None = None
    top: tuple[Frequent, ...] = ()


class DictionaryEntry(BaseModel):
    """One column of a table, or with `column` "" the table itself; with `table` "" the column of
    that name in any table.

    `synonyms` are what people call it besides. `made_from` are the columns, as `orders.price`, that
    a column of a result was made from. `place` is where a file says it, as `dictionary.csv:3`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str = ""
    column: str = ""
    description: str = ""
    type: str = ""
    unit: str = ""
    synonyms: tuple[str, ...] = ()
    statistics: Statistics | None = None
    made_from: tuple[str, ...] = ()
    place: str = ""


class DataDictionary(BaseModel):
    """Entries in the order of the columns, or of the file that they were read from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entries: tuple[DictionaryEntry, ...] = ()

    @classmethod
    def of_tables(cls, tables: Sequence[Table]) -> DataDictionary:
        """An entry for each column, by what is known of it; in words where nobody described it."""
        return cls(entries=tuple(_entry(table, each) for table in tables for each in table.columns))

    def find(self, table: str, column: str) -> DictionaryEntry | None:
        """The entry of a column: that of its table first, then one for any table."""
        wanted = _plain(column)
        anywhere = None
        for each in self.entries:
            if each.column and _plain(each.column) == wanted:
                if each.table and _plain(each.table) == _plain(table):
                    return each
                anywhere = anywhere or (each if not each.table else None)
        return anywhere

    def find_table(self, name: str) -> DictionaryEntry | None:
        """The entry of a table itself."""
        wanted = _plain(name)
        entries = (each for each in self.entries if each.table and not each.column)
        return next((each for each in entries if _plain(each.table) == wanted), None)

    def describe(self, tables: Sequence[Table]) -> tuple[Table, ...]:
        """The tables with the descriptions and units that the entries give them."""
        return tuple(self._described(each) for each in tables)

    def problems(self, tables: Sequence[Table]) -> tuple[str, ...]:
        """A sentence for each entry that describes nothing that is there, with the nearest name."""
        return tuple(text for each in self.entries if (text := _problem(each, tables)))

    def _described(self, table: Table) -> Table:
        own = next(
            (each for each in self.entries if not each.column and _names(table, each.table)), None
        )
        columns = []
        for column in table.columns:
            entry = self.find(table.name, column.name) or self.find(table.source, column.name)
            told = {} if entry is None else {"description": entry.description, "unit": entry.unit}
            columns.append(column.model_copy(update={k: v for k, v in told.items() if v}))
        changed: dict[str, object] = {"columns": tuple(columns)}
        if own is not None and own.description:
            changed["description"] = own.description
        return table.model_copy(update=changed)


def statistics_of(column: Column) -> Statistics:
    """What a profile knows of the values."""
    return Statistics(
        rows=column.rows,
        missing=column.missing,
        distinct=column.distinct,
        minimum=column.minimum,
        maximum=column.maximum,
        mean=column.mean,
        median=column.quantiles.p50 if column.quantiles else None,
        std=column.std,
        mode=column.top[0].value if column.top else None,
        top=column.top,
    )


def _entry(table: Table, column: Column) -> DictionaryEntry:
    return DictionaryEntry(
        table=table.name,
        column=column.name,
        description=column.description or in_words(column),
        type=column.type,
        unit=column.unit,
        statistics=statistics_of(column),
    )


def in_words(column: Column) -> str:
    """What a profile says of a column, in a sentence, for one that nobody has described."""
    name = " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", column.name).split())
    name = name[:1].upper() + name[1:] or column.name
    if column.rows == column.missing:
        return f"{name}: without any value"
    if column.role == "id":
        unique = column.distinct == column.rows - column.missing
        return f"{name}: {'a different value' if unique else 'an identifier'} in each row"
    if column.role == "boolean":
        return f"{name}: yes or no"
    if column.role == "category":
        return f"{name}: {_categories(column)}"
    if column.role in ("measure", "time") and column.minimum is not None:
        unit = f" {column.unit}" if column.unit else ""
        mean = f", {column.mean:.6g} on average" if column.mean is not None else ""
        mean = mean if column.role == "measure" else ""
        return f"{name}: from {column.minimum} to {column.maximum}{unit}{mean}"
    return f"{name}: {'text' if column.type == 'text' else column.type}"


def _categories(column: Column) -> str:
    shown = ", ".join(column.values[:_CATEGORIES_SHOWN])
    if column.distinct == 1:
        return f"always {shown}"
    more = ", ..." if column.distinct > _CATEGORIES_SHOWN else ""
    return f"one of {column.distinct:,} values: {shown}{more}"


def _problem(entry: DictionaryEntry, tables: Sequence[Table]) -> str | None:
    where = f"{entry.place}: " if entry.place else ""
    named = [each for each in tables if not entry.table or _names(each, entry.table)]
    if not named:
        known = ", ".join(each.name for each in tables)
        meant = nearest(entry.table, [name for each in tables for name in (each.name, each.source)])
        return f"{where}there is no table {entry.table!r}{_hint(meant)} (tables: {known})"
    wanted = _plain(entry.column)
    columns = [column.name for each in named for column in each.columns]
    if not entry.column or any(_plain(name) == wanted for name in columns):
        return None
    home = f"the table {named[0].name} has" if entry.table else "no table has"
    no = "no " if entry.table else "a "
    return f"{where}{home} {no}column {entry.column!r}{_hint(nearest(entry.column, columns))}"


def _hint(meant: str | None) -> str:
    return f"; did you mean {meant!r}?" if meant else ""


def _names(table: Table, name: str) -> bool:
    return bool(name) and _plain(name) in (_plain(table.name), _plain(table.source))


def _plain(name: str) -> str:
    """A name without what people write differently: case, blanks, marks."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", "", folded) or folded


def taken_over(name: str, kind: str, entry: DictionaryEntry) -> DictionaryEntry:
    """A column of a table as it stands in a result. Its statistics were those of all rows."""
    home = f"{entry.table}.{entry.column}" if entry.table else entry.column
    return entry.model_copy(
        update={
            "table": "", "column": name, "type": kind, "made_from": (home,), "statistics": None,
        }
    )  # fmt: skip


def shortened(text: str) -> str:
    """The text as one line of a description."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def as_yaml(dictionary: DataDictionary) -> bytes:
    """The entries as a file that a dictionary can be read from again."""
    import yaml

    entries = [
        {key: value for key, value in each.items() if key not in ("statistics", "place")}
        for each in shown_entries(dictionary)
    ]
    text: str = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=1000)
    return text.encode()


def shown_entries(dictionary: DataDictionary) -> Iterator[dict[str, object]]:
    """The entries as plain data without what is empty."""
    for each in dictionary.entries:
        yield each.model_dump(mode="json", exclude_defaults=True)
