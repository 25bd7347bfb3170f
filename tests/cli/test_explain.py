"""`flows explain`: from a value back to the bytes that a model was sent."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from flows.core.journal import load
from flows.core.rows import row_checksum
from tests.cli.command import PROJECT, Ended, environment, flows
from tests.cli.inside import inside
from tests.servers.raw_model import RawModel

QUESTION = 'Which region sells "most"\nof all § äöü \\ ?'
SQL = 'SELECT "region", SUM("amount") AS total FROM sales GROUP BY region ORDER BY total DESC'
ANSWER = 'South § 40.\nThat is "it".'
FEEDBACK = 'only the "best"'
RUN_FILE = """\
defaults:
  - autogpt
  - override model: openai
  - _self_
name: Mine
data: {sales: sales.csv}
inputs: {goal: 'Which region has the highest amount?'}
"""


def decision(command: str, **arguments: str) -> str:
    said = {"thought": "t", "command": command, "command_args": arguments}
    return json.dumps(said, ensure_ascii=False)


REPLIES = (
    "I would rather talk.",
    decision("sql", question=QUESTION),
    json.dumps({"sql": SQL, "explanation": "e", "cannot": None}),
    decision("finish", answer=ANSWER),
)
ASKED = (
    "Controller#1/chat#1",
    "Controller#1/chat#2",
    "Executor#1/sql#1/write#1",
    "Controller#2/chat#1",
)


def project(folder: Path, more: str = "") -> None:
    (folder / "sales.csv").write_text("region,amount\nNorth,12.5\nSouth,40\n")
    (folder / "my.yaml").write_text(RUN_FILE + more)


def run_project(folder: Path, *overrides: str) -> list[bytes]:
    """The run of a project against a server; what that received."""
    (folder / "said.txt").write_text(f"{FEEDBACK}\n")
    human = ("human=scripted", "human.path=said.txt", "human.after_end=continue")
    with RawModel(*REPLIES) as server:
        at = f"model.base_url={server.base_url}"
        ended = inside("run", "my.yaml", at, *human, *overrides, cwd=folder)
    assert ended.code == 0, ended.err
    assert len(server.bodies) == len(REPLIES)
    return server.bodies


def explained(folder: Path, path: str) -> dict[str, Any]:
    ended = inside("explain", "last", path, "--json", cwd=folder)
    assert ended.code == 0, ended.err
    return ended.json()


def steps_of(found: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(each["kind"], each["step"], each["key"]) for each in found["links"]]


def part_of(request: dict[str, Any], text: str) -> dict[str, Any]:
    """The origin of the only part with that text in it."""
    (found,) = [part["origin"] for part in request["parts"] if text in part["text"]]
    return dict(found)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    """A run that asked a model four times, one of them with a correction."""
    folder = tmp_path_factory.mktemp("asked")
    project(folder, "limits: {tokens: 100000}\n")
    return folder, run_project(folder)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    goal = "goal=Which continent had the highest average life expectancy in 2007?"
    ended = inside("run", str(PROJECT / "demo.yaml"), goal, cwd=folder, stdin="in 1952\n\n\n")
    assert ended.code == 0, ended.err
    return folder


@pytest.mark.long("whole runs of the command")
def test_every_request_is_printed_as_the_server_received_it(
    asked: tuple[Path, list[bytes]],
) -> None:
    folder, bodies = asked
    for step, received in zip(ASKED, bodies, strict=True):
        (request,) = explained(folder, f"{step}.api_output")["requests"]
        assert request["body"].encode() == received
        assert request["matches"] is True
        assert "".join(part["text"] for part in request["parts"]).encode() == received
        at = [(part["start"], part["end"]) for part in request["parts"]]
        assert [received[a:b].decode() for a, b in at] == [p["text"] for p in request["parts"]]


@pytest.mark.long("whole runs of the command")
def test_without_a_path_it_lists_what_can_be_explained(asked: tuple[Path, list[bytes]]) -> None:
    """And each of them can be."""
    folder, _ = asked
    ended = inside("explain", "last", cwd=folder)
    assert (ended.code, ended.err) == (0, "")
    listed = [line.split("  ")[0] for line in ended.out.splitlines() if line]
    assert {"answer", "Controller#1.command", "Executor#1/sql#1/query#1.observation"} <= set(listed)
    found = inside("explain", "last", "--json", cwd=folder).json()["values"]
    assert [each["path"] for each in found] == listed[:-1]
    for each in (found[0], found[-1]):
        assert explained(folder, each["path"])["value"] == each["value"]


@pytest.mark.long("whole runs of the command")
def test_requests_that_are_not_streamed_are_too(tmp_path: Path) -> None:
    project(tmp_path)
    bodies = run_project(
        tmp_path, "model.stream=false", "model.temperature=0.25", "+Controller.max_tokens=300"
    )
    for step, received in zip(ASKED, bodies, strict=True):
        (request,) = explained(tmp_path, f"{step}.api_output")["requests"]
        assert request["body"].encode() == received
        keys = {each["origin"]["key"] for each in request["parts"]}
        assert {"model.model", "model.stream", "model.temperature"} <= keys
        assert ("Controller.max_tokens" in keys) == step.startswith("Controller")


@pytest.mark.long("whole runs, each explained by a command")
def test_the_bytes_alone_go_to_a_file(asked: tuple[Path, list[bytes]]) -> None:
    folder, bodies = asked
    done = subprocess.run(
        [sys.executable, "-m", "flows", "explain", "last", "answer", "--body"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == bodies[-1]


def test_the_parts_of_a_request_name_their_origins(asked: tuple[Path, list[bytes]]) -> None:
    folder, _ = asked
    (request,) = explained(folder, "answer")["requests"]
    literal = part_of(request, "The goal is still: ")
    assert (literal["kind"], literal["changed"]) == ("prompt", False)
    text = Path(literal["file"]).read_text().split("\n")
    assert "The goal is still: " in "".join(text[literal["line"] - 1 :])
    origins = [part["origin"] for part in request["parts"]]
    (observation,) = [each for each in origins if each["variable"] == "observation.text"]
    assert observation["step"] == "Executor#1/sql#1/query#1"
    assert observation["key"] == "observation.text"
    feedback = [each["step"] for each in origins if each["variable"] == "human_feedback"]
    assert feedback == ["HumanFeedback#1"]
    earlier = [each["step"] for each in origins if each["kind"] == "chat"]
    assert earlier == [ASKED[0], ASKED[0], ASKED[1], ASKED[1]]
    assert part_of(request, "4096")["key"] == "limits.reply_tokens"
    (tables,) = [each["text"] for each in origins if each["variable"] == "tables"]
    assert "sales.csv" in tables


def test_a_correction_is_told_from_the_prompt_around_it(asked: tuple[Path, list[bytes]]) -> None:
    folder, _ = asked
    (request,) = explained(folder, f"{ASKED[1]}.api_output")["requests"]
    assert part_of(request, "the reply must be one JSON object, it")["variable"] == "correction"
    assert part_of(request, "Your last reply could not be used: ")["kind"] == "prompt"


@pytest.mark.long("whole runs of the command")
def test_a_text_is_found_in_the_json_of_a_reply(asked: tuple[Path, list[bytes]]) -> None:
    """With quotes, line breaks and letters that JSON writes with escapes."""
    folder, _ = asked
    found = explained(folder, "Controller#1.command_args.question")
    assert found["value"] == QUESTION
    assert steps_of(found) == [("model", ASKED[1], "api_output")]
    assert found["links"][0]["inner"] == "command_args.question"
    question = explained(folder, f"{ASKED[2]}.question")
    assert steps_of(question) == [("model", ASKED[1], "api_output")]


def test_rows_lead_to_their_query_and_to_the_model_that_wrote_it(
    asked: tuple[Path, list[bytes]],
) -> None:
    folder, bodies = asked
    step = "Executor#1/sql#1/query#1"
    found = explained(folder, "Executor#1.observation.table.rows")
    assert steps_of(found) == [
        ("data", step, "observation.table.rows"),
        ("model", ASKED[2], "api_output"),
    ]
    assert found["links"][1]["inner"] == "sql"
    assert found["requests"][0]["body"].encode() == bodies[2]
    shown = inside("explain", "last", f"{step}.observation.table.rows.0.1", cwd=folder)
    assert "sales.csv" in shown.out
    assert "GROUP BY" in shown.out
    assert "as the model got them: their digest" in shown.out


def test_the_screen_shows_every_byte_beside_its_origin(asked: tuple[Path, list[bytes]]) -> None:
    folder, bodies = asked
    ended = inside("explain", "last", "answer", cwd=folder)
    assert "command_args.answer" in ended.out
    lines = [line.split(" │ ", 1)[1] for line in ended.out.split("\n") if " │ " in line]
    assert "".join(lines).encode() == bodies[-1]
    assert "controller.human.j2:" in ended.out


@pytest.mark.long("whole runs of the command")
def test_the_demo_answer_leads_to_a_decision_of_the_controller(demo: Path) -> None:
    found = explained(demo, "answer")
    kinds = [each["kind"] for each in found["links"]]
    assert kinds == ["passes on", "made", "model"]
    _, finish, decided = found["links"]
    assert finish["step"].endswith("/finish#1")
    assert finish["effect"] == "pure"
    assert decided["inner"] == "command_args.answer"
    (request,) = found["requests"]
    assert request["matches"] is True
    with sqlite3.connect(next((demo / "runs").iterdir()) / "journal.sqlite") as journal:
        (recorded,) = journal.execute(
            "SELECT digest FROM journal WHERE kind = 'call' AND address = ?", (decided["step"],)
        ).fetchone()
    assert blake2b(request["body"].encode(), digest_size=12).hexdigest() == recorded


@pytest.mark.long("whole runs of the command")
def test_what_a_person_said_is_an_origin(demo: Path) -> None:
    found = explained(demo, "Controller#2/chat#1.human_feedback")
    assert found["value"] == "in 1952"
    assert steps_of(found) == [("person", "HumanFeedback#1", "human_feedback")]
    assert (
        "a person said it: in 1952"
        in inside("explain", "last", "HumanFeedback#1.human_feedback", cwd=demo).out
    )


def test_an_input_of_the_run_is_an_origin(demo: Path) -> None:
    assert steps_of(explained(demo, "Controller#1/chat#1.goal")) == [("input", "", "goal")]


@pytest.mark.long("whole runs of the command")
def test_what_no_step_gave_is_said_to_be_so(demo: Path) -> None:
    found = explained(demo, "Executor#1/sql#1/compile#1.evidence")
    assert steps_of(found) == [("composite", "Executor#1/sql#1", "evidence")]
    assert found["requests"] == []
    shown = inside("explain", "last", "Executor#1/sql#1/compile#1.evidence", cwd=demo)
    assert "no step's outcome holds it" in shown.out
    refused = inside("explain", "last", "Executor#1/sql#1/compile#1.evidence", "--body", cwd=demo)
    assert refused.code == 2
    assert "no model was asked" in refused.err


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("answr", "did you mean 'answer'? (keys: answer, citations, traced"),
        ("Controler#1.command", "did you mean 'Controller#1'? (steps: Memory#1,"),
        ("Controller#1.comand", "did you mean 'command'? (keys: thought,"),
        ("Controller#1", "say which value of Controller#1: keys: thought,"),
        ("citations.99", "there is no value 'citations.99'"),
    ],
)
def test_an_unknown_path_is_told_what_there_is(demo: Path, path: str, told: str) -> None:
    ended = inside("explain", "last", path, cwd=demo)
    assert ended.code == 2
    assert told in ended.err


@pytest.mark.long("whole runs of the command")
def test_the_offline_model_reads_the_data_itself(tmp_path: Path) -> None:
    """Its bytes hold the tables: without these, or with others, they cannot be told."""
    project(tmp_path)
    offline = inside("run", "my.yaml", "model=offline", "human=never", cwd=tmp_path)
    assert offline.code == 0, offline.err
    assert explained(tmp_path, "answer")["requests"][0]["matches"] is True
    (tmp_path / "sales.csv").write_text("region,amount\nNorth,12.5\nSouth,41\n")
    (changed,) = explained(tmp_path, "answer")["requests"]
    assert (changed["matches"], changed["why"]) == (False, "the data sources have changed since")
    (tmp_path / "sales.csv").unlink()
    (gone,) = explained(tmp_path, "answer")["requests"]
    assert gone["body"] is None
    assert "cannot be read now" in gone["why"]
    refused = inside("explain", "last", "answer", "--body", cwd=tmp_path)
    assert refused.code == 2
    assert "not known" in refused.err


@pytest.mark.long("whole runs, each explained by a command")
def test_prompts_are_those_of_the_run_and_not_of_today(tmp_path: Path) -> None:
    """A prompt of the project's own, changed after the run; the data is gone too."""
    project(tmp_path)
    own = tmp_path / "prompts" / "controller.first.j2"
    own.parent.mkdir()
    own.write_text("{#- variables: goal -#}\nMy own words.\nReach this: {{ goal }}\n")
    bodies = run_project(tmp_path)
    assert b"My own words." in bodies[0]
    own.write_text("{#- variables: goal -#}\nOther words: {{ goal }}\n")
    (tmp_path / "sales.csv").unlink()
    for step, received in zip(ASKED, bodies, strict=True):
        (request,) = explained(tmp_path, f"{step}.api_output")["requests"]
        assert request["body"].encode() == received
        assert request["matches"] is True
    (first,) = explained(tmp_path, f"{ASKED[0]}.api_output")["requests"]
    mine = part_of(first, "My own words.")
    assert (mine["file"], mine["line"], mine["changed"]) == ("prompts/controller.first.j2", 2, True)
    assert "changed since" in inside("explain", "last", f"{ASKED[0]}.api_output", cwd=tmp_path).out


