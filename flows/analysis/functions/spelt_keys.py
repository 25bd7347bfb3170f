"""Keys that a question writes in another way than the store: `bk 07` and `bk07` for `BK-07`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.functions.mentions import ValueMention, mention_at

_SERIES: Final = re.compile(r"([^\W\d_]{1,8})([-_./ ]?)(\d+)")


def with_keys(
    text: str, mentions: Sequence[ValueMention], examples: Iterable[str]
) -> list[ValueMention]:
    """The mentions of a text, with the keys in it that differ from the form of the examples only in
    case and in the mark between letters and figures. They take the place of what they overlap."""
    found = list(_keys_in(text, examples))
    if not found:
        return list(mentions)
    kept = [
        each for each in mentions
        if not any(each.overlaps(key.start, key.end) for key in found)
    ]  # fmt: skip
    return sorted([*kept, *found], key=lambda each: each.start)


def _keys_in(text: str, examples: Iterable[str]) -> Iterator[ValueMention]:
    series = (_SERIES.fullmatch(each) for each in examples)
    forms = {(each[1], each[2]): len(each[3]) for each in series if each}
    for (letters, mark), width in forms.items():
        case = 0 if len(letters) == 1 else re.IGNORECASE  # `a 12` is seldom the key A-12
        pattern = rf"(?<![\w-]){re.escape(letters)}[-_./ ]?(\d{{1,{width + 3}}})(?![\w-])"
        for match in re.finditer(pattern, text, case):
            key = f"{letters}{mark}{match[1]}"
            if key != match.group():
                yield replace(mention_at(text, *match.span()), kind="code", value=key)
