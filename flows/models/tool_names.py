"""The names of functions as providers take them: at most 64 letters, digits, `_` and `-`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from flows.core.function_description import FunctionDescription
from flows.errors import ModelRefused

_LONGEST: Final = 64
_DIGEST_BYTES: Final = 4
_NOT_ALLOWED: Final = re.compile(r"[^A-Za-z0-9_-]")


class ToolNames:
    """The functions that one request offers, by the names that its model knows them by.

    A function is called by its own name, and by its id where another one has the same name. What a
    provider would not take of it is written otherwise, the same way in every request. Errors:
    `ModelRefused` for a function that is offered twice.
    """

    def __init__(self, tools: Sequence[FunctionDescription]) -> None:
        count = Counter(each.name for each in tools)
        self._tools = {each.id if count[each.name] > 1 else each.name: each for each in tools}
        if len(self._tools) < len(tools):
            ids = Counter(each.id for each in tools)
            raise ModelRefused(f"the function {ids.most_common(1)[0][0]} is offered twice")
        self._by_sent_name = {sent_name(name): name for name in self._tools}

    def __len__(self) -> int:
        return len(self._tools)

    def sent(self) -> list[dict[str, object]]:
        """The parameter `tools` of OpenAI's protocol."""
        return [_renamed(each, sent_name(name)) for name, each in self._tools.items()]

    def name_of(self, sent: str) -> str:
        """The name that a model's call means; as it is where no such function is offered."""
        return self._by_sent_name.get(sent, sent)


def sent_name(name: str) -> str:
    """A function's name or id as it is sent."""
    allowed = _NOT_ALLOWED.sub("_", name)
    if allowed == name and len(name) <= _LONGEST:
        return name
    digest = blake2b(name.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{allowed[: _LONGEST - len(digest) - 1]}_{digest}"


def _renamed(tool: FunctionDescription, name: str) -> dict[str, object]:
    form = tool.function_dict()
    return {**form, "function": {**form["function"], "name": name}}
