"""Which files are documents, and reading one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Final

from flows.data.documents.blocks import Block, UnreadableDocument
from flows.data.documents.html import read_html
from flows.data.documents.pdf import read_pdf
from flows.data.documents.pdf_layout import read_pdf_layout
from flows.data.documents.text import (
    read_markdown,
    read_markdown_layout,
    read_text,
    read_text_layout,
)
from flows.data.documents.word import read_docx

# Another number for each change of what is read from a file.
VERSION: Final = 3
MOST_CHARACTERS: Final = 5_000_000

_READERS: Final[dict[str, Callable[[bytes], Iterator[Block]]]] = {
    ".pdf": read_pdf,
    ".txt": read_text,
    ".text": read_text,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".docx": read_docx,
    ".html": read_html,
    ".htm": read_html,
}
KINDS: Final = tuple(_READERS)
_BY_LAYOUT: Final[dict[str, Callable[[bytes], Iterator[Block]]]] = {
    ".pdf": read_pdf_layout,
    ".txt": read_text_layout,
    ".text": read_text_layout,
    ".md": read_markdown_layout,
    ".markdown": read_markdown_layout,
}
# Documents that are not read, with the kind to save them as.
OTHERS: Final = {
    ".doc": ".docx", ".rtf": ".docx", ".odt": ".docx", ".epub": ".html", ".xps": ".pdf",
    ".ppt": ".pdf", ".pptx": ".pdf", ".odp": ".pdf",
}  # fmt: skip


def kind_of(name: str) -> str:
    """The ending of a document's name, in small letters."""
    return PurePath(name).suffix.lower()


def read_document(kind: str, content: bytes, *, layout: bool = False) -> tuple[Block, ...]:
    """The paragraphs of a document of one of the `KINDS`. By its `layout` a PDF has headings and
    tables too, and so have plain text and Markdown. Errors: `UnreadableDocument` says why."""
    if not content:
        raise UnreadableDocument("is empty")
    found: list[Block] = []
    total = 0
    read = _BY_LAYOUT.get(kind, _READERS[kind]) if layout else _READERS[kind]
    for block in read(content):
        total += len(block.text)
        if total > MOST_CHARACTERS:
            raise UnreadableDocument(f"has more than {MOST_CHARACTERS:,} characters; part it")
        found.append(block)
    if not found:
        scanned = " (a scan has to go through text recognition first)" if kind == ".pdf" else ""
        raise UnreadableDocument(f"holds no text{scanned}")
    return tuple(found)
