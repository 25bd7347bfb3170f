"""Questions over several tables: which tables are joined, and which column of which is meant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.analysis.compiler.names import column_names
from flows.analysis.reading import reader
from flows.analysis.reading.reader import Reading, Unread
from flows.data.catalog import Catalog
from flows.semantics.inference.model import infer_model
from flows.semantics.kinds import fields_in
from flows.semantics.model import SemanticModel
from flows.semantics.query import FieldRef
from flows.semantics.tree import parts
from tests.analysis.fleet import (
    CAPTAINS,
    HARBORS,
    LICENCES,
    VESSELS,
    VOYAGES,
    Fleet,
    Row,
    open_fleet,
)
from tests.analysis.statements import read

CAPTAIN = {each[0]: each for each in CAPTAINS}
HARBOR = {each[0]: each for each in HARBORS}
VESSEL = {each[0]: each for each in VESSELS}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with open_fleet(tmp_path_factory.mktemp("fleet")) as opened:
        yield opened


def mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)


ROWS: dict[str, list[Row]] = {
    # columns of two tables, side by side
    "List the titles of vessels and the last names of their captains.": [
        (title, CAPTAIN[captain][2]) for _, title, _, captain in VESSELS
    ],
    # a filter on the other table, an aggregate of the own one
    "What is the average tonnage of the vessels of captain Bo Carling?": [
        (mean([tons for _, _, tons, captain in VESSELS if CAPTAIN[captain][1] == "Bo"]),)
    ],
    # two tables that only a third one ties: nobody is listed twice
    "What are the ages of the captains who are licensed in Ostrel?": [
        (age,) for key, _, _, age in CAPTAINS if (key, 1) in LICENCES
    ],
    # a filter on rows of which there are many for one: a vessel that carried it twice is one
    "What are the titles of the vessels that carried timber?": [
        (title,) for key, title, _, _ in VESSELS
        if any(vessel == key and cargo == "timber" for _, vessel, _, _, cargo, _ in VOYAGES)
    ],
    "How many different captains have vessels with a tonnage above 500?": [
        (len({captain for _, _, tons, captain in VESSELS if tons > 500}),)
    ],
    # two references to one table, told apart by a verb
    "How many voyages ended in Quist?": [(sum(HARBOR[v[3]][1] == "Quist" for v in VOYAGES),)],
    "How many voyages started in Quist?": [(sum(HARBOR[v[2]][1] == "Quist" for v in VOYAGES),)],
    "What is the average weight of voyages that started in Norland?": [
        (mean([v[5] for v in VOYAGES if HARBOR[v[2]][2] == "Norland"]),)
    ],
    # a column of the other table decides the order, or the winner
    "Show the title and tonnage of vessels sorted by the age of their captain.": [
        (title, tons)
        for _, title, tons, captain in sorted(VESSELS, key=lambda each: CAPTAIN[each[3]][3])
    ],
    "What is the country of the harbor where the voyage with the highest weight ended?": [
        (HARBOR[max(VOYAGES, key=lambda each: each[5])[3]][2],)
    ],
}  # fmt: skip


@pytest.mark.parametrize("question", ROWS)
def test_rows_over_several_tables(fleet: Fleet, question: str) -> None:
    rows, expected = fleet.rows(question), ROWS[question]
    if "sorted by" in question:
        assert rows == expected
    else:
        assert sorted(rows) == sorted(expected)


def test_columns_of_one_name_stand_apart_in_the_result() -> None:
    shown = tuple(
        FieldRef(dataset=dataset, field=field)
        for dataset, field in (("pier", "name"), ("pier", "age"), ("ship", "name"))
    )
    names = column_names(shown, SemanticModel(datasets=()))
    assert names == ["pier_name", "age", "ship_name"]


def test_what_two_joins_would_multiply_is_not_answered(fleet: Fleet) -> None:
    found = read("How many voyages and licences does each harbor have?", fleet.tables)
    assert not isinstance(found, Reading)


def test_one_table_is_enough_where_it_explains_all(fleet: Fleet) -> None:
    assert fleet.reading("How many vessels have a tonnage above 500?").tables == {"vessel"}


def test_a_median_is_computed_in_any_database(fleet: Fleet) -> None:
    assert fleet.rows("What is the median tonnage of the vessels?") == [(700,)]


def test_tables_are_joined_as_the_model_says(fleet: Fleet) -> None:
    model = infer_model(fleet.tables)
    alone = model.model_copy(update={"relationships": ()})
    asked = "How many captains have a licence for Quist?"
    joined, apart = (reader.read(asked, fleet.tables, each) for each in (model, alone))
    assert isinstance(joined, Reading)
    assert len(joined.tables) > 1
    assert isinstance(apart, Unread) or len(apart.tables) == 1


def test_a_sum_that_a_join_would_repeat_leaves_doubt(fleet: Fleet) -> None:
    plain = fleet.reading("What is the total tonnage of the vessels?")
    repeated = read("What is the total tonnage of vessels for each cargo?", fleet.tables)
    assert isinstance(repeated, Reading)
    assert repeated.doubt >= plain.doubt + 0.2
    assert any("repeated" in note for note in repeated.notes)


def test_a_count_is_of_the_rows_that_are_named(fleet: Fleet) -> None:
    query = fleet.reading("How many captains have a licence for Quist?").query
    assert query.dataset == "captain"
    assert [getattr(each, "function", "") for each in query.metrics] == ["count distinct"]
    assert query.by == query.show == ()
    assert fleet.rows("How many captains have a licence for Quist?") == [
        (len({captain for captain, harbor in LICENCES if harbor == 3}),)
    ]


def test_a_reference_in_a_role_is_found_where_none_is_declared(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("ferries")
    (folder / "pier.csv").write_text(
        "id,label,wharf\n1,Alder,North\n2,Birch,South\n3,Cedar,South\n"
    )
    (folder / "crossing.csv").write_text(
        "id,start_pier_id,end_pier_id,minutes\n"
        "1,1,2,20\n2,2,1,22\n3,3,1,35\n4,1,3,31\n5,2,3,12\n6,1,2,19\n"
    )
    sources = {name: str(folder / f"{name}.csv") for name in ("pier", "crossing")}
    with Catalog(sources, folder) as catalog:
        tables = {table.name: table for table in catalog.tables()}
        joins = {each.columns: each.table for each in tables["crossing"].joins}
        assert joins == {("start_pier_id",): "pier", ("end_pier_id",): "pier"}
        found = read("How many crossings ended at Cedar?", tuple(tables.values()))
        assert isinstance(found, Reading)
        ways = [via for each in parts(found.query) if (via := getattr(each, "via", ()))]
        assert ways == [("crossing_end_pier",)]


def test_of_columns_that_fit_equally_the_first_is_meant(tmp_path: Path) -> None:
    columns = [f"{word}_label" for word in ("outer", "inner", "upper", "lower", "middle", "other")]
    rows = [",".join([f"{n},{n * 7 % 5}", *[f"zorb {n}"] * len(columns)]) for n in range(9)]
    text = "\n".join([",".join(["id", "size", *columns]), *rows])
    (tmp_path / "crate.csv").write_text(text + "\n")
    with Catalog({"crate": str(tmp_path / "crate.csv")}, tmp_path) as catalog:
        found = read('What is the size of the crates with "zorb 3"?', catalog.tables())
    assert isinstance(found, Reading)
    tested = [each.field for each in fields_in(found.query.where or found.query)]
    assert tested == ["outer_label"]
