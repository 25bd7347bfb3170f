"""Workbooks (.xlsx .xls .xlsb .ods): each sheet with data becomes a table, kept as Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.data.files.sources import DataFile, Source, table_name
from flows.data.files.text_copy import free_path
from flows.data.files.workbook_limits import check_workbook
from flows.errors import SourceError, nearest

if TYPE_CHECKING:
    import pyarrow
    from python_calamine import CalamineSheet

_TITLE_ROWS = 10


@dataclass(frozen=True, slots=True)
class ExcelSheet:
    """A sheet as a table. `table` is the SQL name that follows from the sheet's, `path` a Parquet
    file."""

    table: str
    path: Path
    notes: tuple[str, ...]


def read_sheets(source: Source, file: DataFile, scratch: Path) -> list[ExcelSheet]:
    """The sheets that hold a table, in the workbook's order, each written into `scratch`.

    Raises SourceError when there is none, the workbook is damaged, or it unpacks to too much.
    """
    from pyarrow import parquet

    sheets = []
    for title, rows in _rows_of_sheets(source, file.path):
        found = _table(rows, source.options.header if source.options else None)
        if found is not None:
            table, notes = found
            path = free_path(scratch, file.table, "parquet")
            parquet.write_table(table, path)
            noted = tuple(f"sheet {title!r}: {note}" for note in notes)
            sheets.append(
                ExcelSheet(table_name(title[:40]) if title.strip() else "sheet", path, noted)
            )
    if not sheets:
        raise SourceError(f"source '{source.name}': {file.path} holds no sheet with values")
    return sheets


def _rows_of_sheets(source: Source, path: Path) -> Iterator[tuple[str, list[list[Any]]]]:
    """The name of each sheet and its filled rows, one sheet after the other."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

    check_workbook(source.name, path)
    only = source.options.sheet if source.options else None
    try:
        with CalamineWorkbook.from_path(str(path)) as book:
            kept = SheetTypeEnum.WorkSheet
            names = [each.name for each in book.sheets_metadata if each.typ == kept]
            if only is not None and only not in names:
                near = nearest(only, names)
                meant = f"; did you mean {near!r}?" if near else ""
                raise SourceError(
                    f"source '{source.name}': {path} has no sheet {only!r}{meant} "
                    f"(sheets: {', '.join(names)})"
                )
            chosen = names if only is None else [only]
            for each in chosen:
                yield each, _filled_rows(book.get_sheet_by_name(each))
    except (CalamineError, OSError, ValueError) as error:
        raise SourceError(f"source '{source.name}': cannot read {path}: {error}") from error
    except BaseException as error:
        # A damaged file that the library did not expect; its class has no name to catch it by.
        if type(error).__name__ != "PanicException":
            raise
        raise SourceError(
            f"source '{source.name}': cannot read {path}: it is damaged ({error})"
        ) from error


def _filled_rows(sheet: CalamineSheet) -> list[list[Any]]:
    """The rows that hold a value, each up to its last one."""
    rows = []
    for row in sheet.iter_rows() if sheet.height else ():
        end = len(row)
        while end and not _is_value(row[end - 1]):
            end -= 1
        if end:
            rows.append(row[:end])
    return rows


def _table(
    rows: list[list[Any]], has_header: bool | None
) -> tuple[pyarrow.Table, list[str]] | None:
    """Rows without empty ones as a typed table, and notes; None when there are none."""
    import pyarrow

    if not rows:
        return None
    width = max(map(len, rows))
    start = min(next(at for at, cell in enumerate(row) if _is_value(cell)) for row in rows)
    cut = [(row + [None] * (width - len(row)))[start:] for row in rows]
    skipped = _title_rows(cut) if has_header is not False else 0
    notes = [f"{skipped} row(s) above the table were left out"] if skipped else []
    body = cut[skipped:]
    header = has_header if has_header is not None else _looks_like_header(body)
    names = _names(body[0]) if header else [f"column{at}" for at in range(width - start)]
    body = body[1:] if header else body
    columns = {name: _array([row[at] for row in body]) for at, name in enumerate(names)}
    used = {
        name: array
        for (name, array), cell in zip(columns.items(), cut[skipped], strict=True)
        if array.null_count < len(array) or (header and _is_value(cell))
    }
    return pyarrow.table(used), notes


def _is_value(cell: Any) -> bool:
    return cell is not None and not (isinstance(cell, str) and not cell.strip())


def _title_rows(rows: Sequence[Sequence[Any]]) -> int:
    """How many rows at the top are a title: they fill a cell where the table fills several."""
    usual = Counter(sum(map(_is_value, row)) for row in rows[:200]).most_common(1)[0][0]
    if usual < 2:
        return 0
    for at, row in enumerate(rows[:_TITLE_ROWS]):
        if sum(map(_is_value, row)) >= max(2, usual * 0.6):
            return at
    return 0


def _looks_like_header(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the first row is names: all text and all different."""
    first = [cell for cell in rows[0] if _is_value(cell)]
    if not all(isinstance(cell, str) for cell in first):
        return all(isinstance(cell, str) or _is_year(cell) for cell in first) and any(
            isinstance(cell, str) for cell in first
        )
    return len(set(first)) == len(first) or len(rows) == 1


def _is_year(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and cell == int(cell) and 1500 <= cell <= 2199


def _names(cells: Sequence[Any]) -> list[str]:
    names: dict[str, None] = {}
    for at, cell in enumerate(cells):
        shown = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
        name = " ".join(str(shown).split()) if _is_value(cell) else f"column{at}"
        number, new = 1, name
        while new.casefold() in {each.casefold() for each in names}:
            new, number = f"{name}_{number}", number + 1
        names[new] = None
    return list(names)


def _array(cells: Sequence[Any]) -> pyarrow.Array:
    """The cells of a column in the one type that all have; text when they have several."""
    import pyarrow

    values = [cell if _is_value(cell) else None for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int, float}:
        whole = all(value is None or float(value).is_integer() for value in values)
        if whole and all(value is None or abs(value) < 2**53 for value in values):
            return pyarrow.array([None if v is None else int(v) for v in values], pyarrow.int64())
        return pyarrow.array(values, pyarrow.float64())
    if kinds == {bool}:
        return pyarrow.array(values, pyarrow.bool_())
    if kinds and kinds <= {date, datetime}:
        if all(value is None or _is_day(value) for value in values):
            days = [value.date() if isinstance(value, datetime) else value for value in values]
            return pyarrow.array(days, pyarrow.date32())
        moments = [
            datetime.combine(v, time()) if v is not None and not isinstance(v, datetime) else v
            for v in values
        ]
        return pyarrow.array(moments, pyarrow.timestamp("us"))
    if kinds == {time}:
        return pyarrow.array(values, pyarrow.time64("us"))
    return pyarrow.array([None if v is None else _as_text(v) for v in values], pyarrow.string())


def _is_day(value: date) -> bool:
    return not isinstance(value, datetime) or value.time() == time()


def _as_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
