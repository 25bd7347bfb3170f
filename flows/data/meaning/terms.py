"""The file of a glossary: CSV with a keyword, the value that the data has for it, its entity."""

from __future__ import annotations

import codecs
import csv
import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from flows.data.meaning.meanings import Meaning
from flows.errors import SourceError

HEADINGS = ("keyword", "keyword_in_the_data", "entity")
_SPELLINGS = {
    "keyword": ("keyword", "keywords", "term", "word", "phrase"),
    "keyword_in_the_data": (
        "keyword_in_the_data", "keyword_in_data", "in_the_data", "data_value", "value",
    ),
    "entity": ("entity", "entities", "kind", "column"),
}  # fmt: skip
_DELIMITERS = (",", ";", "\t", "|")
_LONGEST = {"keyword": 120, "keyword_in_the_data": 200, "entity": 60}
_MOST_BYTES = 16 * 1024 * 1024
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Term(Meaning):
    """A row of the file. `line` is where it begins, from 1."""

    line: int = 0


@dataclass(frozen=True, slots=True)
class GlossarySheet:
    """What a glossary's file holds: its terms in their order, and how a row of it is written."""

    terms: tuple[Term, ...] = ()
    encoding: str = "utf-8"
    delimiter: str = ","
    order: tuple[str, ...] = ()
    ends_line: bool = True


def read_sheet(path: Path) -> GlossarySheet:
    """The file's content; a file that is not there or empty has no terms.

    Errors: `SourceError` with file and line for a heading or a row that cannot be read.
    """
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return GlossarySheet()
    except OSError as error:
        raise SourceError(f"the glossary {path} cannot be read: {error.strerror}") from error
    return parse_sheet(path, content)


def parse_sheet(path: Path, content: bytes) -> GlossarySheet:
    """The sheet that these bytes are. Errors: `SourceError` with file and line."""
    if len(content) > _MOST_BYTES:
        raise SourceError(f"the glossary {path} is larger than {_MOST_BYTES:,} bytes")
    text, encoding = _decoded(path, content)
    if not text.strip():
        return GlossarySheet(encoding=encoding)
    first = text.lstrip("\r\n").splitlines()[0]
    delimiter = max(_DELIMITERS, key=lambda each: len(set(_names(first, each)) & set(HEADINGS)))
    rows = _rows(path, text, delimiter)
    line, cells = next(rows)
    order = tuple(_names(delimiter.join(cells), delimiter))
    _check_heading(path, line, order, cells)
    terms = tuple(_term(path, number, order, row) for number, row in rows)
    return GlossarySheet(terms, encoding, delimiter, order, text.endswith(("\n", "\r")))


def row_text(sheet: GlossarySheet, meaning: Meaning) -> str:
    """A meaning as a row of that sheet, with the heading before it if there is none yet."""
    order = sheet.order or HEADINGS
    cells = dict(zip(HEADINGS, (meaning.keyword, meaning.value, meaning.entity), strict=True))
    written = StringIO()
    writer = csv.writer(written, delimiter=sheet.delimiter, lineterminator="\n")
    if not sheet.order:
        writer.writerow(order)
    elif not sheet.ends_line:
        written.write("\n")
    writer.writerow([cells.get(name, "") for name in order])
    return written.getvalue()


def check_meaning(meaning: Meaning) -> None:
    """Errors: `SourceError` for what no row may hold."""
    cells = zip(HEADINGS, (meaning.keyword, meaning.value, meaning.entity), strict=True)
    for name, text in cells:
        if problem := _problem(name, text):
            raise SourceError(f"the glossary cannot learn {meaning.keyword!r}: {problem}")


@contextmanager
def held(path: Path) -> Iterator[int]:
    """The file, made if it is missing and held against other processes, as a descriptor."""
    try:
        for _ in range(_TRIES):
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(handle), path.stat()):  # else an editor replaced it
                    yield handle
                    return
            except FileNotFoundError:
                continue
            finally:
                os.close(handle)
    except OSError as error:
        raise SourceError(f"the glossary {path} cannot be written: {error.strerror}") from error
    raise SourceError(f"the glossary {path} is replaced again and again while it is written")


def append_row(handle: int, content: bytes) -> None:
    """Add bytes to the end of the file, all or none of them, and see them to the disk."""
    size = os.fstat(handle).st_size
    try:
        written = os.write(handle, content)
        if written < len(content):
            raise OSError(28, "No space left on device")
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, size)
        raise


def read_all(handle: int) -> bytes:
    """The whole content of an opened file."""
    return os.pread(handle, _MOST_BYTES + 1, 0)


def _decoded(path: Path, content: bytes) -> tuple[str, str]:
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if content.startswith(mark):
            return content[len(mark) :].decode(name, errors="replace"), name
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(f"{path}:{line}: the glossary is not UTF-8 text") from error


def _names(line: str, delimiter: str) -> list[str]:
    """The headings of a line by the names that we have for them."""
    found = []
    for cell in line.split(delimiter):
        plain = re.sub(r"\W+", "_", cell.strip(" \t\r\n\"'").casefold()).strip("_")
        found.append(next((name for name, each in _SPELLINGS.items() if plain in each), plain))
    return found


def _check_heading(path: Path, line: int, order: Sequence[str], cells: Sequence[str]) -> None:
    missing = [name for name in HEADINGS if name not in order]
    twice = [name for name in HEADINGS if order.count(name) > 1]
    if missing or twice:
        what = f"lacks {', '.join(missing)}" if missing else f"has {twice[0]} twice"
        raise SourceError(
            f"{path}:{line}: the glossary's heading {what}; it must be {','.join(HEADINGS)}, "
            f"and is: {', '.join(cells)[:200]}"
        )


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, each with the line where it begins."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise SourceError(f"{path}:{line}: this row cannot be read: {error}") from error
        if any(cell.strip() for cell in row):
            yield line, row


def _term(path: Path, line: int, order: Sequence[str], row: Sequence[str]) -> Term:
    if len(row) != len(order):
        hint = "; a comma inside a value needs quotes around it" if len(row) > len(order) else ""
        raise SourceError(
            f"{path}:{line}: this row has {len(row)} values for {len(order)} columns{hint}"
        )
    cells = dict(zip(order, (" ".join(cell.split()) for cell in row), strict=True))
    # The data's own value is kept to the blank.
    cells["keyword_in_the_data"] = row[order.index("keyword_in_the_data")].strip()
    for name in HEADINGS:
        if problem := _problem(name, cells[name]):
            raise SourceError(f"{path}:{line}: {problem}")
    return Term(cells["keyword"], cells["keyword_in_the_data"], cells["entity"], line)


def _problem(name: str, text: str) -> str | None:
    if not text.strip() and name != "entity":
        return f"the {name} is empty"
    if len(text) > _LONGEST[name]:
        return f"the {name} has more than {_LONGEST[name]} characters"
    if not text.isprintable():
        return f"the {name} holds control characters or line breaks"
    if name == "keyword" and not any(each.isalnum() for each in text):
        return f"the keyword {text!r} has no letter or digit"
    return None
