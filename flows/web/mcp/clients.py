"""Which client a request is of, and what is kept for each."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final, TypeVar

from mcp.server import ServerRequestContext

T = TypeVar("T")

_MOST: Final = 10_000  # clients of which something is kept
_SESSION: Final = "mcp-session-id"


def client_of(context: ServerRequestContext[Any, Any]) -> str:
    """The id of the session that a request is of; there is one over the standard streams."""
    headers = getattr(context.request, "headers", None)
    return headers.get(_SESSION, "") if headers is not None else ""


class ClientTable(OrderedDict[str, T]):
    """Values by the ids of sessions; those that were set longest ago are dropped."""

    def __setitem__(self, key: str, value: T) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > _MOST:
            self.popitem(last=False)
