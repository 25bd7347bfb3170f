"""The title of a task and what it is about, in a few sentences of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.prediction.reading.passages import TaskSentence

_OTHER: Final = re.compile(
    r"evaluat|metric|scor|submi|data|file|column|field|feature|rule|prize|timeline|licen|variable|"
    r"bewert|abgabe|daten|spalte|metrik|regel|format|column",
    re.IGNORECASE,
)
_TITLED: Final = re.compile(
    r"^\s*(?:title|competition|titel|wettbewerb|subject|betreff)\s*[:=]\s*(.{3,100})$", re.I
)
_GENERAL: Final = re.compile(
    r"(?:overview|description|(?:the )?task|(?:the )?challenge|background|introduction|goals?|"
    r"readme|aufgabe|hintergrund|beschreibung|problem statement|objective|über(?:sicht|blick))\W*",
    re.IGNORECASE,
)
_LONGEST_TITLE: Final = 100
_LONGEST: Final = 700


def read_title(text: str, texts: Sequence[TaskSentence]) -> str:
    """What the text calls itself: a line `title: ...`, its first heading, or a short first line."""
    for line in text.splitlines()[:40]:
        if found := _TITLED.match(line):
            return found[1].strip(" *_#")
    sections = [each.section for each in texts if each.section]
    own = [each for each in sections if not _GENERAL.fullmatch(each) and not _OTHER.search(each)]
    first = next((each.strip(" #*_") for each in text.splitlines() if each.strip()), "")
    if own and own[0] in first:
        return own[0][:_LONGEST_TITLE]
    if (
        0 < len(first) <= _LONGEST_TITLE
        and first[-1] not in ".:;,"
        and not _GENERAL.fullmatch(first)
    ):
        return first
    return own[0][:_LONGEST_TITLE] if own else ""


def read_background(texts: Sequence[TaskSentence], title: str) -> str:
    """The first sentences of prose that are about the matter and not about files and scores."""
    kept: list[str] = []
    for each in texts:
        prose = len(each.text.split()) >= 5 and "|" not in each.text and not each.is_code
        if not prose or each.text.strip(" #*_") == title:
            continue
        if _OTHER.search(each.section) and kept:
            break
        if _OTHER.search(each.section):
            continue
        if sum(map(len, kept)) + len(each.text) > _LONGEST:
            break
        kept.append(each.text.lstrip("-*+• ").strip())
    return " ".join(kept)
