"""Opening what a config's `data:` names: files, folders, patterns, and database servers."""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from flows.config.redaction import redact_pieces
from flows.data.files.file_kinds import ALLOWED, FileKind, kind_by_name, kind_of
from flows.data.files.locations import check_file, files_in, is_folder, is_pattern, locate, matching
from flows.data.files.packing import Packing
from flows.data.files.source_options import SourceOptions
from flows.data.servers import ServerSource, is_server, open_server
from flows.data.tables import Dialect
from flows.errors import SourceError

SourceKind = Literal["csv", "parquet", "json", "excel", "sqlite", "duckdb", "folder", "glob"]
Fingerprint = tuple[tuple[int, int, int], ...]

_NAME_LENGTH = 63
_NOTES_KEPT = 20
# Words that SQL gives a meaning to where a table's name may stand.
_RESERVED_TEXT = """
    all and any as asc between by case cast check column create cross default delete desc distinct
    drop else end except exists false for foreign from full group having in index inner insert
    intersect into is join key left like limit natural not null offset on or order outer primary
    references right select set table then to true union unique update using values view when where
    window with
"""
_RESERVED = frozenset(_RESERVED_TEXT.split())


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a source. `table` is the SQL name that its own name would give, `head` a text of
    its first lines, unpacked, that is read instead of it."""

    path: Path
    kind: FileKind
    packing: Packing
    table: str
    head: Path | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A data source that was found and looks like what its name says.

    `name` is its name in the config, `table` the SQL name that follows from it, `where` the text
    of the config, `path` the absolute path of the file, folder or pattern. `files` are all that it
    reads: each file of a folder is a table of its own, those of a pattern are one table. `notes`
    say what was left out.
    """

    name: str
    table: str
    where: str
    path: Path
    kind: SourceKind
    files: tuple[DataFile, ...] = ()
    options: SourceOptions | None = None
    notes: tuple[str, ...] = ()

    @property
    def dialect(self) -> Dialect:
        return "sqlite" if self.kind == "sqlite" else "duckdb"

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that are read; a SQLite file with its write-ahead log."""
        log = self.path.with_name(self.path.name + "-wal") if self.kind == "sqlite" else None
        own = tuple(each.path for each in self.files) or (self.path,)
        logged = log is not None and log.is_file() and log.stat().st_size > 0
        return (*own, log) if log is not None and logged else own

    @property
    def reading(self) -> str:
        """How it is read, as one text: a profile depends on it as on the content."""
        options = self.options.reading() if self.options else ""
        return "\n".join([self.name, self.kind, options, *(each.table for each in self.files)])


def open_any(name: str, where: str | SourceOptions, base: Path) -> Source | ServerSource:
    """Find what `where` means: the address of a database server, or files.

    Raises SourceError, which says nothing of a place that is a secret.
    """
    try:
        if isinstance(where, str) and is_server(where):
            return open_server(name, where, table_name(name))
        return open_source(name, where, base)
    except SourceError as error:
        if (said := redact_pieces(str(error))) == str(error):
            raise
        raise SourceError(said.partition("; did you mean")[0]) from None


def open_source(name: str, where: str | SourceOptions, base: Path) -> Source:
    """Find the files that `where` names; a relative path starts at the folder `base`.

    Raises SourceError when there is no such readable file, or it is not of a kind that is read.
    """
    table = table_name(name)
    options = where if isinstance(where, SourceOptions) else None
    text = options.path if options else str(where)
    path = locate(name, text, base)
    notes: list[str] = []
    kind: SourceKind
    if is_pattern(path):
        kind, files = "glob", _alike(name, path, table)
    elif is_folder(path):
        kind = "folder"
        files, notes = _folder_files(name, path)
    else:
        files = (_data_file(name, path, table),)
        kind = files[0].kind
    return Source(name, table, text, path, kind, files, options, tuple(notes))


def _data_file(name: str, path: Path, table: str) -> DataFile:
    if check_file(name, path) == 0:
        raise SourceError(f"source '{name}': {path} is empty")
    kind, packing = kind_of(name, path)
    return DataFile(path, kind, packing, table)


def _alike(name: str, pattern: Path, table: str) -> tuple[DataFile, ...]:
    """The files of a pattern, which must all be of one kind; empty ones are left out."""
    found = [path for path in matching(name, pattern) if check_file(name, path)]
    files = tuple(_data_file(name, path, table) for path in found)
    if not files:
        raise SourceError(f"source '{name}': the files of {pattern} are empty")
    kinds = Counter(each.kind for each in files)
    if len(kinds) > 1 or set(kinds) & {"sqlite", "duckdb"}:
        raise SourceError(
            f"source '{name}': the files of {pattern} cannot be one table: they are "
            + " and ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        )
    return files


def _folder_files(name: str, folder: Path) -> tuple[tuple[DataFile, ...], list[str]]:
    """The files of a folder that are tables, and why others are none of them."""
    files: list[DataFile] = []
    notes: list[str] = []
    for path in files_in(name, folder):
        kind = kind_by_name(path)
        if not path.is_file():
            notes.append(f"{path.name} was left out: only files directly in a folder are read")
        elif kind[0] is None and kind[1] != ".zip":
            notes.append(f"{path.name} was left out: not of a kind that is read")
        elif kind[0] in ("sqlite", "duckdb"):
            notes.append(f"{path.name} was left out: name a database as a source of its own")
        else:
            try:
                files.append(_data_file(name, path, _file_table(path)))
            except SourceError as error:
                notes.append(f"{path.name} was left out: {str(error).partition(': ')[2]}")
    if not files:
        why = "; ".join(notes[:3]) or "it is empty"
        raise SourceError(
            f"source '{name}': the folder {folder} holds no file that is read ({why}); {ALLOWED}"
        )
    return tuple(files), notes[:_NOTES_KEPT]


def _file_table(path: Path) -> str:
    stem = path.name.strip(".").partition(".")[0]
    return table_name(stem[:_NAME_LENGTH])


def table_name(name: str) -> str:
    """The SQL identifier that a source's name becomes: `My sales-2024` is `My_sales_2024`.

    Raises SourceError when nothing of the name can stand in an identifier.
    """
    plain = unicodedata.normalize("NFKC", name).strip()
    word = re.sub(r"\W+", "_", plain).strip("_")
    if not word:
        raise SourceError(f"a source's name needs a letter or a digit: '{name}' has none")
    if len(word) > _NAME_LENGTH:
        raise SourceError(
            f"source '{name[:_NAME_LENGTH]}...': a name has at most {_NAME_LENGTH} characters"
        )
    if word[0].isdigit():
        word = f"t_{word}"
    if word.casefold() in _RESERVED or (keyword.iskeyword(word) and word.islower()):
        word = f"{word}_"
    return word


def content_hash(source: Source) -> str:
    """The SHA-256 of the content, in hex: of a single file its bytes, a SQLite file counts with its
    write-ahead log, several files count with their names."""
    digest = hashlib.sha256()
    for path in source.paths:
        if source.kind in ("folder", "glob"):
            digest.update(f"{path.relative_to(_common(source.paths))}\n".encode())
        try:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise SourceError(f"source '{source.name}': {path}: {error.strerror}") from error
    return digest.hexdigest()


def _common(paths: Sequence[Path]) -> Path:
    """The deepest folder that all paths are in."""
    parents = set(paths[0].parents).intersection(*(each.parents for each in paths))
    return max(parents, key=lambda each: len(each.parts))


def fingerprint(source: Source) -> Fingerprint:
    """Size, time of change and inode of each part: it differs when the source was written again."""
    try:
        found = [path.stat() for path in source.paths]
    except OSError as error:
        raise SourceError(f"source '{source.name}': {source.path}: {error.strerror}") from error
    return tuple((each.st_size, each.st_mtime_ns, each.st_ino) for each in found)