@pytest.mark.long("whole runs of the command")
def test_a_run_that_was_gone_on_with_other_prompts(tmp_path: Path) -> None:
    project(tmp_path)
    own = tmp_path / "prompts" / "controller.first.j2"
    own.parent.mkdir()
    own.write_text("{#- variables: goal -#}\nReach this: {{ goal }}\n")
    with RawModel(*REPLIES) as server:
        at = f"model.base_url={server.base_url}"
        ended = inside("run", "my.yaml", at, "human=detached", cwd=tmp_path)
        assert ended.code == 75, ended.err
        own.write_text("{#- variables: goal -#}\nReach something else: {{ goal }}\n")
        ended = inside("resume", "last", "--answer", "go on", cwd=tmp_path)
    assert ended.code in (0, 75), ended.err
    for step, received in zip(ASKED, server.bodies, strict=True):
        (request,) = explained(tmp_path, f"{step}.api_output")["requests"]
        assert request["body"].encode() == received


@pytest.mark.long("whole runs of the command")
def test_a_reply_that_a_fork_took_over_is_explained_where_it_was_asked(tmp_path: Path) -> None:
    project(tmp_path)
    ended = inside("run", "my.yaml", "model=offline", "human=never", "--json", cwd=tmp_path)
    run = ended.json()["run_id"]
    ended = inside("fork", run, "--at", "Executor#1", cwd=tmp_path)
    assert ended.code == 0, ended.err
    (request,) = explained(tmp_path, "Controller#1.command")["requests"]
    assert (request["body"], request["matches"]) == (None, False)
    assert run in request["why"]


