"""Trying the walls of the sandbox with canaries, when it is first used."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from flows.core.sandbox import Mode, ProbeFinding
from flows.errors import SandboxError
from flows.sandbox import canaries

Inside = Callable[[str], Awaitable[str]]
SECONDS: Final = 20.0
MUCH: Final = 4 << 40  # bytes of memory, more than anyone allows
# What a process may well know: how to write, and where programs are.
HARMLESS: Final = frozenset(
    {"HOME", "LANG", "LANGUAGE", "PATH", "PWD", "PYTHONUTF8", "SHELL", "SHLVL", "TERM", "TZ", "_"}
)
LEAST_SECRET: Final = 6  # characters; a shorter value is no secret, and may be the same by chance
_proved: list[frozenset[str]] = []  # what came through without a wall, once a process


async def probe(
    mode: Mode, walls: Mapping[str, str], missing: Sequence[str], inside: Inside
) -> ProbeFinding:
    """Run the canaries behind the walls, and beside them to know that they are not blind.

    `inside` runs code behind the walls and returns what it printed. Errors: `SandboxError` when it
    does not come to its end.
    """
    with set_bait() as bait:
        code = script(bait)
        held, free = await asyncio.gather(inside(code), _beside(code, bait))
        through = _read(held, bait)
    known = frozenset(_read(free, bait)) if free is not None else _proved[0]
    if not _proved:
        _proved.append(known)
    blind = [name for name in canaries.CANARIES if name not in known and name not in through]
    return ProbeFinding(
        mode=mode,
        walls=dict(walls),
        missing=tuple(missing),
        attacks=len(canaries.CANARIES) - len(blind),
        through=tuple(through),
        blind=tuple(blind),
    )


def script(bait: Mapping[str, Any]) -> str:
    """The canaries with their bait, as a program."""
    text = Path(canaries.__file__).read_text(encoding="utf-8")
    return f"{text}\n\nprint(attempt({dict(bait)!r}))\n"


@contextmanager
def set_bait() -> Iterator[dict[str, object]]:
    """Files, servers and names that nothing behind the walls may reach, while they are there."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="flows-probe-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        mark = secrets.token_hex(8)
        (folder / "file").write_text(mark, encoding="utf-8")
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (str(folder / "socket"), f"\0flows-{mark}"):
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(address)
            server.listen()
        yield {
            "mark": mark,
            "secret": mark,
            "folder": str(folder),
            "file": str(folder / "file"),
            "port": tcp.getsockname()[1],
            "socket": str(folder / "socket"),
            "abstract": f"flows-{mark}",
            "environment": digests(os.environ),
            "host": os.getpid(),
            "memory": MUCH,
        }


def digests(environment: Mapping[str, str]) -> list[str]:
    """What is known of variables that nobody else should know."""
    return [
        hashlib.sha256(f"{name}={value}".encode("utf-8", "surrogateescape")).hexdigest()
        for name, value in environment.items()
        if name not in HARMLESS and not name.startswith("LC_") and len(value) >= LEAST_SECRET
    ]


async def _beside(code: str, bait: Mapping[str, Any]) -> str | None:
    """What the canaries print in a plain process; None when that is known already."""
    if _proved:
        return None
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", "-"),
        cwd=bait["folder"],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(SECONDS):
            printed, _ = await process.communicate(code.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return printed.decode("utf-8", "replace")


def _read(printed: str, bait: Mapping[str, Any]) -> list[str]:
    """The canaries that came through. Errors: `SandboxError` if they did not come to their end."""
    for line in printed.splitlines():
        if line.startswith(bait["mark"]):
            found = set(json.loads(line.removeprefix(bait["mark"])))
            return [name for name in canaries.CANARIES if name in found]
    raise SandboxError("the probe of the sandbox's walls did not come to its end")
