"""Lines of text by their layout: tables of several shapes, labels with values, items, paragraphs.

A table is pipes, tabs, or columns that blanks part; a row of dots between a label and its value is
one of two cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from flows.data.documents.blocks import Block, one_line

_CELL_END: Final = re.compile(r"(?<!\\)\|")
_RULE: Final = re.compile(r"[\s|:+=_-]*(?:-{3}|={3}|_{3}|\|\s*:?-{2,})[\s|:+=_-]*")
_LEADER: Final = re.compile(
    r"\s*(\S.{0,70}?)\s*(?:\.{4,}|\u2026{2,}|_{4,}|(?:\. ){3,}\.?)\s*(\S.*)"
)
_WIDE: Final = re.compile(r" {3,}(?=\S[^.]* (?:\.{4}|\. \. ))")
_PART: Final = re.compile(r"\S+(?: \S+)*")
ITEM: Final = re.compile(
    r"\s*(?:[-*+\u2013\u2022\u2023\u25aa]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\[[ xX]?\])\s"
)
# A label of a few words at the beginning of a line, and what parts it from its value.
_ROOM: Final = re.compile(r"\t+| {3,}")
_LABEL: Final = re.compile(
    r"\s*[*_]*[^\W_][^:=|.]{0,60}?(?:\.?\s*[:=]|\.?\s+[-\u2013\u2014])[*_]*(?:\s+\S|\s*$)"
)
_MOST_WORDS: Final = 8
# The least width that a label with its value is wrapped at.
_WRAPPED: Final = 60
# Of lines with room in them the first few may be no part of the table that follows.
_MOST_FAILED: Final = 3
_WIDE_GUTTER: Final = 2


class TextLine(NamedTuple):
    """A line of a text with its number, from 1."""

    number: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


class _Rows(NamedTuple):
    """Rows of a table, and how many lines they take."""

    rows: list[tuple[int, list[str]]]
    lines: int


class TextLayout:
    """Reads the lines of a document section by section; tables are numbered from section to
    section."""

    def __init__(self) -> None:
        self._tables = 0

    def blocks(self, lines: Iterator[tuple[int, str]], section: str) -> Iterator[Block]:
        """The paragraphs, items, labels with values and rows of some lines."""
        for run in _runs(lines):
            held: list[TextLine] = []
            width = max(len(each.text) for each in run)
            at = 0
            columns = _Columns(run)
            while at < len(run):
                table = _table(run, at) or columns.rows(at) or _pair(run[at])
                if table is not None:
                    yield from _paragraph(held, section)
                    held = []
                    yield from self._rows(table.rows, section)
                    at += table.lines
                    continue
                if held and _begins(run[at], held, width):
                    yield from _paragraph(held, section)
                    held = []
                held.append(run[at])
                at += 1
            yield from _paragraph(held, section)

    def _rows(self, rows: Sequence[tuple[int, list[str]]], section: str) -> Iterator[Block]:
        self._tables += 1
        for number, row in rows:
            cells = tuple(one_line(each) for each in row)
            if text := " | ".join(filter(None, cells)):
                yield Block(
                    text=text, section=section, line=number, table=self._tables, cells=cells
                )


def column_count(text: str) -> int:
    """In how many columns a line is parted, by tabs or by room between its words."""
    return len(_PART.findall(text.expandtabs(8))) if text.strip() else 0


def _runs(lines: Iterator[tuple[int, str]]) -> Iterator[list[TextLine]]:
    """The lines without an empty one between them."""
    held: list[TextLine] = []
    for number, text in lines:
        if text.strip():
            held.append(TextLine(number, text.rstrip()))
        elif held:
            yield held
            held = []
    if held:
        yield held


def _paragraph(lines: Sequence[TextLine], section: str) -> Iterator[Block]:
    text = one_line(" ".join(each.text for each in lines))
    if text and not _RULE.fullmatch(text):
        yield Block(text=text, section=section, line=lines[0].number)


def _begins(line: TextLine, held: Sequence[TextLine], width: int) -> bool:
    """Whether a line begins a paragraph of its own: an item, a label with its value, or what stands
    below one. A line has been wrapped only where its next word would make it wider than all."""
    first, last = held[0], held[-1]
    if ITEM.match(line.text) or _RULE.fullmatch(line.text) or _RULE.fullmatch(last.text):
        return True
    if last.text.endswith((":", ",")):
        return False
    word = line.text.split(maxsplit=1)[0]
    least = _WRAPPED if is_labelled(first.text) else 0
    wrapped = len(last.text) + 1 + len(word) > max(width, least)
    if is_labelled(line.text):
        return is_labelled(first.text) or not wrapped or last.text[-1] in ".;!?"
    below = is_labelled(first.text) and line.indent <= first.indent
    return below and not wrapped and line.text.lstrip()[:1].isupper()


def is_labelled(text: str) -> bool:
    """Whether a line begins with a label, as `Season: FW24` or `Season - FW24`."""
    found = _LABEL.match(text)
    return found is not None and len(found[0].split()) <= _MOST_WORDS


def _table(run: Sequence[TextLine], at: int) -> _Rows | None:
    """The rows of a table that begins with a line."""
    text = run[at].text
    if "|" in text and (found := _piped(run, at)):
        return found
    if "\t" in text.strip():
        end = _end(run, at, lambda each: "\t" in each)
        return _Rows([(each.number, each.text.split("\t")) for each in run[at:end]], end - at)
    if _LEADER.fullmatch(text):
        return _leaders(run, at)
    return None


def _end(run: Sequence[TextLine], at: int, belongs: Callable[[str], bool]) -> int:
    end = at
    while end < len(run) and (
        belongs(run[end].text) or (end > at and _RULE.fullmatch(run[end].text))
    ):
        end += 1
    return end


def _piped(run: Sequence[TextLine], at: int) -> _Rows | None:
    """Rows of pipes: one is enough if it begins with a pipe."""
    end = _end(run, at, lambda each: "|" in each)
    rows = [each for each in run[at:end] if not _RULE.fullmatch(each.text)]
    if not rows or (len(rows) < 2 and not run[at].text.lstrip().startswith("|")):
        return None
    cells = [(each.number, _pipe_cells(each.text)) for each in rows]
    return _Rows(cells, end - at)


def _pipe_cells(text: str) -> list[str]:
    inner = text.strip().removeprefix("|").removesuffix("|")
    return [each.replace("\\|", "|").strip() for each in _CELL_END.split(inner)]


def _leader_cells(text: str) -> list[str]:
    """The cells of a line with dots between a label and its value, once or in every column."""
    columns = [_LEADER.fullmatch(each) for each in _WIDE.split(text.strip())]
    if len(columns) > 1 and all(columns):
        return [f"{found[1]}: {found[2]}" for found in columns if found]
    found = _LEADER.fullmatch(text)
    return [found[1], found[2]] if found else []


def _leaders(run: Sequence[TextLine], at: int) -> _Rows:
    """Labels with dots before their values; what is indented below goes on."""
    rows: list[tuple[int, list[str]]] = []
    end = at
    while end < len(run):
        line = run[end]
        if cells := _leader_cells(line.text):
            rows.append((line.number, cells))
        elif line.indent > run[at].indent and not ITEM.match(line.text):
            rows[-1][1].append(line.text.strip())
        else:
            break
        end += 1
    return _Rows([(number, [cells[0], " ".join(cells[1:])]) for number, cells in rows], end - at)


class _Columns:
    """Rows whose cells stand below each other, with room between the columns."""

    def __init__(self, run: Sequence[TextLine]) -> None:
        self._run = run
        self._end = 0  # of the lines with room in them that were looked at last
        self._failed = 0

    def rows(self, at: int) -> _Rows | None:
        """The rows of a table that begins with a line."""
        run = self._run
        if at >= self._end:
            self._end, self._failed = self._find_end(at), 0
        if self._end - at < 2 or self._failed == _MOST_FAILED:
            return None
        lines = [each for each in run[at : self._end] if not _RULE.fullmatch(each.text)]
        texts = [each.text.expandtabs(8) for each in lines]
        starts = _starts(texts) if len(lines) > 1 else []
        if len(starts) < 2:
            self._failed += 1
            return None
        rows = [(each.number, _cut(text, starts)) for each, text in zip(lines, texts, strict=True)]
        return _Rows(rows, self._end - at)

    def _find_end(self, at: int) -> int:
        end = at
        while end < len(self._run) and (
            column_count(self._run[end].text) > 1
            or (end > at and _RULE.fullmatch(self._run[end].text))
        ):
            end += 1
        return max(end, at + 1)


def _pair(line: TextLine) -> _Rows | None:
    """A label and its value with much room between them."""
    cells = _ROOM.split(line.text.strip())
    if len(cells) != 2 or ITEM.match(line.text) or len(cells[0].split()) > _MOST_WORDS:
        return None
    return _Rows([(line.number, cells)], 1) if cells[0][-1] not in ".,;" else None


def _starts(texts: Sequence[str]) -> list[int]:
    """Where columns begin: behind room that no line of the table writes in."""
    width = max(map(len, texts))
    empty = [all(at >= len(text) or text[at] == " " for text in texts) for at in range(width)]
    starts: list[int] = []
    gap = _WIDE_GUTTER
    for at, free in enumerate(empty):
        if not free and gap >= _WIDE_GUTTER:
            starts.append(at)
        gap = gap + 1 if free else 0
    return starts


def _cut(text: str, starts: Sequence[int]) -> list[str]:
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
