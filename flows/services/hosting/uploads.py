"""Files that people bring to a conversation: checked at once, kept in a folder of their own."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.data.files.file_kinds import KINDS, kind_by_name
from flows.data.profiles.cache import PROFILES
from flows.data.tables import Table
from flows.errors import NotFound, SourceError, UsageError
from flows.services.sources import read_sources
from flows.services.suggested_questions import suggest_questions

MOST_BYTES: Final = 200_000_000
MOST_FILES: Final = 20
_KEPT_SECONDS: Final = 7 * 86_400  # that a file stays which no conversation took
_ID: Final = re.compile(r"[0-9a-f]{32}")
_LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was brought, and the tables in it."""

    id: str
    path: Path
    tables: tuple[Table, ...]

    def as_json(self) -> Values:
        tables = [
            {"name": each.name, "rows": each.rows, "columns": [one.name for one in each.columns],
             "notes": list(each.notes)}
            for each in self.tables
        ]  # fmt: skip
        questions = suggest_questions(self.tables)
        return {"id": self.id, "name": self.path.name, "tables": tables, "questions": questions}


class UploadFolder:
    """The files in a folder, each in a folder of its own under an id that is made here."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()

    def place(self, name: str) -> Path:
        """Where a new file goes that its owner calls so; folders in the name do not count.

        Errors: `UsageError` for a name whose ending says that it holds no data.
        """
        own = plain_file_name(name)
        kind, _ = kind_by_name(Path(own))
        if kind is None:
            raise UsageError(f"{own} is no data file; allowed: {', '.join(KINDS)}")
        folder = self._folder / secrets.token_hex(16)
        folder.mkdir(parents=True, mode=0o700)
        return folder / own

    def check(self, path: Path) -> Upload:
        """Read a file that was written. One that cannot be read is removed.

        Errors: `SourceError`, `UsageError` that say what is wrong with it, and not where it is.
        """
        try:
            if path.stat().st_size == 0:
                raise UsageError(f"{path.name} is empty")
            named = {each.name: each.where for each in read_sources([str(path)])}
            with Catalog(named, self._folder, PROFILES) as catalog:
                tables = catalog.tables()
        except SourceError as error:
            self.drop(path)
            raise SourceError(self._without_folders(str(error), path)) from error
        except BaseException:
            self.drop(path)
            raise
        return Upload(path.parent.name, path, tables)

    def drop(self, path: Path) -> None:
        """Remove a file that `place` named."""
        shutil.rmtree(path.parent, ignore_errors=True)

    def take(self, ids: Sequence[str], folder: Path) -> list[Path]:
        """Move files into a folder and return where they are; those that are there stay.

        Errors: `NotFound` for an id that no file has, `UsageError` for too many.
        """
        if len(ids) > MOST_FILES:
            raise UsageError(f"a conversation takes {MOST_FILES} files, not {len(ids)}")
        known = [self._find(each, folder) for each in dict.fromkeys(ids)]
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in known:
            if path.parent.parent != folder:
                path.parent.rename(folder / path.parent.name)
        return [folder / path.parent.name / path.name for path in known]

    def forget(self) -> None:
        """Remove what lies here for long and no conversation took."""
        for each in self._folder.iterdir() if self._folder.is_dir() else ():
            if _ID.fullmatch(each.name) and time.time() - each.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(each, ignore_errors=True)

    def _without_folders(self, text: str, path: Path) -> str:
        """A message about an uploaded file that does not say where it is kept."""
        text = text.replace(f"{path.parent}/", "")
        return re.sub(rf"{re.escape(str(self._folder))}[^\s\"']*", "\u2026", text)

    def _find(self, upload_id: str, folder: Path) -> Path:
        if _ID.fullmatch(upload_id):
            for place in (folder / upload_id, self._folder / upload_id):
                for path in place.iterdir() if place.is_dir() else ():
                    return path
        raise NotFound(f"there is no uploaded file {upload_id[:40]!r}")


def plain_file_name(name: str) -> str:
    """A name without folders and signs, of at most 80 characters, its endings kept."""
    own = PurePath(name.replace("\\", "/")).name
    own = re.sub(r"[^\w.-]+", "_", own).strip("._-") or "file"
    return own[-_LONGEST_NAME:].lstrip("._-")
