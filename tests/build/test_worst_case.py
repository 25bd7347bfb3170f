"""The worst case by flow, against counts made by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.build.cost_table import CostTable, cost_table
from flows.build.names import builtin_registry
from flows.core.flow import CompositeFlow
from flows.errors import ConfigError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.command import PROJECT
from tests.cli.inside import inside

# A call costs most when its reply is longest: 900 tokens in and 100 out of 1,000 that it takes.
PRICED = """\
model: {_target_: model.openai, model: tiny, max_tokens: 100}
prices: {tiny: {input: 1, output: 10, context: 1000}}
"""
A_CALL = (900 * 1 + 100 * 10) / 1e6
CHAT = "{_target_: chat, human_prompt: ask.j2}"
ROUNDS = f"""\
{PRICED}
name: Rounds
_target_: circular
max_rounds: 4
early_exit_key: null
subflows_config:
  plan: {{_target_: chat, human_prompt: ask.j2, retry: {{attempts: 2}}}}
  both:
    _target_: parallel
    subflows_config:
      one: {CHAT}
      two: {{_target_: chat, human_prompt: ask.j2, max_tokens: 10}}
    topology:
      - {{flow: one, goal: One}}
      - {{flow: two, goal: Two, output_interface: {{keys_to_delete: [api_output, finish]}}}}
topology: [{{flow: plan, goal: Plan}}, {{flow: both, goal: Both}}, {{flow: plan, goal: Again}}]
"""
BRANCHES = f"""\
{PRICED}
name: Branches
_target_: branching
subflows_config:
  short: {CHAT}
  long:
    _target_: circular
    max_rounds: 5
    early_exit_key: null
    subflows_config: {{ask: {CHAT}}}
    topology: [{{flow: ask, goal: Ask}}]
