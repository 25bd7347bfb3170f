"""A private Redis server on a free loopback port, with a password.

with RedisServer() as server:
    ... server.url ... server.password ...
"""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.servers.database import Daemon, as_user, free_port, private_folder

PASSWORD = "store-Password-1"


def redis_program() -> str | None:
    """The server's program, or Valkey's, whose protocol is the same; None without both."""
    return shutil.which("redis-server") or shutil.which("valkey-server")


class RedisServer:
    password = PASSWORD

    def __init__(self) -> None:
        program = redis_program()
        assert program is not None, "redis-server is not installed"
        before, owner = as_user(["redis", "valkey"])
        self.port = free_port()
        folder = private_folder(owner)
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "requirepass": PASSWORD,
            "save": "",
            "appendonly": "no",
            "dir": str(folder),
        }
        words = [part for key, value in options.items() for part in (f"--{key}", value)]
        self.daemon = Daemon([*before, program, *words], folder, owner)
        try:
            self.daemon.wait_until(self._answers)
        except BaseException:
            self.daemon.stop()
            raise

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def folder(self) -> Path:
        return self.daemon.folder

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as talk:
                talk.sendall(f"AUTH {PASSWORD}\r\n".encode())
                return talk.recv(64).startswith(b"+OK")
        except OSError:
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.daemon.stop()
