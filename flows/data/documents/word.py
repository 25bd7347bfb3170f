"""Word's .docx to paragraphs under their headings."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flows.data.documents.blocks import Block, Headings, UnreadableDocument, one_line

if TYPE_CHECKING:
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_MOST_UNPACKED = 200 << 20
_MOST_MEMBERS = 10_000
_OLD_WORD = b"\xd0\xcf\x11\xe0"
_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BREAKS = frozenset({f"{_NAMESPACE}{name}" for name in ("tab", "br", "cr")})


def read_docx(content: bytes) -> Iterator[Block]:
    """The paragraphs and the rows of tables. Errors: `UnreadableDocument` for what is no
    document, for one with a password, and for one that would unpack to too much."""
    if content.startswith(_OLD_WORD):
        raise UnreadableDocument(
            "has a password, or is of the old kind .doc; save it as a plain .docx"
        )
    _check_archive(content)
    try:
        from docx import Document

        yield from _blocks(Document(io.BytesIO(content)))
    except (KeyError, ValueError, SyntaxError, zipfile.BadZipFile, zlib.error, OSError) as error:
        raise UnreadableDocument(f"is a broken .docx: {one_line(str(error))[:200]}") from error


def _check_archive(content: bytes) -> None:
    """Only what the archive says that it holds is ever unpacked, so that this bounds it."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise UnreadableDocument(f"is a broken .docx: {one_line(str(error))[:200]}") from error
    total = sum(each.file_size for each in members)
    if total > _MOST_UNPACKED or len(members) > _MOST_MEMBERS:
        raise UnreadableDocument(
            f"would unpack to {total >> 20:,} MB in {len(members):,} files; at most "
            f"{_MOST_UNPACKED >> 20} MB are read"
        )
    if not any(each.filename == "word/document.xml" for each in members):
        raise UnreadableDocument("is no Word document: the archive holds none")


def _blocks(document: Any) -> Iterator[Block]:
    from docx.text.paragraph import Paragraph

    headings = Headings()
    tables = 0
    for item in document.iter_inner_content():
        if not isinstance(item, Paragraph):
            tables += 1
            yield from _rows(item, headings.path, tables)
        elif text := one_line(_text(item)):
            if level := _level(item):
                headings.enter(level, text)
            else:
                yield Block(text=text, section=headings.path)


def _rows(table: Table, section: str, number: int) -> Iterator[Block]:
    for row in table.rows:
        # A cell that spans several columns is told for each of them.
        parts = [each._tc for each in row.cells]
        cells = [one_line(_text_below(each)) for each in parts]
        if text := " | ".join(filter(None, dict.fromkeys(cells))):
            kept = tuple("" if parts[n] in parts[:n] else each for n, each in enumerate(cells))
            yield Block(text=text, section=section, table=number, cells=kept)


def _level(paragraph: Paragraph) -> int:
    """1 for a title or a first heading, 0 for what is none."""
    style = paragraph.style
    name = (style.name or "") if style is not None else ""
    if name == "Title":
        return 1
    number = name.removeprefix("Heading ")
    return int(number) if name != number and number.isdecimal() and len(number) == 1 else 0


def _text(paragraph: Paragraph) -> str:
    return _text_below(paragraph._p)


def _text_below(element: Any) -> str:
    """All text, what was inserted with changes tracked too; what was deleted is another tag."""
    parts: list[str] = []
    skipped: set[Any] = set()
    for each in element.iter():
        if each.tag == _FALLBACK or each.getparent() in skipped:
            skipped.add(each)
        elif each.tag == f"{_NAMESPACE}t":
            parts.append(each.text or "")
        elif each.tag in _BREAKS or (each.tag == f"{_NAMESPACE}p" and parts):
            parts.append(" ")
    return "".join(parts)
