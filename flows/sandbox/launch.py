"""Starting a child program of this package with nothing of the host but what it is given."""

from __future__ import annotations

import functools
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from flows.sandbox import bubblewrap, processes
from flows.sandbox.walls import MISSING

_SYSTEM = (
    "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib32", "/lib64",
    "/nix/store", "/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache",
)  # fmt: skip
_OF_NETWORK = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf",
    "/etc/services", "/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/run/systemd/resolve",
)  # fmt: skip
_LIBRARIES = ("numpy", "pandas", "pyarrow", "plotly", "sklearn", "duckdb", "pydantic", "skops")
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS")


@dataclass(frozen=True)
class Program:
    """A module of this package with a `main(arguments)`, and what it is given of the host.

    `read` and `write` matter inside bubblewrap only: the program itself raises its walls, with
    `readable()` in what it may read. `passed` are file descriptors that keep their numbers;
    `options` are the interpreter's, which must keep the current folder off the path.
    """

    module: str
    arguments: tuple[str, ...] = ()
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    passed: tuple[int, ...] = ()
    network: bool = False
    threads: int = 1
    options: tuple[str, ...] = ("-I", "-B")
    bubblewrap: bool = True


@dataclass(frozen=True)
class Child:
    """A started program. `layers` says what the launcher put around it."""

    process: subprocess.Popen[bytes]
    layers: Mapping[str, str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        """End the program and all that it started, and wait until they are gone."""
        if self.process.poll() is None:
            processes.end_tree(self.pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def launch(
    program: Program, *, stdout: int = subprocess.DEVNULL, stderr: int = subprocess.DEVNULL
) -> Child:
    """Start the program: empty environment, own session, stdin empty, only `passed` descriptors.

    Raises OSError when it cannot be started at all; that bubblewrap is missing is in `layers`.
    """
    layers = {"launcher": "empty environment, own session"}
    command = _command(program)
    read = (*readable(network=program.network), *program.read)
    if program.bubblewrap:
        try:
            layers["bubblewrap"] = bubblewrap.state()
        except OSError as error:
            layers["bubblewrap"] = f"{MISSING}{error}"
        else:
            command = bubblewrap.wrapped(
                command, read=read, write=program.write, network=program.network
            )
    process = subprocess.Popen(
        command,
        env=_environment(program),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        cwd=program.write[0] if program.write else "/",
        pass_fds=program.passed,
        start_new_session=True,
    )
    return Child(process, layers)


def readable(*, network: bool = False) -> tuple[Path, ...]:
    """What any child has to read: interpreter, this package, its libraries, the system's."""
    paths = {Path(each) for each in (*_SYSTEM, *(_OF_NETWORK if network else ()))}
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix):
        paths |= _of_prefix(Path(prefix))
    paths |= {_package(), *libraries()}
    resolved = {each.resolve() for each in paths}
    return tuple(sorted(each for each in paths | resolved if each.exists()))


@functools.cache
def libraries() -> tuple[Path, ...]:
    """The folders that this host imports its libraries from."""
    found = (importlib.util.find_spec(name) for name in _LIBRARIES)
    origins = (spec.origin for spec in found if spec is not None)
    return tuple(sorted({Path(each).parent.parent for each in origins if each is not None}))


def _of_prefix(prefix: Path) -> set[Path]:
    # All of an own prefix; of the system's only what Python has there.
    if prefix in (Path("/usr"), Path("/usr/local")):
        names = ("lib", "lib64", "bin", "include", "share/zoneinfo")
        return {prefix / name for name in names}
    return {prefix}


def _package() -> Path:
    return Path(__file__).resolve().parent.parent


def _command(program: Program) -> list[str]:
    boot = Path(__file__).with_name("boot.py").resolve()
    folders = os.pathsep.join(str(each) for each in libraries())
    python = [sys.executable, *program.options, "-X", "utf8", str(boot)]
    return [*python, str(_package()), folders, program.module, *program.arguments]


def _environment(program: Program) -> dict[str, str]:
    given = {name: os.environ[name] for name in ("TZ",) if name in os.environ}
    threads = {f"{name}_NUM_THREADS": str(program.threads) for name in _ONE_THREAD}
    own = {"LANG": "C.UTF-8", "ARROW_DEFAULT_MEMORY_POOL": "system", "MPLBACKEND": "Agg"}
    home = {"HOME": str(program.write[0])} if program.write else {}
    return {**given, **threads, **own, **home, **program.environment}
