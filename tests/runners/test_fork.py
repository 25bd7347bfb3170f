"""A fork takes over what another run had done before a step, and does only what it must."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent

import pytest

import flows
from flows.core.journal import Journal, load
from flows.core.result import RunResult
from flows.core.rows import Row
from flows.core.store import FILE
from flows.errors import ConfigError, JournalError, UsageError
from flows.models.fake.server import FakeModel
from flows.runners.fork import ForkJournal
from flows.runners.replay import ReplayJournal
from tests.flows_for_tests import EXECUTED
from tests.flows_for_tests import __name__ as module
from tests.shapes import SHAPES, TRUST, Shape


class Place:
    """A folder with a run file, its runs, and what was executed since it was last asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        EXECUTED.clear()

    def run(self, text: str, *overrides: str) -> RunResult:
        file = self.folder / "run.yaml"
        file.write_text(dedent(text).replace("T.", f"{module}."))
        return flows.run(file, (f"runs={self.runs}", *overrides), trust=TRUST)

    def fork(self, result: RunResult, at: str, *overrides: str) -> RunResult:
        return flows.fork(result.run_id, at, overrides, runs=self.runs, trust=TRUST)

    def executed(self) -> list[str]:
        done = sorted(EXECUTED)
        EXECUTED.clear()
        return done


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def steps_of(result: RunResult) -> list[Row]:
    return [row for row in load(result.folder) if row.kind in ("outcome", "failure")]


CHAIN = """
_target_: sequential
input_interface: [n]
output_interface: [n]
subflows_config:
  a: {_target_: T.Write}
  b: {_target_: T.Write}
  c: {_target_: T.Write}
  even: {_target_: T.Stop, at: 1}
  d: {_target_: T.Send}
topology:
  - {goal: a, flow: a}
  - {goal: b, flow: b}
  - {goal: c, flow: c}
  - goal: e
    flow: even
    output_interface: {keys_to_rename: {EARLY_EXIT: said}}
  - {goal: d, flow: d, input_interface: {keys_to_set: {n: 0}}}
inputs: {n: 1}
"""


def test_nothing_before_the_step_is_done_again(place: Place) -> None:
    first = place.run(CHAIN)
    assert place.executed() == ["a#1", "b#1", "c#1", "d#1", "even#1"]

    forked = place.fork(first, "b#1", "b.amount=10")

    # `d` gets what it got before, so that it is not done again.
    assert place.executed() == ["b#1", "c#1", "even#1"]
    assert (forked.status, forked.outputs) == ("finished", {"n": 1})
    assert forked.run_id != first.run_id


def test_without_a_change_only_the_step_is_done_again(place: Place) -> None:
    first = place.run(CHAIN)
    place.executed()
    forked = place.fork(first, "c#1")
    assert place.executed() == ["c#1"]
    assert forked.outputs == first.outputs
    bodies = {row.address: row.data() for row in steps_of(forked)}
    assert {at for at, body in bodies.items() if "copied" not in body} == {"c#1"}
    assert bodies["a#1"]["copied"] == first.run_id


def test_a_later_step_whose_config_changed_is_done_again(place: Place) -> None:
    first = place.run(CHAIN)
    place.executed()
    place.fork(first, "b#1", "d.amount=7")
    assert place.executed() == ["b#1", "d#1"]


def test_the_config_of_what_stands_before_the_step_does_not_matter(place: Place) -> None:
    first = place.run(CHAIN)
    place.executed()
    forked = place.fork(first, "d#1", "a.amount=100", "d.amount=7")
    assert place.executed() == ["d#1"]
    assert forked.outputs == {"n": 7}


def test_the_other_run_stays_as_it_is(place: Place) -> None:
    first = place.run(CHAIN)
    rows = load(first.folder)
    place.fork(first, "b#1", "b.amount=10")
    assert load(first.folder) == rows


def test_other_inputs_are_worked_on_from_the_start(place: Place) -> None:
    first = place.run(CHAIN)
    place.executed()
    forked = place.fork(first, "d#1", "inputs={n: 5}")
    assert place.executed() == ["a#1", "b#1", "c#1", "d#1", "even#1"]
    assert forked.status == "finished"


