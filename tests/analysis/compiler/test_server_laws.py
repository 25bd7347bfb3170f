"""PostgreSQL and MariaDB give what was asked, whatever is asked of whatever data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings

from flows.analysis.compiler import compile_query
from flows.semantics.model import (
    Dataset,
    DataType,
    Relationship,
    Role,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import (
    Aggregate,
    Comparison,
    Constant,
    FieldRef,
    Order,
    Query,
    Rank,
    Transform,
)
from tests.analysis.compiler.databases import Cells, Execute, statements
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


def executing(cursor: Any) -> Execute:
    def execute(run: Sequence[str]) -> list[Cells]:
        cursor.execute("DROP DATABASE IF EXISTS laws")
        cursor.execute("CREATE DATABASE laws CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
        cursor.execute("USE laws")
        for each in run:
            cursor.execute(each)
        return list(cursor.fetchall())

    return execute


def test_mariadb_gives_what_was_asked(mariadb: MariaDB) -> None:
    with mariadb.connected() as cursor:

        @given(cases())
        @_EXAMPLES
        def law(case: tuple[SemanticModel, Rows, Query]) -> None:
            agree(*case, "mysql", executing(cursor))

        law()


def _field(name: str, type_: DataType) -> SemanticField:
    role: Role = "measure" if name == "pay" else "category" if type_ == "text" else "identifier"
    return SemanticField(name=name, role=role, type=type_, column=name)


STAFF = SemanticModel(
    datasets=(
        Dataset(
            name="staff", source="firm", table="staff", noun="person", plural="people",
            key=("id",),
            fields=(_field("id", "integer"), _field("boss", "integer"), _field("unit", "text"),
                    _field("pay", "integer")),
        ),
    ),
    relationships=(
        Relationship(name="manager", dataset="staff", fields=("boss",), to="staff",
                     to_fields=("id",)),
    ),
)  # fmt: skip
PEOPLE = [(1, None, "a", 5), (2, 1, "a", 3), (3, 1, "b", 7), (4, 2, "b", 2), (5, 2, "c", 9)]


@pytest.mark.parametrize("function", ["share", "count distinct"])
@pytest.mark.parametrize("ties", [True, False])
def test_mariadb_ranks_joined_groups_that_are_tested_by_their_different_values(
    function: Literal["share", "count distinct"], ties: bool, mariadb: MariaDB
) -> None:
    pay, unit = (FieldRef(dataset="staff", field=each) for each in ("pay", "unit"))
    well = Comparison(left=pay, operator=">", right=Constant(value=2))
    different = Aggregate(function=function, of=unit, where=well)
    count = Aggregate(function="count")
    query = Query(
        dataset="staff",
        by=(FieldRef(dataset="staff", field="unit", via=("manager",)),),
        metrics=(count,),
        having=Comparison(left=different, operator=">", right=Constant(value=1)),
        rank=Rank(by=(Order(by=count, descending=True),), n=1, ties=ties),
        transforms=() if ties else (Transform(operation="rank", of=count),),
    )
    names = ("id", "boss", "unit", "pay")
    rows: Rows = {"staff": [dict(zip(names, each, strict=True)) for each in PEOPLE]}
    with mariadb.connected() as cursor:
        sql = compile_query(query, STAFF, "mysql")
        found = executing(cursor)([*statements(STAFF, rows, "mysql"), sql])
    assert [each[:2] for each in found] == [("a", 4)], sql
