"""The offline model behind the protocol of chat models."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.core.chat import ChatModel, ChatReply, ChatRequest, Message
from flows.errors import ModelRefused
from flows.models.offline import OfflineModel
from tests.analysis.worlds import World, csv_world, sqlite_world

QUESTION = "Which habitat had the highest average quill mass in 2004?"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("offline")
    with csv_world(folder) as made:
        yield made


def ask(role: str, inputs: dict[str, Any], model: OfflineModel | None = None) -> ChatReply:
    request = ChatRequest(
        messages=(Message(role="user", content="prose"),), role=role, inputs=inputs
    )
    return asyncio.run((model or OfflineModel()).reply(request))


def sql_inputs(world: World, question: str, **changes: Any) -> dict[str, Any]:
    return {
        "question": question,
        "tables": world.tables,
        "dialect": "duckdb",
        "found": (),
        **changes,
    }


def failed(why: str) -> list[dict[str, str]]:
    return [{"tried": "SELECT", "kind": "failed", "said": why}]


def test_it_is_a_chat_model_without_a_key() -> None:
    model = OfflineModel()
    assert isinstance(model, ChatModel)
    assert model.name == "offline"
    asyncio.run(model.aclose())


def test_sql_is_one_json_object_that_runs(world: World) -> None:
    reply = ask("sql", sql_inputs(world, QUESTION))
    said = json.loads(reply.text)
    assert set(said) == {"sql", "explanation", "cannot"}
    assert said["cannot"] is None
    assert "habitat" in said["explanation"]
    assert len(world.rows(said["sql"])) == 1
    assert (reply.finish, reply.model) == ("stop", "offline")


def test_nothing_is_billed(world: World) -> None:
    usage = ask("sql", sql_inputs(world, QUESTION)).usage
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (1, 0, 0)


def test_tables_may_be_plain_data(world: World) -> None:
    plain = [json.loads(table.model_dump_json()) for table in world.tables]
    typed = ask("sql", sql_inputs(world, QUESTION)).text
    assert ask("sql", sql_inputs(world, QUESTION, tables=plain)).text == typed


def test_evidence_can_be_left_out(world: World) -> None:
    plain = json.loads(ask("sql", sql_inputs(world, QUESTION), OfflineModel(evidence=False)).text)
    assert len(world.rows(plain["sql"])[0]) == 1


def test_it_says_when_it_cannot(world: World) -> None:
    said = json.loads(ask("sql", sql_inputs(world, "What is the frobnication of the Marsh?")).text)
    assert said["sql"] is None
    assert "frobnication" in said["cannot"]


def test_after_an_error_it_does_not_repeat_itself(world: World) -> None:
    first = json.loads(ask("sql", sql_inputs(world, QUESTION)).text)["sql"]
    second = json.loads(ask("sql", sql_inputs(world, QUESTION, found=failed("no such"))).text)
    assert second["sql"] != first
    simple = json.loads(
        ask("sql", sql_inputs(world, "How many rows are there?", found=failed("no"))).text
    )
    assert simple["sql"] is None
    assert "no" in simple["cannot"]


def test_sqlite_gets_sqlite_sql(tmp_path: Path) -> None:
    with sqlite_world(tmp_path) as works:
        inputs = sql_inputs(works, "How many brewers were hired in 2012?", dialect="sqlite")
        said = json.loads(ask("sql", inputs).text)
        assert works.rows(said["sql"]) == [(1,)]


def test_text_comes_in_pieces(world: World) -> None:
    pieces: list[str] = []
    request = ChatRequest(messages=(), role="sql", inputs=sql_inputs(world, QUESTION))
    reply = asyncio.run(OfflineModel().reply(request, pieces.append))
    assert len(pieces) > 1
    assert "".join(pieces) == reply.text


def test_chat_is_honest() -> None:
    reply = ask("chat", {})
    assert "offline" in reply.text
    assert reply.finish == "stop"


def test_an_unknown_role_is_refused_with_the_known_ones() -> None:
    known = (
        r"analyst, .*chat, .*clarification, controller, .*narrator, .*python, .*reflection, .*sql, "
    )
    with pytest.raises(ModelRefused, match=f"'poet'.*{known}"):
        ask("poet", {})


@pytest.mark.parametrize(("role", "key"), [("sql", "question"), ("controller", "commands")])
def test_a_missing_input_is_named(role: str, key: str) -> None:
    with pytest.raises(ModelRefused, match=key):
        ask(role, {})


def test_a_reply_does_not_hold_up_the_event_loop(world: World) -> None:
    inputs = sql_inputs(world, QUESTION)
    ask("sql", inputs)
    start = time.process_time()
    for _ in range(10):
        ask("sql", inputs)
    assert (time.process_time() - start) / 10 < 0.05


def test_python_is_one_json_object_of_code_that_compiles(world: World) -> None:
    inputs = {"task": "correlation of quill mass and hatch count in 2004", "tables": world.tables}
    said = json.loads(ask("python", {**inputs, "error": ""}).text)
    assert set(said) == {"code", "explanation", "cannot"}
    assert said["cannot"] is None
    compile(said["code"], "<code>", "exec")
    for each in ("glims", "quillMass", "hatchCount", "2004"):
        assert each in said["code"]


@pytest.mark.parametrize(
    ("task", "error", "why"),
    [
        ("histogram of the moon", "", "moon"),
        ("sing me a song", "", "no word of it asks for a statistic"),
        ("histogram of quill mass", "ValueError: no row", "the only reading of it failed"),
    ],
)
def test_python_that_it_cannot_write_is_said(world: World, task: str, error: str, why: str) -> None:
    reply = ask("python", {"task": task, "tables": world.tables, "error": error})
    said = json.loads(reply.text)
    assert said["code"] is None
    assert why in said["cannot"]