@pytest.mark.long("whole runs of the command")
def test_a_run_that_waits_is_explained_as_far_as_it_came(tmp_path: Path) -> None:
    project(tmp_path)
    run = inside("run", "my.yaml", "model=offline", "human=detached", cwd=tmp_path)
    assert run.code == 75, run.err
    found = explained(tmp_path, "Controller#1.command")
    assert found["links"][0]["kind"] == "model"
    assert found["requests"][0]["matches"] is True
    none = inside("explain", "last", "answer", cwd=tmp_path)
    assert none.code == 2
    assert "keys: goal; values of steps are STEP.KEY" in none.err


@pytest.mark.long("whole processes are killed and go on")
def test_a_killed_run_is_explained_too(tmp_path: Path) -> None:
    project(tmp_path)
    command = [sys.executable, "-m", "flows", "run", "my.yaml", "model=offline"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
    ) as child:
        assert child.stdout is not None
        read = b""
        while b"q quits" not in read:
            piece = os.read(child.stdout.fileno(), 4096)
            assert piece, read
            read += piece
        child.kill()
    found = explained(tmp_path, "Executor#1.observation.text")
    assert found["links"][-1]["kind"] in ("data", "model")


def test_what_a_parallel_step_could_not_see_is_no_origin(tmp_path: Path) -> None:
    """Two steps give the same; the third has it from the one that it comes after."""
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    for name in ("left", "right"):
        (prompts / f"{name}.j2").write_text(f"{{#- variables: -#}}\n{name}\n")
    with RawModel("the same words", "the same words") as server:
        (tmp_path / "my.yaml").write_text(FORK.replace("BASE", server.base_url))
        ended = inside("run", "my.yaml", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert [each[1] for each in steps_of(explained(tmp_path, "answer"))] == ["end#1", "left#1"]


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    "overrides",
    [
        ("model=record", "model.path=cassette.jsonl", "model.model.base_url=BASE"),
        ("model=offline", "Controller.model=openai", "Controller.model.base_url=BASE"),
    ],
)
def test_a_model_is_found_where_the_config_has_it(
    tmp_path: Path, overrides: tuple[str, ...]
) -> None:
    project(tmp_path)
    with RawModel(REPLIES[3]) as server:
        given = [each.replace("BASE", server.base_url) for each in overrides]
        key = f"+{given[-1].partition('=')[0].replace('base_url', 'api_key')}=${{env:HOME}}"
        ended = inside("run", "my.yaml", "human=never", *given, key, cwd=tmp_path)
    assert ended.code == 0, ended.err
    (request,) = explained(tmp_path, "answer")["requests"]
    assert request["body"].encode() == server.bodies[0]
    keys = [part["origin"]["key"] for part in request["parts"]]
    assert given[-1].partition("=")[0].replace("base_url", "model") in keys


