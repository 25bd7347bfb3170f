"""Adjectives of places as the data spells the places: `European` where it has Europe."""

from __future__ import annotations

import re

from flows.analysis.linking.schema import Schema

_ADJECTIVE = re.compile(r"\b[A-Z][a-z]+(?:an|ans|ese|ish)\b")
_ENDINGS = (("ans", ("a", "", "e", "as")), ("an", ("a", "", "e", "as")), ("eans", ("e", "")),
            ("ean", ("e", "")), ("ians", ("y", "ia", "")), ("ian", ("y", "ia", "")),
            ("ese", ("", "a")), ("ish", ("land", "ain", "")))  # fmt: skip


def with_values(text: str, schema: Schema) -> str:
    """The text with each such adjective replaced by the one value of the data that it is of."""

    def place(match: re.Match[str]) -> str:
        word = match.group()
        if word.casefold() in schema.values:
            return word
        stems = {
            f"{word[: -len(ending)]}{end}".casefold()
            for ending, ends in _ENDINGS
            if word.endswith(ending)
            for end in ends
        }
        found = [schema.values[each][0][1] for each in stems if each in schema.values]
        return found[0] if len(found) == 1 else word

    return _ADJECTIVE.sub(place, text)
