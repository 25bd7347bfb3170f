"""Plain text and Markdown to paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from flows.data.documents.blocks import Block, Headings, UnreadableDocument, one_line
from flows.data.documents.text_headings import read_sections
from flows.data.documents.text_layout import TextLayout, column_count
from flows.data.files.text_encoding import encoding_of

_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_CELL_END = re.compile(r"(?<!\\)\|")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,2000}\)")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^)\n]{0,2000}\)")
_STRONG = re.compile(r"(\*\*\*|\*\*|__)(?=\S)([^*\n]{1,500}?)(?<=\S)\1")
_LONGEST_TITLE = 1000
_Paragraphs = Callable[[Iterator[tuple[int, str]], str], Iterator[Block]]
# Of the control characters text holds few; a file of another kind that was renamed holds many.
_MOST_CONTROL = 0.02


def decoded(content: bytes) -> str:
    """The text of a file, whatever its encoding. Errors: `UnreadableDocument` if it is none."""
    encoding = encoding_of(content[:4096], lambda: iter((content,)))
    text = content.decode(encoding.codec, "replace").removeprefix("\ufeff")
    strange = sum(1 for c in text[:100_000] if c < " " and c not in "\t\n\r\f")
    if strange > _MOST_CONTROL * min(len(text), 100_000):
        raise UnreadableDocument("is no text: it holds bytes that no text has")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(content: bytes) -> Iterator[Block]:
    """The paragraphs of plain text: parted by blank lines, or items of a list."""
    yield from _paragraphs(enumerate(decoded(content).split("\n"), 1), "")


def read_text_layout(content: bytes) -> Iterator[Block]:
    """Plain text by its layout: under headings, with tables and labels with values."""
    yield from read_sections(decoded(content).split("\n"))


def read_markdown(content: bytes) -> Iterator[Block]:
    """The paragraphs of Markdown under their headings, without the marks of links and emphasis."""
    return _with_tables(_markdown(_without_comments(content), _paragraphs))


def read_markdown_layout(content: bytes) -> Iterator[Block]:
    """Markdown under its headings by the layout of its lines, with tables of any shape."""
    return _markdown(_without_comments(content), TextLayout().blocks, rules=True)


def _without_comments(content: bytes) -> str:
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), decoded(content))


def _markdown(text: str, paragraphs: _Paragraphs, *, rules: bool = False) -> Iterator[Block]:
    """The blocks of Markdown. With `rules` the lines below the heads of tables are kept."""
    headings = Headings()
    section: list[tuple[int, str]] = []
    fence = ""
    for number, line in _without_front_matter(text):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
            section.append((number, ""))
        elif not fence and (found := _HEADING.fullmatch(line[:_LONGEST_TITLE])):
            yield from paragraphs(iter(section), headings.path)
            section = []
            headings.enter(len(found[1]), one_line(_plain(found[2] or "")))
        elif not fence and section and _UNDERLINE.fullmatch(line) and _is_title(section):
            title = section.pop()[1]
            yield from paragraphs(iter(section), headings.path)
            section = []
            headings.enter(1 if "=" in line else 2, one_line(title))
        else:
            plain = line if fence else _plain(line)
            is_rule = not rules and not fence and _TABLE_RULE.fullmatch(line)
            section.append((number, "" if is_rule else plain))
    yield from paragraphs(iter(section), headings.path)


def _with_tables(blocks: Iterator[Block]) -> Iterator[Block]:
    """The blocks, those of tables with their cells. The rule below a head leaves a line out, so a
    table goes on over one line that is missing after its first row, and ends with any other gap."""
    number, rows, last = 0, 0, -1
    for block in blocks:
        line = block.line or 0
        if not block.text.startswith("|"):
            yield block
            continue
        if line == last + 1 or (rows == 1 and line == last + 2):
            rows += 1
        else:
            number, rows = number + 1, 1
        last = line
        inner = block.text.removeprefix("|").removesuffix("|")
        cells = tuple(each.replace("\\|", "|").strip() for each in _CELL_END.split(inner))
        yield block.model_copy(update={"table": number, "cells": cells})


def _without_front_matter(text: str) -> Iterator[tuple[int, str]]:
    lines = text.split("\n")
    start = 0
    if lines[0].strip() == "---":
        end = next((at for at, each in enumerate(lines[1:200], 1) if each.strip() == "---"), 0)
        start = end + 1 if end else 0
    return ((number, lines[number - 1]) for number in range(start + 1, len(lines) + 1))


def _is_title(section: list[tuple[int, str]]) -> bool:
    """Whether the last line stands alone, so that a line of dashes below makes it a heading."""
    text = section[-1][1]
    alone = len(section) == 1 or not section[-2][1].strip()
    one = column_count(text) == 1 and "|" not in text
    return alone and one and not _ITEM.match(text)


def _plain(line: str) -> str:
    return _STRONG.sub(r"\2", _LINK.sub(r"\1", _PICTURE.sub(r"\1", line)))


def _paragraphs(lines: Iterator[tuple[int, str]], section: str) -> Iterator[Block]:
    held: list[str] = []
    start = 0
    for number, line in lines:
        row = line.lstrip().startswith("|")
        if held and (not line.strip() or row or _ITEM.match(line)):
            yield Block(text=one_line(" ".join(held)), section=section, line=start)
            held = []
        if said := one_line(line):
            if not held:
                start = number
            held.append(said)
    if held:
        yield Block(text=one_line(" ".join(held)), section=section, line=start)