@pytest.mark.long("whole runs of the command")
def test_an_error_is_an_origin(tmp_path: Path) -> None:
    """What went wrong with a query goes back to the model, within a longer text."""
    wrong = json.dumps({"sql": "SELECT nothing FROM sales", "explanation": "e", "cannot": None})
    project(tmp_path)
    with RawModel(REPLIES[1], wrong, REPLIES[2], REPLIES[3]) as server:
        at = f"model.base_url={server.base_url}"
        ended = inside("run", "my.yaml", at, "human=never", cwd=tmp_path)
    assert ended.code == 0, ended.err
    found = explained(tmp_path, "Executor#1/sql#1/write#2.found.0.said")
    assert "there is no column nothing" in found["value"]
    assert ("data", "Executor#1/sql#1/query#1", "error") in steps_of(found)
    (request,) = explained(tmp_path, "Executor#1/sql#1/write#2.api_output")["requests"]
    assert request["body"].encode() == server.bodies[2]
    variables = [str(part["origin"]["variable"]) for part in request["parts"]]
    assert any(each.startswith("found") for each in variables), variables


@pytest.mark.long("whole runs of the command")
def test_what_the_endpoint_refused_before_is_left_out_of_later_requests(tmp_path: Path) -> None:
    project(tmp_path, "limits: {tokens: 100000}\n")
    refused = ("response_format", "stream_options", "max_tokens")
    with RawModel(*REPLIES, refused=refused) as server:
        at = f"model.base_url={server.base_url}"
        ended = inside("run", "my.yaml", at, "human=never", cwd=tmp_path)
    assert ended.code == 0, ended.err
    first, *_, last = server.bodies
    assert all(name.encode() in first for name in refused)
    assert b'"max_completion_tokens":4096' in last
    (request,) = explained(tmp_path, "answer")["requests"]
    assert request["body"].encode() == last
    assert request["matches"] is True
    assert request["why"].startswith("the endpoint had refused response_format")
    (request,) = explained(tmp_path, f"{ASKED[0]}.api_output")["requests"]
    assert request["body"].encode() == first


