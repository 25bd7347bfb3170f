"""One YAML file, read safely: what cannot be a config is refused with its place."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Final

from yaml.reader import Reader

from flows.config.faults import Faults
from flows.config.limits import DEFAULT_LIMITS, ConfigLimits
from flows.config.parse import parse_all
from flows.config.tree import DEFAULTS, Path, Section, key_place_of, place_of, plain
from flows.errors import ConfigError, Place, nearest

ENDINGS = (".yaml", ".yml")
_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode), "a device"),
    (lambda _: True, "something else"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read: its tree, and where everything in it was written."""

    file: FilePath
    origin: str
    text: str
    tree: Section

    @property
    def values(self) -> dict[str, object]:
        values: dict[str, object] = plain(self.tree)
        return values

    def place(self, path: Path) -> Place:
        """Where the value at the config path was written."""
        return place_of(self.tree, path)

    def key_place(self, path: Path) -> Place:
        """Where the key at the end of the config path was written."""
        return key_place_of(self.tree, path)


def read(
    file: FilePath,
    limits: ConfigLimits = DEFAULT_LIMITS,
    *,
    may_be_empty: bool = False,
    faults: Faults | None = None,
) -> Document:
    """Read a file whose top level is a mapping. Raises ConfigError and nothing else; with `faults`
    what is wrong is kept there, and what it keeps from being known is unknown in the tree."""
    text = ""
    if faults is None:
        text = read_text(file, limits)
        return read_yaml(text, file, limits, may_be_empty=may_be_empty)
    with faults:
        text = read_text(file, limits)
        return read_yaml(text, file, limits, may_be_empty=may_be_empty, faults=faults)
    return unread(file, text)


def unread(file: FilePath, text: str = "") -> Document:
    """What stands for a file that cannot be read: it may say anything."""
    origin = shown(file)
    return Document(file, origin, text, Section({}, Place(origin, 1, 1), open=True))


def read_run_file(
    path: FilePath,
    configs: FilePath | None,
    limits: ConfigLimits = DEFAULT_LIMITS,
    faults: Faults | None = None,
) -> Document:
    """The run file at the path; where there is none, the one that takes over the config of that
    name, such as `autogpt`, and lies in the working folder. Errors: as of `read`, and in any case
    for a file that is not there."""
    if path.parts and _is_file(path):
        return read(path, limits, faults=faults)
    if len(path.parts) != 1 or configs is None:
        return read(path, limits)
    names = sorted(each.stem for each in configs.glob("*.yaml"))
    if path.name in names:
        return read_yaml(f"{DEFAULTS}: [{path.name}, _self_]", path, limits)
    try:
        return read(path, limits)
    except ConfigError as error:
        if not path.suffix and not _is_there(path):
            meant = error.meant or nearest(path.name, names)
            problem = "there is no such file, and no built-in config of that name"
            raise ConfigError(problem, place=error.place, allowed=names, meant=meant) from error
        raise


def _is_file(path: FilePath) -> bool:
    return _is_there(path) and path.is_file()


def _is_there(path: FilePath) -> bool:
    try:
        return path.exists()
    except OSError:  # what is wrong is said when it is read
        return False


def read_yaml(
    text: str,
    file: FilePath,
    limits: ConfigLimits = DEFAULT_LIMITS,
    *,
    may_be_empty: bool = False,
    faults: Faults | None = None,
) -> Document:
    """Like read, for the text of a file that is already in memory."""
    origin = shown(file)
    _check_printable(text, origin)
    parsed = parse_all(text, origin, limits)
    wrong = Faults() if faults is None else faults
    wrong.keep(*parsed.errors())
    if faults is None:
        wrong.raise_all()
    tree = parsed.tree
    if tree is None:
        if not may_be_empty:
            raise ConfigError("the file is empty", place=Place(origin, 1, 1))
        tree = Section({}, Place(origin, 1, 1))
    if not isinstance(tree, Section):
        problem = "the top level must be a mapping (`key: value` lines)"
        raise ConfigError(problem, place=tree.place)
    return Document(file, origin, text, tree)


def shown(file: FilePath) -> str:
    """The file's name for messages: relative to the working directory when it lies in it."""
    if not file.is_absolute():
        return str(file)
    try:
        return str(file.relative_to(FilePath.cwd()))
    except (ValueError, OSError):
        return str(file)


def read_text(file: FilePath, limits: ConfigLimits = DEFAULT_LIMITS) -> str:
    """The text of a file of at most `limits.bytes`, UTF-8, without control characters."""
    origin = shown(file)
    text = _decoded(_raw(file, origin, limits), origin)
    _check_printable(text, origin)
    return text


def _check_printable(text: str, origin: str) -> None:
    bad = Reader.NON_PRINTABLE.search(text)
    if bad:
        place = _place_at(text, bad.start(), origin)
        raise ConfigError(f"control character U+{ord(bad.group()):04X}; leave it out", place=place)


def _raw(file: FilePath, origin: str, limits: ConfigLimits) -> bytes:
    place = Place(origin)
    try:
        if not file.is_file():
            raise _no_file(file, place)
        with file.open("rb") as stream:
            data = stream.read(limits.bytes + 1)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise ConfigError(f"the file cannot be read: {reason}", place=place) from error
    if len(data) > limits.bytes:
        raise ConfigError(f"the file is larger than {limits.bytes} bytes", place=place)
    return data


def _no_file(file: FilePath, place: Place) -> ConfigError:
    try:
        mode = file.stat().st_mode
    except OSError as error:
        if file.is_symlink():
            return ConfigError(_link_problem(file, error), place=place)
    else:
        what = next(name for is_one, name in _KINDS if is_one(mode))
        return ConfigError(f"{what}, not a file", place=place)
    return ConfigError("there is no such file", place=place, meant=_similar(file))


def _link_problem(file: FilePath, error: OSError) -> str:
    """What is wrong with a link that leads to no file."""
    if error.errno == errno.ELOOP:
        return "a link that leads back to itself"
    return f"a link to {file.readlink()}, and there is no such file"


def _similar(file: FilePath) -> str | None:
    """The name of a file of the same kind that exists and is probably meant."""
    if not file.parent.is_dir():
        return None
    endings = (file.suffix,) if file.suffix not in ("", *ENDINGS) else ENDINGS
    files = (each for each in file.parent.iterdir() if each.suffix in endings)
    found = nearest(file.name, [each.name for each in files if each.is_file()])
    return str(file.with_name(found)) if found else None


def _decoded(data: bytes, origin: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from after the byte order mark; what stands before the bad byte is text.
        start = error.start
        before = error.object[:start].decode("utf-8", errors="replace")
        place = _place_at(before, len(before), origin)
        what = f"not UTF-8: byte 0x{error.object[start]:02X}"
        raise ConfigError(f"{what}; save the file as UTF-8", place=place) from error


def _place_at(text: str, index: int, origin: str) -> Place:
    before = text[:index]
    line = before.count("\n") + 1
    return Place(origin, line, index - (before.rfind("\n") + 1) + 1)
