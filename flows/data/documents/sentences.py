"""Sentences of a text, as they stand there."""

from __future__ import annotations

import re

# After these a point ends no sentence.
_SHORT = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "inc", "ltd", "co", "corp",
    "no", "nos", "approx", "fig", "figs", "sec", "ca", "cf", "al", "eg", "ie", "e.g", "i.e", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "dept", "est",
    "min", "max", "tel", "art", "vol", "pp", "p", "bzw", "z.b", "u.a", "d.h", "nr",
})  # fmt: skip
_END = re.compile(
    r"""
    [.!?\u2026]+ ["'\u201d\u2019)\]]* (?=\s+ ["'\u201c\u2018(\[]? [^\W_a-z])
    | [\u3002\uff01\uff1f]+ ["'\u201d\u2019\u300d\u300f\uff09]*
    | \n\s*\n
    | \n (?=\s* (?:[-*\u2022]|\d+[.)])\s)
    """,
    re.VERBOSE,
)
_BEFORE = re.compile(r"([^\W\d_](?:[\w.]*[^\W_])?)\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, none of them empty. A blank line and a new item of a list
    end one too."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _goes_on(text, start, match):
            continue
        if each := text[start : match.end()].strip():
            found.append(each)
        start = match.end()
    if rest := text[start:].strip():
        found.append(rest)
    return found


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the point belongs to an abbreviation, an initial or the number of a list."""
    if match[0] != ".":
        return False
    before = text[max(start, match.start() - 12) : match.end()]
    word = _BEFORE.search(before)
    if word is None:
        # The number of an item, if the sentence is no more than that.
        head = text[start : start + 8].strip()
        return match.end() <= start + 8 and re.fullmatch(r"\d{1,3}\..*", head) is not None
    return word[1].lower() in _SHORT or (len(word[1]) == 1 and word[1].isupper())
