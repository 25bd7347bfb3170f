"""The files of a competition's folder: tables, texts, and what is neither."""

from __future__ import annotations

import os
import re
import shutil
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from flows.core.store import FILE as STORE
from flows.data.catalog import Catalog
from flows.data.documents.blocks import Block, UnreadableDocument
from flows.data.documents.folder import DocumentFile, list_documents, read_bytes
from flows.data.documents.reader import DocumentReader
from flows.data.documents.text import decoded
from flows.data.files.file_kinds import KINDS as TABLE_KINDS
from flows.data.files.file_kinds import kind_by_name
from flows.data.files.packing import MOST_TIMES, unpack_faults
from flows.data.files.source_options import SourceOptions
from flows.data.tables import Table
from flows.errors import SourceError, UsageError

TEXT_KINDS = (
    ".md", ".markdown", ".txt", ".text", ".rst", ".yaml", ".yml", ".html", ".htm", ".pdf", ".docx",
)  # fmt: skip
_PLAIN_TEXT = (".md", ".markdown", ".txt", ".text", ".rst", ".yaml", ".yml", "")
_DATABASES = ("sqlite", "duckdb")
_MOST_FILES = 2_000
_MOST_TEXT = 20_000_000
_MOST_CHARACTERS = 300_000
_MOST_UNPACKED = 32 << 30
_ALWAYS_UNPACKED = 256 << 20
_PREVIEW_ROWS = 500
_HEAD_BYTES = 20_000
_NO_TASK = re.compile(r"^(?:licen[cs]e|copying|requirements|changelog|citation|robots)\b", re.I)
_SEPARATORS = "\t;,|"
# A member with a password is a RuntimeError for zipfile.
_ARCHIVE_FAULTS: tuple[type[Exception], ...] = (*unpack_faults(), RuntimeError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """A table of the folder, by a preview of its first rows. `name` is its path in the folder, with
    the sheet of a workbook that has several."""

    name: str
    path: Path
    table: Table
    sheet: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.table.columns)

    @property
    def source(self) -> str | SourceOptions:
        """The table as a source of a catalog."""
        return (
            SourceOptions(path=str(self.path), sheet=self.sheet) if self.sheet else str(self.path)
        )


@dataclass(frozen=True, slots=True)
class CompetitionText:
    """A text of the folder; a heading of it is a line that begins with #. `characters` is how long
    it is where `text` is not all of it."""

    name: str
    text: str
    characters: int | None = None


@dataclass(frozen=True, slots=True)
class FolderContent:
    """What was found. `broken` says of files that are named as tables or texts why they cannot be
    read."""

    tables: tuple[CandidateTable, ...]
    texts: tuple[CompetitionText, ...]
    broken: dict[str, str]


def opened_folder(where: Path, scratch: Path) -> Path:
    """The folder, or what an archive of it is unpacked to in `scratch`. Errors: `UsageError`."""
    if where.is_dir():
        return where
    if not where.exists():
        raise UsageError(f"there is no folder {where}")
    if not zipfile.is_zipfile(where):
        raise UsageError(
            f"{where} is neither a folder nor a zip of one; allowed: a folder with a task text, "
            "a table train, and, if there are such, test and a sample submission"
        )
    target = scratch / "unpacked"
    _unpack(where, target)
    return target


def read_content(folder: Path, scratch: Path, *, without: Path | None = None) -> FolderContent:
    """The tables and texts of a folder and of those below it; archives are unpacked in `scratch`.
    What is in the folder `without` is passed over, and so are the folders of runs.

    Nothing is written into the folder. Errors: `UsageError` for one that cannot be listed.
    """
    broken: dict[str, str] = {}
    files = dict(_files(folder, scratch, broken, without))
    tables = {name: path for name, path in files.items() if _is_table(path)}
    texts = {
        name: path
        for name, path in files.items()
        if name not in tables and _may_be_text(path) and not _NO_TASK.match(path.name)
    }
    return FolderContent(
        tables=tuple(_candidates(tables, broken)),
        texts=tuple(_read_texts(texts, broken)),
        broken=broken,
    )