def test_an_input_of_the_class_may_be_given_short(place: Place) -> None:
    """As `flows run` takes it, though the file declares no input; a wrong name is an error."""
    first = place.run(
        "defaults: [interpreter, override human: never, _self_]", "log=null", "question=a"
    )
    forked = place.fork(first, "decide#1", 'question="Who is b?"')
    assert load(forked.folder)[0].data()["inputs"] == {"question": "Who is b?"}
    with pytest.raises(ConfigError, match="qestion"):
        place.fork(first, "decide#1", "qestion=b")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_at_every_step(shape: Shape, place: Place) -> None:
    first = place.run(shape.text)
    place.executed()
    for row in steps_of(first):
        forked = place.fork(first, row.address)
        assert (forked.status, forked.reason) == (shape.status, shape.reason)
        assert forked.outputs == shape.outputs
        done = place.executed()
        assert row.address in done
        # A flow that keeps state is done again after a call of it was.
        folds = {each.partition("#")[0] for each in done} == {row.address.partition("#")[0]}
        assert done == [row.address] or folds


DIAMOND = """
_target_: parallel
input_interface: [n]
output_interface: [l, r, x, total]
subflows_config:
  top: {_target_: T.Write}
  left: {_target_: T.Write}
  right: {_target_: T.Write}
  aside: {_target_: T.Write}
  bottom: {_target_: T.Write}
topology:
  - {goal: t, flow: top}
  - {goal: l, flow: left, after: [top], output_interface: {keys_to_rename: {n: l}}}
  - {goal: r, flow: right, after: [top], output_interface: {keys_to_rename: {n: r}}}
  - {goal: x, flow: aside, output_interface: {keys_to_rename: {n: x}}}
  - goal: b
    flow: bottom
    after: [left, right]
    input_interface: {keys_to_copy: {r: n}}
    output_interface: {keys_to_rename: {n: total}}
inputs: {n: 1}
"""


def test_branches_that_do_not_depend_on_the_step_are_not_done_again(place: Place) -> None:
    first = place.run(DIAMOND)
    assert first.outputs == {"l": 3, "r": 3, "x": 2, "total": 4}
    place.executed()

    right = place.fork(first, "right#1", "right.amount=10")
    assert place.executed() == ["bottom#1", "right#1"]
    assert right.outputs == {"l": 3, "r": 12, "x": 2, "total": 13}

    left = place.fork(first, "left#1", "left.amount=10")
    assert place.executed() == ["left#1"]  # nobody uses what it gives
    assert left.outputs == {"l": 12, "r": 3, "x": 2, "total": 4}


LOOP = """
_target_: circular
early_exit_key: null
max_rounds: 3
input_interface: [n]
output_interface: [n, calls]
subflows_config:
  inner:
    _target_: sequential
    input_interface: [n]
    output_interface: [n]
    subflows_config: {w: {_target_: T.Write}, x: {_target_: T.Write}}
    topology: [{goal: w, flow: w}, {goal: x, flow: x}]
  k: {_target_: T.Accumulate}
topology: [{goal: inner, flow: inner}, {goal: k, flow: k}]
inputs: {n: 0}
"""


def test_the_address_of_a_composite_is_all_below_it(place: Place) -> None:
    first = place.run(LOOP)
    place.executed()
    forked = place.fork(first, "inner#2")
    assert place.executed() == ["inner#2/w#1", "inner#2/x#1"]
    assert forked.outputs == {"n": 6, "calls": (2, 4, 6)}


def test_state_is_what_the_new_calls_made_of_it(place: Place) -> None:
    first = place.run(LOOP)
    place.executed()
    forked = place.fork(first, "inner#2/x#1", "inner.x.amount=0")
    assert forked.outputs == {"n": 4, "calls": (2, 3, 4)}
    assert place.executed() == [
        "inner#2/x#1", "inner#3/w#1", "inner#3/x#1", "k#2", "k#3",
    ]  # fmt: skip
    # The same numbers as before, yet not the same state: its later calls are done again too.
    again = place.fork(first, "k#1")
    assert place.executed() == ["k#1", "k#2", "k#3"]
    assert again.outputs == first.outputs


def test_a_fork_of_a_fork(place: Place) -> None:
    first = place.run(CHAIN)
    second = place.fork(first, "b#1", "b.amount=10")
    place.executed()
    third = place.fork(second, "d#1", "d.amount=7")
    assert place.executed() == ["d#1"]
    assert third.outputs == {"n": 7}
    start = load(third.folder)[0].data()
    assert (start["forked"]["run"], start["forked"]["at"]) == (second.run_id, "d#1")
    assert start["spec"]["subflows_config"]["b"]["amount"] == 10
    replayed = flows.replay(third.run_id, runs=place.runs, trust=TRUST)
    assert place.executed() == []
    assert replayed.outputs == third.outputs


FAILING = """
_target_: sequential
input_interface: [n]
output_interface: [n]
subflows_config:
  a: {_target_: T.Write}
  f: {_target_: T.Fail}
topology: [{goal: a, flow: a}, {goal: f, flow: f}]
inputs: {n: 1}
"""


