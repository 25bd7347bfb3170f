"""A small shop in files and in a SQLite database, and a secret that no query may reach."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from tests.servers.mariadb import MariaDB, mariadb_program
from tests.servers.postgres import Postgres, postgres_programs

SECRET = "the-secret-of-the-folder"

ORDERS = """order_id,customer,region,placed,amount,paid
1,Ann,North,2024-01-05,10.50,true
2,Bob,South,2024-01-19,20.25,false
3,Ann,North,2024-02-11,30.00,true
4,Cid,West,2024-03-02,,true
5,Dee,South,2024-03-30,5.75,false
"""
REGIONS = "region,manager\nNorth,Ida\nSouth,Jon\nWest,Kim\n"

SCHEMA = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);
CREATE TABLE book (
    isbn TEXT PRIMARY KEY, title TEXT, year INTEGER, price REAL, pages INTEGER,
    author_id INTEGER REFERENCES author, notes BLOB
);
CREATE TABLE "odd name" ("first col" TEXT, "select" INTEGER);
CREATE TABLE blank (day DATE, size NUMERIC, label VARCHAR(9));
CREATE VIEW recent AS SELECT title, year FROM book WHERE year >= 2000;
INSERT INTO author VALUES (1, 'Ursula', '1929-10-21'), (2, 'Italo', '1923-10-15');
INSERT INTO book VALUES
    ('a1', 'The Dispossessed', 1974, 12.5, 341, 1, x'00ff'),
    ('a2', 'Lavinia', 2008, 15.0, 279, 1, NULL),
    ('b1', 'Invisible Cities', 1972, NULL, 165, 2, NULL);
INSERT INTO "odd name" VALUES ('x', 1), ('y', 2);
"""


SOURCES = {"orders": "orders.csv", "regions": "regions.csv", "books": "books.sqlite"}


def make_shop(folder: Path) -> Path:
    (folder / "orders.csv").write_text(ORDERS)
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "secret.csv").write_text(f"word\n{SECRET}\n")
    connection = sqlite3.connect(folder / "books.sqlite")
    connection.executescript(SCHEMA)
    connection.close()
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with orders.csv, regions.csv, books.sqlite and a file with a secret."""
    return make_shop(tmp_path)


@pytest.fixture
def catalog(shop: Path) -> Iterator[Catalog]:
    with Catalog(SOURCES, shop) as opened:
        yield opened


@pytest.fixture(scope="session")
def standing_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder, once for all tests that do not run what they ask for."""
    return make_shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="session")
def standing_catalog(standing_shop: Path) -> Iterator[Catalog]:
    with Catalog(SOURCES, standing_shop) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_shop() -> Iterator[Postgres]:
    """The shop on a private PostgreSQL server; what a test changes there it changes back."""
    if postgres_programs() is None:
        pytest.skip("PostgreSQL (initdb) is not installed")
    from tests.data.server_shops import fill_postgres

    with Postgres() as server:
        fill_postgres(server)
        yield server


@pytest.fixture(scope="session")
def mariadb_shop() -> Iterator[MariaDB]:
    """The shop on a private MariaDB server; what a test changes there it changes back."""
    if not (mariadb_program("mariadbd") and mariadb_program("mariadb-install-db")):
        pytest.skip("MariaDB (mariadbd, mariadb-install-db) is not installed")
    from tests.data.server_shops import fill_mariadb

    with MariaDB() as server:
        fill_mariadb(server)
        yield server