def _files(
    folder: Path, scratch: Path, broken: dict[str, str], without: Path | None
) -> Iterator[tuple[str, Path]]:
    """Each plain file by its path in the folder, those near the top first."""
    for path in _below(folder, without):
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() == ".zip" and not _is_packed_table(path):
            target = scratch / "archives" / re.sub(r"\W+", "_", name)
            try:
                _unpack(path, target)
            except UsageError as error:
                broken[name] = str(error)
                continue
            for each in _below(target):
                yield f"{name}/{each.relative_to(target).as_posix()}", each
        else:
            yield name, path


def _below(folder: Path, without: Path | None = None) -> list[Path]:
    """The files of a folder and of those below it that are neither hidden nor of a run."""
    found: list[Path] = []
    left_out = without.resolve() if without is not None else None
    try:
        for at, folders, names in os.walk(folder, onerror=_raised):
            if STORE in names:
                folders.clear()
                continue
            folders[:] = [
                each
                for each in folders
                if not _is_hidden(each) and Path(at, each).resolve() != left_out
            ]
            paths = (Path(at, each) for each in names if not _is_hidden(each))
            found += [each for each in paths if each.is_file()]
            if len(found) > _MOST_FILES:
                raise UsageError(f"{folder} holds more than {_MOST_FILES:,} files")
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror or error}") from error
    return sorted(found, key=lambda each: (len(each.parts), str(each)))


def _raised(error: OSError) -> None:
    raise error


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$", "__MACOSX"))


def _is_packed_table(path: Path) -> bool:
    """Whether an archive holds nothing but one text table, which a catalog reads as it is."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
    except unpack_faults():
        return False
    kept = [each for each in names if not each.startswith(("__MACOSX/", "."))]
    return len(kept) == 1 and kind_by_name(Path(kept[0]))[0] in ("csv", "json")


def _unpack(archive: Path, target: Path) -> None:
    """All files of an archive, inside of `target`. Errors: `UsageError`, also for one that grows
    too much."""
    packed = archive.stat().st_size
    room = min(max(_ALWAYS_UNPACKED, packed * MOST_TIMES), _MOST_UNPACKED)
    target.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in opened.infolist():
                parts = PurePosixPath(member.filename.replace("\\", "/")).parts
                if member.is_dir() or not parts:
                    continue
                if ".." in parts or parts[0] == "/":
                    raise UsageError(f"{archive} holds a file outside of its folder: {parts}")
                room -= member.file_size
                if room < 0:
                    raise UsageError(f"{archive} unpacks to too much; unpack it yourself")
                goal = target.joinpath(*parts)
                goal.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as source, goal.open("wb") as copy:
                    shutil.copyfileobj(source, copy, 1 << 20)
    except _ARCHIVE_FAULTS as error:
        raise UsageError(f"{archive} cannot be unpacked: {error}") from error


def _is_table(path: Path) -> bool:
    kind, packing = kind_by_name(path)
    if kind in _DATABASES:
        return False
    if kind == "csv" and path.suffix.lower() == ".txt":
        return _looks_delimited(path)
    return kind is not None or packing == ".zip"


def _looks_delimited(path: Path) -> bool:
    """Whether a text has the same number of one separator in nearly all of its first lines."""
    try:
        with path.open("rb") as file:
            head = decoded(file.read(_HEAD_BYTES))
    except (OSError, UnreadableDocument):
        return True  # it is told then why it is no table
    lines = [each for each in head.split("\n")[:40] if each.strip()]
    lines = lines[:-1] if len(head) >= _HEAD_BYTES / 2 else lines
    if len(lines) < 3 or max(map(len, lines)) > 5_000:
        return False
    for separator in _SEPARATORS:
        count = lines[0].count(separator)
        alike = sum(each.count(separator) == count for each in lines)
        if count and alike >= 0.9 * len(lines):
            return _is_heading(lines[0].split(separator))
    return False


def _is_heading(cells: Sequence[str]) -> bool:
    """Whether these may be the names of columns, and are no sentence with a comma."""
    names = [each.strip() for each in cells]
    short = all(each and len(each.split()) <= 4 for each in names)
    return short and len(set(names)) == len(names) and not names[0].startswith(("#", "-", "*"))


def _may_be_text(path: Path) -> bool:
    ending = path.suffix.lower()
    return ending in TEXT_KINDS or (not ending and path.name.isascii())


def _candidates(tables: dict[str, Path], broken: dict[str, str]) -> Iterator[CandidateTable]:
    names = list(tables)
    sources: dict[str, str | SourceOptions] = {
        f"f{at}": str(tables[name]) for at, name in enumerate(names)
    }
    for at, found in _previews(sources, broken, names):
        name, path = names[at], tables[names[at]]
        sheets = _sheet_names(path) if len(found) > 1 else []
        for place, table in enumerate(found):
            if len(found) == 1 or len(sheets) != len(found):
                yield CandidateTable(name, path, table)
                break
            yield CandidateTable(f"{name}[{sheets[place]}]", path, table, sheets[place])


def _previews(
    sources: dict[str, str | SourceOptions], broken: dict[str, str], names: Sequence[str]
) -> Iterator[tuple[int, list[Table]]]:
    """The tables of each source by its number, all at once, or one by one where some are broken."""
    try:
        found = Catalog(sources, Path.cwd()).preview(_PREVIEW_ROWS) if sources else ()
    except SourceError:
        for at, (key, where) in enumerate(sources.items()):
            try:
                yield at, list(Catalog({key: where}, Path.cwd()).preview(_PREVIEW_ROWS))
            except SourceError as error:
                broken[names[at]] = _reason(str(error))
        return
    for at, key in enumerate(sources):
        yield at, [each for each in found if each.source == key]


def _reason(message: str) -> str:
    """A source's error without the name that it had here alone."""
    return re.sub(r"^source 'f\d+': ", "", message)


