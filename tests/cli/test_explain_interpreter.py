"""`flows explain` of runs of an interpreter: the prompts that it sent, and where their parts come
from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from tests.cli.inside import inside

SHOP = '''\
FILLER = "The loom was oiled and the floor was swept, as on every day. " * 40


def get_order(order: str) -> dict[str, str]:
    """The customer of one order, by its number.

    Args:
        order: the number of an order, such as KT-2011
    """
    return {"order": order, "customer": "Marlow"}


def read_report(name: str) -> str:
    """The report of a workshop, by its name.

    Args:
        name: the name of the report
    """
    return f"{FILLER}The {name} was approved on 12 March 2024. {FILLER}"
'''
RUN = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
context_tokens: 1800
temperature: 0.25
load: [shop/get_order, shop/read_report]
functions:
  sources:
    shop: {_target_: functions.python, modules: [shop], effect: pure}
"""
QUESTION = "Who ordered KT-2011, and when was the linen approved?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    with FakeModel() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        yield running


def call(name: str, /, **arguments: str) -> FakeAnswer:
    made = FakeCall(name, json.dumps(arguments))
    return FakeAnswer(f"I call {name}.", finish="tool_calls", tool_calls=(made,))


def explained(folder: Path, path: str) -> dict[str, Any]:
    ended = inside("explain", "last", path, "--trust", "shop", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    return ended.json()


@pytest.mark.long("whole runs of the command")
def test_every_request_of_a_run_is_built_again_with_its_origins(
    server: FakeModel, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "my.yaml").write_text(RUN)
    answer = {
        "answer": "Marlow, on 12 March 2024.",
        "confidence": 90,
        "citations": [
            {"call": 1, "path": "/customer", "value": "Marlow"},
            {"call": 2, "value": "12 March 2024"},
        ],
    }
    summary = {"summaries": [{"call": 2, "statements": ["Approved on 12 March 2024."]}]}
    server.script(
        FakeAnswer("First I look up the order."),
        call("get_order", order="KT-2011"),
        call("read_report", name="linen"),
        call("read_report", name="cotton"),
        FakeAnswer(json.dumps(summary)),
        FakeAnswer(json.dumps(answer)),
    )
    done = inside("run", "my.yaml", QUESTION, "--trust", "shop", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.json()["outputs"]["status"] == "answered", done.json()["outputs"]

    steps = ["decide#1", "decide#2", "decide#3", "decide#4", "summarize#1", "decide#5"]
    assert len(server.requests) == len(steps)
    for step, received in zip(steps, server.requests, strict=True):
        key = "text" if step.startswith("decide") else "summaries"
        (request,) = explained(tmp_path, f"{step}.{key}")["requests"]
        assert request["why"] == ""
        assert request["matches"] is True
        assert json.loads(request["body"]) == received.body
        assert "".join(part["text"] for part in request["parts"]) == request["body"]

    (last,) = explained(tmp_path, "answer")["requests"]
    origins = {
        text: [each["origin"] for each in last["parts"] if text in each["text"]]
        for text in (
            "You answer questions with functions", "Each result begins with the number",
            "You have stated a plan", "I call get_order.", "Marlow", "Approved on 12 March",
            "cotton was approved", "get_order", "0.25",
        )
    }  # fmt: skip
    plan = origins["You answer questions with functions"][0]
    assert (plan["kind"], Path(plan["file"]).name) == ("prompt", "interpreter.plan.j2")
    form = origins["Each result begins with the number"][0]
    assert Path(form["file"]).name == "interpreter.form.j2"
    assert origins["You have stated a plan"][0]["variable"] == "correction"
    assert origins["I call get_order."][0]["step"] == "decide#2"
    assert origins["Marlow"][0]["step"] == "call#1"
    assert origins["Approved on 12 March"][0]["variable"] == "results.0.text"
    assert origins["cotton was approved"][0]["step"] == "call#3"
    assert origins["0.25"][0]["key"] == "temperature"
    [question] = [each for each in last["parts"] if QUESTION in each["text"]]
    assert question["origin"]["variable"] == "question"

    shown = inside("explain", "last", "answer", "--trust", "shop", cwd=tmp_path)
    assert "interpreter.plan.j2" in shown.out
    assert "not known" not in shown.out


def test_prompts_are_those_of_the_run_and_not_of_today(server: FakeModel, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "my.yaml").write_text(RUN)
    plan = tmp_path / "prompts" / "interpreter.plan.j2"
    plan.parent.mkdir()
    plan.write_text("{#- variables: -#}\nSpeak like a tailor.")
    server.script(FakeAnswer(json.dumps({"answer": "Good day.", "confidence": 50})))
    done = inside("run", "my.yaml", "Hello to you?", "--trust", "shop", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    plan.write_text("{#- variables: -#}\nSpeak like a sailor.")
    (request,) = explained(tmp_path, "answer")["requests"]
    assert request["matches"] is True
    [part] = [each for each in request["parts"] if "tailor" in each["text"]]
    assert part["origin"]["changed"] is True


def test_without_a_key_the_values_that_the_rules_read_are_shown(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "my.yaml").write_text(RUN.replace("override model: openai, ", ""))
    asked = "Who is the customer of order KT-2011?"
    done = inside("run", "my.yaml", asked, "--trust", "shop", "--json", cwd=tmp_path)
    assert "Marlow" in done.json()["outputs"]["answer"], done.err
    (request,) = explained(tmp_path, "answer")["requests"]
    assert request["matches"] is True
    assert json.loads(request["body"])["inputs"]["question"] == asked
