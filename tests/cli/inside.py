"""Running a command in this process, where being a process of its own is not the point.

It is the real command with all that it does: only the second or two that a process needs to import
are saved. What a process is needed for stays in `command.py`: signals, terminals, exit codes of
the program itself, streams that are closed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile

from flows.cli.app import run_app
from tests.cli.command import PROJECT, Ended


def inside(
    *arguments: str, cwd: Path, stdin: str = "", env: Mapping[str, str] | None = None
) -> Ended:
    """`flows ...` in a folder, without a terminal. `env` takes the place of the environment."""
    out, err = _stream(), _stream()
    with chdir(cwd), _environment(env), _stdin(stdin), redirect_stdout(out), redirect_stderr(err):
        code = run_app(arguments)
    return Ended(code, _written(out), _written(err))


def demo(
    *arguments: str, cwd: Path, stdin: str = "", env: Mapping[str, str] | None = None
) -> Ended:
    """What `python run.py ...` does in a folder, where no run file is named."""
    return inside("run", str(PROJECT / "demo.yaml"), *arguments, cwd=cwd, stdin=stdin, env=env)


def _stream() -> TextIOWrapper:
    return TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)


def _written(stream: TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def _environment(env: Mapping[str, str] | None) -> Iterator[None]:
    before = dict(os.environ)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _stdin(text: str) -> Iterator[None]:
    """A file as standard input, which has a descriptor as a pipe has."""
    with TemporaryFile("w+", encoding="utf-8") as file:
        file.write(text)
        file.seek(0)
        before, sys.stdin = sys.stdin, file
        try:
            yield
        finally:
            sys.stdin = before


CHAIN = """\
_target_: sequential
name: Chain
input_interface: [answer]
subflows_config:
  first: {_target_: finish}
  second: {_target_: finish, description: The second.}
topology:
  - {goal: Begin, flow: first}
  - {goal: "Go on: \\"now\\"", flow: second}
"""


def write(folder: Path, text: str, name: str = "my.yaml") -> str:
    """Write a run file and return its name."""
    (folder / name).write_text(text, encoding="utf-8")
    return name
