"""The profile of tables in full."""

from __future__ import annotations

import pytest

from flows.core.observation import Observation
from flows.core.result import RunResult
from flows.data.tables import ResultTable
from tests.library.world import World

PROFILE = "name: Look\n_target_: profile\n"
PEOPLE = "id,city,height_cm,born\n1,Rome,170.5,1990-01-02\n2,Oslo,,1985-05-06\n3,Rome,181,\n"
CITIES = "city,country\nRome,Italy\nOslo,Norway\n"


@pytest.fixture(autouse=True)
def _files(world: World) -> None:
    world.write("people.csv", PEOPLE)
    world.write("cities.csv", CITIES)


def profile(world: World, *overrides: str, table: str = "") -> RunResult:
    text = PROFILE + "data: {people: people.csv, cities: cities.csv}\n"
    return world.run(text, *overrides, inputs={"table": table})


def seen(result: RunResult) -> Observation:
    found = result.outputs["observation"]
    assert isinstance(found, Observation)
    return found


def test_one_table_in_full(world: World) -> None:
    result = profile(world, table="people")
    observation = seen(result)
    assert observation.table is not None
    rows = [
        dict(zip(observation.table.columns, row, strict=True)) for row in observation.table.rows
    ]
    by_name = {row["column"]: row for row in rows}
    assert list(by_name) == ["id", "city", "height_cm", "born"]
    height = by_name["height_cm"]
    assert (height["rows"], height["missing"], height["distinct"]) == (3, 1, 2)
    assert height["missing_percent"] == 33.3333
    assert height["median"] == 175.75
    assert height["unit"] == "cm"
    assert (by_name["city"]["top_value"], by_name["city"]["top_count"]) == ("Rome", 2)
    for each in ("people: 3 rows, 4 columns", "Missing values in height_cm (1), born (1).",
                 "Keys: id", "Most frequent in city: Rome (2), Oslo (1)"):  # fmt: skip
        assert each in observation.text


def test_it_is_kept_whole(world: World) -> None:
    result = profile(world)
    [artifact] = result.artifacts
    kept = ResultTable.model_validate_json((result.folder / artifact.path).read_bytes())
    assert {row[0] for row in kept.rows} == {"people", "cities"}
    assert set(kept.sources) == {"people", "cities"}
    assert seen(result).table is not None


def test_an_unknown_table(world: World) -> None:
    result = profile(world, table="peeple")
    assert result.status == "failed"
    assert "there is no table 'peeple'; did you mean 'people'?" in result.reason


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("Profile the data", "people has 3 rows"),
        ("How is the data quality of people?", "missing values in height_cm (1), born (1)"),
        ("Are there missing values in people?", "people has missing values in height_cm (1)"),
    ],
)
def test_offline_the_loop_uses_it(world: World, goal: str, said: str) -> None:
    result = world.auto("data.people=people.csv", goal=goal)
    assert result.status == "finished"
    assert world.inputs("Executor")[0]["branch"] == "profile"
    assert said in result.outputs["answer"]
