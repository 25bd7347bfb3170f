"""A private PostgreSQL server on a free loopback port, with a superuser and a reader.

with Postgres() as server:
    server.execute("CREATE TABLE t (a int)", database="postgres")
    ... psycopg.connect(server.url("reader")) ...
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from tests.servers.database import Daemon, as_user, free_port, private_folder, run

PASSWORDS = {"boss": "boss-Password-1", "reader": "reader-Password-2"}


def postgres_programs() -> Path | None:
    """The folder of the newest PostgreSQL's programs, or None."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: int(re.sub(r"\D", "", path.parts[-3]) or 0),
    )
    if found:
        return found[-1].parent
    where = shutil.which("initdb")
    return Path(where).resolve().parent if where else None


class Postgres:
    """`boss` is its superuser; `reader` has no rights but those that a test grants."""

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs is not None, "initdb is not installed"
        before, owner = as_user(["postgres"])
        self.port = free_port()
        folder = private_folder(owner)
        secret = folder / "password"
        secret.write_text(PASSWORDS["boss"])
        secret.chmod(0o644)
        run(
            [
                *before, programs / "initdb", "-D", folder / "data", "-U", "boss", "-A",
                "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--locale=C", "-N",
            ],
            folder,
        )  # fmt: skip
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "shared_buffers": "32MB",
            "max_connections": "40",
            "autovacuum": "off",
            "stats_fetch_consistency": "none",
        }
        options = [part for each in settings.items() for part in ("-c", "=".join(each))]
        self.daemon = Daemon(
            [*before, programs / "postgres", "-D", folder / "data", "-p", str(self.port), *options],
            folder,
            owner,
        )
        try:
            self.daemon.wait_until(self._answers)
            password = PASSWORDS["reader"]
            self.execute(f"CREATE ROLE reader LOGIN PASSWORD '{password}'")
        except BaseException:
            self.daemon.stop()
            raise

    @property
    def folder(self) -> Path:
        """The server's own folder, which its superuser can read."""
        return self.daemon.folder

    def url(self, user: str = "reader", database: str = "postgres", **options: str) -> str:
        more = "&".join(f"{key}={value}" for key, value in options.items())
        at = f"127.0.0.1:{self.port}/{database}"
        return f"postgresql://{user}:{PASSWORDS[user]}@{at}" + (f"?{more}" if more else "")

    def connect(self, user: str = "boss", database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(self.url(user, database), autocommit=True)

    def execute(self, *statements: str, database: str = "postgres") -> None:
        with self.connect(database=database) as connection:
            for each in statements:
                connection.execute(each.encode())

    def rows(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        with self.connect(database=database) as connection:
            return connection.execute(sql.encode()).fetchall()

    def _answers(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.daemon.stop()
