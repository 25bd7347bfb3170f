"""A session is changed by its person, and goes on as if it had been so from where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

import flows
from flows.cli.app import run_app
from flows.core.events import Event, StepFinished, StepStarted
from flows.core.journal import load
from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.records.lookup import places
from flows.runners import door
from tests.flows_for_tests import EXECUTED
from tests.flows_for_tests import __name__ as module

TRUST = ("tests",)
# Each round works, counts what came of it, and asks. `Work` is an agent with steps of its own.
LOOP = """
_target_: circular
name: Loop
max_rounds: 3
input_interface: {n: int, goal: str}
output_interface: [n, calls, said]
subflows_config:
  Work:
    _target_: sequential
    input_interface: [n]
    output_interface: [n]
    subflows_config: {one: {_target_: T.Write, amount: 1}, two: {_target_: T.Send, amount: 1}}
    topology: [{goal: o, flow: one}, {goal: t, flow: two}]
  Count: {_target_: T.Accumulate}
  Ask: {_target_: human.feedback, request: "And now?"}
topology:
  - {goal: Work, flow: Work, reset: false}
  - {goal: Count, flow: Count, output_interface: {keys_to_select: [calls]}}
  - goal: Ask
    flow: Ask
    output_interface: {keys_to_rename: {human_feedback: said}, keys_to_select: [said, EARLY_EXIT]}
human: {_target_: human.scripted, path: said.txt}
inputs: {n: 0, goal: count}
""".replace("T.", f"{module}.")
# Another agent, with other steps.
OTHER = (
    "{_target_: sequential, input_interface: [n], output_interface: [n], "
    f"subflows_config: {{ten: {{_target_: {module}.Add, amount: 10}}}}, "
    "topology: [{goal: t, flow: ten}]}"
)
KEY_WRITTEN = "{_target_: model.openai, model: m, api_key: sk-written-out-1234567890}"
# Code beside the run file, which leaves a file if it is run.
OWN = """
from pathlib import Path
from flows.core.flow import AtomicFlow
Path("done").touch()
class Own(AtomicFlow):
    async def run(self, inputs, run):
        return self.outputs_type()
"""


class Loop:
    """A folder with the loop, and what its person says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.chdir(folder)
        (folder / "my.yaml").write_text(LOOP)
        self.events: list[Event] = []
        EXECUTED.clear()

    def run(self, *said: str, overrides: tuple[str, ...] = ()) -> RunResult:
        self.say(*said)
        return flows.run("my.yaml", overrides, trust=TRUST, listeners=(self.events.append,))

    def say(self, *said: str) -> None:
        (self.folder / "said.txt").write_text("".join(f"{each}\n" for each in said))

    def resume(self, *said: str, command: str | None = None) -> RunResult:
        self.say(*said)
        return door.resume("last", trust=TRUST, command=command, listeners=(self.events.append,))


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    return Loop(tmp_path, monkeypatch)


@pytest.mark.long("whole runs that are stopped and go on")
def test_an_agent_is_swapped_in_the_middle(loop: Loop) -> None:
    result = loop.run("a", f":swap Work={OTHER}", "b", "c")

    # The second round was asked twice and done once; what the counter keeps went on.
    assert result.outputs == {"n": 14, "calls": (2, 4, 14), "said": "c"}
    assert sorted(EXECUTED) == [
        "Count#1", "Count#2", "Count#3", "Work#1/one#1", "Work#1/two#1", "Work#2/one#1",
        "Work#2/two#1", "Work#3/ten#1",
    ]  # fmt: skip
    assert [each.seq for each in loop.events] == list(range(1, len(loop.events) + 1))
    began = [each.address for each in loop.events if isinstance(each, StepStarted)]
    ended = [each.address for each in loop.events if isinstance(each, StepFinished)]
    assert sorted(began) == sorted(ended)
    assert len(began) == len(set(began))
    [row] = [each for each in load(result.folder) if each.kind == "change"]
    assert row.data()["asked"] == ["Ask#2"]

    replayed = flows.replay(result.run_id, trust=TRUST)
    assert replayed.outputs == result.outputs


def test_a_change_is_resumed_and_taken_back(loop: Loop) -> None:
    first = loop.run(f":swap Work={OTHER}", "a")
    assert first.status == "waiting"
    EXECUTED.clear()
    second = loop.resume(":undo", "b")
    assert second.status == "waiting"
    third = loop.resume("c")
    # Round 1 as the file says, round 2 as it was changed, round 3 as it was taken back.
    assert third.outputs == {"n": 14, "calls": (2, 12, 14), "said": "c"}
    assert sorted(EXECUTED) == ["Count#3", "Work#3/one#1", "Work#3/two#1"]
    assert flows.replay(third.run_id, trust=TRUST).outputs == third.outputs
    assert [each.data()["undo"] for each in load(third.folder) if each.kind == "change"] == [
        False,
        True,
    ]


