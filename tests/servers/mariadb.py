"""A private MariaDB server on a free loopback port, with a superuser and a reader.

with MariaDB() as server:
    server.execute("CREATE DATABASE shop")
    ... pymysql.connect(**server.given("reader", "shop")) ...
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pymysql

from tests.servers.database import Daemon, as_user, free_port, private_folder, run

PASSWORDS = {"boss": "boss-Password-1", "reader": "reader-Password-2"}


def mariadb_program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin")


class MariaDB:
    """`boss` may do everything; `reader` has no rights but those that a test grants."""

    def __init__(self) -> None:
        install, program = mariadb_program("mariadb-install-db"), mariadb_program("mariadbd")
        assert install, "mariadb-install-db is not installed"
        assert program, "mariadbd is not installed"
        before, owner = as_user(["mysql"])
        self.port = free_port()
        folder = private_folder(owner)
        run(
            [
                *before, install, "--no-defaults", f"--datadir={folder}/data",
                "--auth-root-authentication-method=normal", "--skip-test-db",
                "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0",
                "--innodb-flush-method=nosync", "--innodb-doublewrite=0",
            ],
            folder,
        )  # fmt: skip
        self.daemon = Daemon(
            [
                *before, program, "--no-defaults", f"--datadir={folder}/data",
                f"--socket={folder}/s", f"--pid-file={folder}/pid", f"--port={self.port}",
                "--bind-address=127.0.0.1", "--innodb-flush-method=nosync",
                "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0",
                "--innodb-log-file-size=8M", "--innodb-buffer-pool-size=32M",
                "--performance-schema=off", "--skip-name-resolve", "--secure-file-priv=",
            ],
            folder,
            owner,
        )  # fmt: skip
        self._socket = str(folder / "s")
        try:
            self.daemon.wait_until(self._answers)
            for name in PASSWORDS:
                self.execute(f"CREATE USER {name}@'127.0.0.1' IDENTIFIED BY '{PASSWORDS[name]}'")
            self.execute("GRANT ALL ON *.* TO boss@'127.0.0.1' WITH GRANT OPTION")
        except BaseException:
            self.daemon.stop()
            raise

    @property
    def folder(self) -> Path:
        """The server's own folder, which its superuser can read."""
        return self.daemon.folder

    def url(self, user: str = "reader", database: str = "shop", **options: str) -> str:
        more = "&".join(f"{key}={value}" for key, value in options.items())
        at = f"127.0.0.1:{self.port}/{database}"
        return f"mariadb://{user}:{PASSWORDS[user]}@{at}" + (f"?{more}" if more else "")

    @contextmanager
    def connected(self, database: str | None = None) -> Iterator[Any]:
        """A cursor of the superuser, through the server's own socket."""
        connection = pymysql.connect(
            user="root", unix_socket=self._socket, database=database, autocommit=True
        )
        try:
            with connection.cursor() as cursor:
                yield cursor
        finally:
            connection.close()

    def execute(self, *statements: str, database: str | None = None) -> None:
        with self.connected(database) as cursor:
            for each in statements:
                cursor.execute(each)

    def rows(self, sql: str, database: str | None = None) -> list[tuple[object, ...]]:
        with self.connected(database) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:  # the driver leaves one open that fails
            return probe.connect_ex(self._socket) == 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.daemon.stop()
