"""How much memory a model takes, and how much there is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flows.models.llama.gguf import ModelFile

# llama.cpp's own buffers, beside the weights and the context.
_BESIDE: Final = 64 << 20
_MEMINFO: Final = Path("/proc/meminfo")
# Of the second version of control groups, and of the first.
_LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def needed(model: ModelFile, tokens: int) -> int:
    """Bytes that the model takes with a context of so many tokens, about."""
    return model.size + tokens * model.cache_per_token + _BESIDE


def available() -> int | None:
    """Bytes of memory that a new process can have; None where the system does not say."""
    found = [each for each in (_of_machine(), _of_group()) if each is not None]
    return min(found, default=None)


def _of_machine() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


def _of_group() -> int | None:
    """The container's limit, where there is one. What is used of it may be files that were read,
    which make room when it is needed."""
    for limit in _LIMITS:
        try:
            said = limit.read_text().strip()
        except OSError:
            continue
        if said.isdecimal():
            return int(said)
    return None
