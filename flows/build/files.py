"""The files and folders that a run reads or makes, beside its run file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel

from flows.config.composition import Composed
from flows.config.read import shown
from flows.config.secret import ENV


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file or folder, and the path of the config's key that names it."""

    key: str
    path: str

    def is_in(self, folder: Path) -> bool:
        """Whether it is in the folder, with all links followed; a secret one may be anywhere."""
        if ENV.fullmatch(self.path) or "://" in self.path:
            return False
        return Path(self.path).resolve().is_relative_to(folder.resolve())


MADE_LATER: Final = ("glossary",)


def named_file(composed: Composed, key: str, path: str, start: Path, *, live: bool) -> Path:
    """The whole path of a file that a key of the run names. Errors: `ConfigError`, where it is
    `live`, for one that is not there and is not made by a run."""
    file = start / Path(path).expanduser()
    if live and key not in MADE_LATER and not file.exists():
        raise composed.error(f"there is no file {shown(file)}", (key,))
    return file


def files_of(
    model: type[BaseModel], values: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[FileUse]:
    """The files that a config names: what its model declares as a path, from the working folder."""
    for name, info in model.model_fields.items():
        if info.annotation is not Path and Path not in get_args(info.annotation):
            continue
        value = values.get(info.alias or name, info.default)
        if isinstance(value, str | Path):
            key = ".".join(map(str, (*path, name)))
            yield FileUse(key, str(Path.cwd() / Path(value).expanduser()))
