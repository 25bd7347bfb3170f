"""The head of a GGUF file: what the model is, and how long the file has to be.

The format is described in docs/gguf.md of ggml: a magic number, a version, key-value pairs, the
places of the tensors, and the tensors. Only the head is read, without what the tokenizer knows.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO, Final

MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_ALIGNMENT: Final = 32
# What a damaged head may ask for at most, so that it is not believed: entries, and bytes of a text.
_MOST_ENTRIES: Final = 1_000_000
_LONGEST_TEXT: Final = 64 << 20
_FORMATS: Final[Mapping[int, str]] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_TEXT, _ARRAY = 8, 9
# Values a block and bytes a block, by ggml's number of the type.
_BLOCKS: Final[Mapping[int, tuple[int, int]]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 30: (1, 2),
}  # fmt: skip
Value = int | float | bool | str | None


class NotGGUF(Exception):
    """The file is none, or not whole; the message says which, without the file's name."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """What the head of a model's file says. Sizes are bytes; `context` is in tokens.

    `cache_per_token` is what one token of the context takes in memory while the model runs, in
    half precision; 0 where the head does not say enough.
    """

    path: Path
    size: int
    architecture: str
    context: int | None
    cache_per_token: int


def read_model_file(path: Path) -> ModelFile:
    """What the head of the file says. Errors: `NotGGUF`; `OSError` where it cannot be read."""
    status = path.stat()
    return _read(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _read(path: Path, size: int, changed: int) -> ModelFile:
    del changed  # tells a file from the one that it replaced
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise NotGGUF("is not a GGUF file")
        try:
            head = _Head(file)
            needed = head.end
        except (struct.error, EOFError):
            raise NotGGUF("is cut: it ends before its model begins") from None
    if size < needed:
        raise NotGGUF(f"is cut: it has {size:,} bytes, and its model needs {needed:,}")
    return ModelFile(path, size, head.architecture, head.context, head.cache_per_token)


class _Head:
    """Reads on from behind the magic number."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        version = self._number("<I")
        if version not in _VERSIONS:
            raise NotGGUF(f"is a GGUF file of version {version}, and only 2 and 3 are known")
        tensors, pairs = self._count(), self._count()
        self.values: dict[str, Value] = {}
        for _ in range(pairs):
            name = self._text()
            self.values[name] = self._value(self._number("<I"))
        self.end = self._end_of_tensors(tensors)

    @property
    def architecture(self) -> str:
        return str(self.values.get("general.architecture") or "")

    @property
    def context(self) -> int | None:
        return self._known("context_length") or None

    @property
    def cache_per_token(self) -> int:
        heads = self._known("attention.head_count")
        width = self._known("embedding_length") // heads if heads else 0
        key = self._known("attention.key_length") or width
        value = self._known("attention.value_length") or width
        shared = self._known("attention.head_count_kv") or heads
        return 2 * self._known("block_count") * shared * (key + value)

    def _known(self, name: str) -> int:
        """A number of the architecture; 0 for one that is not there, or differs from layer to
        layer."""
        value = self.values.get(f"{self.architecture}.{name}")
        return value if isinstance(value, int) and value > 0 else 0

    def _end_of_tensors(self, tensors: int) -> int:
        """Where the last tensor ends in the file. Of a type that is not known here, where it
        begins."""
        last = 0
        for _ in range(tensors):
            self._text()
            shape = [self._number("<Q") for _ in range(self._number("<I"))]
            kind, start = self._number("<I"), self._number("<Q")
            values, size = _BLOCKS.get(kind, (1, 0))
            last = max(last, start + -(-prod(shape) // values) * size)
        given = self.values.get("general.alignment")
        alignment = given if isinstance(given, int) and given > 0 else _ALIGNMENT
        return -(-self._file.tell() // alignment) * alignment + last

    def _value(self, kind: int) -> Value:
        """A value; None for a list, which is passed over."""
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            self._pass_list()
            return None
        if kind not in _FORMATS:
            raise NotGGUF(f"has a damaged head: there is no type of values {kind}")
        found: int | float | bool = struct.unpack(
            _FORMATS[kind], self._bytes(struct.calcsize(_FORMATS[kind]))
        )[0]
        return found

    def _pass_list(self) -> None:
        kind, count = self._number("<I"), self._count()
        if kind in _FORMATS:
            self._file.seek(count * struct.calcsize(_FORMATS[kind]), 1)
            return
        for _ in range(count):
            if kind == _TEXT:
                self._file.seek(self._length(), 1)
            else:
                self._value(kind)

    def _text(self) -> str:
        return self._bytes(self._length()).decode(errors="replace")

    def _length(self) -> int:
        length = self._number("<Q")
        if length > _LONGEST_TEXT:
            raise NotGGUF("has a damaged head")
        return length

    def _count(self) -> int:
        count = self._number("<Q")
        if count > _MOST_ENTRIES:
            raise NotGGUF("has a damaged head")
        return count

    def _number(self, form: str) -> int:
        found: int = struct.unpack(form, self._bytes(struct.calcsize(form)))[0]
        return found

    def _bytes(self, count: int) -> bytes:
        found = self._file.read(count)
        if len(found) < count:
            raise EOFError
        return found
