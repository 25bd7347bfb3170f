"""Headings of plain text: underlined, numbered, in capitals, or a short line that stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.data.documents.blocks import Block, Headings, one_line
from flows.data.documents.text_layout import ITEM, TextLayout, column_count, is_labelled

_UNDERLINE: Final = re.compile(r"\s*(=|-|~|_|\*|#)\1{2,}\s*")
_MARKED: Final = re.compile(r"\s*(#{1,6}|={1,6})\s+(\S.*?)(?:\s+\1)?\s*")
_NUMBERED: Final = re.compile(
    r"\s*(?:\u00a7\s*)?(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+([^\W\d_].{0,70})"
)
_LETTERED: Final = re.compile(r"\s*(?:[A-Z]|[IVX]{1,5})[.)]\s+([^\W\d_].{0,70})")
_LONGEST: Final = 80
_CAPITALS: Final = 4
_FEW_WORDS: Final = 6


def read_sections(lines: Sequence[str]) -> Iterator[Block]:
    """The blocks of plain text under its headings."""
    headings, layout = Headings(), TextLayout()
    section: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        level, title, taken = _heading(lines, at)
        if level:
            yield from layout.blocks(iter(section), headings.path)
            section = []
            headings.enter(level, title)
        else:
            section.append((at + 1, lines[at]))
        at += taken
    yield from layout.blocks(iter(section), headings.path)


def _heading(lines: Sequence[str], at: int) -> tuple[int, str, int]:
    """Level and title of a heading at a line, and how many lines it takes; level 0 for none."""
    text = lines[at]
    if not text.strip() or len(text) > 2 * _LONGEST or not _may_be_title(text):
        return 0, "", 1
    title = one_line(text)
    before = lines[at - 1] if at else ""
    after = lines[at + 1] if at + 1 < len(lines) else ""
    if (found := _UNDERLINE.fullmatch(after)) and not before.strip():
        return (1 if found[1] == "=" else 2), title, 2
    if found := _MARKED.fullmatch(text):
        return len(found[1]), one_line(found[2]), 1
    if level := _numbered(text, before, _next(lines, at)):
        return level, title, 1
    if _is_capital(title) and not before.strip():
        return 1, title, 1
    if _stands_alone(title, before, after) and _next(lines, at):
        return 2, title, 1
    return 0, "", 1


def _may_be_title(text: str) -> bool:
    title = text.strip()
    if len(title) > _LONGEST or title[-1] in ".:;," or column_count(text) > 1:
        return False
    return "|" not in title and any(c.isalpha() for c in title)


def _next(lines: Sequence[str], at: int) -> str:
    """The next line that is not empty, of the few that follow."""
    return next((each for each in lines[at + 1 : at + 5] if each.strip()), "")


def _numbered(text: str, before: str, after: str) -> int:
    """The level of a heading with a number or a letter. An item of a list is none."""
    if before.strip() or not after:
        return 0
    if found := _NUMBERED.fullmatch(text):
        is_list = _NUMBERED.fullmatch(after) is not None and not _is_capital(found[2])
        below = after.strip().startswith(f"{found[1]}.1")
        return 0 if is_list and not below else found[1].count(".") + 1
    found = _LETTERED.fullmatch(text)
    return 1 if found and (_is_capital(found[1]) or not _LETTERED.fullmatch(after)) else 0


def _is_capital(title: str) -> bool:
    letters = [c for c in title if c.isalpha()]
    return len(letters) >= _CAPITALS and title.isupper()


def _stands_alone(title: str, before: str, after: str) -> bool:
    """Whether a line is a few words between empty lines, and no item and no label."""
    alone = not before.strip() and not after.strip()
    few = len(title.split()) <= _FEW_WORDS and title[0].isupper()
    plain = not any(c.isdigit() for c in title) and title[-1] not in "!?"
    return alone and few and plain and not ITEM.match(title) and not is_labelled(title)
