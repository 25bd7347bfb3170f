"""Each fault of a provider, streamed and not: what the model raises, and how a run ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from flows.core.chat import ChatReply
from flows.errors import ModelError
from flows.models.fake.faults import FAULTS, FaultName
from flows.models.fake.player import Player
from flows.models.fake.script import Script
from flows.models.fake.server import FakeModel
from flows.models.openai import OpenAIModel
from tests.cli.inside import inside
from tests.contracts.chat_model import ask
from tests.models.fault_rows import ATTEMPTS, ROWS, SETTINGS, Ends, Fails, Outcome, Row

CELLS = [(row, streamed) for row in ROWS for streamed in (True, False)]
DONE = {"thought": "so", "command": "finish", "command_args": {"answer": "Done."}}
AUTO = "defaults: [autogpt, override human: never, override model: openai, _self_]\nname: Mine\n"


def outcome_of(row: Row, streamed: bool) -> Outcome:
    return row.streamed if streamed else row.whole


def name_of(value: object) -> str:
    return value.name if isinstance(value, Row) else "streamed" if value else "whole"


def is_asked_again(row: Row, streamed: bool) -> bool:
    expected = outcome_of(row, streamed)
    return isinstance(expected, Fails) and expected.requests == ATTEMPTS


def playing(*turns: dict[str, Any]) -> FakeModel:
    return FakeModel(Player(Script.model_validate({"turns": turns})))


def get_reply(
    server: FakeModel, streamed: bool, pieces: list[str], limits: Mapping[str, Any]
) -> ChatReply:
    own = {"model": "small", "base_url": server.base_url, "stream": streamed}
    settings = {**own, **SETTINGS, **limits}
    model = OpenAIModel(OpenAIModel.Config.model_validate(settings))

    async def run() -> ChatReply:
        try:
            return await model.reply(ask("hello"), pieces.append)
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_every_fault_of_the_fake_model_has_a_row() -> None:
    assert set(FAULTS) == set(get_args(FaultName)) == {row.fault for row in ROWS}


@pytest.mark.parametrize(("row", "streamed"), CELLS, ids=name_of)
def test_what_the_model_makes_of_it(row: Row, streamed: bool) -> None:
    expected = outcome_of(row, streamed)
    pieces: list[str] = []
    with playing(row.script(repeat="always")) as server:
        if isinstance(expected, Ends):
            assert get_reply(server, streamed, pieces, {}).finish == expected.finish
            assert len(server.requests) == 1
            return
        with pytest.raises(ModelError) as caught:
            get_reply(server, streamed, pieces, expected.limits)
        assert isinstance(caught.value, expected.error)
        assert expected.said in str(caught.value)
        assert "<" not in str(caught.value)
        assert len(server.requests) == expected.requests
        assert bool(pieces) == expected.shown
        server.wait_idle()


@pytest.mark.parametrize(
    ("row", "streamed"), [each for each in CELLS if is_asked_again(*each)], ids=name_of
)
def test_one_that_passes_is_followed_by_the_reply(row: Row, streamed: bool) -> None:
    pieces: list[str] = []
    # What follows must not be too slow for the limit that ends the fault.
    limits = dict.fromkeys(outcome_of(row, streamed).limits, 5.0)
    with playing(row.script(), {"reply": "at last"}) as server:
        assert get_reply(server, streamed, pieces, limits).text == "at last"
        assert len(server.requests) == 2
    assert "".join(pieces) == "at last"


def written(value: object) -> str:
    """A value as an override writes it."""
    return json.dumps(value).replace('"', "")


def run_against(
    server: FakeModel, folder: Path, *, stream: bool, limits: Mapping[str, Any]
) -> tuple[int, dict[str, Any]]:
    """`flows run` of the whole loop: the exit code, and what it says with `--json`."""
    (folder / "my.yaml").write_text(AUTO)
    settings = {"base_url": server.base_url, "stream": stream, **SETTINGS, **limits}
    given = [f"+model.{name}={written(each)}" for name, each in settings.items()]
    goal = "goal=Which region sold most?"
    ended = inside("run", "my.yaml", goal, *given, "--json", cwd=folder)
    return ended.code, ended.json()


# One of each kind, for the rows of one kind end a run in one way.
KINDS: Sequence[FaultName] = (
    "rate_limited",
    "quota_exhausted",
    "reset_before",
    "cut_clean",
    "silent",
    "endless",
    "error_in_stream",
    "empty_choices",
    "content_filter",
    "length",
)


@pytest.mark.long("every fault of an endpoint, in a whole run")
@pytest.mark.parametrize("streamed", [True, False], ids=name_of)
@pytest.mark.parametrize("fault", KINDS)
def test_how_a_run_ends(fault: FaultName, streamed: bool, tmp_path: Path) -> None:
    row = next(row for row in ROWS if row.fault == fault)
    expected = outcome_of(row, streamed)
    if isinstance(expected, Ends):
        with playing(row.script(reply=DONE), {"reply": DONE}) as server:
            code, found = run_against(server, tmp_path, stream=streamed, limits={})
            assert expected.said in server.requests[1].said()
        assert (code, found["status"]) == (0, "finished")
        assert found["outputs"]["answer"] == "Done."
        return
    with playing(row.script(repeat="always")) as server:
        code, found = run_against(server, tmp_path, stream=streamed, limits=expected.limits)
        assert len(server.requests) == expected.requests
    assert (code, found["status"]) == (expected.error.exit_code, "failed")
    assert expected.said in found["reason"]


@pytest.mark.long("a server answers whole conversations")
@pytest.mark.parametrize("streamed", [True, False], ids=name_of)
def test_a_run_that_failed_goes_on_when_the_provider_is_back(
    streamed: bool, tmp_path: Path
) -> None:
    with playing({"fault": "unauthorized"}, {"reply": DONE}) as server:
        code, found = run_against(server, tmp_path, stream=streamed, limits={})
        assert code == 3
        again = inside("resume", found["run_id"], "--json", cwd=tmp_path)
    assert (again.code, again.json()["outputs"]["answer"]) == (0, "Done.")
