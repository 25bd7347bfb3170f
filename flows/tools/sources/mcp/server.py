"""An MCP server and how it is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class McpServer:
    """A server and its name for messages, and how it is reached: the command that starts it, with
    `env` and in `folder`, or its `url`, with the `headers` that carry the key. A message may have
    `max_bytes`."""

    name: str
    command: tuple[str, ...] = ()
    folder: Path = Path()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = 0
