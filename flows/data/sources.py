"""Opening what a config's `data:` names: files, and data files inside installed packages."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import keyword
import re
import stat
import unicodedata
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from flows.config.secret import masked
from flows.data.tables import Dialect
from flows.errors import SourceError, nearest

SourceKind = Literal["csv", "parquet", "json", "sqlite", "duckdb"]
Fingerprint = tuple[tuple[int, int, int], ...]

_KINDS: dict[str, SourceKind] = {
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
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".db3": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
_COMPRESSED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}
_TEXT_KINDS = ("csv", "json")
_ALLOWED = (
    "allowed: a path that ends in " + ", ".join(_KINDS) + " (text files also with .gz or .zst), "
    "or package://PACKAGE/path/to/file"
)
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
_HEAD_BYTES = 64 * 1024
_NAME_LENGTH = 63
_SQLITE_MAGIC = b"SQLite format 3\x00"
_DUCKDB_MAGIC = b"DUCK"
WIDE_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff")
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
class Source:
    """A data source that was found and looks like what its name says.

    `name` is its name in the config, `table` the SQL name that follows from it, `where` the text
    of the config, `path` the absolute path of the file.
    """

    name: str
    table: str
    where: str
    path: Path
    kind: SourceKind

    @property
    def dialect(self) -> Dialect:
        return "sqlite" if self.kind == "sqlite" else "duckdb"


def open_source(name: str, where: str, base: Path) -> Source:
    """Find the file that `where` names; a relative path starts at the folder `base`.

    Raises SourceError when there is no such readable file, or it is not of a kind that is read.
    """
    table = table_name(name)
    path = _locate(name, where, base)
    size = _check_file(name, path)
    if size == 0:
        raise SourceError(f"source '{name}': {path} is empty")
    kind, compression = _kind_by_name(name, path)
    head = _read_head(name, path, compression)
    return Source(name, table, where, path, _kind_by_content(name, path, kind, head))


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
    """The SHA-256 of the file's bytes, in hex; a SQLite file counts with its write-ahead log."""
    digest = hashlib.sha256()
    try:
        for path in _parts(source):
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        raise SourceError(f"source '{source.name}': {source.path}: {error.strerror}") from error
    return digest.hexdigest()


def fingerprint(source: Source) -> Fingerprint:
    """Size, time of change and inode of each part: it differs when the source was written again."""
    try:
        found = [path.stat() for path in _parts(source)]
    except OSError as error:
        raise SourceError(f"source '{source.name}': {source.path}: {error.strerror}") from error
    return tuple((each.st_size, each.st_mtime_ns, each.st_ino) for each in found)


def _parts(source: Source) -> list[Path]:
    log = source.path.with_name(source.path.name + "-wal")
    logged = source.kind == "sqlite" and log.is_file() and log.stat().st_size > 0
    return [source.path, log] if logged else [source.path]


def _locate(name: str, where: str, base: Path) -> Path:
    if not where.strip() or "\x00" in where:
        raise SourceError(f"source '{name}': no path is given; {_ALLOWED}")
    scheme = _SCHEME.match(where)
    if scheme is None:
        path = Path(where).expanduser()
        return path if path.is_absolute() else base.absolute() / path
    if scheme[1].lower() == "package":
        return _in_package(name, where, where[scheme.end() :])
    raise SourceError(
        f"source '{name}': {scheme[1]}:// addresses are not read: "
        f"download {masked('data', where)} and name the file; {_ALLOWED}"
    )


def _in_package(name: str, where: str, rest: str) -> Path:
    """The file inside an installed package, found without running the package's code."""
    package, _, inside = rest.partition("/")
    parts = PurePosixPath(inside).parts
    if not package.isidentifier() or not parts or ".." in parts or inside.startswith("/"):
        raise SourceError(
            f"source '{name}': '{where}' is not of the form package://PACKAGE/path/to/file"
        )
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # a module that was loaded without a spec, such as __main__
        spec = None
    if spec is None:
        raise SourceError(f"source '{name}': the package '{package}' is not installed ({where})")
    folders = [Path(each) for each in spec.submodule_search_locations or ()]
    for folder in folders:
        path = folder.joinpath(*parts)
        if path.exists():
            return path
    if not folders:
        raise SourceError(f"source '{name}': '{package}' is a single module and holds no files")
    return folders[0].joinpath(*parts)


def _check_file(name: str, path: Path) -> int:
    """The file's size in bytes, or a SourceError when it is no readable file."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise SourceError(f"source '{name}': {path} is a folder, not a file; {_ALLOWED}")
        if not stat.S_ISREG(found.st_mode):
            raise SourceError(f"source '{name}': {path} is not a regular file")
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise SourceError(_missing(name, path)) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError(f"source '{name}': cannot read {path}: {reason}") from error
    return found.st_size


def _missing(name: str, path: Path) -> str:
    text = f"source '{name}': there is no file {path}"
    try:
        near = nearest(path.name, [each.name for each in path.parent.iterdir()])
    except OSError:  # the folder is missing or closed too: then there is nothing to suggest
        return text
    return f"{text}; did you mean {near}?" if near else text


def _kind_by_name(name: str, path: Path) -> tuple[SourceKind, str]:
    """The kind of file, and `.gz`, `.zst` or nothing."""
    suffixes = [each.lower() for each in path.suffixes]
    compression = suffixes[-1] if suffixes and suffixes[-1] in _COMPRESSED else ""
    rest = suffixes[:-1] if compression else suffixes
    kind = _KINDS.get(rest[-1]) if rest else None
    if kind is None:
        raise SourceError(
            f"source '{name}': cannot tell from its ending what {path} is; {_ALLOWED}"
        )
    if compression and kind not in _TEXT_KINDS:
        raise SourceError(
            f"source '{name}': {path}: a {kind} file is not read compressed; unpack it first"
        )
    return kind, compression


def _read_head(name: str, path: Path, compression: str) -> bytes:
    """The first bytes of the content, unpacked where the standard library can unpack it."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not compression:
        return head
    if not head.startswith(_COMPRESSED[compression]):
        raise SourceError(f"source '{name}': {path} ends in {compression} but is not compressed so")
    if compression == ".zst":
        return b""
    try:
        with gzip.open(path) as packed:
            head = packed.read(_HEAD_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"source '{name}': {path} cannot be unpacked: {error}") from error
    if not head:
        raise SourceError(f"source '{name}': {path} is empty")
    return head


def _kind_by_content(name: str, path: Path, kind: SourceKind, head: bytes) -> SourceKind:
    """The kind, corrected by the content: `.db` is used for SQLite and for DuckDB."""
    if kind in ("sqlite", "duckdb"):
        if head.startswith(_SQLITE_MAGIC):
            return "sqlite"
        if head[8:12] == _DUCKDB_MAGIC:
            return "duckdb"
        raise SourceError(f"source '{name}': {path} is not a SQLite or DuckDB database")
    if kind == "parquet" and not head.startswith(b"PAR1"):
        raise SourceError(f"source '{name}': {path} is not a Parquet file")
    if kind in _TEXT_KINDS and head and not head.startswith(WIDE_TEXT_MARKS):
        if b"\x00" in head:
            raise SourceError(f"source '{name}': {path} holds binary data, not {kind.upper()} text")
        if not head.strip():
            raise SourceError(f"source '{name}': {path} is empty")
    return kind
