"""The documents of a folder: which there are, and their bytes."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from flows.data.documents.blocks import UnreadableDocument
from flows.data.documents.reading import KINDS, OTHERS, kind_of
from flows.errors import SourceError

MOST_DOCUMENTS = 20_000
_MOST_ENTRIES = 500_000
_HIDDEN = (".", "~$")
# A file that was changed this lately may be changed again without a new time.
_SETTLED_NS = 2_000_000_000


class DocumentFile(BaseModel):
    """A document in the folder: its path from there, where it really is, and its kind. `mark` is
    the same as long as the file is, "" where that is not sure; `problem` says why it is not read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    path: Path
    kind: str = ""
    mark: str = ""
    problem: str = ""


def list_documents(where: Path, most_bytes: int, now_ns: int) -> list[DocumentFile]:
    """The documents in a folder and those below it, by name; or the one that `where` is.

    Hidden files are left out, and so is what is no document. Links are followed to files inside of
    the folder only. Errors: `SourceError` when it cannot be listed.
    """
    where = where.resolve()  # whoever names a link means what is behind it
    check_place(where)
    top = where if where.is_dir() else where.parent
    found: dict[str, DocumentFile] = {}
    closed: list[DocumentFile] = []
    for relative in _names(top, closed) if where.is_dir() else (where.name,):
        each = _look_at(top, relative, most_bytes, now_ns)
        if each is not None:
            if each.name in found:
                twice = {"problem": "has the same name as another one, but for signs not shown"}
                each = each.model_copy(update=twice)
            found[each.name] = each
        if len(found) > MOST_DOCUMENTS:
            raise SourceError(
                f"{where} holds more than {MOST_DOCUMENTS:,} documents; name a folder inside of it"
            )
    return sorted([*found.values(), *closed], key=lambda each: each.name)


def check_place(where: Path) -> None:
    """Errors: `SourceError` for what is no folder and no document."""
    if where.is_dir():
        if not os.access(where, os.R_OK | os.X_OK):
            raise SourceError(f"the folder {where} cannot be read: permission denied")
        return
    if not where.exists():
        raise SourceError(f"there is no folder or file {where}")
    if kind_of(where.name) not in KINDS:
        raise SourceError(f"{where} is no document that can be read; allowed: {', '.join(KINDS)}")


def read_bytes(file: DocumentFile, most_bytes: int) -> tuple[bytes, str]:
    """A document's content and its SHA-256. Errors: `UnreadableDocument`."""
    if file.problem:
        raise UnreadableDocument(file.problem)
    # Not through a link that came since, and not waiting for a pipe that nobody writes to.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(file.path, flags), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise UnreadableDocument("is no plain file")
            content = opened.read(most_bytes + 1)
    except OSError as error:
        raise UnreadableDocument(_reason(error)) from error
    if len(content) > most_bytes:
        raise UnreadableDocument(_too_large(len(content), most_bytes))
    return content, hashlib.sha256(content).hexdigest()


def _names(top: Path, closed: list[DocumentFile]) -> Iterator[str]:
    """The entries below a folder; those of its folders that cannot be read come into `closed`."""

    def fail(error: OSError) -> None:
        path = Path(error.filename or top)
        if path == top:
            raise SourceError(f"the folder {top} cannot be read: {error.strerror}") from error
        closed.append(DocumentFile(name=_told_name(top, path), path=path, problem=_reason(error)))

    entries = 0
    for folder, inside, files in os.walk(top, onerror=fail):
        # A folder that is a link is told as one entry; nothing below it is looked at.
        links = [each for each in inside if os.path.islink(os.path.join(folder, each))]  # noqa: PTH114, PTH118
        inside[:] = sorted(each for each in inside if not each.startswith(_HIDDEN))
        for name in sorted([*files, *links]):
            entries += 1
            if entries > _MOST_ENTRIES:
                raise SourceError(f"{top} holds more than {_MOST_ENTRIES:,} files")
            if not name.startswith(_HIDDEN):
                yield os.path.relpath(os.path.join(folder, name), top)  # noqa: PTH118


def _look_at(top: Path, relative: str, most_bytes: int, now_ns: int) -> DocumentFile | None:
    kind = kind_of(relative)
    path = top / relative
    name = _told_name(top, path)
    problem = ""
    try:
        if path.is_symlink():
            path, problem = _behind_link(top, path)
            if path.is_dir() and not problem:
                return None  # inside of the folder, so that it is found there
            if path.is_dir():
                return DocumentFile(name=name, path=path, problem=problem)
        if kind not in KINDS:
            other = f"is of the kind {kind}, which is not read; save it as {OTHERS.get(kind)}"
            return DocumentFile(name=name, path=path, problem=other) if kind in OTHERS else None
        told = path.lstat()
        if not stat.S_ISREG(told.st_mode):
            problem = problem or "is no plain file"
        elif told.st_size > most_bytes:
            problem = problem or _too_large(told.st_size, most_bytes)
    except (OSError, RuntimeError) as error:  # a link to itself is a RuntimeError for pathlib
        reason = _reason(error) if isinstance(error, OSError) else "is a link to itself"
        return DocumentFile(name=name, path=path, problem=reason) if kind in KINDS else None
    return DocumentFile(name=name, path=path, kind=kind, mark=_mark(told, now_ns), problem=problem)


def _told_name(top: Path, path: Path) -> str:
    # Names on a disk are bytes; what is no UTF-8, or ends lines, is told with a sign in its place.
    name = os.fsencode(path.relative_to(top).as_posix()).decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def _behind_link(top: Path, path: Path) -> tuple[Path, str]:
    target = path.resolve(strict=True)
    inside = target.is_relative_to(top.resolve())
    return target, "" if inside else "is a link to something outside of the folder"


def _mark(told: os.stat_result, now_ns: int) -> str:
    if now_ns - max(told.st_mtime_ns, told.st_ctime_ns) < _SETTLED_NS:
        return ""
    return f"{told.st_ino}/{told.st_size}/{told.st_mtime_ns}/{told.st_ctime_ns}"


def _too_large(size: int, most: int) -> str:
    return f"has {size / 1e6:,.0f} MB; at most {most / 1e6:,.0f} MB are read (max_file_mb)"


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "is gone, or is a link to nothing"
    return f"cannot be opened: {error.strerror or error}"
