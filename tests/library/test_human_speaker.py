"""A person who speaks in an AutoGen team: what they say is heard, and a model is learned anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from flows.runners.door import resume
from tests.library.desk import Desk
from tests.library.test_autogen import (
    DESCRIBED,
    HOMES,
    LEARNED,
    PREDICTED,
    finding,
    program,
)
from tests.library.world import asked

pytest.importorskip("autogen_agentchat", reason="the extra `autogen` is not installed")

AGENT = """\
defaults: [{model: openai}, {human: HUMAN}, {agent@_global_: autogen}, _self_]
name: Autogen
data: {homes: homes.csv}
human_speaker: true
"""
WHOLE = LEARNED + PREDICTED
SMALL = WHOLE.replace('["sqm", "rooms"]]', '["sqm"]]').replace(
    '{"feature": ["rooms", "sqm"], "importance": [0.1, 0.9]}',
    '{"feature": ["sqm"], "importance": [1.0]}',
)


def furnish(folder: Path) -> None:
    (folder / "homes.csv").write_text(HOMES)


@pytest.fixture(autouse=True)
def _described(desk: Desk) -> None:
    desk.server.otherwise = lambda _: FakeAnswer(DESCRIBED)


def learn(desk: Desk, *said: str, human: str = "scripted") -> RunResult:
    text = AGENT.replace("HUMAN", human)
    if human == "scripted":
        name = f"said{len(desk.plans)}.txt"
        (desk.folder / name).write_text("".join(f"{each}\n" for each in said))
        text += f"human: {{path: {name}}}\n"
    return desk.run(text, inputs={"task": "Predict the price"})


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_what_a_person_says_is_heard_and_learned_by(desk: Desk) -> None:
    desk.server.script(program(WHOLE), program(SMALL), FakeAnswer(DESCRIBED))
    found = finding(learn(desk, "leave out the rooms", ""))
    assert found.code == SMALL
    assert found.model is not None
    assert [each.feature for each in found.model.importances] == ["sqm"]
    heard = json.dumps(asked(desk.server, 1))
    assert "leave out the rooms" in heard


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_a_model_that_cannot_be_learned_anew_is_kept(desk: Desk) -> None:
    broken = program("model = homes['nothing']\n")
    desk.server.script(program(WHOLE), *(broken for _ in range(20)))
    result = learn(desk, "use the garden")
    found = finding(result)
    assert found.code == WHOLE
    assert any("is kept" in getattr(each, "text", "") for each in desk.events)


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_nobody_there_takes_the_model_as_it_is(desk: Desk) -> None:
    desk.server.script(program(WHOLE), FakeAnswer(DESCRIBED))
    assert finding(learn(desk, human="never")).code == WHOLE


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_the_run_waits_for_a_person_who_is_away(desk: Desk) -> None:
    desk.server.script(program(WHOLE), FakeAnswer(DESCRIBED))
    result = learn(desk, human="detached")
    assert result.status == "waiting"
    [open_question] = result.questions
    assert "The team has a model (linear regression) of price" in open_question.question.text
    done = resume(result.run_id, runs=result.folder.parent, answer="")
    assert finding(done).code == WHOLE
