"""PDF to paragraphs with their pages."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

from flows.data.documents.blocks import Block, UnreadableDocument, one_line

if TYPE_CHECKING:
    from pypdf import PdfReader

_MOST_PAGES = 5_000
# A line that is shorter than this share of the longest ends its paragraph.
_FULL = 0.6
_BEGINS = re.compile(r"\s*(?:[-*•‣▪]\s|\d{1,3}[.)]\s|[^\W\d_a-z])")


def read_pdf(content: bytes) -> Iterator[Block]:
    """The paragraphs of a PDF. Errors: `UnreadableDocument` for an encrypted or broken one."""
    with opened(content) as reader:
        for number, page in enumerate(reader.pages, start=1):
            yield from _of_page(page.extract_text(), number)


@contextmanager
def opened(content: bytes) -> Iterator[PdfReader]:
    """A PDF whose pages can be read. Errors: `UnreadableDocument`, inside of it too."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it says is said by the reason
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not _opened(reader):
            raise UnreadableDocument("is encrypted; save it without a password")
        pages = len(reader.pages)
        if pages > _MOST_PAGES:
            raise UnreadableDocument(f"has {pages:,} pages; at most {_MOST_PAGES:,} are read")
        yield reader
    except PyPdfError as error:
        raise UnreadableDocument(f"is a broken PDF: {one_line(str(error))[:200]}") from error


def _opened(reader: object) -> bool:
    """Whether an empty password opens it, as for those that only forbid to print."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, PyPdfError

    assert isinstance(reader, PdfReader)
    try:
        return bool(reader.decrypt(""))
    except (DependencyError, PyPdfError, NotImplementedError):
        return False


def _of_page(text: str, page: int) -> Iterator[Block]:
    lines = text.splitlines()
    longest = max((len(each.strip()) for each in lines), default=0)
    held = ""
    for line, after in pairwise([*lines, ""]):
        said = one_line(line)
        held = joined(held, said)
        short = len(line.strip()) < _FULL * longest
        ends = not said or not after.strip() or (short and _BEGINS.match(after))
        if ends and held:
            yield Block(text=held, page=page)
            held = ""


def joined(text: str, line: str) -> str:
    """A line after those before; a word that was parted at the end of a line is whole again."""
    if re.search(r"[^\W\d_]-$", text) and line[:1].islower():
        return text[:-1] + line
    return f"{text} {line}".strip()