"""
EACH = f"""\
{PRICED}
name: Each
_target_: map
over: rows
subflows_config: {{ask: {CHAT}}}
"""


def table_of(folder: Path, text: str, *overrides: str) -> CostTable:
    (folder / "my.yaml").write_text(text, encoding="utf-8")
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts" / "ask.j2").write_text("{#- variables: -#}\nGo on.", encoding="utf-8")
    return cost_table(*build(folder / "my.yaml", overrides))


def calls_of(table: CostTable) -> dict[str, tuple[float, float]]:
    return {each.path: (each.runs, each.calls) for each in table.flows}


def test_rounds_retries_and_parallel_parts_are_multiplied(tmp_path: Path) -> None:
    table = table_of(tmp_path, ROUNDS)
    assert calls_of(table) == {"plan": (8, 16), "both/one": (4, 4), "both/two": (4, 4)}
    total = table.worst.total
    assert (total.calls, total.tokens, total.unsized, total.unpriced) == (24, 24_000, 0, 0)
    short = (990 * 1 + 10 * 10) / 1e6
    assert total.cost == pytest.approx(20 * A_CALL + 4 * short)
    assert [each.cost for each in table.flows] == pytest.approx(
        [16 * A_CALL, 4 * A_CALL, 4 * short]
    )
    assert [str(each.place).rpartition("/")[2] for each in table.flows] == [
        "my.yaml:9:9", "my.yaml:13:12", "my.yaml:14:12",
    ]  # fmt: skip
    loops = [(each.path, dict(each.keys), each.times) for each in table.loops]
    assert loops == [
        ("Rounds", {"max_rounds": 4}, 8),  # the plan stands in two steps of a round
        ("plan", {"retry.attempts": 2}, 2),
    ]


def test_of_branches_the_dearest_counts(tmp_path: Path) -> None:
    table = table_of(tmp_path, BRANCHES)
    assert calls_of(table) == {"short": (1, 1), "long/ask": (5, 5)}
    assert table.worst.calls == 5
    assert table.worst.cost == pytest.approx(5 * A_CALL)


def test_what_is_unbounded_names_the_key_that_bounds_it(tmp_path: Path) -> None:
    open_map = table_of(tmp_path, EACH)
    assert (open_map.worst.calls, open_map.worst.cost) == (inf, inf)
    assert [(each.path, each.times, each.open_key) for each in open_map.loops] == [
        ("Each", inf, "max_elements")
    ]
    assert table_of(tmp_path, EACH, "+max_elements=7").worst.calls == 7
    limited = table_of(tmp_path, EACH, "+limits.model_calls=9", "+limits.cost=0.01")
    assert (limited.worst.calls, limited.worst.cost) == (9, 0.01)
    till_said = ("max_rounds=null", "early_exit_key=api_output")
    endless = table_of(tmp_path, ROUNDS, *till_said)
    assert [each.open_key for each in endless.loops if each.times == inf] == ["max_rounds"]
    assert table_of(tmp_path, ROUNDS, *till_said, "+limits.rounds=2").worst.calls == 12


def test_an_unknown_price_or_size_is_said_and_never_nothing(tmp_path: Path) -> None:
    unknown = table_of(tmp_path, ROUNDS, "model.model=other")
    assert {each.cost for each in unknown.flows} == {None}
    assert (unknown.worst.total.unpriced, unknown.worst.total.unsized) == (24, 24)
    assert (unknown.worst.cost, unknown.worst.tokens) == (None, None)
    assert table_of(tmp_path, ROUNDS, "model.model=other", "+limits.tokens=50").worst.tokens == 50
    one = table_of(
        tmp_path, ROUNDS, "+subflows_config.plan.model={_target_: model.openai, model: other}"
    )
    assert (one.worst.total.unpriced, one.worst.total.calls) == (16, 24)
    assert one.worst.cost is None
    # Without a key of its own and a limit, only the model's own size bounds a reply.
    assert table_of(tmp_path, ROUNDS, "model.max_tokens=null").flows[0].use.reply == 1000
    budget = ("model.max_tokens=null", "+limits.tokens=90000", "+limits.reply_tokens=60")
    assert table_of(tmp_path, ROUNDS, *budget).flows[0].use.reply == 60


# Counted by hand. `ask`: 3 proposals with 2 corrections each, again after a question back, and 8
# parts that are narrated with 2 corrections each: 3 * 3 * 2 + 8 * 3 = 42.
# `autogpt`: 30 rounds of a command (3) and the dearest branch, the team: 40 tasks of the dearest
# agent (4 actions, 3 times each) and a look of the memory (3) after each and at the start; the
# manager's 3 actions and the summary, 3 times each: 30 * (3 + 40 * 15 + 3 + 9 + 3).
# `pipeline`: 3 tries of each phase, in which a chat is asked 3 times (`turns`), the planner thrice
# before, the developer once more for each of 3 corrections, and a report once. The first phase has
# a reader in place of the two; one phase has a toolsmith.
# `analyst`: 40 tasks of the dearest agent, a goal within the goal, with a look of the memory after
# each and at the start; the manager's three actions and the summary. `documents`: 400 parts, each
# asked for 3 times. `interpreter` and `planner`: 12 turns, 2 corrections, 4 summaries.
GOAL = 40 * 15 + 3 + 9 + 3
SHIPPED: Mapping[str, float] = {
    "analyst": 40 * (GOAL + 3) + 3 + 9 + 3,
    "documents": 400 * 3,
    "interpreter": 12 + 2 + 4,
    "planner": 12 + 2 + 4,
    "ask": 42,
    "autogpt": 30 * (3 + 40 * 15 + 3 + 9 + 3),
    "pipeline": 3 * ((3 + 3 + 1) + 5 * ((3 + 3) + 3 * (1 + 3) + 3 + 1) + 3),
    "csv_chat": inf,
}


@pytest.mark.long("each shipped config is built")
def test_the_shipped_configs_are_counted_by_hand() -> None:
    for name, calls in SHIPPED.items():
        more = ("folder=.",) if name == "documents" else ()
        table = cost_table(*build(PROJECT / "configs" / f"{name}.yaml", ("model=openai", *more)))
        assert table.worst.total.calls == calls, name
        known = [each.cost for each in table.flows]
        assert None not in known, name
        assert sum(each.calls for each in table.flows) >= calls, name
    assert all(each.runs == inf for each in table.flows)
    loops = {each.path: each for each in table.loops}
    assert (loops["turn"].times, dict(loops["turn"].keys)) == (8, {"Planner.most_tasks": 8})
    # A conversation goes on until the person ends it, or one of these limits.
    assert loops["Conversation"].open_keys == (
        "limits.rounds", "limits.model_calls", "limits.tokens", "limits.cost", "limits.wall_time",
    )  # fmt: skip
    two_turns = cost_table(
        *build(PROJECT / "configs" / "csv_chat.yaml", ("model=openai", "+limits.rounds=2"))
    )
    # A turn: the clarifier and the planner 3 times, 8 tasks as `ask` has them, the summary 3 times.
    assert two_turns.worst.total.calls == 2 * (3 + 3 + 8 * 42 + 3)


@pytest.mark.long("the modules of all flows are imported")
def test_the_keys_that_bound_a_flow_are_keys_of_it() -> None:
    registry = builtin_registry()
    bounded = 0
    for name in registry.names("flow"):
        try:
            found = registry.resolve("flow", name)
        except ConfigError:
            continue  # a package that is not installed
        if isinstance(found, type) and issubclass(found, CompositeFlow):
            assert set(found.bounded_by) <= set(found.Config.model_fields), name
            bounded += bool(found.bounded_by)
    assert bounded >= 12


def test_the_command_shows_it_as_text_and_json(tmp_path: Path) -> None:
    table_of(tmp_path, ROUNDS)
    told = inside("check", "my.yaml", "--cost", "+limits.model_calls=10", cwd=tmp_path)
    assert told.code == 0
    lines = [" ".join(line.split()) for line in told.out.splitlines()]
    assert "plan 8 16 tiny 1,000 100 $0.03 my.yaml:9:9" in lines
    assert "Rounds max_rounds=4 8 my.yaml:1:1" in lines
    assert "all calls 24 model calls; limits.model_calls is 10" in lines
    assert "all money $0.04" in lines
    said = "In the worst case this run comes to 24 model calls (limits.model_calls is 10); there"
    assert said in told.out
    found = inside("check", "my.yaml", "--cost", "--json", "+limits.model_calls=10", cwd=tmp_path)
    cost = found.json()["cost"]
    assert cost["total"]["model_calls"] == 24
    assert (cost["at_most"]["model_calls"], cost["exceeded"]) == (10, ["model_calls"])
    assert cost["flows"][0]["place"] == "my.yaml:9:9"
    assert cost["loops"][0]["keys"] == {"max_rounds": 4}
    free = inside("check", "my.yaml", "--cost", "model={_target_: model.offline}", cwd=tmp_path)
    assert "note" not in free.out
    lines = [" ".join(line.split()) for line in free.out.splitlines()]
    assert "plan 8 16 offline free free $0 my.yaml:9:9" in lines


def test_a_run_beyond_its_budget_says_so_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_of(tmp_path, f"defaults: [{{human: never}}, _self_]\n{ROUNDS}")
    said = "In the worst case this run comes to 24 model calls (limits.model_calls is 20); there"
    with FakeModel() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        server.otherwise = lambda _: FakeAnswer("Done.")
        ended = inside(
            "run", "my.yaml", "+limits.model_calls=20", "--json", "--events", "events.jsonl",
            cwd=tmp_path,
        )  # fmt: skip
        assert ended.code == 0, ended
        assert ended.json()["status"] == "finished"  # 16 were enough
        assert len([line for line in ended.err.splitlines() if said in line]) == 1
        events = [json.loads(each) for each in (tmp_path / "events.jsonl").read_text().splitlines()]
        notices = [each["text"] for each in events[:3] if each["event"] == "notice"]
        assert [said in each for each in notices] == [True]
        enough = inside("run", "my.yaml", "+limits.model_calls=24", "--json", cwd=tmp_path)
        assert (enough.code, "worst case" in enough.err) == (0, False)
    offline = ("model={_target_: model.offline}", "+limits.model_calls=1", "max_rounds=1")
    assert "worst case" not in inside("run", "my.yaml", *offline, "--json", cwd=tmp_path).err


TWO_MODELS = """\
_target_: circular
max_rounds: 3
input_interface: [question]
model: {_target_: model.openai, model: known, max_tokens: 1000}
prices: {known: {input: 1, output: 10, context: 100000}}
subflows_config:
  a: {_target_: chat, system_prompt: null}
  b: {_target_: chat, system_prompt: null, model: {_target_: model.openai, model: other}}
topology:
  - {goal: a, flow: a}
  - {goal: b, flow: b}
"""


def test_money_of_several_models_and_the_key_without_which_it_is_not_known(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text(TWO_MODELS)
    told = inside("check", "my.yaml", "--cost", cwd=tmp_path)
    assert told.code == 0, told.err
    # Three rounds, each 99,000 tokens that go in for $1 a million and 1,000 that come out for $10.
    assert "$0.33 and 3 calls of unknown cost" in told.out
    assert "to know it  give prices.other\n" in told.out
    file.write_text(TWO_MODELS.replace(", context: 100000", ""))
    told = inside("check", "my.yaml", "--cost", cwd=tmp_path)
    assert "to know it  give prices.known.context, prices.other\n" in told.out
    file.write_text(
        TWO_MODELS.replace("prices: {", "prices: {other: {input: 0, output: 1, context: 1000}, ")
    )
    told = inside("check", "my.yaml", "--cost", cwd=tmp_path)
    assert "to know it" not in told.out
    assert "unknown" not in told.out
