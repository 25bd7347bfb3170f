"""Questions about entities by their keys, answered by a store as an agent of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.core.entity_store import EntityRecord, EntityRelation
from flows.errors import StoreError
from flows.memory.agent import StoreAgent
from flows.memory.entities.stores import SQLiteEntityStore

BOATS = {
    "BT-01": {"name": "Heron", "berths": 4, "daily_rate": 80.0, "state": "available",
              "built_on": "2011-05-02", "sails": 3},
    "BT-02": {"name": "Teal", "berths": 6, "daily_rate": 65.5, "state": "in repair",
              "built_on": "1998-03-20", "sails": 2},
    "BT-03": {"name": "Coot", "berths": 2, "daily_rate": 40.0, "state": "available",
              "built_on": "2019-07-30", "sails": 1},
}  # fmt: skip
SKIPPERS = {
    "S-9": {"name": "Ona", "licensed_since": 2012},
    "S-10": {"name": "Per", "licensed_since": 2004},
}
TRIPS = {"T-501": ("BT-01", "S-9"), "T-502": ("BT-01", "S-10"), "T-503": ("BT-02", "S-9")}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreAgent]:
    folder = tmp_path_factory.mktemp("boats")
    store = SQLiteEntityStore(SQLiteEntityStore.Config(path=folder / "entities.sqlite3"))
    records = [EntityRecord(type="boat", key=key, values=each) for key, each in BOATS.items()]
    records += [
        EntityRecord(type="skipper", key=key, values=each) for key, each in SKIPPERS.items()
    ]
    for key, (boat, skipper) in TRIPS.items():
        to = (
            EntityRelation(name="boat", key=boat, type="boat"),
            EntityRelation(name="skipper", key=skipper, type="skipper"),
        )
        records.append(EntityRecord(type="trip", key=key, values={"miles": 12}, relations=to))
    asyncio.run(store.put(records))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield store.as_agent()
    asyncio.run(store.aclose())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which boat has more berths, BT-01 or BT-02?", "BT-02: 6 (berths)"),
        ("which is cheaper, BT-01 or BT-02", "BT-02: 65.5 (daily rate)"),
        ("Which is older, BT-01 or BT-03?", "BT-01: 2011-05-02 (built on)"),
        ("who has been licensed longer, S-9 or S-10", "S-10: 2004 (licensed since)"),
        ("how many berths do BT-01 and BT-03 have?", "BT-01: 4; BT-03: 2"),
        ("how many berths do BT-01 and BT-03 have together?", "sum of berths: 6"),
        ("What is the difference in daily rate between BT-01 and BT-03?",
         "40 (BT-01: 80; BT-03: 40)"),
        ("Is BT-01 available?", "Yes (state: available)"),
        ("is BT-02 available?", "No (state: in repair)"),
    ],
)  # fmt: skip
def test_a_question_about_several_keys_names_the_key(
    agent: StoreAgent, question: str, answer: str
) -> None:
    response = agent(question)
    assert (response.status, response.answer) == ("answered", answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many trips are there?", "3 trips"),
        ("what's the number of skippers", "2 skippers"),
        ("how many boats and trips do you have", "3 boats; 3 trips"),
        ("How many trips has S-9 made?", "2 trips"),
        ("how many trips do BT-01 and BT-02 have", "BT-01: 2 trips; BT-02: 1 trip"),
        ("how many trips has BT-03 made", "0 trips"),
        ("how many berths does boat BT-01 have?", "berths: 4"),
        ("daily rate of bt 02", "daily rate: 65.5"),
        ("what is the state of bt03?", "state: available"),
    ],
)
def test_entities_are_counted_and_keys_found_as_they_are_written(
    agent: StoreAgent, question: str, answer: str
) -> None:
    response = agent(question)
    assert (response.status, response.answer) == ("answered", answer)


@pytest.mark.parametrize(
    "question",
    [
        "How many boats are available?",
        "how many trips were there in May",
        "How many skippers live in Oslo?",
        "how many skippers hired BT-01",
    ],
)
def test_a_count_of_some_that_the_store_cannot_tell_is_declined(
    agent: StoreAgent, question: str
) -> None:
    assert agent(question).status == "abstained"


def test_a_comparison_that_no_value_is_of_is_declined(agent: StoreAgent) -> None:
    assert agent("Which is larger, BT-01 or BT-02?").status == "abstained"


def test_more_related_entities_than_are_listed_are_all_counted(tmp_path: Path) -> None:
    store = SQLiteEntityStore(SQLiteEntityStore.Config(path=tmp_path / "entities.sqlite3"))
    trips = [
        EntityRecord(
            type="trip", key=f"T-{n}",
            relations=(EntityRelation(name="boat", key="BT-01", type="boat"),),
        )
        for n in range(70)
    ]  # fmt: skip
    asyncio.run(store.put([EntityRecord(type="boat", key="BT-01"), *trips]))
    made = asyncio.run(store.as_function().call({"keys": ["BT-01"], "related": True}))
    told = json.loads(made.text)
    assert len(told["related"]["BT-01"]) == 50
    assert told["related_counts"] == [{"key": "BT-01", "type": "trip", "count": 70}]


def test_without_keys_the_types_are_counted_and_one_that_is_not_there_is_told(
    tmp_path: Path,
) -> None:
    store = SQLiteEntityStore(SQLiteEntityStore.Config(path=tmp_path / "entities.sqlite3"))
    asyncio.run(store.put([EntityRecord(type="boat", key="BT-01")]))
    made = asyncio.run(store.as_function().call({"keys": []}))
    assert json.loads(made.text) == {
        "counts": [{"type": "boat", "count": 1, "examples": ["BT-01"]}]
    }
    with pytest.raises(StoreError, match=r"no type of entities 'ship' \(types: boat\)"):
        asyncio.run(store.as_function().call({"keys": [], "types": ["ship"]}))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("describe BT-01",
         "boat BT-01: name: Heron; berths: 4; daily rate: 80; state: available;"
         " built on: 2011-05-02; sails: 3"),
        ("Tell me about the trip T-501.", "trip T-501: miles: 12; boat: BT-01; skipper: S-9"),
        ("what do you know about S-9 and S-10?",
         "skipper S-9: name: Ona; licensed since: 2012\n"
         "skipper S-10: name: Per; licensed since: 2004"),
    ],
)  # fmt: skip
def test_a_description_names_all_fields_of_a_key(
    agent: StoreAgent, question: str, answer: str
) -> None:
    response = agent(question)
    assert (response.status, response.answer) == ("answered", answer)


def test_a_description_of_something_that_no_field_is_of_is_declined(agent: StoreAgent) -> None:
    assert agent("describe the crew of BT-01").status == "abstained"


@pytest.mark.parametrize(
    ("question", "status", "answer"),
    [
        ("What is the daily rate of BT-04?", "abstained",
         "No entity has the key 'BT-04'; did you mean BT-01 (boat), BT-02 (boat), BT-03 (boat)?"),
        ("What is XYZ-1?", "abstained", "No entity has the key 'XYZ-1'."),
        ("How many berths do BT-02 and BT-77 have?", "partly",
         "berths: 6\nNo entity has the key 'BT-77'."),
    ],
)  # fmt: skip
def test_a_key_that_is_not_there_is_told(
    agent: StoreAgent, question: str, status: str, answer: str
) -> None:
    response = agent(question)
    assert (response.status, response.answer) == (status, answer)
    assert response.lacks
