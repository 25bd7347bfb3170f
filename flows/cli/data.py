"""`flows data`: what files, folders and databases hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import AsJson

if TYPE_CHECKING:
    from flows.data.tables import Table

PREVIEW_ROWS = 1000
VALUES_SHOWN = 50
PAGES = (".html", ".htm")


def data(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Files, folders, patterns or addresses of databases; NAME=FILE gives one a name.",
            show_default=False,
        ),
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(help="Only that table; may be given more than once.", metavar="NAME"),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help=f"Look at the first {PREVIEW_ROWS:,} rows only.")
    ] = False,
    dictionary: Annotated[
        Path | None,
        typer.Option(help="A file that says what tables and columns mean.", metavar="FILE"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that any browser opens.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what data holds: columns, types, roles, gaps, values, keys, likely joins.

    CSV, Parquet, JSON, Excel, SQLite and DuckDB files, folders of them, and PostgreSQL and MySQL
    by their addresses. Several are looked at together, so that joins between them are found. A
    profile is kept in .flows/profiles until its file changes.

    Examples:

      flows data sales.csv
      flows data sales.csv shops.parquet --html profile.html
      flows data huge.csv --preview
      flows data shops.db --table orders --json
      flows data sales.csv --dictionary columns.csv

    Exit codes: 0; 2 wrong usage, or a source or dictionary that cannot be read.
    """
    from flows.cli.output import write_json
    from flows.ui.console import make_console

    found = chosen(read_tables(sources, preview=preview, dictionary=dictionary), table or ())
    first = PREVIEW_ROWS if preview else None
    if html is not None:
        write_page(html, found, first)
    if as_json:
        write_json(as_data(found, preview=preview))
    elif html is None:
        from flows.ui.profile import show_profiles

        show_profiles(make_console(), found, first=first)
    else:
        print(f"{html}: written")
    return 0


def read_tables(sources: list[str], *, preview: bool, dictionary: Path | None) -> tuple[Table, ...]:
    """The profiled tables. Errors: `UsageError` for what cannot be read."""
    from flows.data.dictionary_catalog import with_dictionary
    from flows.data.meaning.dictionary_file import read_dictionary
    from flows.errors import SourceError, UsageError
    from flows.services.sources import read_sources

    named = {each.name: each.where for each in read_sources(sources)}
    known = None if dictionary is None else read_dictionary(dictionary)
    try:
        tables = previewed(named) if preview else profiled(named)
    except SourceError as error:
        raise UsageError(str(error)) from error
    return tables if known is None else with_dictionary(tables, known)


def profiled(named: dict[str, str]) -> tuple[Table, ...]:
    """The tables of all rows."""
    from flows.data.catalog import Catalog
    from flows.data.profiles.cache import PROFILES

    with Catalog(named, Path.cwd(), PROFILES) as catalog:
        return catalog.tables()


def previewed(named: dict[str, str]) -> tuple[Table, ...]:
    """The tables of the first rows."""
    from flows.data.catalog import Catalog

    with Catalog(named, Path.cwd()) as catalog:
        return catalog.preview(PREVIEW_ROWS)


def chosen(tables: tuple[Table, ...], names: list[str] | tuple[str, ...]) -> tuple[Table, ...]:
    """The tables of these names. Errors: `UsageError` for a name that none has."""
    from flows.errors import UsageError, nearest

    known = {each.name.casefold(): each.name for each in tables}
    for name in names:
        if name.casefold() not in known:
            meant = nearest(name, known.values())
            hint = f"\ndid you mean: {meant}" if meant else ""
            allowed = ", ".join(known.values()) or "none"
            raise UsageError(f"there is no table {name!r}{hint}\nallowed: {allowed}")
    wanted = {name.casefold() for name in names}
    return tuple(each for each in tables if not wanted or each.name.casefold() in wanted)


def as_data(tables: tuple[Table, ...], *, preview: bool) -> dict[str, object]:
    """The profiles as JSON has them, with the entries of the data dictionary. Of a column with
    many values only the most frequent ones are in it, as `top`."""
    from flows.data.meaning.dictionary import DataDictionary, shown_entries

    return {
        "preview": preview,
        "tables": [each.model_dump(mode="json") for each in map(shortened, tables)],
        "dictionary": list(shown_entries(DataDictionary.of_tables(tables))),
    }


def shortened(table: Table) -> Table:
    """The table without the long lists of values."""
    columns = [
        each.model_copy(update={"values": (), "values_complete": False})
        if len(each.values) > VALUES_SHOWN
        else each
        for each in table.columns
    ]
    return table.model_copy(update={"columns": tuple(columns)})


def write_page(path: Path, tables: tuple[Table, ...], first: int | None) -> None:
    """Write the page whole. Errors: `UsageError` for a file that is something else than a page,
    and for one that cannot be written."""
    from flows.services.files import check_ending, check_writable, write_file
    from flows.ui.profile_page import profile_page

    check_ending(path, PAGES, "page")
    check_writable(path)
    names = ", ".join(dict.fromkeys(each.source for each in tables))
    write_file(path, profile_page(tables, names, first).encode())
