"""The one door by which flows keep what they made: tables, figures, code, models, other files.

Each is one artifact of the run: a table is JSON (which citations read), Parquet and a safe CSV
under one name; a plotly figure is a page that opens offline and its JSON.
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

from flows.core.artifacts import Artifact, Origin, What
from flows.core.run import Run
from flows.core.sandbox import MadeFigure, MadeFile, MadeTable
from flows.data.meaning.dictionary import DataDictionary, as_yaml
from flows.data.query import Exported
from flows.data.results.csv_formulas import KINDS as CSV_KINDS
from flows.data.results.csv_formulas import defuse
from flows.data.results.figures import Plotly, checked_plotly, checked_png, figure_json, figure_page
from flows.data.results.parquet import read_parquet, write_parquet
from flows.data.results.safe_csv import write_csv
from flows.data.tables import ResultTable
from flows.errors import CodeFailed

# Of a table that came out of the sandbox, what is kept as JSON and CSV; its Parquet holds all.
ROWS_KEPT: Final = 100_000
CELLS_KEPT: Final = 2_000_000
_SKOPS: Final = b"PK\x03\x04"
_KIND: Final = re.compile(r"[a-z0-9]{1,10}")
# What a double click would run, or show as a page with scripts, is kept as plain text.
_ACTIVE_KINDS: Final = (
    "htm html xhtml xht mht mhtml svg xml js mjs hta vbs bat cmd com exe ps1 sh scr lnk url "
    "desktop jar reg msi pkl pickle joblib"
)
_ACTIVE: Final = frozenset(_ACTIVE_KINDS.split(" "))


async def keep_table(
    run: Run,
    result: ResultTable,
    stem: str = "result",
    description: str = "",
    origin: Origin | None = None,
    dictionary: DataDictionary | None = None,
) -> Artifact:
    """Keep a result. Without an `origin` it is the result's own query and sources. `dictionary`
    says what its columns are; it is kept as YAML beside the table."""
    body, parquet, csv = await asyncio.to_thread(_forms_of, result)
    made_of = origin or Origin(query=result.sql or None, inputs=result.sources)
    forms = {"parquet": parquet, "csv": csv}
    if dictionary is not None:
        forms["yaml"] = as_yaml(dictionary)
    described = description or result.sql or stem
    return run.save(stem, "json", body, described, made_of, what="table", forms=forms)


def keep_as_json(run: Run, result: ResultTable, stem: str = "result") -> Artifact:
    """Keep a result in the one form that citations read, where thousands of them are made."""
    made_of = Origin(query=result.sql or None, inputs=result.sources)
    body = result.model_dump_json().encode()
    return run.save(stem, "json", body, result.sql or stem, made_of, what="table")


async def keep_made_table(
    run: Run, made: MadeTable, origin: Origin, dictionary: DataDictionary | None = None
) -> Artifact:
    """Keep a table that came out of the sandbox, with what its columns are, as `keep_table` does.

    Errors: `CodeFailed` if it cannot be read.
    """
    kept = {"most_rows": ROWS_KEPT, "most_cells": CELLS_KEPT}
    result, total = await asyncio.to_thread(read_parquet, made.parquet, **kept)
    body = result.model_dump_json().encode()
    csv = await asyncio.to_thread(write_csv, result.columns, result.rows)
    cut = f", of which the CSV has the first {len(result.rows):,}" if result.truncated else ""
    described = f"{made.name}: {total:,} rows, {len(result.columns)} columns{cut}"
    forms = {"parquet": made.parquet, "csv": csv}
    if dictionary is not None:
        forms["yaml"] = as_yaml(dictionary)
    return run.save(made.name, "json", body, described, origin, what="table", forms=forms)


async def keep_exported(
    run: Run, found: Exported, stem: str = "result", dictionary: DataDictionary | None = None
) -> Artifact:
    """Keep a query's result: its first rows as JSON and CSV, all of them as Parquet."""
    result = found.table
    body = await asyncio.to_thread(lambda: result.model_dump_json().encode())
    csv = await asyncio.to_thread(write_csv, result.columns, result.rows)
    forms = {"parquet": found.parquet, "csv": csv}
    if dictionary is not None:
        forms["yaml"] = as_yaml(dictionary)
    cut = f"; of {found.total:,} rows the CSV has the first {len(result.rows):,}"
    described = f"{result.sql}{cut if result.truncated else ''}"
    made_of = Origin(query=result.sql or None, inputs=result.sources)
    return run.save(stem, "json", body, described, made_of, what="table", forms=forms)