def test_a_failed_run_is_forked_where_it_failed(place: Place) -> None:
    first = place.run(FAILING)
    assert first.status == "failed"
    place.executed()
    forked = place.fork(first, "f#1", f"f._target_={module}.Add")
    assert (forked.status, forked.outputs) == ("finished", {"n": 3})
    assert place.executed() == ["f#1"]


SAVING = """
_target_: sequential
input_interface: [n]
output_interface: [name]
subflows_config: {s: {_target_: T.Save}, a: {_target_: T.Add}}
topology: [{goal: s, flow: s}, {goal: a, flow: a}]
inputs: {n: 1}
"""


def test_its_files_are_its_own(place: Place) -> None:
    first = place.run(SAVING)
    forked = place.fork(first, "a#1")
    assert {each.sha256 for each in forked.artifacts} == {each.sha256 for each in first.artifacts}
    for each in first.artifacts:
        (first.folder / each.path).unlink()
    for each in forked.artifacts:
        assert (forked.folder / each.path).stat().st_size == each.bytes
    with pytest.raises(AssertionError):
        assert place.fork(first, "a#1").status == "finished"


def test_what_a_person_said_is_taken_over(place: Place) -> None:
    answer = place.folder / "answer"
    answer.write_text("40")
    text = FAILING.replace("T.Fail", "T.Add").replace("T.Write", f"T.Ask, answer: {answer}")
    first = place.run(text)
    answer.unlink()
    forked = place.fork(first, "f#1")
    assert (forked.status, forked.outputs) == ("finished", {"n": 42})


TIMED = """
_target_: sequential
input_interface: [n]
output_interface: [observation]
subflows_config:
  c:
    _target_: T.Catch
    input_interface: [n]
    subflows_config:
      inner:
        _target_: sequential
        timeout: 0.2
        input_interface: [n]
        subflows_config: {w: {_target_: T.Write}, slow: {_target_: T.Sleep}}
        topology: [{goal: w, flow: w}, {goal: s, flow: slow}]
    topology: [{goal: i, flow: inner}]
  k: {_target_: T.Write}
topology: [{goal: c, flow: c}, {goal: k, flow: k}]
inputs: {n: 1}
"""


def test_a_time_limit_that_was_reached_before_the_step_is_not_waited_for(place: Place) -> None:
    first = place.run(TIMED)
    place.executed()
    forked = place.fork(first, "k#1")
    assert forked.outputs == first.outputs
    assert place.executed() == ["k#1"]


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as running:
        yield running


TALK = """
_target_: sequential
input_interface: [n]
output_interface: [one, two, three]
model: {_target_: model.openai, model: small, base_url: URL, api_key: none}
limits: {model_calls: 4}
subflows_config:
  one: &chat {_target_: chat, human_prompt: ask}
  two: *chat
  three: *chat
topology:
  - goal: "1"
    flow: one
    input_interface: {keys_to_set: {what: first}}
    output_interface: {keys_to_rename: {api_output: one}}
  - goal: "2"
    flow: two
    input_interface: {keys_to_set: {what: second}}
    output_interface: {keys_to_rename: {api_output: two}}
  - goal: "3"
    flow: three
    input_interface: {keys_to_set: {what: third}}
    output_interface: {keys_to_rename: {api_output: three}}
inputs: {n: 7}
"""


def test_a_model_is_asked_only_what_is_new(place: Place, server: FakeModel) -> None:
    (place.folder / "prompts").mkdir()
    prompt = place.folder / "prompts" / "ask.j2"
    prompt.write_text("{#- variables: what -#}\nSay {{ what }}!")
    first = place.run(TALK.replace("URL", server.base_url))
    assert first.usage.model_calls == len(server.requests) == 3
    paid = first.usage

    forked = place.fork(first, "two#1")
    assert len(server.requests) == 4
    assert forked.usage.model_calls == 1
    assert (forked.usage.input_tokens or 0) < (paid.input_tokens or 0)
    assert forked.outputs == first.outputs

    # Another model: the step and those after it are asked anew, what stands before it is not.
    other = place.fork(first, "two#1", "model.model=large")
    assert [each.body["model"] for each in server.requests[4:]] == ["large", "large"]
    assert other.usage.model_calls == 2

    # Another prompt: so, too, without any override.
    prompt.write_text("{#- variables: what -#}\nSay {{ what }}?")
    place.fork(first, "two#1")
    assert len(server.requests) == 8


