"""Questions about entities by their keys, answered by a store as an agent of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from flows.core.entity_store import EntityRecord, EntityRelation
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


def test_a_comparison_that_no_value_is_of_is_declined(agent: StoreAgent) -> None:
    assert agent("Which is larger, BT-01 or BT-02?").status == "abstained"
