"""The forms in which language models write one JSON object, right and wrong ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from flows.models.fake.answer import Json

FormName = Literal[
    "json",
    "indented",
    "fenced",
    "prose",
    "single_quotes",
    "trailing_comma",
    "python",
    "two_objects",
    "duplicate_key",
    "truncated",
]
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LAST_LINE = re.compile(r"(?<=[^\s{\[,])\n(\s*[}\]])")


def _plain(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _indented(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _single_quotes(value: Json) -> str:
    def requoted(found: re.Match[str]) -> str:
        return "'" + found[1].replace('\\"', '"').replace("'", "\\'") + "'"

    return _STRING.sub(requoted, _plain(value))


def _duplicate_key(value: Json) -> str:
    name, last = list(value.items())[-1]
    return f"{_plain(value)[:-1]}, {_plain({name: last})[1:]}"


FORMS: Mapping[FormName, Callable[[Json], str]] = MappingProxyType({
    "json": _plain,
    "indented": _indented,
    "fenced": lambda value: f"```json\n{_indented(value)}\n```",
    "prose": lambda value: f"Here is my decision:\n\n{_plain(value)}\n\nI hope that it's right.",
    "single_quotes": _single_quotes,
    "trailing_comma": lambda value: _LAST_LINE.sub(r",\n\1", _indented(value)),
    "python": repr,
    "two_objects": lambda value: f"{_plain(value)}\n{_plain(value)}",
    "duplicate_key": _duplicate_key,
    "truncated": lambda value: _plain(value)[: -max(2, len(_plain(value)) // 4)],
})  # fmt: skip
