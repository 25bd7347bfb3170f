"""A process that has imported the product once, and forks for each command that a test runs.

A command then starts in milliseconds and is a process all the same: it has its own folder,
environment, streams, signals and exit code. Only what the interpreter reads at its own start
(`PYTHON...`, the locale) is the server's; a test of that starts Python itself.

All processes of a test run share one server, which takes seconds to start: the first that needs it
binds its address and starts it, and it ends when the last of them has.
"""

from __future__ import annotations

import atexit
import errno
import functools
import gc
import hashlib
import importlib
import io
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

VENDORS = (
    "chromadb", "duckdb", "hydra.compose", "jinja2", "numpy", "openai", "pandas", "plotly",
    "prompt_toolkit", "pyarrow.parquet", "rich.console", "sqlglot.dialects.duckdb",
    "sqlglot.dialects.sqlite", "sqlglot.optimizer",
)  # fmt: skip
CONFIGS = ("demo", "configs/ask", "configs/csv_chat", "configs/interpreter", "configs/pipeline")
UNUSUAL = ("flows.__main__", "flows.models.autogen_team")
MOST_BYTES = 1 << 17  # of a request, and of what stands on the standard input
PIPE_BYTES = 1 << 16
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class ForkServer:
    """The test's side: starts the server, and has it fork commands."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self.process, self.channel = _join(self.environment)
        self.pid = int(self.channel.recv(MOST_BYTES))
        self.seconds = 0.0  # of processor time, that the commands have used
        servers.append(self)

    def can_run(self, environment: Mapping[str, str], stdin: str) -> bool:
        """Whether a command with this environment would be the same when it is forked."""
        return len(stdin.encode()) < PIPE_BYTES and all(
            environment.get(name) == self.environment.get(name)
            for name in {*environment, *self.environment}
            if _is_for_interpreter(name)
        )

    def run(
        self,
        program: Sequence[str],
        *,
        cwd: Path,
        stdin: str,
        environment: Mapping[str, str],
        timeout: float,
    ) -> subprocess.CompletedProcess[str]:
        """Run `python PROGRAM ...`, of which the first words are `-m flows` or a script's path."""
        request = {"program": list(program), "cwd": str(cwd), "environment": dict(environment)}
        pipes = [os.pipe() for _ in range(4)]  # stdin, stdout, stderr, how it ended
        (theirs_in, ours_in), *others = pipes
        theirs = [theirs_in, *(end for _, end in others)]
        try:
            socket.send_fds(self.channel, [json.dumps(request).encode()], theirs)
            os.write(ours_in, stdin.encode())
        finally:
            for each in (*theirs, ours_in):
                os.close(each)
        pid = int(self.channel.recv(MOST_BYTES))
        out, err, end = _read_all([end for end, _ in others], pid, time.monotonic() + timeout)
        code, seconds = end.split()
        self.seconds += float(seconds)
        return subprocess.CompletedProcess(list(program), int(code), _text(out), _text(err))


servers: list[ForkServer] = []  # those that this process uses


def _join(environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes] | None, socket.socket]:
    """A connection to the server of this test run, and its process if it is started now."""
    process = None
    given = sorted(each for each in environment.items() if _is_for_interpreter(each[0]))
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    address = f"\0flows-tests-{run}-{hashlib.sha256(repr(given).encode()).hexdigest()[:16]}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            listener.listen()
            process = _start(environment, listener.fileno())
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for wait in (0.01, 0.1, 1.0):  # it is bound and does not listen yet
        with suppress(ConnectionRefusedError):
            channel.connect(address)
            return process, channel
        time.sleep(wait)
    channel.connect(address)
    return process, channel


def _start(environment: Mapping[str, str], listener: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(listener)],
        cwd=Path(__file__).parents[2],
        env={**environment, **ONE_THREAD},
        stdin=subprocess.DEVNULL,
        pass_fds=(listener,),
    )


def _is_for_interpreter(name: str) -> bool:
    return name.startswith(("PYTHON", "LC_", "LANG")) and name != "PYTHONPATH"


def _text(raw: bytes) -> str:
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8").read()


