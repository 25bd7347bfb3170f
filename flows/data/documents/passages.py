"""A document as numbered passages in sections: what a reader works through, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import not_

from pydantic import BaseModel, ConfigDict, Field

from flows.data.documents.blocks import Block


class DocumentPassage(BaseModel):
    """A paragraph, item or row of a document; `number` counts from 1. A row of a table has its
    `cells`, and those of the table's first row as `head`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    text: str
    section: str = ""
    page: int | None = None
    line: int | None = None
    table: int = Field(default=0, exclude_if=not_)
    cells: tuple[str, ...] = Field(default=(), exclude_if=not_)
    head: tuple[str, ...] = Field(default=(), exclude_if=not_)

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        if self.page is not None:
            return f"page {self.page}"
        if self.line is not None:
            return f"line {self.line}"
        return self.section or f"passage {self.number}"


class DocumentSection(BaseModel):
    """A section of a document: its path of headings and its passages, `first` to `last`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    first: int
    last: int
    characters: int
    page: int | None = None


class DocumentTable(BaseModel):
    """A table of a document. Rows are as wide as the head; empty cells are "". `title` is the
    section that it stands in, `passages` the number of each row's passage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    title: str
    place: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    passages: tuple[int, ...]


def passages_of(blocks: Sequence[Block]) -> tuple[DocumentPassage, ...]:
    """The paragraphs of a document, numbered."""
    heads: dict[int, tuple[str, ...]] = {}
    found: list[DocumentPassage] = []
    for number, block in enumerate(blocks, start=1):
        head = heads.setdefault(block.table, block.cells) if block.table else ()
        given = block.model_dump(exclude_defaults=True)
        found.append(DocumentPassage(number=number, head=head, **given))
    return tuple(found)


def sections_of(passages: Sequence[DocumentPassage]) -> tuple[DocumentSection, ...]:
    """The sections in order; one that goes on after another is two."""
    return tuple(
        DocumentSection(
            title=title,
            first=inside[0].number,
            last=inside[-1].number,
            characters=sum(len(each.text) for each in inside),
            page=inside[0].page,
        )
        for title, group in groupby(passages, key=lambda each: each.section)
        for inside in [list(group)]
    )


def parts_of(
    passages: Sequence[DocumentPassage], characters: int
) -> tuple[tuple[DocumentPassage, ...], ...]:
    """The passages in parts of about so many characters: whole sections where they fit, and no
    passage in two of them."""
    parts: list[list[DocumentPassage]] = []
    room = 0
    for _, group in groupby(passages, key=lambda each: each.section):
        section = list(group)
        if parts and sum(len(each.text) for each in section) <= room:
            pieces = [section]
        else:
            pieces = list(_pieces(section, characters))
            parts.append([])
        for number, piece in enumerate(pieces):
            if number:
                parts.append([])
            parts[-1] += piece
        room = characters - sum(len(each.text) for each in parts[-1])
    return tuple(tuple(each) for each in parts)


def _pieces(section: Sequence[DocumentPassage], characters: int) -> Iterator[list[DocumentPassage]]:
    held: list[DocumentPassage] = []
    size = 0
    for each in section:
        if held and size + len(each.text) > characters:
            yield held
            held, size = [], 0
        held.append(each)
        size += len(each.text)
    if held:
        yield held


def tables_of(passages: Sequence[DocumentPassage]) -> tuple[DocumentTable, ...]:
    """The tables with a head and at least one row; two columns without a head are labels and
    values, and no table."""
    found: list[DocumentTable] = []
    rows = [each for each in passages if each.table]
    for number, group in groupby(rows, key=lambda each: each.table):
        inside = list(group)
        head = _head(inside)
        if head is None:
            continue
        body = [each for each in inside[1:] if any(each.cells)]
        found.append(
            DocumentTable(
                number=number,
                title=inside[0].section,
                place=inside[0].place,
                head=head,
                rows=tuple(_fitted(each.cells, len(head)) for each in body),
                passages=tuple(each.number for each in body),
            )
        )
    return tuple(found)


def _head(rows: Sequence[DocumentPassage]) -> tuple[str, ...] | None:
    """The names of a table's columns, each once; None where it has none."""
    first = rows[0].cells
    named = [each for each in first if each]
    labelled = any(each.endswith(":") for row in rows for each in row.cells[:1])
    if len(rows) < 2 or len(named) < 2 or labelled:
        return None
    if len(first) == 2 and not _is_series([each.cells[-1] for each in rows]):
        return None
    head: list[str] = []
    for at, each in enumerate(first, start=1):
        name = each or f"column {at}"
        head.append(name if name not in head else f"{name} ({at})")
    return tuple(head)


def _is_series(cells: Sequence[str]) -> bool:
    """Whether numbers stand under a word, as in a table of sizes and counts."""
    first, *others = (any(c.isdigit() for c in each[:2]) for each in cells)
    return not first and len(others) > 1 and all(others)


def _fitted(cells: Sequence[str], width: int) -> tuple[str, ...]:
    return (*cells[:width], *[""] * (width - len(cells)))
