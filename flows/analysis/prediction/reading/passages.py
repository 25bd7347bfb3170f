"""A task's text as sentences, each with the heading above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*")
_BOLD: Final = re.compile(r"\s*(?:\*\*|__)([^*_\n]{2,60}?):?(?:\*\*|__):?\s*")
_UNDERLINE: Final = re.compile(r"\s{0,3}(?:={3,}|-{3,})\s*")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_TABLE_ROW: Final = re.compile(r"\s*\|.*|[^|]+ \| .+")
_LIST_LINE: Final = re.compile(
    r"\s*[`*\"']{0,3}[\w .-]{1,40}[`*\"']{0,3}\s*(?:[:=\u2013\u2014]|\s-\s|\t)\s*\S"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"')*`]{0,2}\s+(?=\S)")
_ABBREVIATION: Final = re.compile(
    r"\b(?i:e\.g|i\.e|etc|vs|cf|approx|resp|incl|z\.\s?B|bzw|ca|d\.\s?h|Nr|inkl)\.$|\b[A-Z]\.$"
)
_ORDINAL: Final = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH: Final = re.compile(r"(?i:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])")
_HEADING_WORDS: Final = 7
# Who reads a sentence compares its words with one another: the longer, the slower, by its square.
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True)
class TaskSentence:
    """A sentence, list item, row of a table or line of code. `section` is the heading above it."""

    text: str
    section: str = ""
    is_code: bool = False


def passages(text: str) -> tuple[TaskSentence, ...]:
    """The sentences of a text in Markdown or plain text."""
    return tuple(_passages(text.replace("\r\n", "\n").replace("\t", "    ").split("\n")))


def _passages(lines: Sequence[str]) -> Iterator[TaskSentence]:
    section = ""
    held: list[str] = []
    in_code = False
    marked = any(_HEADING.fullmatch(each) for each in lines)
    last = max((at for at, each in enumerate(lines) if each.strip()), default=0)
    for at, line in enumerate(lines):
        after = lines[at + 1] if at + 1 < len(lines) else ""
        title = None if in_code else heading_of(line)
        if title is None and not (in_code or marked or held or at == last):
            title = plain_heading(line, after)
        if _FENCE.match(line):
            yield from _sentences(held, section)
            held, in_code = [], not in_code
        elif in_code or (line.startswith("    ") and "," in line and " " not in line.strip()):
            yield from _sentences(held, section)
            held = []
            if line.strip():
                yield TaskSentence(line.strip(), section, is_code=True)
        elif title is not None:
            yield from _sentences(held, section)
            held, section = [], title
        elif not line.strip() or (_UNDERLINE.fullmatch(line) and not held):
            yield from _sentences(held, section)
            held = []
        else:
            if held and _begins_anew(line):
                yield from _sentences(held, section)
                held = []
            held.append(line)
    yield from _sentences(held, section)


def _begins_anew(line: str) -> bool:
    """Whether a line is no continuation of the one above."""
    return any(each.match(line) for each in (_ITEM, _TABLE_ROW, _LIST_LINE))


def heading_of(line: str) -> str | None:
    """The title if a line is marked as a heading, or is bold as a whole."""
    if found := _HEADING.fullmatch(line):
        return found[1].strip("*_ ")
    if found := _BOLD.fullmatch(line):
        return found[1].strip()
    return None


def plain_heading(line: str, below: str) -> str | None:
    """The title if a line of plain text is a heading: underlined, or a few words alone."""
    plain = line.strip()
    if not plain or _ITEM.match(line) or "|" in plain or "," in plain:
        return None
    words = plain.split()
    few = len(words) <= _HEADING_WORDS and plain[0].isupper()
    if few and _UNDERLINE.fullmatch(below) and below.strip():
        return plain
    alone = not below.strip() or plain.isupper() or (plain.endswith(":") and len(words) <= 4)
    return plain.rstrip(":") if few and alone and plain[-1] not in ".!?;`" else None


def _sentences(lines: Sequence[str], section: str) -> Iterator[TaskSentence]:
    text = " ".join(" ".join(each.split()) for each in lines)
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if not _is_dot_of_a_word(
            text[max(end.start() - 12, 0) : end.start()], text[end.end() : end.end() + 3]
        ):
            yield from _pieces(text[start : end.end()].strip(), section)
            start = end.end()
    yield from _pieces(text[start:].strip(), section)


def _pieces(sentence: str, section: str) -> Iterator[TaskSentence]:
    """The sentence; parted at blanks where it is longer than people write."""
    while len(sentence) > _LONGEST:
        end = sentence.rfind(" ", 1, _LONGEST)
        end = end if end > 0 else _LONGEST
        yield TaskSentence(sentence[:end], section)
        sentence = sentence[end:].lstrip()
    if sentence:
        yield TaskSentence(sentence, section)


def _is_dot_of_a_word(before: str, after: str) -> bool:
    """Whether a full stop ends an abbreviation or the number of a day, and no sentence."""
    if _ABBREVIATION.search(before):
        return True
    return bool(_ORDINAL.search(before) and _MONTH.match(after))