@pytest.mark.long("whole runs of the command")
def test_a_journal_of_the_first_version_has_no_digests_to_compare(
    asked: tuple[Path, list[bytes]], tmp_path: Path
) -> None:
    folder, bodies = asked
    as_version_one(next((folder / "runs").iterdir()), tmp_path / "runs" / "old")
    found = explained(tmp_path, "answer")
    (request,) = found["requests"]
    assert request["matches"] is False
    assert "older version" in request["why"]
    # The limit on the reply was recorded later only; the rest is the same.
    assert request["body"].encode() == bodies[-1].replace(b'"max_tokens":4096,', b"")
    shown = inside("diff", "old", "old", cwd=tmp_path)
    assert shown.out.count("not recorded") == 2


def as_version_one(folder: Path, old: Path) -> None:
    """The journal of a run as the first version would have written it."""
    old.mkdir(parents=True)
    with closing(sqlite3.connect(old / "journal.sqlite", isolation_level=None)) as file:
        file.execute(
            "CREATE TABLE journal "
            "(seq INTEGER PRIMARY KEY, kind, address, digest, body, at, checksum)"
        )
        file.execute("PRAGMA user_version=1")
        kept = [row for row in load(folder) if row.kind in ("start", "outcome", "end")]
        before = ""
        for seq, row in enumerate(kept, 1):
            body = row.data()
            for key in ("flows", "prompts", "limits", "epoch"):
                body.pop(key, None)
            said = (row.kind, row.address, row.digest, json.dumps(body), row.at)
            before = row_checksum(before, seq, *said)
            file.execute("INSERT INTO journal VALUES (?,?,?,?,?,?,?)", (seq, *said, before))


