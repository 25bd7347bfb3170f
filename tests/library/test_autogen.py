"""The AutoGen modelling agent: a real AutoGen team whose model and code are the run's own."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.core.events import ModelCalled
from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.models.fake.answer import FakeAnswer
from flows.semantics.findings import Finding
from tests.cli.command import python
from tests.library.desk import Desk
from tests.library.world import asked

pytest.importorskip("autogen_agentchat", reason="the extra `autogen` is not installed")

AGENT = """\
defaults: [{model: openai}, {agent@_global_: autogen}, _self_]
name: Autogen
data: {homes: homes.csv}
"""
CHAIN = """\
defaults: [{model: openai}, {agent@subflows_config.Learn: autogen}, _self_]
name: Chain
_target_: sequential
data: {homes: homes.csv}
input_interface: [sql, task]
output_interface: [finding]
subflows_config:
  Big: {_target_: query}
topology:
  - goal: Get the homes
    flow: Big
    output_interface: {keys_to_rename: {observation.table.artifact: data}}
  - {goal: Learn, flow: Learn}
"""
HOMES = "sqm,rooms,city,price\n" + "".join(
    f"{40 + n},{n % 4 + 1},{'Rome' if n % 2 else 'Oslo'},{1000 * n + 1500 * (n * 37 % 11)}\n"
    for n in range(80)
)
LEARNED = """\
from sklearn.linear_model import LinearRegression
X, y = homes[["sqm", "rooms"]], homes["price"]
model = LinearRegression().fit(X[:60], y[:60])
score = float(model.score(X[60:], y[60:]))
metrics = pd.DataFrame([{"metric": "R2", "held_out": score, "cross_validated": score,
    "baseline": 0.0, "model": "linear regression", "target": "price", "rows": 80,
    "learned_rows": 60, "held_out_rows": 20}])
