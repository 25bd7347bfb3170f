"""What a run over data asks the outside: only where somebody watches, or has named the tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import flows
from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.build.restoration import recorded_plan
from flows.core.events import Notice
from flows.core.flow import walk
from flows.library.autogpt.autogpt import AutoGPTFlow
from tests.cli.inside import inside, write
from tests.servers.local_http import LocalHttp, Reply, Request

CELL = "Sam Smith, born 4 May 1970"
LOOP = """\
defaults: [autogpt, {override human: never}, _self_]
inputs: {goal: 'Who is it?'}
"""
DATA = "data: {people: people.csv}\n"
SEARCH = {"wiki_search", "ddg_search"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(f'name,n\n"{CELL}",1\n')
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "note.txt").write_text(CELL)
    return tmp_path


def searches(folder: Path, text: str, *overrides: str) -> set[str]:
    """The search tools that the controller is offered."""
    return offered_by(build(folder / write(folder, text), overrides)[0])


def offered_by(plan: RunPlan) -> set[str]:
    [loop] = [flow for _, flow in walk(plan.flow) if isinstance(flow, AutoGPTFlow)]
    return {each.name for each in loop.commands} & SEARCH


@pytest.mark.parametrize("private", [DATA, "documents: notes\n"])
@pytest.mark.parametrize("human", ["never", "detached", "terminal"])
def test_they_are_off_over_data_where_nobody_watches(
    private: str, human: str, folder: Path
) -> None:
    assert searches(folder, LOOP + private, f"human={human}") == set()
    assert searches(folder, LOOP, f"human={human}") == SEARCH


@pytest.mark.parametrize(
    ("override", "on"),
    [
        ("Executor.wiki_search.offered=true", {"wiki_search"}),
        ("Executor.wiki_search={_target_: tools.wikipedia}", {"wiki_search"}),
        ("Executor.wiki_search.lang=de", {"wiki_search"}),
        ("Executor.wiki_search.offered=false", set()),
        ("Executor.ddg_search.offered=true", {"ddg_search"}),
    ],
)
def test_who_names_a_tool_has_it(override: str, on: set[str], folder: Path) -> None:
    assert searches(folder, LOOP + DATA, override) == on
    path, _, value = override.partition("=")
    [_, name, *key] = path.split(".")
    inner = f"{{{key[0]}: {value}}}" if key else value
    text = f"subflows_config: {{Executor: {{subflows_config: {{{name}: {inner}}}}}}}\n"
    assert searches(folder, LOOP + DATA + text) == on


def test_it_is_said_once_with_how_to_switch_them_on(folder: Path) -> None:
    file = write(folder, LOOP + DATA)
    said = "Executor.wiki_search and Executor.ddg_search are off"
    for command in ("check", "run"):
        ended = inside(command, file, cwd=folder)
        assert ended.code == 0, ended.err
        assert ended.out.count(said) == 1
        assert "Executor.wiki_search.offered=true" in " ".join(ended.out.split())
    assert "wikipedia.org" not in inside("check", file, cwd=folder).out
    assert "are off" not in inside("check", write(folder, LOOP), cwd=folder).out


def test_a_run_that_is_gone_on_with_has_the_commands_that_it_began_with(folder: Path) -> None:
    file = write(folder, LOOP + DATA)
    on = "Executor.wiki_search.offered=true"
    for overrides, offered in (([], set()), ([on], {"wiki_search"})):
        run = inside("run", file, "--json", *overrides, cwd=folder).json()["run_id"]
        assert offered_by(recorded_plan(folder / "runs" / run)) == offered
        assert inside("replay", run, cwd=folder).code == 0


@pytest.fixture
def obeying(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHttp]:
    """A model that does as a cell tells it: it asks the outside about what it has read."""

    def reply(request: Request) -> Reply:
        del request
        search = {"command": "wiki_search", "command_args": {"search_term": CELL}}
        finish = {"command": "finish", "command_args": {"answer": "done"}}
        text = json.dumps(search if len(server.requests) < 4 else finish)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return Reply(json={"id": "1", "model": "m", "choices": [choice]})

    with LocalHttp(reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        yield server


MODEL = ("model=openai", "model.model=m", "model.stream=false", "max_rounds=6")


def told_of(server: LocalHttp) -> str:
    """The first prompt that the model was sent."""
    text: str = json.loads(server.requests[0].body)["messages"][0]["content"]
    return text


def test_a_cell_does_not_leave_in_the_search_of_a_model_that_obeys(
    obeying: LocalHttp, folder: Path
) -> None:
    ended = inside("run", write(folder, LOOP + DATA), *MODEL, cwd=folder)
    assert ended.code == 0, ended.err
    assert len(obeying.requests) >= 4
    assert "wiki_search" not in told_of(obeying)
    assert "duckduckgo" not in told_of(obeying).lower()
    assert "there is no command" in " ".join(ended.out.split())
    assert " is asked: " not in ended.out


def test_what_leaves_is_told_before_it_leaves(
    obeying: LocalHttp, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    told: list[str] = []
    before: list[list[str]] = []

    def answer(request: Request) -> Reply:
        del request
        before.append(list(told))
        return Reply(json={"query": {}})

    with LocalHttp(answer) as wiki:
        named = f"Executor.wiki_search={{_target_: tools.wikipedia, api_url: '{wiki.url}/api.php'}}"
        flows.run(
            folder / write(folder, LOOP + DATA),
            [*MODEL, named],
            listeners=[lambda each: told.append(each.text) if isinstance(each, Notice) else None],
        )
        assert "wiki_search" in told_of(obeying)
        assert before
        assert f"127.0.0.1 is asked: {CELL}" in before[0]
