"""Markdown of phases as blocks: headings, paragraphs, lists in lists, tables, code.

What is none of these is text: no markup of a told text reaches a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from flows.report.cleaning import clean

PartKind = Literal["text", "strong", "code"]
PieceKind = Literal["heading", "paragraph", "bullets", "numbers", "table", "code"]

_HEADING: Final = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"(\s*)([-*\u2022]|\d{1,4}[.)])\s+(.*)")
_FENCE: Final = re.compile(r"\s*(```+|~~~+)")
_RULE: Final = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?\s*$")
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_PART: Final = re.compile(r"`([^`\n]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*", re.DOTALL)
_DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of text of one kind."""

    kind: PartKind
    text: str


Line = tuple[TextPart, ...]


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list, with what hangs from it."""

    line: Line
    below: tuple[ProsePiece, ...] = ()


@dataclass(frozen=True, slots=True)
class ProsePiece:
    """A heading (with its `level`), a paragraph, a list, a table, or code (`text`)."""

    kind: PieceKind
    line: Line = ()
    level: int = 0
    items: tuple[ListItem, ...] = ()
    head: tuple[Line, ...] = ()
    rows: tuple[tuple[Line, ...], ...] = ()
    text: str = ""


def pieces_of(text: str) -> tuple[ProsePiece, ...]:
    """The text in pieces."""
    return tuple(_pieces(clean(text).expandtabs(4).splitlines(), 0))


def parts_of(text: str) -> Line:
    """A line with what is bold and what is code in it."""
    found: list[TextPart] = []
    at = 0
    for match in _PART.finditer(text):
        if at < match.start():
            found.append(TextPart("text", text[at : match.start()]))
        kind: PartKind = "strong" if match[1] is None else "code"
        found.append(TextPart(kind, match[1] or match[2]))
        at = match.end()
    if at < len(text):
        found.append(TextPart("text", text[at:]))
    return tuple(found)


def without_title(text: str, title: str) -> str:
    """The text without a heading at its beginning that only says the title again."""
    first, _, rest = text.lstrip().partition("\n")
    match = _HEADING.fullmatch(first)
    return rest if match is not None and match[2].strip() == title.strip() else text


def _pieces(lines: Sequence[str], depth: int) -> Iterator[ProsePiece]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif fence := _FENCE.match(line):
            end = _end_of_code(lines, at, fence[1])
            yield ProsePiece("code", text="\n".join(lines[at + 1 : end]))
            at = end + 1
        elif heading := _HEADING.fullmatch(line):
            yield ProsePiece("heading", parts_of(heading[2]), level=len(heading[1]))
            at += 1
        elif "|" in line and at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]):
            end = _end(lines, at + 2, lambda each: "|" in each)
            rows = tuple(_cells(each) for each in lines[at + 2 : end])
            yield ProsePiece("table", head=_cells(line), rows=rows)
            at = end
        elif item := _ITEM.fullmatch(line):
            end = _end_of_list(lines, at, item)
            yield _list(lines[at:end], item, depth)
            at = end
        else:
            end = _end(lines, at + 1, _goes_on)
            yield ProsePiece("paragraph", parts_of(" ".join(map(str.strip, lines[at:end]))))
            at = end


def _list(lines: Sequence[str], first: re.Match[str], depth: int) -> ProsePiece:
    """The items of a list: each with the lines that are further in than its own beginning."""
    indent = len(first[1])
    starts = [at for at, each in enumerate(lines) if _starts_item(each, indent)]
    items = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = _ITEM.fullmatch(lines[start])
        assert match is not None
        below = list(lines[start + 1 : end])
        text = match[3]
        while below and _goes_on(below[0]):  # the same paragraph
            text += f" {below.pop(0).strip()}"
        inner = tuple(_pieces(below, depth + 1)) if depth < _DEEPEST else ()
        items.append(ListItem(parts_of(text), inner))
    kind: PieceKind = "numbers" if first[2][0].isdigit() else "bullets"
    return ProsePiece(kind, items=tuple(items))


def _starts_item(line: str, indent: int) -> bool:
    match = _ITEM.fullmatch(line)
    return match is not None and len(match[1]) <= indent


def _end_of_list(lines: Sequence[str], at: int, first: re.Match[str]) -> int:
    """Where a list ends: at a line that is not further in, and no item of the same kind."""
    indent, is_number = len(first[1]), first[2][0].isdigit()
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            following = next((each for each in lines[end:] if each.strip()), "")
            if not _belongs(following, indent, is_number):
                break
        elif not _belongs(line, indent, is_number) and not _goes_on(line):
            break
        end += 1
    return end


def _belongs(line: str, indent: int, is_number: bool) -> bool:
    inside = len(line) - len(line.lstrip())
    if inside > indent:
        return bool(line.strip())
    match = _ITEM.fullmatch(line)
    return match is not None and match[2][0].isdigit() == is_number and inside == indent


def _goes_on(line: str) -> bool:
    """Whether a line goes on with the paragraph above."""
    begins = _HEADING.fullmatch(line) or _ITEM.fullmatch(line) or _FENCE.match(line)
    return bool(line.strip()) and not begins and not line.lstrip().startswith("|")


def _end(lines: Sequence[str], at: int, inside: Callable[[str], bool]) -> int:
    while at < len(lines) and inside(lines[at]):
        at += 1
    return at


def _end_of_code(lines: Sequence[str], at: int, fence: str) -> int:
    return _end(lines, at + 1, lambda each: each.strip() != fence)


def _cells(line: str) -> tuple[Line, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(parts_of(each.strip().replace("\\|", "|")) for each in _CELL_END.split(inner))
