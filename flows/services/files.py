"""The files that a person wants written: whether they can be, and writing each whole."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from flows.core.artifacts import write_whole
from flows.errors import UsageError


def check_ending(path: Path, endings: Collection[str], what: str) -> str:
    """The ending of the path, with its dot. Errors: `UsageError` for one that is not allowed."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise UsageError(f"{path}: a {what}'s name ends in {', '.join(endings)}")
    return ending


def check_writable(path: Path, *, makes_folders: bool = False) -> None:
    """Errors: `UsageError` for a path that no file can be written to; a folder that is not there is
    made later with `makes_folders`."""
    folder = path.parent
    if makes_folders:
        folder = next(each for each in path.absolute().parents if each.exists())
    problem = ""
    if not folder.is_dir():
        problem = f"there is no folder {folder}"
    elif path.is_dir():
        problem = "it is a folder"
    elif not os.access(folder, os.W_OK):
        problem = f"nothing can be written to {folder}"
    elif path.exists() and not os.access(path, os.W_OK):
        problem = "it is write-protected"
    if problem:
        raise UsageError(f"{path} cannot be written: {problem}")


def write_file(path: Path, content: bytes, *, makes_folders: bool = False) -> None:
    """Write a file whole. Errors: `UsageError` when it cannot be written."""
    try:
        if makes_folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
