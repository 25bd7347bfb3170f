"""GGUF files for tests: whole heads, tensors of zeros, as large as one likes (they are sparse)."""

from __future__ import annotations

import struct
from pathlib import Path

_F32, _NUMBER, _TEXT = 0, 4, 8


def write_gguf(
    path: Path, *, values: int = 64, context: int = 2048, layers: int = 2, cut: int = 0
) -> Path:
    """A file with one tensor of so many numbers of four bytes, without its last `cut` bytes."""
    pairs: list[tuple[str, str | int]] = [
        ("general.architecture", "llama"),
        ("llama.context_length", context),
        ("llama.block_count", layers),
        ("llama.embedding_length", 64),
        ("llama.attention.head_count", 4),
    ]
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs))
    for name, value in pairs:
        head += _text(name)
        if isinstance(value, int):
            head += struct.pack("<II", _NUMBER, value)
        else:
            head += struct.pack("<I", _TEXT) + _text(value)
    head += _text("token_embd.weight") + struct.pack("<IQIQ", 1, values, _F32, 0)
    size = -(-len(head) // 32) * 32 + 4 * values
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size - cut)
    return path


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()
