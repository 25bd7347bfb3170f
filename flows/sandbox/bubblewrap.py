"""Bubblewrap, where it is installed and works: namespaces of its own for a child process."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from flows.sandbox import record

_TRIAL_SECONDS = 10
_KIND = "bubblewrap"
_SYSTEM_LINKS = ("/lib", "/lib32", "/lib64", "/bin", "/sbin")


def wrapped(
    command: Sequence[str],
    *,
    read: Sequence[Path],
    write: Sequence[Path],
    network: bool = False,
    tmp_bytes: int = 64 << 20,
) -> list[str]:
    """The command inside new namespaces, with only these paths, devices and an own /tmp."""
    program = shutil.which("bwrap", path=record.PROGRAMS) or "bwrap"
    arguments = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    if network:
        arguments.append("--share-net")
    arguments += ["--hostname", "sandbox", "--proc", "/proc"]
    arguments += ["--perms", "1777", "--size", str(tmp_bytes), "--tmpfs", "/tmp"]
    for device in ("null", "zero", "random", "urandom"):
        arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for link in _SYSTEM_LINKS:
        if Path(link).is_symlink():
            arguments += ["--symlink", str(Path(link).readlink()), link]
    linked = tuple(each for each in _SYSTEM_LINKS if Path(each).is_symlink())
    for path in sorted({str(each) for each in read}, key=lambda each: (len(each), each)):
        if path not in linked:
            arguments += ["--ro-bind-try", path, path]
    for folder in write:
        arguments += ["--bind", str(folder), str(folder)]
    arguments += ["--remount-ro", "/", "--chdir", str(write[0]) if write else "/"]
    return [*arguments, "--", *command]


@functools.cache
def state() -> str:
    """What bubblewrap is here ("bubblewrap 0.8.0"). Raises OSError that says why it is not.

    That it works is kept between processes, until the machine changes or `doubt` is told.
    """
    program = shutil.which("bwrap", path=record.PROGRAMS)
    if program is None:
        raise OSError("bubblewrap is not installed")
    key = record.machine()
    known = record.read(_KIND, key)
    if known is not None:
        return known
    system = [Path(each) for each in ("/usr", *_SYSTEM_LINKS)]
    trial = wrapped(["/usr/bin/env", "true"], read=system, write=())
    done = _run(trial)
    if done.returncode != 0:
        raise OSError(f"bubblewrap does not work here: {done.stderr.strip()[:200]}")
    version = _run([program, "--version"]).stdout.strip()
    record.write(_KIND, key, version)
    return version


def doubt() -> bool:
    """Have it tried anew when it is next asked for; whether it was believed without a trial."""
    state.cache_clear()
    return record.forget(_KIND)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError("bubblewrap does not answer") from error