def _read_all(ends: list[int], pid: int, deadline: float) -> list[bytes]:
    """What comes out of each pipe until all are closed. Raises TimeoutExpired, with its end."""
    found = {end: bytearray() for end in ends}
    with selectors.DefaultSelector() as ready:
        for end in ends:
            ready.register(end, selectors.EVENT_READ)
        while ready.get_map():
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired("forked command", deadline, *map(bytes, found))
            for key, _ in ready.select(timeout=1.0):
                piece = os.read(key.fd, PIPE_BYTES)
                found[key.fd] += piece
                if not piece:
                    ready.unregister(key.fd)
                    os.close(key.fd)
    return [bytes(each) for each in found.values()]


def main(number: int) -> NoReturn:
    """Serve until the tests end."""
    import flows

    for vendor in VENDORS:
        importlib.import_module(vendor)
    for module in pkgutil.walk_packages(flows.__path__, "flows."):
        if module.name not in UNUSUAL:
            importlib.import_module(module.name)
    from flows.build.builder import build
    from flows.data.workers import fork_server

    for name in CONFIGS:  # what is compiled at its first use: prompts, schemas, patterns
        build(Path(__file__).parents[2] / f"{name}.yaml")
    fork_server.start()  # one for the commands, each of which would else start its own
    gc.collect()
    gc.freeze()
    Serving(socket.socket(fileno=number)).serve()


class Serving:
    """The server's side: forks what those who are connected ask for."""

    def __init__(self, listener: socket.socket) -> None:
        listener.set_inheritable(False)
        self.ready = selectors.DefaultSelector()
        self.ready.register(listener, selectors.EVENT_READ, self._accept)
        self.sockets = {listener.fileno(): listener}

    def serve(self) -> NoReturn:
        while True:
            for key, _ in self.ready.select():
                key.data(key.fd)

    def _accept(self, listener: int) -> None:
        channel, _ = self.sockets[listener].accept()
        self.sockets[channel.fileno()] = channel
        self.ready.register(channel, selectors.EVENT_READ, self._take)
        channel.send(str(os.getpid()).encode())

    def _take(self, number: int) -> None:
        """Fork for a request, or end with the last who may ask."""
        channel = self.sockets[number]
        try:
            message, given, _, _ = socket.recv_fds(channel, MOST_BYTES, 4)
        except ConnectionResetError:
            message, given = b"", []
        if not message:
            self.ready.unregister(number)
            self.sockets.pop(number).close()
            if len(self.sockets) == 1:
                os._exit(0)
            return
        request = json.loads(message)
        process = os.fork()
        if process == 0:
            for connected in self.sockets.values():
                connected.close()
            os.close(given.pop())
            _become(request, given)
            _execute(request["program"])
        for each in given[:3]:
            os.close(each)
        handle = os.pidfd_open(process)
        report = functools.partial(self._report, process, given[3])
        self.ready.register(handle, selectors.EVENT_READ, report)
        channel.send(str(process).encode())

    def _report(self, process: int, pipe: int, handle: int) -> None:
        """Tell how a command ended, and the processor time that it took."""
        self.ready.unregister(handle)
        os.close(handle)
        _, status, used = os.wait4(process, 0)
        with suppress(BrokenPipeError):
            told = f"{os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime}"
            os.write(pipe, told.encode())
        os.close(pipe)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Take over the folder, the environment and the streams of the command."""
    for target, given in enumerate(streams):
        os.dup2(given, target)
        os.close(given)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    text: dict[str, Any] = {"encoding": "utf-8", "closefd": False}
    sys.stdin = open(0, **text)  # noqa: SIM115 - they end with the process
    sys.stdout = open(1, "w", **text)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", **text)  # noqa: SIM115
    for name in [each for each in sys.modules if each.split(".")[0] == "tests"]:
        del sys.modules[name]
    paths = request["environment"].get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = ["", *(each for each in paths if each)]


def _execute(program: list[str]) -> NoReturn:
    """Run the module or the script, and end the process as Python does; what it imported stays."""
    code = 1
    try:
        code = _exit_code(program)
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _exit_code(program: list[str]) -> int:
    first, *rest = program
    sys.argv = rest if first == "-m" else program
    sys.path[0] = str(Path.cwd() if first == "-m" else Path(first).parent)
    try:
        if first == "-m":
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(first, run_name="__main__")
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does at its end
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


if __name__ == "__main__":
    main(int(sys.argv[1]))
