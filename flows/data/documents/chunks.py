"""Paragraphs to passages of about one size, with some sentences shared by neighbours."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from flows.core.documents import Chunking
from flows.data.documents.blocks import Block
from flows.data.documents.sentences import sentences

_PARAGRAPH = "\n\n"


class Chunk(BaseModel):
    """A passage of a document: its text, where it stands, and the headings above it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    where: str
    section: str = ""


class _Piece(NamedTuple):
    """A sentence, or a part of one that is too long. `before` parts it from the piece before."""

    text: str
    before: str
    block: Block

    @property
    def length(self) -> int:
        return len(self.before) + len(self.text)


class _Window:
    """The pieces of the passage that is being made; the last `fresh` are in no other yet."""

    def __init__(self) -> None:
        self.pieces: deque[_Piece] = deque()
        self.fresh = 0
        self._length = 0

    def fits(self, more: int, size: int) -> bool:
        """Whether pieces of so many characters have room beside those that are here."""
        return not self.pieces or self._length + more - len(self.pieces[0].before) <= size

    def add(self, piece: _Piece) -> None:
        self.pieces.append(piece)
        self.fresh += 1
        self._length += piece.length

    def give_way(self) -> None:
        """Drop the first piece, which another passage has."""
        self._length -= self.pieces.popleft().length

    def take(self) -> Chunk:
        """The passage as it is; all of it is in one now."""
        self.fresh = 0
        return _chunk(self.pieces)

    def keep_last(self, overlap: int) -> None:
        """Keep the last sentences that fit into the overlap."""
        kept: deque[_Piece] = deque()
        length = 0
        for each in reversed(self.pieces):
            if length + len(each.text) > overlap:
                break
            kept.appendleft(each)
            length += each.length
        self.pieces, self._length = kept, length


def chunks(blocks: Sequence[Block], chunking: Chunking) -> list[Chunk]:
    """The passages of a document. None reaches over a heading."""
    found: list[Chunk] = []
    for _, section in groupby(blocks, key=lambda each: each.section):
        found.extend(_packed(section, chunking))
    return found


def _packed(blocks: Iterable[Block], chunking: Chunking) -> Iterator[Chunk]:
    """Whole paragraphs as long as they fit; one that is too long by its sentences."""
    held = _Window()
    for block in blocks:
        pieces = _pieces(block, chunking.size)
        fits_whole = sum(each.length for each in pieces) <= chunking.size
        for unit in [pieces] if fits_whole else [[each] for each in pieces]:
            length = sum(each.length for each in unit)
            if held.fresh and not held.fits(length, chunking.size):
                yield held.take()
                held.keep_last(chunking.overlap)
            while held.pieces and not held.fresh and not held.fits(length, chunking.size):
                held.give_way()  # what is shared gives way to what is new
            for each in unit:
                held.add(each)
    if held.fresh:
        yield held.take()


def _pieces(block: Block, size: int) -> list[_Piece]:
    texts = [part for each in sentences(block.text) for part in _cut(each, size)]
    found: list[_Piece] = []
    end = 0
    for text in texts:
        start = block.text.find(text, end)
        blank = "" if start == end else " "  # not every language has one after a full stop
        end = max(end, start + len(text))
        found.append(_Piece(text, blank if found else _PARAGRAPH, block))
    return found


def _cut(sentence: str, size: int) -> Iterator[str]:
    """A sentence in parts of at most `size`, cut at blanks where there are some."""
    start = 0
    while len(sentence) - start > size:
        at = sentence.rfind(" ", start + size // 2, start + size + 1)
        end = at if at > 0 else start + size
        if part := sentence[start:end].strip():
            yield part
        start = end
    if part := sentence[start:].strip():
        yield part


def _chunk(pieces: Sequence[_Piece]) -> Chunk:
    text = "".join(p.text if not n else p.before + p.text for n, p in enumerate(pieces))
    first, last = pieces[0].block, pieces[-1].block
    return Chunk(text=text, where=_where(first, last), section=first.section)


def _where(first: Block, last: Block) -> str:
    if first.page is not None:
        return _span("page", first.page, last.page)
    if first.section:
        return first.section
    return _span("line", first.line, last.line) if first.line is not None else "beginning"


def _span(unit: str, first: int | None, last: int | None) -> str:
    return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"
