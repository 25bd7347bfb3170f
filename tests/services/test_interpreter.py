"""An interpreter from Python, over functions that a program gives it, without a model's key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import flows
from flows.core.entity_store import EntityRecord
from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.errors import ConfigError, UsageError
from flows.memory.agent import agent_of
from flows.memory.columns.store import ColumnarStore
from flows.memory.entities.stores import SQLiteEntityStore
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.replay import replay
from tests.contracts.columnar_store import Reading, readings
from tests.library.workshop_functions import get_customer, get_order, list_fabrics


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Depot:
    """A function that is no Python function, such as a store is."""

    description = FunctionDescription(
        name="metres_of",
        description="The metres of a fabric that are left in the depot.",
        parameters={
            "type": "object",
            "properties": {"fabric": {"type": "string", "description": "the name of a fabric"}},
            "required": ["fabric"],
        },
        function_class="entity",
        namespace="depot",
        effect="pure",
    )

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        return Observation(kind="ok", text=f'{{"fabric": "{arguments["fabric"]}", "metres": 37}}')


def test_it_answers_with_functions_that_a_program_gives_it() -> None:
    agent = flows.Interpreter([get_order, get_customer, list_fabrics])
    found = agent("What is the total of order KT-2011?")
    assert found.status == "answered"
    assert "482.5" in found.answer
    assert found.functions == ("default/get_order",)
    assert [(each.call, each.path) for each in found.citations] == [(1, "/total")]
    assert {each.name for each in agent.functions()} == {
        "get_order",
        "get_customer",
        "list_fabrics",
    }
    assert agent.search("where a customer lives", 1)[0].description.name == "get_customer"


def test_what_no_function_tells_is_not_answered() -> None:
    found = flows.Interpreter([get_order])("What is the weather in Lyon?")
    assert found.status == "abstained"
    assert found.lacks
    assert found.confidence <= 10


def test_a_key_that_one_call_did_not_find_stands_beside_what_another_did() -> None:
    found = flows.Interpreter([get_order])("What is the total of KT-2011 and of KT-9999?")
    assert found.status == "partly"
    assert "482.5" in found.answer
    assert "get_order found nothing for KT-9999" in found.answer
    assert "KT-9999" in found.lacks


def test_a_run_is_told_again_without_the_functions_that_it_was_given() -> None:
    found = flows.Interpreter([get_order])("What is the total of order KT-2011?")
    again = replay(found.run_id)
    assert again.outputs["answer"] == found.answer


def test_an_agent_over_one_store_searches_for_nothing() -> None:
    found = agent_of(Depot())("How many metres of the fabric linen-4 are left?")
    assert found.functions == ("depot/metres_of",)
    assert "37" in found.answer


def test_a_plan_of_ones_own_and_the_bare_model(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tailor(flows.Interpreter):
        PLAN = "Speak like a tailor, {{ not a variable }}."

    with FakeModel() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        server.script(FakeAnswer('{"answer": "Good day.", "confidence": 90}'), FakeAnswer("Hm."))
        agent = Tailor([get_order], model="openai")
        assert agent("Hello?").answer == "Good day."
        system = server.requests[0].body["messages"][0]["content"]
        assert system.startswith("Speak like a tailor, {{ not a variable }}.\n\n")
        assert agent.ask("What do you think?") == "Hm."
        (asked,) = server.requests[1].body["messages"]
        assert asked == {"role": "user", "content": "What do you think?"}


def test_what_cannot_be_asked_is_refused() -> None:
    def undocumented(order):  # type: ignore[no-untyped-def]
        return order

    with pytest.raises(ConfigError, match=r"test_interpreter\.py:\d+"):
        flows.Interpreter([undocumented])
    with pytest.raises(UsageError, match="there is no question"):
        flows.Interpreter([get_order])("  ")


@pytest.mark.long("whole services are built")
def test_each_kind_of_store_is_an_agent_of_its_own(tmp_path: Path) -> None:
    entities = SQLiteEntityStore(SQLiteEntityStore.Config(path=tmp_path / "entities.sqlite3"))
    style = EntityRecord(type="style", key="KT-2011", values={"fabric": "linen", "pieces": 14})
    asyncio.run(entities.put([style]))
    found = entities.as_agent()("What is the fabric of KT-2011?")
    assert "linen" in found.answer
    with ColumnarStore(Reading, tmp_path / "columns") as store:
        store.append(readings())
        found = store.as_agent()("average rain by site")
    assert "4.94" in found.answer
    assert found.functions == ("weather/search_readings",)
