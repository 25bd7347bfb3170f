"""Python code that a model writes, or a user: run in the sandbox, kept, cited, resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.core.artifacts import Artifact
from flows.core.result import RunResult
from flows.errors import CheckError, ConfigError
from flows.models.fake.answer import FakeAnswer
from tests.library.desk import Desk
from tests.library.world import SALES, asked, decision

ASK = """\
defaults: [{model: openai}, _self_]
name: Ask
_target_: python
data: {sales: sales.csv}
"""
BY_REGION = """\
result = sales.groupby("region", as_index=False)["amount"].sum()
plt.bar(result["region"], result["amount"])
plt.title("Amount by region")
print("regions:", len(result))
"""


def python(code: str | None, **more: Any) -> FakeAnswer:
    """A reply of the model that writes code."""
    return FakeAnswer(json.dumps({"code": code, "cannot": None, **more}))


def furnish(folder: Path) -> None:
    (folder / "sales.csv").write_text(SALES)


def ask(desk: Desk, *overrides: str) -> RunResult:
    return desk.run(ASK, *overrides, inputs={"task": "Sum up by region"})


def observation(result: RunResult) -> Any:
    return result.outputs["observation"]


def kept(result: RunResult, what: str) -> list[Artifact]:
    return [each for each in result.artifacts if each.what == what]


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_table_and_a_figure_are_kept_and_told(desk: Desk) -> None:
    desk.server.script(python(BY_REGION))
    result = ask(desk)
    seen = observation(result)
    assert (result.status, seen.kind) == ("finished", "ok")
    assert "regions: 4" in seen.text
    assert seen.table.rows == (("east", 5.0), ("north", 14.5), ("south", 20.0), ("west", 8.0))
    [table] = kept(result, "table")
    [figure] = kept(result, "figure")
    [code] = kept(result, "code")
    assert seen.table.artifact == table.name
    assert seen.figures == (figure.name,)
    assert (result.folder / figure.path).read_bytes().startswith(b"\x89PNG")
    assert (result.folder / code.path).read_text() == BY_REGION
    for each in (table, figure, code):
        assert each.origin is not None
        assert each.origin.code == BY_REGION
        assert list(each.origin.inputs) == ["sales"]


@pytest.mark.long("whole runs of a flow")
def test_what_was_read_already_is_compiled_and_no_model_is_asked(desk: Desk) -> None:
    fields = [{"kind": "field", "dataset": "sales", "field": "amount"}]
    over = {"kind": "query", "dataset": "sales"}
    arguments = [{"name": "fields", "values": fields}]
    analysis = {"kind": "analysis", "method": "distribution", "over": over, "arguments": arguments}
    result = desk.run(ASK, inputs={"task": "As agreed", "request": analysis})
    seen = observation(result)
    assert (result.status, seen.kind) == ("finished", "ok")
    assert "amount" in seen.text
    assert desk.server.requests == []


@pytest.mark.long("whole runs of a flow")
def test_what_no_code_can_be_made_of_is_asked_of_the_model(desk: Desk) -> None:
    desk.server.script(python(BY_REGION))
    unread = {"kind": "unparsed", "text": "Sum up", "reason": "it is too short"}
    result = desk.run(ASK, inputs={"task": "Sum up by region", "request": unread})
    assert "regions: 4" in observation(result).text


@pytest.mark.long("whole runs of a flow")
def test_what_holds_the_code_is_told_once(desk: Desk) -> None:
    desk.server.script(
        decision("python", task="one"),
        python("a = 1"),
        decision("python", task="two"),
        python("print(a)"),
        decision("finish", answer="Done."),
    )
    result = desk.auto("model=openai")
    assert len([each for each in desk.notices() if each.startswith("sandbox: ")]) == 1
    assert result.walls is not None


def test_what_the_model_is_told(desk: Desk) -> None:
    desk.server.script(python("1"))
    ask(desk)
    system, task = asked(desk.server)
    for each in ("table sales (5 rows", "amount", "copy-on-write", "no network", "JSON object"):
        assert each in system[1]
    assert "live on" not in system[1]
    assert task == ("user", "Task: Sum up by region")


FAULTS = (
    ("total = (1 +\n", "SyntaxError: '(' was never closed (line 1, column 9)"),
    ("a = 1\nb = sales['amonut']\n", "KeyError: 'amonut' (line 2)"),
    ("import socket\nsocket.socket()\n", "(line 2)"),
    ("open('/etc/passwd').read()", "(line 1)"),
)


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_fault_goes_back_with_its_place(desk: Desk) -> None:
    desk.server.script(*(python(code) for code, _ in FAULTS), python(BY_REGION))
    result = ask(desk, "+corrections=4")
    assert observation(result).kind == "ok"
    for number, (code, told) in enumerate(FAULTS, 1):
        [_, (role, again)] = asked(desk.server, number)
        assert role == "user"
        assert again.startswith("Task: Sum up by region\n\nYour last code for it failed.")
        assert told in again
        assert code.splitlines()[0] in again


def test_a_fault_to_the_end_is_reported(desk: Desk) -> None:
    desk.server.otherwise = lambda _: python("1 / 0")
    result = ask(desk)
    assert len(desk.server.requests) == 3
    assert (result.status, result.exit_code) == ("failed", 4)
    assert "ZeroDivisionError: division by zero (line 1)" in result.reason


@pytest.mark.long("whole runs of a flow")
def test_a_reply_that_is_no_code_is_corrected(desk: Desk) -> None:
    desk.server.script(FakeAnswer("print(1)"), FakeAnswer('{"python": "1"}'), python(BY_REGION))
    assert observation(ask(desk)).kind == "ok"
    assert 'must have "code" with Python code' in asked(desk.server, 2)[-1][1]


def test_a_task_that_cannot_be_done(desk: Desk) -> None:
    desk.server.script(python(None, cannot="there is no column for profit"))
    result = ask(desk)
    assert observation(result).text == "The task cannot be done: there is no column for profit"
    assert result.artifacts == ()


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_runaway_says_its_limit_in_the_loop(desk: Desk) -> None:
    desk.server.script(
        decision("python", task="loop"),
        python("while True:\n    pass\n"),
        decision("finish", answer="It does not end."),
    )
    desk.auto("model=openai", "+Executor.python.corrections=0", "+Executor.python.seconds=1")
    [(kind, text)] = desk.observations()
    assert kind == "error"
    assert "TimeoutError" in text
    assert "1" in text


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_variables_live_on_between_two_commands(desk: Desk) -> None:
    desk.server.script(
        decision("python", task="clean"),
        python("big = sales[sales['amount'] > 6]\nprint(len(big))"),
        decision("python", task="sum up"),
        python("print('sum', big['amount'].sum())"),
        decision("finish", answer="Done."),
    )
    desk.auto("model=openai")
    assert [text.splitlines()[0] for _, text in desk.observations()] == ["3", "sum 38.5"]
    assert "> big: DataFrame (3, 2)" in asked(desk.server, 3)[0][1]


@pytest.mark.long("whole runs of a flow")
def test_a_table_that_was_changed_stays_changed(desk: Desk) -> None:
    desk.server.script(
        decision("python", task="one"),
        python("sales = sales[sales['region'] == 'north']"),
        decision("python", task="two"),
        python("print('nothing of it')"),
        decision("python", task="three"),
        python("print('rows', len(sales))"),
        decision("finish", answer="Done."),
    )
    desk.auto("model=openai")
    assert desk.observations()[-1][1].startswith("rows 2")


@pytest.mark.long("whole processes are killed and go on")
def test_a_killed_run_brings_its_variables_back(desk: Desk) -> None:
    """The process ended between two commands; the first is not done again, but its code is run."""
    desk.server.script(
        decision("python", task="one"),
        python("seen = sales['amount'].max()\nprint('made', seen)"),
        decision("python", task="two"),
        FakeAnswer("", status=500),
    )
    stopped = desk.auto("model=openai", "+model.retry.attempts=1")
    assert stopped.status == "failed"
    desk.server.script(python("print('still', seen)"), decision("finish", answer="Done."))
    result = desk.resume(stopped.run_id)
    assert result.status == "finished"
    assert desk.observations()[-1][1].startswith("still 20.0")


PORTS = "input_interface: {numbers: list}, output_interface: {total: float, parts: list}"
STEPS = {
    "own": "total = sum(numbers) + float(sales['amount'].sum())\n"
    "parts = sales.groupby('region', as_index=False)['amount'].sum()",
    "count": "total = globals().get('count', 0) + 1\ncount = total\nparts = []",
    "lacks": "total = 1\nif total > 1:\n    parts = []",
    "other": "total = 'many'; parts = []",
    "thing": "total = 1; parts = [object()]",
    "index": "total = numbers[7]; parts = []",
}
# An executor of code steps: one sandbox for all of them, and a failure is an observation.
CHOICE = "name: All\n_target_: executor\ndata: {sales: sales.csv}\nsubflows_config:\n" + "".join(
    f"  {name}: {{_target_: code, {PORTS}, code: {json.dumps(code)}}}\n"
    for name, code in STEPS.items()
)
CHOICE += f"  file: {{_target_: code, {PORTS}, file: sum.py}}\n"


def step(desk: Desk, name: str, numbers: list[float]) -> Any:
    desk.write("sum.py", "total = sum(numbers)\nparts = ['a', None, float('nan'), {'b': (1, 2)}]\n")
    inputs = {"branch": name, "branch_input_data": {"numbers": numbers}}
    return desk.run(CHOICE, inputs=inputs).outputs


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_step_of_ones_own(desk: Desk) -> None:
    outputs = step(desk, "own", [1, 2.5])
    assert outputs["total"] == 51.0
    assert outputs["parts"][0] == {"region": "east", "amount": 5.0}


def test_a_step_from_a_file(desk: Desk) -> None:
    outputs = step(desk, "file", [4])
    assert (outputs["total"], outputs["parts"]) == (4.0, ["a", None, None, {"b": [1, 2]}])


def test_a_step_that_gives_its_outputs_is_not_told_as_one_that_made_nothing(desk: Desk) -> None:
    assert step(desk, "file", [4])["observation"].text == "The code gave total, parts."


def test_each_call_of_a_step_is_fresh(desk: Desk) -> None:
    assert [step(desk, "count", [])["total"] for _ in range(2)] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("lacks", "the code made no variable 'parts'"),
        ("other", "the output 'total' does not fit"),
        ("thing", "holds a object, which is no plain data"),
        ("index", "IndexError: list index out of range (my"),
    ],
)
def test_a_step_that_fails_says_why(desk: Desk, name: str, reason: str) -> None:
    assert reason in step(desk, name, [1])["observation"].text


def test_a_step_of_a_topology(desk: Desk) -> None:
    text = (
        "name: Chain\n_target_: sequential\ninput_interface: [numbers]\noutput_interface: [twice]\n"
        "data: {}\nsubflows_config:\n"
        "  Sum: {_target_: code, input_interface: [numbers], output_interface: [total],"
        " code: total = sum(numbers)}\n"
        "  Twice: {_target_: code, input_interface: [total], output_interface: [twice],"
        " code: twice = 2 * total}\n"
        "topology: [{goal: Sum, flow: Sum}, {goal: Twice, flow: Twice}]\n"
    )
    assert desk.run(text, inputs={"numbers": [1, 2]}).outputs == {"twice": 6}


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("code: 'a = (1'", "the code of Sum is wrong: SyntaxError"),
        ("{code: 'totl = 1', output_interface: [total]}", "the code of Sum never sets 'total'"),
        ("file: missing.py", "the code file cannot be read"),
        ("{code: 'a = 1', file: a.py}", "`code` or `file`, not both"),
        ("{code: 'a = 1', output_interface: [not-a-name]}", "cannot be a variable"),
    ],
)
def test_a_step_is_checked_before_it_runs(desk: Desk, keys: str, problem: str) -> None:
    values = keys if keys.startswith("{") else f"{{{keys}}}"
    text = f"name: Sum\ndata: {{sales: sales.csv}}\n_target_: code\n{_lines(values)}"
    with pytest.raises((ConfigError, CheckError), match=r".") as raised:
        desk.check(text)
    assert problem in str(raised.value)


def _lines(values: str) -> str:
    import yaml

    return str(yaml.safe_dump(yaml.safe_load(values)))


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_code_as_an_input(desk: Desk) -> None:
    text = "name: Run\n_target_: code\ndata: {sales: sales.csv}\n"
    result = desk.run(text, inputs={"code": "print(len(sales))\nlen(sales)"})
    assert "5" in observation(result).text
    failed = desk.run(text, inputs={"code": "len(sale)"})
    assert failed.outputs["fault"].type == "NameError"


def test_nothing_is_left_when_a_run_has_ended(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    desk.server.script(python(BY_REGION))
    ask(desk)
    assert list(scratch.glob("flows-frames-*")) == []


@pytest.fixture
def offline(desk: Desk) -> Desk:
    rows = [f"{n},{2 * n + n % 3},{'a' if n % 2 else 'b'}" for n in range(1, 41)]
    desk.write("homes.csv", "sqm,price,kind\n" + "\n".join(rows) + "\n")
    return desk


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_offline_a_goal_ends_with_cited_numbers_and_a_figure(offline: Desk) -> None:
    goal = "What is the correlation between sqm and price? Draw a histogram of price."
    result = offline.auto("data.homes=homes.csv", goal=goal)
    assert result.status == "finished"
    assert offline.observations()[0][0] == "ok"
    assert "The correlation of sqm and price is 0.99" in result.outputs["answer"]
    assert len(kept(result, "figure")) == 2
    assert all(each.name in result.outputs["answer"] for each in kept(result, "figure"))
    cited = result.outputs["citations"]
    assert cited
    assert all(each.result for each in cited)