def test_an_option_of_a_group_can_be_chosen(place: Place, server: FakeModel) -> None:
    (place.folder / "prompts").mkdir()
    (place.folder / "prompts" / "ask.j2").write_text("{#- variables: what -#}\n{{ what }}")
    first = place.run(TALK.replace("URL", server.base_url))
    again = place.fork(
        first, "three#1", "model=openai", f"+model.base_url={server.base_url}", "+model.api_key=x"
    )
    assert again.status == "finished"
    assert [each.body["model"] for each in server.requests[3:]] == ["gpt-5-mini"]


def test_an_unknown_step(place: Place) -> None:
    first = place.run(LOOP)
    with pytest.raises(UsageError) as caught:
        place.fork(first, "iner#2")
    assert "has no step 'iner#2'; did you mean inner#2?" in str(caught.value)
    assert "inner#1/w#1, inner#1/x#1, k#1" in str(caught.value)
    assert len(list(place.runs.iterdir())) == 1


def test_a_wrong_override(place: Place) -> None:
    first = place.run(CHAIN)
    with pytest.raises(ConfigError, match="has no 'bb'"):
        place.fork(first, "b#1", "bb.amount=10")
    with pytest.raises(ConfigError, match="amount"):
        place.fork(first, "b#1", "b.amount=much")
    assert len(list(place.runs.iterdir())) == 1


def test_a_damaged_run(place: Place) -> None:
    first = place.run(CHAIN)
    journal = first.folder / FILE
    content = bytearray(journal.read_bytes())
    at = content.index(b'"outputs":{"n":3}')
    content[at : at + 17] = b'"outputs":{"n":7}'
    journal.write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        place.fork(first, "b#1")
    assert len(list(place.runs.iterdir())) == 1


SLOW = """
_target_: sequential
input_interface: [n]
output_interface: [n, total]
subflows_config:
  a: {_target_: T.Write}
  k: {_target_: T.Accumulate}
  b: {_target_: T.Write}
  slow: {_target_: T.Sleep, seconds: 0}
  s: {_target_: T.Send}
topology:
  - {goal: a, flow: a}
  - {goal: k, flow: k}
  - {goal: b, flow: b}
  - {goal: slow, flow: slow}
  - {goal: s, flow: s, input_interface: {keys_to_set: {n: 0}}}
  - {goal: k, flow: k}
inputs: {n: 1}
"""
FORK = """
import sys, flows
flows.fork(sys.argv[2], "b#1", ["b.amount=5", "slow.seconds=60"], runs=sys.argv[1], trust=["tests"])
"""


@pytest.mark.long("runs that are killed and gone on with")
def test_a_fork_that_was_killed_goes_on(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    log = place.folder / "log"
    first = place.run(SLOW)
    monkeypatch.setenv("FLOWS_TEST_LOG", str(log))
    process = subprocess.Popen([sys.executable, "-c", FORK, str(place.runs), first.run_id])
    while not log.exists() or "slow#1" not in log.read_text():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert log.read_text().split() == ["b#1", "slow#1"]

    [run_id] = {each.name for each in place.runs.iterdir()} - {first.run_id}
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    place.executed()
    result = flows.resume(run_id, runs=place.runs, trust=TRUST)

    # What had been done is not done again, and later steps are still taken from the first run.
    assert place.executed() == ["slow#1"]
    assert (result.status, result.outputs) == ("finished", {"n": 1, "total": 3})
    assert flows.replay(run_id, runs=place.runs, trust=TRUST).outputs == result.outputs


def test_a_fork_goes_on_when_the_other_run_is_gone(place: Place) -> None:
    first = place.run(FAILING)
    forked = place.fork(first, "f#1")
    assert forked.status == "failed"
    first.folder.rename(place.folder / "elsewhere")
    place.executed()
    assert flows.resume(forked.run_id, runs=place.runs, trust=TRUST).status == "failed"
    assert place.executed() == ["f#1"]


def test_it_does_all_that_a_journal_does() -> None:
    methods = {name for name, each in vars(Journal).items() if callable(each) and name[0] != "_"}
    assert methods - vars(ReplayJournal).keys() == set()
    assert methods - vars(ForkJournal).keys() == {"write"}  # which is made of `append`


def test_used_time_and_calls_are_those_of_the_fork(place: Place) -> None:
    first = place.run(FAILING.replace("T.Write", "T.Spend, calls: 3").replace("T.Fail", "T.Spend"))
    assert first.usage.model_calls == 4
    forked = place.fork(first, "f#1", "limits.model_calls=1")
    assert (forked.status, forked.usage.model_calls) == ("finished", 1)
    recorded: Sequence[Row] = steps_of(forked)
    assert "usage" not in json.loads(recorded[0].body)
