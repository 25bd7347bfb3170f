"""Which rows refer to which, and as what."""

from __future__ import annotations

import random
import sqlite3
import string
from contextlib import closing
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.semantics.model import Relationship, SemanticModel
from flows.semantics.models import SemanticModels
from tests.semantics.inference.tables import model_of, model_of_sources

SCHEMA = """
CREATE TABLE stations (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE riders (id INTEGER PRIMARY KEY, name TEXT, referred_by INTEGER REFERENCES riders(id));
CREATE TABLE trips (
    id INTEGER PRIMARY KEY, start_station_id INTEGER REFERENCES stations(id),
    end_station_id INTEGER REFERENCES stations(id), rider_id INTEGER REFERENCES riders(id)
);
CREATE TABLE licences (rider_id INTEGER PRIMARY KEY REFERENCES riders(id), number TEXT);
INSERT INTO stations VALUES (1, 'A'), (2, 'B');
INSERT INTO riders VALUES (1, 'Ann', NULL), (2, 'Bea', 1);
INSERT INTO trips VALUES (1, 1, 2, 1), (2, 2, 1, 2), (3, 1, 1, 1);
INSERT INTO licences VALUES (1, 'x'), (2, 'y');
"""


def database(folder: Path, script: str) -> SemanticModel:
    with closing(sqlite3.connect(folder / "d.db")) as made:
        made.executescript(script)
    return model_of_sources(folder, {"d": "d.db"})


def ends(each: Relationship) -> tuple[str, tuple[str, ...], str, tuple[str, ...]]:
    return each.dataset, each.fields, each.to, each.to_fields


def test_roles_tell_two_keys_to_one_table_apart(tmp_path: Path) -> None:
    model = database(tmp_path, SCHEMA)
    found = {each.name: each for each in model.relationships}
    assert set(found) == {
        "trips_start_station", "trips_end_station", "trips_riders", "riders_referrer",
        "licences_riders",
    }  # fmt: skip
    start = found["trips_start_station"]
    assert ends(start) == ("trips", ("start_station_id",), "stations", ("id",))
    assert (start.role, start.single, start.inferred) == ("start station", False, False)
    assert found["trips_riders"].role == ""
    assert found["licences_riders"].single
    own = found["riders_referrer"]
    assert ends(own) == ("riders", ("referred_by",), "riders", ("id",))
    assert (own.role, own.back, own.single) == ("referrer", "referrals", False)


def test_what_nobody_declared_is_found_from_many_to_one(tmp_path: Path) -> None:
    model = model_of(
        tmp_path,
        {
            "accounts": {"account_id": range(20), "name": [f"a{n}" for n in range(20)]},
            "contracts": {"account_id": range(12), "fee": range(12)},
            "logins": {"account_id": [n % 12 for n in range(60)], "day": range(60)},
            "staff": {"staff_id": range(1, 10), "manager_id": ["", *[1] * 4, *[2] * 4]},
        },
    )
    found = {ends(each): each for each in model.relationships}
    contract = found["contracts", ("account_id",), "accounts", ("account_id",)]
    assert contract.single
    assert contract.inferred
    assert ("logins", ("account_id",), "accounts", ("account_id",)) in found
    manager = found["staff", ("manager_id",), "staff", ("staff_id",)]
    assert (manager.name, manager.role, manager.back) == ("staff_manager", "manager", "reports")


@pytest.mark.parametrize("seed", range(4))
def test_every_join_is_a_relationship_whatever_the_names(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)

    def name() -> str:
        return "".join(chance.choice(string.ascii_letters + " äß\"'-_") for _ in range(7)) + "x"

    tables = list(dict.fromkeys(name().strip() for _ in range(5)))
    script = []
    for at, each in enumerate(tables):
        to = [chance.choice(tables[: at + 1]) for _ in range(chance.randint(0, 3))]
        parts = [
            f"{quoted(f'{name()}{n}')} INTEGER REFERENCES {quoted(t)}" for n, t in enumerate(to)
        ]
        script.append(
            f"CREATE TABLE {quoted(each)} ({', '.join(['k INTEGER PRIMARY KEY', *parts])});"
        )
    with closing(sqlite3.connect(tmp_path / "d.db")) as made:
        made.executescript("\n".join(script))
    with Catalog({"d": "d.db"}, tmp_path) as catalog:
        joins = {
            (each.name, join.columns, join.table, join.to_columns)
            for each in catalog.tables()
            for join in each.joins
        }
        model = SemanticModels(catalog).model()
    assert {ends(each) for each in model.relationships} == joins
    names = [each.name for each in model.relationships]
    assert len(names) == len(set(names))


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
