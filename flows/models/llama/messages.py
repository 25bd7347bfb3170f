"""What the host and its llama.cpp process tell each other: one line of JSON each way."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict


class ServerSettings(BaseModel):
    """What one process of llama.cpp is started with; processes of the same settings are shared.

    `context` is the tokens of one request, prompt and reply together; `parallel` is how many
    requests are answered at the same time. `size` and `changed` (nanoseconds) tell the file from
    another that took its place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    size: int
    changed: int
    context: int
    parallel: int
    threads: int
    gpu_layers: int


class StartOrder(BaseModel):
    """The host's line: the settings, and the key that each request has to bring."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: ServerSettings
    key: str


class StartReport(BaseModel):
    """The process's line: where it listens, or why it does not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str = ""
    problem: str = ""
