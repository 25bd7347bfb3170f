"""What DuckDB finds out about a CSV file by itself: looked at once, since each look takes long."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

_NONE = "(empty)"


def literal(value: str) -> str:
    """A value as an SQL text literal."""
    return "'" + value.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class Sniffed:
    """How a file is written. `columns` are names and DuckDB's types; `skipped` are lines above;
    `days` and `moments` are how it reads dates and times, empty where there are none."""

    delimiter: str
    quote: str
    escape: str
    skipped: int
    has_header: bool
    columns: tuple[tuple[str, str], ...]
    days: str = ""
    moments: str = ""

    def fixed(self, file: str) -> str:
        """The file and options of `read_csv`, with these instead of what it would look for."""
        options = {
            "delim": literal(self.delimiter),
            "quote": literal(self.quote),
            "escape": literal(self.escape),
            "skip": str(self.skipped),
            "header": str(self.has_header).lower(),
        }
        more = [f", {name}={value}" for name, value in options.items() if f", {name}=" not in file]
        return file + "".join(more)


class Sniffer:
    """Looks at each file once for each set of options."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._found: dict[str, Sniffed] = {}

    def look(self, file: str) -> Sniffed:
        """`file` is what stands between the brackets of `read_csv`. Raises `duckdb.Error`."""
        if file not in self._found:
            row = self._connection.execute(
                "SELECT Delimiter, Quote, Escape, SkipRows, HasHeader, Columns, DateFormat, "
                "TimestampFormat "
                f"FROM sniff_csv({file})"
            ).fetchone()
            if row is None:
                raise duckdb.InvalidInputException("nothing was found out about the file")
            self._found[file] = Sniffed(
                delimiter=_mark(row[0]),
                quote=_mark(row[1]),
                escape=_mark(row[2]),
                skipped=int(row[3] or 0),
                has_header=bool(row[4]),
                columns=tuple((str(each["name"]), str(each["type"])) for each in row[5]),
                days=str(row[6] or ""),
                moments=str(row[7] or ""),
            )
        return self._found[file]


def _mark(found: object) -> str:
    return "" if found in (None, _NONE) else str(found)
