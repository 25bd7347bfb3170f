"""Tools on the disk: a folder for each name, in it one for each version."""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.core.artifacts import open_file, write_whole
from flows.core.function_tool import FunctionTool
from flows.errors import ConfigError, ToolError, nearest
from flows.tools.functions.document import describe_tool, document_of
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.testing import ToolTests

LIBRARY: Final = Path(".flows") / "tools"
SOURCE: Final = "tool.py"
DOCUMENT: Final = "tool.md"
SCHEMA: Final = "schema.json"
RECORD: Final = "record.json"
_LOCK: Final = ".lock"
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MOST_BYTES: Final = 1_000_000


class ToolRecord(BaseModel):
    """What is kept beside a tool's source: `sha256` is that of the source whose `tests` passed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int = Field(ge=1)
    origin: str
    sha256: str
    tests: tuple[str, ...] = Field(min_length=1)
    uses: int = Field(default=0, ge=0)
    successes: int = Field(default=0, ge=0)


class ToolLibrary:
    """The tools of a folder, which is looked at anew each time; several processes may use it.

    `faults` names the entries that were left out when it was last looked at, and why. A record is
    written last, so that an entry is there whole or not at all.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: tuple[str, ...] = ()
        self._known: dict[tuple[str, int], tuple[object, FunctionTool]] = {}

    def tools(self) -> tuple[FunctionTool, ...]:
        """The newest version of each tool, by name."""
        newest = {each.name: each for each in self.all_versions()}
        return tuple(newest.values())

    def all_versions(self) -> tuple[FunctionTool, ...]:
        """Every version of every tool, by name, the oldest first."""
        found: list[FunctionTool] = []
        faults: list[str] = []
        for name in self._names(faults):
            for version in self._versions(name):
                try:
                    found.append(self._read(name, version))
                except ToolError as error:
                    faults.append(f"{self.folder / name / str(version)}: {error}")
        self.faults = tuple(faults)
        return tuple(found)

    def find(self, name: str, version: int | None = None) -> FunctionTool:
        """The newest version of a tool, or the one asked for. Errors: `ToolError`."""
        found = [each for each in self.all_versions() if each.name == name]
        chosen = [each for each in found if version in (None, each.version)]
        if chosen:
            return chosen[-1]
        if found:
            there = ", ".join(str(each.version) for each in found)
            raise ToolError(f"{name} has no version {version} in {self.folder} (it has: {there})")
        names = [each.name for each in self.tools()]
        meant = nearest(name, names)
        hint = f"did you mean: {meant}" if meant else f"it has: {', '.join(names) or 'none'}"
        raise ToolError(f"there is no tool {name!r} in {self.folder}; {hint}")

    def add(self, tool: FunctionTool, tests: ToolTests, *, after: int = 0) -> FunctionTool:
        """Keep a tool as the next version of its name, and `after` that number; returns it as it is
        kept.

        The newest version stays where it has the same source. Errors: `ToolError` for a tool whose
        tests have not passed, and where it cannot be written.
        """
        if not tests.passed or tests.tool != tool.name:
            raise ToolError(f"{tool.name} is not kept, its tests do not pass:\n{tests.report}")
        passed = tuple(each.name for each in tests.outcomes if each.status == "passed")
        return self._keep(tool, passed, after)

    def take(self, other: ToolLibrary, name: str) -> FunctionTool:
        """Keep the newest version of a tool of another folder, with its counts, as `add` does.
        Errors: `ToolError`."""
        tool = other.find(name)
        return self._keep(tool, other._record(name, tool.version).tests, 0)

    def _keep(self, tool: FunctionTool, passed: tuple[str, ...], after: int) -> FunctionTool:
        with self._writing(tool.name):
            kept = next((each for each in self.tools() if each.name == tool.name), None)
            if kept is not None and kept.source == tool.source:
                return kept
            version = max((after, *self._versions(tool.name))) + 1
            made = tool.model_copy(update={"version": version})
            self._write(made, passed)
        return made

    def remove(self, name: str, version: int | None = None) -> tuple[int, ...]:
        """Remove a tool, or one version of it; returns the versions that were removed, an entry
        that cannot be read, too. Errors: `ToolError` for one that is not there."""
        with self._writing(name):
            gone = tuple(each for each in self._versions(name) if version in (None, each))
            if not gone:
                self.find(name, version)
            for each in gone:
                folder = self.folder / name / str(each)
                (folder / RECORD).unlink(missing_ok=True)
                shutil.rmtree(folder)
            if not any((self.folder / name).iterdir()):
                (self.folder / name).rmdir()
        return gone

    def count(self, name: str, version: int, *, uses: int, successes: int) -> FunctionTool:
        """Add calls of a tool, and how many of them went well. Errors: `ToolError`."""
        with self._writing(name):
            tool = self._read(name, version)
            record = self._record(name, version)
            counted = {"uses": tool.uses + uses, "successes": tool.successes + successes}
            tool = tool.model_copy(update=counted)
            self._write(tool, record.tests)
        return tool

    def _names(self, faults: list[str]) -> Iterator[str]:
        try:
            folders = sorted(each for each in self.folder.iterdir() if each.is_dir())
        except OSError:
            return
        for each in folders:
            if each.name.startswith("."):
                continue
            if each.is_symlink() or not _NAME.fullmatch(each.name):
                faults.append(f"{each}: this is no folder of a tool")
            else:
                yield each.name

    def _versions(self, name: str) -> list[int]:
        """The versions that have a folder, whatever is in it."""
        try:
            names = [each.name for each in (self.folder / name).iterdir() if each.is_dir()]
        except OSError:
            return []
        return sorted(int(each) for each in names if re.fullmatch(r"[1-9]\d{0,8}", each))

    def _read(self, name: str, version: int) -> FunctionTool:
        """Errors: `ToolError` for an entry that is not as it was written."""
        record = self._record(name, version)
        source = self._text(name, version, SOURCE)
        if _hash(source) != record.sha256:
            raise ToolError(f"{SOURCE} is not the text whose tests passed")
        known = self._known.get((name, version))
        if known is not None and known[0] == record:
            return known[1]
        try:
            tool = parse_tool(source, record.origin, name=name, file=SOURCE, phases=None)
        except ConfigError as error:
            raise ToolError(str(error)) from error
        counted = {key: getattr(record, key) for key in ("version", "uses", "successes")}
        tool = tool.model_copy(update=counted)
        self._known[name, version] = record, tool
        return tool

    def _record(self, name: str, version: int) -> ToolRecord:
        try:
            record = ToolRecord.model_validate_json(self._text(name, version, RECORD))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            at = ".".join(str(each) for each in first["loc"])
            raise ToolError(f"{RECORD}: {f'{at}: ' if at else ''}{first['msg']}") from error
        if (record.name, record.version) != (name, version):
            raise ToolError(f"{RECORD} is that of {record.name}, version {record.version}")
        return record

    def _text(self, name: str, version: int, file: str) -> str:
        try:
            with open_file(self.folder, f"{name}/{version}/{file}") as opened:
                content = opened.read(_MOST_BYTES + 1)
            if len(content) > _MOST_BYTES:
                raise ToolError(f"{file} is larger than {_MOST_BYTES:,} bytes")
            return content.decode()
        except FileNotFoundError as error:
            raise ToolError(f"there is no {file}") from error
        except (OSError, UnicodeError) as error:
            raise ToolError(f"{file} cannot be read: {error}") from error

    def _write(self, tool: FunctionTool, tests: tuple[str, ...]) -> None:
        folder = self.folder / tool.name / str(tool.version)
        record = ToolRecord(
            name=tool.name,
            version=tool.version,
            origin=tool.origin,
            sha256=_hash(tool.source),
            tests=tests,
            uses=tool.uses,
            successes=tool.successes,
        )
        schema = json.dumps(describe_tool(tool).function_dict(), indent=2, ensure_ascii=False)
        texts = {
            SOURCE: tool.source,
            DOCUMENT: document_of(tool),
            SCHEMA: f"{schema}\n",
            RECORD: f"{record.model_dump_json(indent=2)}\n",
        }
        for name, text in texts.items():
            write_if_other(folder / name, text.encode())

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        """Alone in the folder, at a name that cannot lead out of it. Errors: `ToolError`."""
        if not _NAME.fullmatch(name):
            raise ToolError(f"{name!r} is no name of a tool: small letters, digits and _")
        if (self.folder / name).is_symlink():
            raise ToolError(f"{self.folder / name} leads to another place")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / _LOCK).open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise ToolError(
                f"{self.folder} cannot be written: {error.strerror or error}"
            ) from error


def write_if_other(path: Path, content: bytes) -> None:
    """Write a file whole, unless it has this content. Errors: `OSError`."""
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, content)


def _hash(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