async def keep_figure(run: Run, made: MadeFigure, origin: Origin) -> Artifact:
    """Keep a figure: a PNG as it is, one of plotly as a page, JSON and a PNG. What drew the PNG in
    place of a browser, or why there is none, is a notice.

    Errors: `CodeFailed` when it is neither.
    """
    title = made.title or made.name
    if made.plotly is not None:
        figure = checked_plotly(made.plotly, made.name)
        page = await asyncio.to_thread(figure_page, figure, title)
        forms = {"json": figure_json(figure)}
        png = await _png_of(run, figure) if made.png is None else made.png
        if png is not None:
            forms["png"] = checked_png(png, made.name)
        return run.save(made.name, "html", page, title, origin, what="figure", forms=forms)
    if made.png is None:
        raise CodeFailed(f"the figure {made.name!r} is empty")
    png = checked_png(made.png, made.name)
    return run.save(made.name, "png", png, title, origin, what="figure")


async def _png_of(run: Run, figure: Plotly) -> bytes | None:
    """The picture of a figure of plotly; None where nothing here can draw it."""
    from flows.report.pictures.picture import picture_of

    try:
        picture = await picture_of(figure)
    except ValueError as error:
        run.notice(f"A figure has no PNG: {error}.")
        return None
    if picture.instead:
        run.notice(f"Figures are PNGs by matplotlib, not by a browser: {picture.instead}.")
    return picture.png


async def keep_code(
    run: Run, code: str, stem: str, language: str, origin: Origin | None = None
) -> Artifact:
    """Keep a piece of code as a file; `language` is its extension, `py` or `sql`."""
    lines = code.strip().splitlines()
    described = lines[0][:200] if lines else stem
    body = code.encode("utf-8", "replace")
    return run.save(stem, language, body, described, origin, what="code")


async def keep_model(run: Run, made: MadeFile, origin: Origin) -> Artifact:
    """Keep a model that skops wrote; nothing loads it here. Errors: `CodeFailed` for others."""
    if made.kind != "skops" or not made.content.startswith(_SKOPS):
        raise CodeFailed(f"the model {made.name!r} is no skops file")
    return run.save(made.name, "skops", made.content, made.name, origin, what="model")


async def keep_file(run: Run, made: MadeFile, origin: Origin) -> Artifact:
    """Keep any other file that code wrote; one that a double click would run becomes text, and
    cells of CSV that a spreadsheet would run get an apostrophe, which the description says."""
    kind = made.kind.lower().lstrip(".")
    kept = kind if _KIND.fullmatch(kind) and kind not in _ACTIVE else "txt"
    content, note = made.content, ""
    if kept in CSV_KINDS:
        try:
            defused = await asyncio.to_thread(defuse, made.content)
        except UnicodeError:
            kept = "txt"
        else:
            content = defused.content
            if defused.cells:
                note = f" (an apostrophe was put before formulas: {defused.cells:,})"
    what: What = "code" if kept in ("py", "sql") else "file"
    described = f"{made.name}{note}" if kept == kind else f"{made.name} (kept as text)"
    return run.save(made.name, kept, content, described, origin, what=what)


def _forms_of(result: ResultTable) -> tuple[bytes, bytes, bytes]:
    """A result as JSON, Parquet and CSV."""
    body = result.model_dump_json().encode()
    return body, write_parquet(result), write_csv(result.columns, result.rows)
