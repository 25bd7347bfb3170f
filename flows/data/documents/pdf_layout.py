"""PDF to paragraphs under headings, and to rows of tables, by where its text stands on the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from flows.data.documents.blocks import Block, Headings, one_line
from flows.data.documents.pdf import joined, opened

if TYPE_CHECKING:
    from pypdf import PdfReader

# Parts of a line with so much room between them stand in different columns.
_APART: Final = re.compile(r"\S+(?: \S+)*")
_NUMBERED: Final = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+([^\W\d_][^\n]{1,78})")
_LONGEST_TITLE: Final = 80
_CAPITALS: Final = 4
# A line that stands on this share of the pages, and on three at least, is their head or foot.
_REPEATED: Final = 0.5
_ITEM: Final = re.compile(r"\s*(?:[-*•‣▪]\s|\d{1,3}[.)]\s)")
_DIGITS: Final = re.compile(r"\d+")


class _Line(NamedTuple):
    """The parts of a line with their places, and its page."""

    parts: tuple[tuple[int, str], ...]
    page: int

    @property
    def text(self) -> str:
        return " ".join(text for _, text in self.parts)


def read_pdf_layout(content: bytes) -> Iterator[Block]:
    """The paragraphs and rows of a PDF. Errors: `UnreadableDocument` for an encrypted or broken
    one."""
    with opened(content) as reader:
        titles = _outline(reader)
        pages = [
            [
                _line(each, number)
                for each in page.extract_text(extraction_mode="layout").split("\n")
            ]
            for number, page in enumerate(reader.pages, start=1)
        ]
    state = _State(titles)
    for page in _without_heads(pages):
        yield from state.blocks(page)


class _State:
    """What goes on from page to page: the headings, and the number of tables."""

    def __init__(self, titles: dict[tuple[int, str], int]) -> None:
        self._titles = titles
        self._headings = Headings()
        self._tables = 0

    def blocks(self, lines: Sequence[_Line]) -> Iterator[Block]:
        held: list[_Line] = []
        at = 0
        while at < len(lines):
            rows = _table_at(lines, at)
            line = lines[at]
            level = 0 if rows else self._level(line)
            ends = not line.parts and not _goes_on(held, lines[at + 1 : at + 2])
            if rows or level or ends or (held and _ITEM.match(line.text)):
                yield from self._paragraph(held)
                held = []
            if rows:
                yield from self._rows([each for each in lines[at : at + rows] if each.parts])
                at += rows
                continue
            if level:
                self._headings.enter(level, one_line(line.text))
            elif line.parts:
                held.append(line)
            at += 1
        yield from self._paragraph(held)

    def _level(self, line: _Line) -> int:
        """The level of a heading, from 1; 0 for what is none."""
        text = one_line(line.text)
        if not text or len(text) > _LONGEST_TITLE:
            return 0
        if level := self._titles.get((line.page, text.casefold())):
            return level
        if (found := _NUMBERED.fullmatch(text)) and text[-1] not in ".:;,":
            return found[1].count(".") + 1
        letters = [c for c in text if c.isalpha()]
        capital = len(letters) >= _CAPITALS and text.isupper() and text[-1] not in ".:;,"
        return 1 if capital and len(line.parts) == 1 and not _DIGITS.search(text) else 0

    def _paragraph(self, lines: Sequence[_Line]) -> Iterator[Block]:
        text = ""
        for each in lines:
            text = joined(text, one_line(each.text))
        if text:
            yield Block(text=text, section=self._headings.path, page=lines[0].page)

    def _rows(self, lines: Sequence[_Line]) -> Iterator[Block]:
        self._tables += 1
        starts = [at for at, _ in max(lines, key=lambda each: len(each.parts)).parts]
        for line in lines:
            cells = [""] * len(starts)
            for at, text in line.parts:
                place = _column(starts, at, len(text))
                cells[place] = f"{cells[place]} {text}".strip()
            cells = [one_line(each) for each in cells]
            text = " | ".join(filter(None, cells))
            yield Block(
                text=text,
                section=self._headings.path,
                page=line.page,
                table=self._tables,
                cells=tuple(cells),
            )


def _goes_on(held: Sequence[_Line], after: Sequence[_Line]) -> bool:
    """Whether a paragraph goes on after an empty line, as in a text with much room between lines:
    where a sentence is open, and the next line begins in small letters."""
    if not held or not after or not after[0].parts:
        return False
    return held[-1].text[-1] not in ".:;!?" and after[0].text[0].islower()


def _line(text: str, page: int) -> _Line:
    """A line in parts: at least two blanks, or a tab, stand between them."""
    spread = text.expandtabs(8).rstrip()
    found = ((each.start(), each[0]) for each in _APART.finditer(spread))
    return _Line(tuple(found), page)


def _table_at(lines: Sequence[_Line], start: int) -> int:
    """How many lines from here on are a table: two rows of several columns at least, with no more
    than one empty line between two of them."""
    end, rows, at = start, 0, start
    while at < len(lines):
        if len(lines[at].parts) > 1:
            rows, end = rows + 1, at + 1
        elif lines[at].parts or at == start or not lines[at - 1].parts:
            break
        at += 1
    return end - start if rows > 1 else 0


def _column(starts: Sequence[int], at: int, length: int) -> int:
    """The column whose beginning is nearest to the text's beginning, or inside of the text."""
    middle = at + length / 2
    return min(
        range(len(starts)), key=lambda n: (min(abs(starts[n] - at), abs(starts[n] - middle)), n)
    )


def _outline(reader: PdfReader) -> dict[tuple[int, str], int]:
    """The titles of the document's own outline with their levels, by page and text."""
    found: dict[tuple[int, str], int] = {}

    def add(entries: object, level: int) -> None:
        for each in entries if isinstance(entries, list) else ():
            if isinstance(each, list):
                add(each, level + 1)
                continue
            number = reader.get_destination_page_number(each)
            if number is not None and each.title:
                found[number + 1, one_line(each.title).casefold()] = level

    add(reader.outline, 1)
    return found


def _mark(line: _Line, total: int) -> str:
    """A line without the number of its page and that of all pages."""
    numbers = (str(line.page), str(total))
    text = one_line(line.text)
    return _DIGITS.sub(lambda found: "#" if found[0] in numbers else found[0], text)


def _without_heads(pages: Sequence[Sequence[_Line]]) -> Iterator[list[_Line]]:
    """The pages without their heads and feet, which are kept where they stand first: lines that are
    the same among the first or last two of many pages."""
    count: Counter[str] = Counter()
    for page in pages:
        said = [each for each in page if each.parts]
        edges = [(each, _mark(each, len(pages))) for each in (*said[:2], *said[-2:])]
        # A row of a table that goes on over pages is no head, as its columns' names.
        count.update({mark for each, mark in edges if len(each.parts) == 1 or "#" in mark})
    least = max(3, _REPEATED * len(pages))
    heads = {mark for mark, times in count.items() if times >= least}
    seen: set[str] = set()
    for page in pages:
        marks = [_mark(each, len(pages)) if each.parts else "" for each in page]
        yield [
            each._replace(parts=((0, each.text),)) if mark in heads else each  # no row of a table
            for each, mark in zip(page, marks, strict=True)
            if mark not in seen
        ]
        seen |= heads.intersection(marks)