def test_an_agent_begins_anew_where_another_has_worked(
    loop: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it kept is dropped by a swap and by taking it back, and both are told."""
    result = loop.run("a", f":swap Count={module}.Recount", "b", "c")
    assert result.outputs == {"n": 6, "calls": (6,), "said": "c"}
    assert "What Count kept is not taken over" in capsys.readouterr().err
    assert flows.replay(result.run_id, trust=TRUST).outputs == result.outputs

    back = loop.run(f":swap Count={module}.Recount", "a", ":undo", "b", "c")
    assert back.outputs == {"n": 6, "calls": (6,), "said": "c"}
    changes = [each.data() for each in load(back.folder) if each.kind == "change"]
    assert [(each["undo"], each["lost"]) for each in changes] == [
        (False, ["Count"]),
        (True, ["Count"]),
    ]
    assert flows.replay(back.run_id, trust=TRUST).outputs == back.outputs

    unused = loop.run("a", f":swap Count={module}.Recount", ":undo", "b", "c")
    assert unused.outputs == {"n": 6, "calls": (2, 4, 6), "said": "c"}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (":set max_round=5", "did you mean: max_rounds"),
        (":set Work.on.amount=5", "has no 'on'"),
        (":swap Work.on=human.feedback", "did you mean: one"),
        (":set max_rounds=1", "Work#2/one#1 is done already, and would not be done any more"),
        (":set ~Count", "no subflow 'Count'"),
        (":swap Work", ":swap takes PATH=NAME"),
        (":set", ":set PATH=VALUE"),
        (":set Work={", "Work must be a mapping"),
        (":set n=5", "inputs cannot be changed once"),
        (":set max_rounds=3", "nothing is changed"),
        (":set Work.one._target_=os.system", "os.system"),
        (":swap Ask=./own.py:Own", "nobody has allowed it"),
        (f":set model={KEY_WRITTEN}", "a secret that is written out is not kept"),
        (":set data.x=postgres://u:hunter2@h/db", "a secret that is written out is not kept"),
        (":set sandbox.mode=off", "command line only"),
        (":undo", "nothing to take back"),
        (":undo 2", "takes no words"),
        (":show Work Ask", "takes one word"),
        (":set runs=elsewhere", "stays in the folder"),
        (":sett a=1", "did you mean :set"),
        (":save said.txt", "ends with .yaml"),
        (":save my.yaml", "is there already"),
        (":save /proc/x.yaml", "cannot be written"),
        (":show Wrk", "did you mean: Work"),
        (":set goal=" + "x" * 5000, "at most 4096"),
        (":)", "::text"),
    ],
)
def test_what_does_not_fit_is_refused(
    loop: Loop,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    reason: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    (loop.folder / "own.py").write_text(OWN)
    result = loop.run("a", command, "b", "c")
    told = capsys.readouterr().err
    assert reason in told
    assert "Traceback" not in told
    for secret in ("hunter2", "sk-written-out", "sk-of-the"):
        assert secret not in told + "".join(row.body for row in load(result.folder))
    assert not (loop.folder / "done").exists()
    assert [each for each in load(result.folder) if each.kind == "change"] == []
    assert result.outputs == {"n": 6, "calls": (2, 4, 6), "said": "c"}


def test_a_question_that_is_asked_is_not_changed_away(
    loop: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    """The loop would end before it, and the answer would be lost."""
    result = loop.run(":set early_exit_key=calls", "a", "b", "c")
    assert "Ask#1 would not ask any more what it asks now" in capsys.readouterr().err
    assert result.outputs == {"n": 6, "calls": (2, 4, 6), "said": "c"}


def test_the_change_is_told(loop: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    loop.run("a", "b", "c")
    changed = loop.run("a", ":set Work.one.amount=5", "b", "c")
    assert changed.outputs == {"n": 10, "calls": (2, 4, 10), "said": "c"}
    capsys.readouterr()
    told = {}
    for name, arguments in {
        "show": ["show", "last"],
        "diff": ["diff", *sorted(each.name for each in (loop.folder / "runs").iterdir())],
        "explain": ["explain", "last", "n", "--trust", "tests"],
        "before": ["explain", "last", "Work#1/one#1.n", "--trust", "tests"],
    }.items():
        assert run_app(arguments) == 0
        told[name] = " ".join(capsys.readouterr().out.split())
    for name in ("show", "diff", "explain"):
        assert ":set Work.one.amount=5" in told[name], told[name]
    assert "Work.subflows_config.one.amount: 1 → 5" in told["diff"]
    assert ":set" not in told["before"]


def test_it_is_saved_as_a_file_that_gives_the_same(loop: Loop) -> None:
    loop.run("a", f":swap Work={OTHER}", ":save new.yaml", "b", "c")
    loop.say("x", "y", "z")
    again = flows.run("new.yaml", trust=TRUST)
    assert again.outputs == {"n": 30, "calls": (10, 20, 30), "said": "z"}
    (loop.folder / "new.yaml").write_text("mine")
    loop.run("a", ":save new.yaml", ":save new.yaml --force", "b", "c")
    assert (loop.folder / "new.yaml").read_text().startswith("_target_: circular")


def test_a_command_is_given_to_a_run_that_waits(
    loop: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert loop.run("a").status == "waiting"
    loop.say("b", "c")
    with pytest.raises(ConfigError, match="did you mean: max_rounds"):
        loop.resume(command="set max_round=2")
    assert run_app(["resume", "last", "--trust", "tests", "--answer", ":show max_rounds"]) == 75
    assert "max_rounds: 3" in capsys.readouterr().out
    assert run_app(["resume", "last", "--trust", "tests", "--answer", ":set max_rounds=2"]) == 75
    assert "max_rounds: 3 is now 2" in capsys.readouterr().out
    assert run_app(["resume", "last", "--trust", "tests", "--answer", "::b"]) == 0
    [place] = places(loop.folder / "runs")
    assert place.rows()[-1].data()["outputs"]["said"] == ":b"