def _sheet_names(path: Path) -> list[str]:
    """The sheets of a workbook that hold something, in their order."""
    import python_calamine

    try:
        with python_calamine.CalamineWorkbook.from_path(str(path)) as book:
            return [each for each in book.sheet_names if book.get_sheet_by_name(each).to_python()]
    except (python_calamine.CalamineError, OSError, ValueError):
        return []


def _read_texts(texts: dict[str, Path], broken: dict[str, str]) -> Iterator[CompetitionText]:
    room = _MOST_CHARACTERS
    with DocumentReader() as reader:
        for name, path in texts.items():
            try:
                text = _text_of(path, reader)
            except UnreadableDocument as error:
                broken[name] = f"it {error}"
                continue
            if text.strip():
                part = text[: max(room, 0)]
                room -= len(part)
                yield CompetitionText(name, part, len(text) if part != text else None)


def _text_of(path: Path, reader: DocumentReader) -> str:
    if path.suffix.lower() in _PLAIN_TEXT:
        file = DocumentFile(name=path.name, path=path.resolve(), kind=".txt")
        content, _ = read_bytes(file, _MOST_TEXT)
        if not content.strip():
            raise UnreadableDocument("is empty")
        return decoded(content)
    file = list_documents(path, _MOST_TEXT, time.time_ns())[0]
    content, _ = read_bytes(file, _MOST_TEXT)
    return as_text(reader.read(file.kind, content))


def as_text(blocks: Sequence[Block]) -> str:
    """The paragraphs of a document as text, a heading as a line that begins with #."""
    lines: list[str] = []
    section = ""
    for each in blocks:
        if each.section != section:
            section = each.section
            level = section.count(" > ") + 1
            lines += ["", f"{'#' * min(level, 6)} {section.rpartition(' > ')[2]}", ""]
        lines.append(each.text)
        if " | " not in each.text:
            lines.append("")
    return "\n".join(lines).strip() + "\n"


def allowed_tables() -> str:
    """The endings that a table's name may have."""
    return ", ".join(each for each, kind in TABLE_KINDS.items() if kind not in _DATABASES)
