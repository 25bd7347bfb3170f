"""Told texts as blocks of spans: paragraphs, lists, bold, code, and numbers with their origin.

The little of Markdown that models write is read here, and everything else is text: no markup of a
told text reaches a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from flows.data.answers.citations import Citation
from flows.report.cleaning import clean
from flows.report.evidence import Evidences, Target
from flows.semantics.findings import Told

BlockKind = Literal["paragraph", "bullets", "numbers", "heading"]
SpanKind = Literal["text", "code", "number", "untraced", "passage"]

_BULLET: Final = re.compile(r"\s*[-*\u2022]\s+")
_NUMBERED: Final = re.compile(r"\s*\d{1,3}[.)]\s+")
_HEADING: Final = re.compile(r"\s*#{1,6}\s+")
_PASSAGE: Final = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A piece of text; a number has a `target`, a passage its number."""

    kind: SpanKind
    text: str
    strong: bool = False
    target: Target | None = None
    passage: int = 0


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """A paragraph or heading (one item), or a list."""

    kind: BlockKind
    items: tuple[tuple[TextSpan, ...], ...]


def blocks_of(told: Told, evidences: Evidences, passages: int = 0) -> tuple[ProseBlock, ...]:
    """The text in blocks. `[1]` to `[passages]` are passages of documents."""
    reader = _Reader(told, evidences, passages)
    found: list[tuple[BlockKind, list[list[TextSpan]]]] = []
    open_paragraph = False
    start = 0
    for line in told.text.splitlines(keepends=True):
        begin, end = start, start + len(line.rstrip("\n"))
        start += len(line)
        if not line.strip():
            open_paragraph = False
            continue
        kind, skipped = _kind(line)
        spans = list(reader.spans(begin + skipped, end))
        last = found[-1] if found else None
        if kind == "paragraph" and open_paragraph and last is not None:
            last[1][-1] += [TextSpan("text", " "), *spans]
        elif kind in ("bullets", "numbers") and last is not None and last[0] == kind:
            last[1].append(spans)
        else:
            found.append((kind, [spans]))
        open_paragraph = kind != "heading"
    return tuple(ProseBlock(kind, tuple(map(tuple, items))) for kind, items in found)


def spans_of(told: Told, evidences: Evidences, passages: int = 0) -> tuple[TextSpan, ...]:
    """The text in one line of spans."""
    found: list[TextSpan] = []
    for block in blocks_of(told, evidences, passages):
        for item in block.items:
            found += [TextSpan("text", " "), *item] if found else item
    return tuple(found)


def _kind(line: str) -> tuple[BlockKind, int]:
    """What a line begins, and how many characters say so."""
    kinds: tuple[tuple[BlockKind, re.Pattern[str]], ...] = (
        ("bullets", _BULLET), ("numbers", _NUMBERED), ("heading", _HEADING),
    )  # fmt: skip
    for kind, pattern in kinds:
        if match := pattern.match(line):
            return kind, match.end()
    return "paragraph", len(line) - len(line.lstrip())


class _Reader:
    """Cuts stretches of one told text into spans, by its citations."""

    def __init__(self, told: Told, evidences: Evidences, passages: int) -> None:
        self.text = told.text
        self.evidences = evidences
        self.passages = passages
        self.at = {
            each.start: each
            for each in told.citations
            if told.text[each.start : each.end] == each.text and each.text
        }

    def spans(self, start: int, end: int) -> Iterator[TextSpan]:
        """The spans of a stretch, in which bold and code begin and end."""
        strong = False
        position = begin = start
        while position < end:
            found = self._found(position, end, strong)
            toggles = self.text.startswith("**", position) and (
                strong or self.text.find("**", position + 2, end) != -1
            )
            if found is None and not toggles:
                position += 1
                continue
            if begin < position:
                yield TextSpan("text", clean(self.text[begin:position]), strong)
            if found is None:
                strong = not strong
                position += 2
            else:
                span, position = found
                yield span
            begin = position
        if begin < end:
            yield TextSpan("text", clean(self.text[begin:end]), strong)

    def _found(self, position: int, end: int, strong: bool) -> tuple[TextSpan, int] | None:
        """A span other than text that begins here, and where it ends."""
        if (match := _PASSAGE.match(self.text, position, end)) and (
            0 < int(match[1]) <= self.passages
        ):
            return TextSpan("passage", match[0], strong, passage=int(match[1])), match.end()
        if (citation := self.at.get(position)) is not None and citation.end <= end:
            return self._number(citation, strong), citation.end
        if self.text[position] == "`" and (stop := self.text.find("`", position + 1, end)) != -1:
            return TextSpan("code", clean(self.text[position + 1 : stop]), strong), stop + 1
        return None

    def _number(self, citation: Citation, strong: bool) -> TextSpan:
        target = self.evidences.target(citation)
        kind: SpanKind = "untraced" if target is None else "number"
        return TextSpan(kind, clean(citation.text), strong, target)
