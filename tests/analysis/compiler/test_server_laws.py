"""PostgreSQL and MariaDB give what was asked, whatever is asked of whatever data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings

from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from tests.analysis.compiler.databases import Cells
from tests.analysis.compiler.test_laws import agree, cases
from tests.semantics.strategies import Rows
from tests.servers.mariadb import MariaDB, mariadb_program
from tests.servers.postgres import Postgres, postgres_programs

pytestmark = [
    pytest.mark.long("hundreds of random requests to database servers"),
    pytest.mark.timeout(1200),
]
_EXAMPLES = settings(
    max_examples=100, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed")
    with Postgres() as server:
        yield server


@pytest.fixture(scope="module")
def mariadb() -> Iterator[MariaDB]:
    if mariadb_program("mariadbd") is None:
        pytest.skip("MariaDB is not installed")
    with MariaDB() as server:
        yield server


def test_postgresql_gives_what_was_asked(postgres: Postgres) -> None:
    with postgres.connect() as connection:
        connection.autocommit = True

        def execute(run: Sequence[str]) -> list[Cells]:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
            for each in run[:-1]:
                connection.execute(each)
            return list(connection.execute(run[-1]).fetchall())

        @given(cases())
        @_EXAMPLES
        def law(case: tuple[SemanticModel, Rows, Query]) -> None:
            agree(*case, "postgres", execute)

        law()


def test_mariadb_gives_what_was_asked(mariadb: MariaDB) -> None:
    with mariadb.connected() as cursor:

        def execute(run: Sequence[str]) -> list[Cells]:
            cursor.execute("DROP DATABASE IF EXISTS laws")
            cursor.execute("CREATE DATABASE laws CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
            cursor.execute("USE laws")
            for each in run:
                cursor.execute(each)
            return list(cursor.fetchall())

        @given(cases())
        @_EXAMPLES
        def law(case: tuple[SemanticModel, Rows, Query]) -> None:
            agree(*case, "mysql", execute)

        law()
