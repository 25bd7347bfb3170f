"""The files that every child may read: the interpreter, its libraries and the system's, no more."""

from __future__ import annotations

import functools
import importlib.util
import os
import site
import sys
from pathlib import Path

_SYSTEM = (
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib32", "/lib64",
    "/nix/store", "/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache",
)  # fmt: skip
_OF_NETWORK = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf",
    "/etc/services", "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/run/systemd/resolve",
)  # fmt: skip
_LIBRARIES = ("numpy", "pandas", "pyarrow", "plotly", "sklearn", "duckdb", "pydantic", "skops")


def readable(*, network: bool = False) -> tuple[Path, ...]:
    """The files and folders that exist of those; with `network` also what names hosts and keys.

    Of an environment these are its libraries only: beside them lie files of the user's, such as
    `pip.conf` with its tokens, or the project in which the environment was made.
    """
    paths = {Path(each) for each in (*_SYSTEM, *(_OF_NETWORK if network else ()))}
    paths |= _interpreter() | _standard_library() | {package(), *libraries()}
    if network:
        paths.add(Path(sys.base_prefix, "ssl"))  # where conda keeps its certificates
    resolved = {each.resolve() for each in paths}
    return tuple(sorted(each for each in paths | resolved if each.exists()))


@functools.cache
def libraries() -> tuple[Path, ...]:
    """The folders that this host imports its libraries from."""
    found = (importlib.util.find_spec(name) for name in _LIBRARIES)
    origins = (spec.origin for spec in found if spec is not None)
    return tuple(sorted({Path(each).parent.parent for each in origins if each is not None}))


def package() -> Path:
    """The folder of this package."""
    return Path(__file__).resolve().parent.parent


def _interpreter() -> set[Path]:
    """The program, under all its names, and the file by which it finds its libraries."""
    names = {sys.executable, str(getattr(sys, "_base_executable", "") or sys.executable)}
    programs = {Path(each) for each in names if each}
    for each in tuple(programs):
        link = each
        while link.is_symlink() and len(programs) < 20:
            link = Path(os.path.normpath(link.parent / link.readlink()))
            programs.add(link)
    return programs | {Path(sys.prefix, "pyvenv.cfg")}


def _standard_library() -> set[Path]:
    """Python's own modules, the shared libraries beside them, and the environment's packages."""
    shared = {
        Path(prefix, name)
        for prefix in (sys.base_prefix, sys.base_exec_prefix)
        for name in ("lib", "lib64")
    }
    return {Path(os.__file__).parent, *shared, *map(Path, site.getsitepackages())}