@pytest.mark.long("whole runs of the command")
def test_a_flow_that_is_no_longer_what_it_was_is_not_explained(tmp_path: Path) -> None:
    """What steps were given is made again by the flows: other code, other inputs."""
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (tmp_path / "my.yaml").write_text(TWO_STEPS)
    code = package / "twice.py"
    code.write_text(TWICE)
    ended = trusting("run", "my.yaml", cwd=tmp_path)
    assert ended.code == 0, ended.err
    before = trusting("explain", "last", "second#1.answer", "--json", cwd=tmp_path)
    assert steps_of(before.json())[0] == ("passes on", "second#1", "answer")
    code.write_text(TWICE.replace("* 2", "* 30"))  # of another length: Python looks at seconds
    after = trusting("explain", "last", "second#1.answer", cwd=tmp_path)
    assert after.code == 4
    assert "other inputs than were recorded" in after.err


FORK = """\
_target_: parallel
name: Fork
model: {_target_: model.openai, model: some-model, base_url: "BASE"}
input_interface: []
output_interface: [answer]
subflows_config:
  left: {_target_: chat, human_prompt: left.j2}
  right: {_target_: chat, human_prompt: right.j2}
  end: {_target_: finish}
topology:
  - goal: Left
    flow: left
    output_interface: {keys_to_rename: {api_output: said, finish: left_finish}}
  - goal: Right
    flow: right
    output_interface: {keys_to_rename: {api_output: other, finish: right_finish}}
  - goal: End
    flow: end
    after: [left]
    input_interface: {keys_to_rename: {said: answer}}
"""
TWICE = """
from flows.core.flow import CompositeFlow, Ports
from flows.core.topology import CompositeConfig


class Given(Ports):
    answer: str


class Twice(CompositeFlow):
    Config = CompositeConfig
    Inputs = Given
    Outputs = Given

    async def run(self, inputs, run):
        return await run.call(self.subflows["second"], {"answer": inputs.answer * 2})
"""
TWO_STEPS = """\
_target_: mine.twice.Twice
name: Mine
inputs: {answer: ab}
subflows_config:
  second: {_target_: finish}
"""


def trusting(*arguments: str, cwd: Path) -> Ended:
    """A command that may use the package of the folder."""
    env = environment(PYTHONPATH=str(cwd))
    return flows(*arguments, "--trust", "mine", cwd=cwd, env=env)
