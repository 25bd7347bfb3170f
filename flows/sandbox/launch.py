"""Starting a child program of this package with nothing of the host but what it is given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from flows.sandbox import bubblewrap, processes
from flows.sandbox.read_access import libraries, package, readable
from flows.sandbox.walls import MISSING

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


def _command(program: Program) -> list[str]:
    boot = Path(__file__).with_name("boot.py").resolve()
    folders = os.pathsep.join(str(each) for each in libraries())
    python = [sys.executable, *program.options, "-X", "utf8", str(boot)]
    return [*python, str(package()), folders, program.module, *program.arguments]


def _environment(program: Program) -> dict[str, str]:
    given = {name: os.environ[name] for name in ("TZ",) if name in os.environ}
    threads = {f"{name}_NUM_THREADS": str(program.threads) for name in _ONE_THREAD}
    own = {"LANG": "C.UTF-8", "ARROW_DEFAULT_MEMORY_POOL": "system", "MPLBACKEND": "Agg"}
    home = {"HOME": str(program.write[0])} if program.write else {}
    return {**given, **threads, **own, **home, **program.environment}
