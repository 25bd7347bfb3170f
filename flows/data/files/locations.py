"""Where the files of a data source are: paths, folders, patterns, files in installed packages."""

from __future__ import annotations

import importlib.util
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from flows.config.secret import masked
from flows.data.files.file_kinds import ALLOWED
from flows.errors import SourceError, nearest

MOST_FILES = 2000
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
_PATTERN = re.compile(r"[*?\[]")


def locate(name: str, where: str, base: Path) -> Path:
    """The absolute path that a config's text means; nothing has to be there yet.

    Raises SourceError for an address of the network and for a package that is not installed.
    """
    if not where.strip() or "\x00" in where:
        raise SourceError(f"source '{name}': no path is given; {ALLOWED}")
    scheme = _SCHEME.match(where)
    if scheme is None:
        path = Path(where).expanduser()
        return path if path.is_absolute() else base.absolute() / path
    if scheme[1].lower() == "package":
        return _in_package(name, where, where[scheme.end() :])
    raise SourceError(
        f"source '{name}': {scheme[1]}:// addresses are not read: "
        f"download {masked('data', where)} and name the file; {ALLOWED}"
    )


def is_pattern(path: Path) -> bool:
    """Whether a path stands for several files; one that is there stands for itself."""
    return bool(_PATTERN.search(str(path))) and not path.exists()


def matching(name: str, pattern: Path) -> list[Path]:
    """The files that a pattern such as `sales/*.csv` means, by name.

    Raises SourceError when there are none or too many.
    """
    fixed = list(pattern.parts)
    first = next(at for at, part in enumerate(fixed) if _PATTERN.search(part))
    folder = Path(*fixed[:first])
    if not folder.is_dir():
        raise SourceError(f"source '{name}': {pattern}: there is no folder {folder}")
    found = (each for each in folder.glob("/".join(fixed[first:])) if each.is_file())
    files = sorted(islice(found, MOST_FILES + 1))
    if not files:
        names = ", ".join(sorted(each.name for each in islice(folder.iterdir(), 50))[:5])
        raise SourceError(
            f"source '{name}': no file is like {pattern}; in {folder} are {names or 'no files'}"
        )
    return _checked_number(name, pattern, files)


def files_in(name: str, folder: Path) -> list[Path]:
    """The entries of a folder by name, without hidden ones."""
    try:
        found = sorted(islice(_shown(folder), MOST_FILES + 1))
    except OSError as error:
        raise SourceError(f"source '{name}': cannot read {folder}: {reason(error)}") from error
    return _checked_number(name, folder, found)


def _shown(folder: Path) -> Iterator[Path]:
    return (each for each in folder.iterdir() if not each.name.startswith((".", "~$")))


def _checked_number(name: str, where: Path, files: list[Path]) -> list[Path]:
    if len(files) > MOST_FILES:
        raise SourceError(f"source '{name}': {where} has more than {MOST_FILES} files")
    return files


def is_folder(path: Path) -> bool:
    """Whether it is a folder that can be seen; one behind a closed folder cannot."""
    try:
        return path.is_dir()
    except OSError:
        return False


def check_file(name: str, path: Path) -> int:
    """The file's size in bytes, or a SourceError when it is no readable file."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SourceError(f"source '{name}': {path} is not a regular file")
        with path.open("rb"):
            pass
    except (FileNotFoundError, NotADirectoryError):
        raise SourceError(_missing(name, path)) from None
    except OSError as error:
        raise SourceError(f"source '{name}': cannot read {path}: {reason(error)}") from error
    return found.st_size


def reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _missing(name: str, path: Path) -> str:
    text = f"source '{name}': there is no file {path}"
    try:
        near = nearest(path.name, [each.name for each in islice(path.parent.iterdir(), MOST_FILES)])
    except OSError:  # the folder is missing or closed too: then there is nothing to suggest
        return text
    return f"{text}; did you mean {near}?" if near else text


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
