"""What the columns mean, as the texts beside the data say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.data.tables import plain_name

_LONGEST: Final = 300
_MARKS: Final = "`*_\"'\u201c\u201d\u2018\u2019[]"
_ITEM: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE: Final = re.compile(r"^[\s|:+=-]+$")
_SEPARATOR: Final = re.compile(r"\s*(?::|=|\u2013|\u2014|\s-+\s|->|→|\t|\s{3,}|\s\.\.+)\s*")
_BRACKET: Final = re.compile(r"^\s*[(\[]([^)\]]{1,60})[)\]]\s*")
_HEADS_TEXT: Final = """
    column columns name field variable feature attribute spalte feld merkmal description
"""
_HEADS: Final = frozenset(_HEADS_TEXT.split())
_STATED: Final = re.compile(
    r"^\s*(?:is|are|holds|contains|gives|describes|means|denotes|represents|indicates|stands for|"
    r"ist|enthält|bezeichnet|beschreibt|gibt)\s+(.{3,})$",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"^(?:the\s+(?:column|field|variable)\s+)?[`*\"']{1,3}([^`*\"']{1,60})[`*\"']{1,3}",
    re.IGNORECASE,
)
_CODES: Final = re.compile(r"^\s+\S.{0,60}?\s*(?:=|:|\t|\s{2,}|\u2013|\s-\s)\s*\S")


def read_fields(text: str, names: Sequence[str]) -> dict[str, str]:
    """The meaning of each column that a text describes: in a table, a list, lines of `name: what
    it is`, or a sentence that begins with the name."""
    known = {plain_name(each): each for each in names if plain_name(each)}
    found: dict[str, str] = {}
    last = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        told = dict(_of_line(line, known))
        for name, meaning in told.items():
            found.setdefault(name, meaning)
        if told:
            last = next(iter(told)) if len(told) == 1 else ""
        elif last and _CODES.match(line) and len(found[last]) < _LONGEST:
            found[last] = _short(f"{found[last]}; {' '.join(line.split())}")
        elif line.strip():
            last = ""
    return {name: found[name] for name in names if name in found}


def _of_line(line: str, known: dict[str, str]) -> Iterator[tuple[str, str]]:
    if not line.strip() or _RULE.match(line):
        return
    if "|" in line:
        yield from _of_row(line, known)
        return
    plain = _ITEM.sub("", line)
    # Of a page that was made of lines several descriptions may have become one paragraph.
    run = list(_of_run(plain, known))
    if len(run) > 1:
        yield from run
    elif (one := _of_entry(plain, known)) is not None:
        yield one
    elif (stated := _of_sentence(plain, known)) is not None:
        yield stated


def _of_row(line: str, known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """A row of a table: the first cell that names a column, and the longest one that does not."""
    cells = [each.strip().strip(_MARKS).strip() for each in line.strip().strip("|").split("|")]
    at = next((at for at, each in enumerate(cells) if plain_name(each) in known), None)
    if at is None or at > 1:
        return
    others = [each for place, each in enumerate(cells) if place != at and each]
    if others and not all(each.casefold() in _HEADS for each in others):
        worded = [each for each in others if " " in each] or others
        longest = max(worded, key=len)
        rest = [each for each in others if each is not longest and len(each) > 3 and " " in each]
        yield known[plain_name(cells[at])], _short("; ".join([longest, *rest]))


def _of_entry(text: str, known: dict[str, str]) -> tuple[str, str] | None:
    """`name: meaning`, `name (unit) - meaning`, also of several: `a, b: meaning`."""
    found = _SEPARATOR.search(text)
    while found is not None and found.start() <= 80:
        head = text[: found.start()]
        name, unit = _name_in(head, known)
        if name:
            meaning = text[found.end() :].strip().strip("*_").strip()
            if not meaning:
                return None
            return known[name], _short(f"{meaning} ({unit})" if unit else meaning)
        found = _SEPARATOR.search(text, found.end())
    return None


def _name_in(head: str, known: dict[str, str]) -> tuple[str, str]:
    """The plain name of the column that a head is, and what stands in brackets behind it."""
    bare = head.strip().strip(_MARKS).strip()
    if plain_name(bare) in known:
        return plain_name(bare), ""
    name, _, rest = bare.partition("(")
    name = name.strip().strip(_MARKS).strip()
    if rest and plain_name(name) in known:
        unit = rest.rstrip(") ").strip()
        return plain_name(name), unit
    return "", ""


def _of_run(text: str, known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Several descriptions in one line: `a: one thing b: another`."""
    marks = [
        (match.start(), match.end(), known[plain])
        for match in re.finditer(
            r"(?<![\w-])[`*\"']{0,2}(\w[\w.]*)[`*\"']{0,2}\s*[:=\u2013\u2014]\s+", text
        )
        if (plain := plain_name(match[1])) in known
    ]
    starts = [*(start for start, _, _ in marks[1:]), len(text)]
    if len(marks) < 2:
        return
    for (_, end, name), stop in zip(marks, starts, strict=True):
        meaning = text[end:stop].strip().strip(",;").strip()
        if meaning:
            yield name, _short(meaning)


def _of_sentence(text: str, known: dict[str, str]) -> tuple[str, str] | None:
    """A sentence such as `x` is the width."""
    found = _SUBJECT.match(text)
    if found is None or plain_name(found[1]) not in known:
        return None
    rest = text[found.end() :]
    bracket = _BRACKET.match(rest)
    stated = _STATED.match(rest[bracket.end() :] if bracket else rest)
    if stated is not None:
        return known[plain_name(found[1])], _short(stated[1])
    plain = rest.strip(" ,;")
    return (known[plain_name(found[1])], _short(plain)) if len(plain.split()) > 1 else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3].rstrip()}..."
