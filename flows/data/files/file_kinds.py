"""What kind of data a file holds: by the ending of its name, corrected by its first bytes."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Literal

from flows.data.files.packing import (
    PACKINGS,
    Packing,
    packing_of,
    unpack_faults,
    unpacked_head,
    zip_members,
)
from flows.errors import SourceError

FileKind = Literal["csv", "parquet", "json", "excel", "sqlite", "duckdb"]

KINDS: dict[str, FileKind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".psv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".ndjson": "json",
    ".jsonl": "json",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".db3": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
ALLOWED = (
    "allowed: a path that ends in "
    + ", ".join(KINDS)
    + " (text files also packed: "
    + ", ".join(PACKINGS)
    + "), a folder of such files, a pattern such as sales/*.csv, a postgresql://, mysql:// or "
    "mariadb:// address, or package://PACKAGE/path/to/file"
)
_TEXT_KINDS = ("csv", "json")
_HEAD_BYTES = 64 * 1024
_SQLITE_MARK = b"SQLite format 3\x00"
_DUCKDB_MARK = b"DUCK"
_PARQUET_MARK = b"PAR1"
_OLD_EXCEL_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORKBOOK = re.compile(r"^(?:xl/workbook\.(?:xml|bin)|content\.xml)$")
# Control characters that no text holds; NUL may be there by mistake, or as a half of UTF-16.
_BINARY = re.compile(rb"[\x02-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def kind_by_name(path: Path) -> tuple[FileKind | None, Packing]:
    """The kind that the name promises, and how it is packed."""
    suffixes = [each.lower() for each in path.suffixes]
    packing = PACKINGS.get(suffixes[-1], "") if suffixes else ""
    rest = suffixes[:-1] if packing else suffixes
    return (KINDS.get(rest[-1]) if rest else None), packing


def kind_of(name: str, path: Path) -> tuple[FileKind, Packing]:
    """What the file holds and how it is packed.

    Raises SourceError when nothing tells, or the content is not what the name says.
    """
    kind, packing = kind_by_name(path)
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if packing == ".zip" and kind is None:
        kind = _kind_of_member(name, path)
    if kind is None:
        raise SourceError(f"source '{name}': cannot tell from its ending what {path} is; {ALLOWED}")
    if packing and kind not in _TEXT_KINDS:
        raise SourceError(
            f"source '{name}': {path}: a {kind} file is not read compressed; unpack it first"
        )
    if packing and packing_of(head) != packing:
        raise SourceError(f"source '{name}': {path} ends in {packing} but is not compressed so")
    found = _kind_by_content(path, head) if not packing else None
    if found is not None:
        return found, ""
    packing = packing or packing_of(head)
    _check_content(name, path, kind, head, packing)
    return kind, packing


def _kind_of_member(name: str, path: Path) -> FileKind | None:
    """The kind of an archive's only file. Raises SourceError when there are several."""
    try:
        names = zip_members(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise SourceError(f"source '{name}': {path} cannot be unpacked: {error}") from error
    if len(names) != 1:
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise SourceError(
            f"source '{name}': {path} holds {len(names)} files ({shown}); one is allowed: "
            "unpack it and name the folder"
        )
    return kind_by_name(Path(names[0]))[0]


def _kind_by_content(path: Path, head: bytes) -> FileKind | None:
    """The kind of files that begin with a mark of their own."""
    if head.startswith(_SQLITE_MARK):
        return "sqlite"
    if head[8:12] == _DUCKDB_MARK:
        return "duckdb"
    if head.startswith(_PARQUET_MARK):
        return "parquet"
    if head.startswith(_OLD_EXCEL_MARK):
        return "excel"
    if packing_of(head) == ".zip" and _is_workbook(path):
        return "excel"
    return None


def _is_workbook(path: Path) -> bool:
    try:
        return any(_WORKBOOK.match(each) for each in zip_members(path))
    except zipfile.BadZipFile:
        return False


def _check_content(name: str, path: Path, kind: FileKind, head: bytes, packing: Packing) -> None:
    """Raise SourceError for content that cannot be of the kind."""
    names = {
        "sqlite": "a SQLite or DuckDB database",
        "duckdb": "a SQLite or DuckDB database",
        "parquet": "a Parquet file",
        "excel": "an Excel or OpenDocument workbook",
    }
    if kind in names:
        raise SourceError(f"source '{name}': {path} is not {names[kind]}")
    if packing == ".zst":  # its library is loaded only when the file is read
        return
    if packing:
        try:
            head = unpacked_head(path, packing, _HEAD_BYTES)
        except unpack_faults() as error:
            raise SourceError(f"source '{name}': {path} cannot be unpacked: {error}") from error
    if is_binary(head):
        raise SourceError(f"source '{name}': {path} holds binary data, not {kind.upper()} text")
    if not head.strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise SourceError(f"source '{name}': {path} is empty")


def is_binary(head: bytes) -> bool:
    """Whether bytes are no text in any encoding; a stray NUL does not make them so."""
    if head.startswith(_WIDE_MARKS) or wide_encoding(head):
        return False
    return len(_BINARY.findall(head)) > len(head) / 500 or head.count(0) > len(head) / 50


def wide_encoding(head: bytes) -> str:
    """The encoding of text without a mark whose characters take two or four bytes each, or ""."""
    quarters = [head[start::4] for start in range(4)]
    size = len(quarters[3])
    if size < 2:
        return ""
    empty = [part.count(0) / max(len(part), 1) for part in quarters]
    for name, filled in (("utf-32-le", 0), ("utf-32-be", 3)):
        if empty[filled] < 0.1 and all(
            share > 0.9 for at, share in enumerate(empty) if at != filled
        ):
            return name
    if min(empty[1], empty[3]) > 0.4 and max(empty[0], empty[2]) < 0.1:
        return "utf-16-le"
    if min(empty[0], empty[2]) > 0.4 and max(empty[1], empty[3]) < 0.1:
        return "utf-16-be"
    return ""