importances = pd.DataFrame({"feature": ["rooms", "sqm"], "importance": [0.1, 0.9]})
result = importances.sort_values("importance", ascending=False)
warnings = pd.DataFrame([{"code": "few_rows", "says": "only 80 homes"}])
"""
PREDICTED = 'predictions = pd.DataFrame({"actual": y[60:], "predicted": model.predict(X[60:])})\n'
DESCRIBED = json.dumps(
    {"columns": [
        {"name": "feature", "description": "a column of the homes", "unit": ""},
        {"name": "importance", "description": "how much it counts", "unit": ""},
    ]}
)  # fmt: skip


def program(code: str) -> FakeAnswer:
    return FakeAnswer(f"Here is the program.\n```python\n{code}```")


def furnish(folder: Path) -> None:
    (folder / "homes.csv").write_text(HOMES)


@pytest.fixture(autouse=True)
def _described(desk: Desk) -> None:
    desk.server.otherwise = lambda _: FakeAnswer(DESCRIBED)


def learn(desk: Desk, *overrides: str, task: str = "Predict the price") -> RunResult:
    return desk.run(AGENT, *overrides, inputs={"task": task})


def finding(result: RunResult) -> Finding:
    assert result.status == "finished", result.reason
    return Finding.model_validate(result.outputs["finding"])


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_code_that_fails_is_corrected_until_the_model_is_whole(
    desk: Desk,
) -> None:
    desk.server.script(
        program('model = homes["prize"]\n'),
        program(LEARNED),
        program(LEARNED + PREDICTED),
        FakeAnswer(DESCRIBED),
    )
    found = finding(learn(desk))
    card = found.model
    assert card is not None
    assert (card.kind, card.target, card.held_out_rows) == ("linear regression", "price", 20)
    assert [each.feature for each in card.importances] == ["sqm", "rooms"]
    assert card.metrics[0].held_out is not None
    assert card.metrics[0].held_out < 1
    assert card.artifact
    assert card.predictions
    assert found.code is not None
    assert found.code.endswith(PREDICTED)
    assert found.table is not None
    assert found.table.rows[0] == ("sqm", 0.9)
    assert [each.code for each in found.cautions] == ["few_rows"]
    assert found.dictionary is not None
    assert "how much it counts" in [each.description for each in found.dictionary.entries]
    assert found.data_used == ("homes",)


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_the_model_is_sent_the_chat_of_the_team(desk: Desk) -> None:
    first, second, third = 'model = homes["prize"]\n', LEARNED, LEARNED + PREDICTED
    desk.server.script(program(first), program(second), program(third), FakeAnswer(DESCRIBED))
    learn(desk)
    system, task, *rest = asked(desk.server, 2)
    assert "You are the Modeller of a team" in system[1]
    assert "table homes (80 rows" in system[1]
    assert task == ("user", "Task: Predict the price")
    assert [role for role, _ in rest] == ["assistant", "user", "assistant", "user"]
    assert first in rest[0][1]
    assert "KeyError: 'prize' (line 1)" in rest[1][1]
    assert "did not make predictions" in rest[3][1]


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_each_call_and_each_run_of_code_is_a_step(desk: Desk) -> None:
    desk.server.script(program("1 / 0\n"), program(LEARNED + PREDICTED), FakeAnswer(DESCRIBED))
    result = learn(desk)
    assert len(desk.outputs("modeller")) == 2
    assert len(desk.outputs("code")) == 2
    assert result.usage.model_calls == len(desk.server.requests) == 3
    calls = [each for each in desk.events if isinstance(each, ModelCalled)]
    assert {each.address.split("#")[0] for each in calls} == {"modeller", DESCRIBE}


DESCRIBE = "data_dictionary_generator"


@pytest.mark.long("whole runs of a flow")
def test_tries_have_an_end(desk: Desk) -> None:
    desk.server.otherwise = lambda _: program("1 / 0\n")
    result = learn(desk, "corrections=1")
    assert len(desk.server.requests) == 2
    assert (result.status, result.exit_code) == ("failed", 4)
    assert "learned no model: ZeroDivisionError" in result.reason


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize("text", ["I think about it.", "```python\nx = 1", '{"code": 7}'])
def test_a_reply_without_code_is_asked_again(desk: Desk, text: str) -> None:
    desk.server.script(FakeAnswer(text), program(LEARNED + PREDICTED), FakeAnswer(DESCRIBED))
    assert finding(learn(desk)).model is not None
    assert "No code blocks found" in asked(desk.server, 1)[-1][1]


@pytest.mark.long("whole runs of a flow")
def test_a_reply_as_the_action_has_it_is_code_too(desk: Desk) -> None:
    desk.server.script(FakeAnswer(json.dumps({"code": LEARNED + PREDICTED})), FakeAnswer(DESCRIBED))
    assert finding(learn(desk)).model is not None


def test_what_cannot_be_done_ends_the_chat(desk: Desk) -> None:
    desk.server.script(FakeAnswer('{"cannot": "there is no column of rents"}'))
    result = learn(desk)
    assert result.status == "failed"
    assert "there is no column of rents" in result.reason
    assert len(desk.server.requests) == 1


def test_a_limit_of_the_run_holds_for_the_team(desk: Desk) -> None:
    desk.server.otherwise = lambda _: program("1 / 0\n")
    result = learn(desk, "limits.model_calls=2", "corrections=9")
    assert (result.status, len(desk.server.requests)) == ("unfinished", 2)
    assert "model_calls" in result.reason


def test_an_error_of_the_model_is_its_own(desk: Desk) -> None:
    desk.server.script(FakeAnswer(status=401, text="no such key"))
    result = learn(desk)
    assert (result.status, result.exit_code) == ("failed", 3)


@pytest.mark.long("whole runs of a flow")
def test_a_timeout_ends_the_chat(desk: Desk) -> None:
    desk.server.otherwise = lambda _: program("import time\ntime.sleep(60)\n")
    before = threading.active_count()  # other tests of this process may have left some
    result = learn(desk, "timeout=2")
    assert result.status == "failed"
    assert "took more than 2 s" in result.reason
    assert threading.active_count() < before + 30


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_a_resumed_chat_asks_for_nothing_again(desk: Desk) -> None:
    desk.server.script(program("1 / 0\n"), FakeAnswer(status=401, text="no such key"))
    failed = learn(desk)
    assert failed.status == "failed"
    desk.server.requests.clear()
    desk.server.script(program(LEARNED + PREDICTED), FakeAnswer(DESCRIBED))
    result = desk.resume(failed.run_id)
    assert finding(result).model is not None
    assert len(desk.server.requests) == 2
    assert "ZeroDivisionError" in asked(desk.server, 0)[-1][1]


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_a_kept_table_is_the_frame_data(desk: Desk) -> None:
    desk.server.script(
        program((LEARNED + PREDICTED).replace("homes", "data")), FakeAnswer(DESCRIBED)
    )
    inputs = {"sql": "SELECT * FROM homes", "task": "Predict the price"}
    found = finding(desk.run(CHAIN, inputs=inputs))
    assert found.model is not None
    assert len(found.data_used) == 1
    assert "`data`" in asked(desk.server, 0)[0][1]
    assert '"sqm" (integer)' in asked(desk.server, 0)[1][1]


def test_nothing_of_the_chat_is_logged_or_traced(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    desk.server.script(FakeAnswer(status=401, text="no such key"))
    learn(desk)
    assert capfd.readouterr().err == ""
    assert logging.getLogger("autogen_core").level == logging.NOTSET


@pytest.mark.long("whole runs of a flow")
def test_ctrl_c_ends_it_and_it_goes_on_later(desk: Desk) -> None:
    desk.server.script(program("import time\ntime.sleep(60)\n"))

    def interrupt() -> None:
        """While the code runs."""
        while not desk.inputs("code"):
            time.sleep(0.01)
        time.sleep(1.5)
        os.kill(os.getpid(), signal.SIGINT)

    before = {each.name for each in desk.folder.glob("runs/*")}
    desk.events.clear()
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        learn(desk)
    [run_id] = {each.name for each in desk.folder.glob("runs/*")} - before
    desk.server.requests.clear()
    desk.events.clear()
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        desk.resume(run_id)
    assert desk.server.requests == []  # the reply was recorded, and its code runs again


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_offline_the_team_learns_a_model_by_rules(desk: Desk) -> None:
    text = AGENT.replace("model: openai", "model: offline")
    task = "Build a regression model of price from all other columns"
    found = finding(desk.run(text, inputs={"task": task}))
    card = found.model
    assert card is not None
    assert card.target == "price"
    assert card.importances[0].feature == "sqm"
    assert card.metrics
    assert card.artifact
    assert card.predictions
    assert desk.server.requests == []


def test_offline_what_the_rules_cannot_do_is_said(desk: Desk) -> None:
    text = AGENT.replace("model: openai", "model: offline")
    result = desk.run(text, inputs={"task": "Build a model of the weather"})
    assert result.status == "failed"
    assert "cannot be done" in result.reason


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_it_is_a_command_of_the_loop(desk: Desk) -> None:
    loop = "defaults: [autogpt, override human: never, override executor: autogen, _self_]\n"
    text = f"{loop}name: Mine\ndata: {{homes: homes.csv}}\n"
    desk.server.script(
        FakeAnswer('{"command": "autogen", "command_args": {"task": "Predict the price"}}'),
        program(LEARNED + PREDICTED),
        FakeAnswer(DESCRIBED),
        FakeAnswer('{"command": "finish", "command_args": {"answer": "Learned."}}'),
    )
    result = desk.run(text, "model=openai", inputs={"goal": "Predict the price"})
    assert result.status == "finished", result.reason
    told = asked(desk.server, 3)[-1][1]
    assert re.search(r"R2: -?\d\.\d{3} on rows that it has not seen", told)
    assert "Warning: only 80 homes" in told


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "homes.csv").write_text(HOMES)
    (tmp_path / "my.yaml").write_text(AGENT)
    monkeypatch.setitem(sys.modules, "autogen_agentchat", None)  # as if it were not installed
    with pytest.raises(ConfigError, match=r"pip install 'analyst-flows\[autogen\]'"):
        build(tmp_path / "my.yaml")


@pytest.mark.long("imports AutoGen in processes of their own")
def test_autogen_is_imported_by_the_agent_that_needs_it_alone(tmp_path: Path) -> None:
    (tmp_path / "homes.csv").write_text(HOMES)
    (tmp_path / "my.yaml").write_text(AGENT)
    code = (
        "import sys; from pathlib import Path; from flows.build.builder import build; "
        "build(Path('my.yaml')); print([n for n in sys.modules if n.startswith('autogen')])"
    )
    ended = python("-c", code, cwd=tmp_path)
    assert ended.out.strip() == "[]", ended.err
