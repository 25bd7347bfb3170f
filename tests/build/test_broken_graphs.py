"""`flows check` of graphs that are broken in their keys: all faults at once, and each in its place.

A group of the table is one test, which tells all of its rows that are not as they should be.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.build.broken_graphs import reads, types, ways
from tests.build.broken_graphs.rows import BrokenGraph, faults_of
from tests.shapes import SHAPES, plan_of

TABLES: dict[str, list[BrokenGraph]] = {
    **{f"reads, {kind}": rows for kind, rows in reads.IN_KINDS.items()},
    "reads, in order": reads.IN_ORDER,
    **{f"types, {kind}": rows for kind, rows in types.IN_KINDS.items()},
    "types, in order": types.IN_ORDER,
    "branches": ways.BRANCHES,
    "early ends": ways.ENDS,
    "loops": ways.LOOPS,
    "at once": ways.AT_ONCE,
    "maps": ways.MAPS,
    "chosen": ways.CHOSEN,
}


AT_ONCE = 8
GROUPS = {
    f"{name}, from {begin}": rows[begin : begin + AT_ONCE]
    for name, rows in TABLES.items()
    for begin in range(0, len(rows), AT_ONCE)
}


@pytest.mark.parametrize("group", GROUPS)
def test_what_is_said_of_it_and_where(group: str, tmp_path: Path) -> None:
    wrong = []
    for each in GROUPS[group]:
        found = faults_of(each.broken, tmp_path)
        places = [(e.place.line, e.place.column) for e in found if e.place]
        said = [
            path == e.path and part in e.problem
            for e, (path, part) in zip(found, each.said, strict=False)
        ]
        if places != each.places or len(found) != len(each.said) or not all(said):
            shown = "\n".join(map(str, found))
            wrong.append(f"{each.name}: wanted {each.places} {each.said}\n{shown}")
        if left := faults_of(each.mended, tmp_path):
            wrong.append(f"{each.name}, mended: " + "\n".join(map(str, left)))
    assert not wrong, "\n\n".join(wrong)


def test_each_row_has_a_name_of_its_own() -> None:
    names = [(group, each.name) for group, rows in TABLES.items() for each in rows]
    assert len(names) == len(set(names)) >= 120


# Faults of the config beside those of the graph: a text at the end of the file or an override, and
# what is said of it.
CHAT = "_target_: chat, model: {_target_: model.offline}"
ELSEWHERE: list[tuple[str, str, str]] = [
    ("price: {}\n", "", "unknown key 'price'"),
    ("timeout: long\n", "", "must be a number"),
    ("model: {_target_: model.opnai}\n", "", "there is no model named 'model.opnai'"),
    ("prices: {m: {input: 1, output: 2, inn: 1}}\n", "", "unknown key 'inn'"),
    ("durability: half\n", "", "must be one of the allowed values"),
    ("", f"subflows_config.spare={{{CHAT}, system_prompt: no.prompt}}", "no.prompt"),
    ("", "subflows_config.spare={_target_: sequentail}", "no flow named 'sequentail'"),
    ("", f"subflows_config.spare={{{CHAT}, modle: x}}", "unknown key 'modle'"),
    ("", "subflows_config.add.amonut=3", "unknown key 'amonut'"),
    ("", "subflows_config.add.amount=much", "must be a whole number"),
    ("", "subflows_config.add.retry={attempt: 3}", "unknown key 'attempt'"),
]
ROWS = [each for rows in TABLES.values() for each in rows]


@pytest.mark.parametrize("begin", range(0, len(ROWS), 2 * AT_ONCE))
def test_faults_of_the_config_are_said_beside_those_of_the_graph(
    begin: int, tmp_path: Path
) -> None:
    wrong = []
    for number, each in enumerate(ROWS[begin : begin + 2 * AT_ONCE], begin):
        text, override, problem = ELSEWHERE[number % len(ELSEWHERE)]
        if "add" in override and "  add:" not in each.broken:
            text, override, problem = ELSEWHERE[0]
        elif "spare" in override and each.broken.startswith("_target_: map"):
            text, override, problem = ELSEWHERE[1]
        overrides = (override,) if override else ()
        alone = {str(found) for found in faults_of(each.broken, tmp_path)}
        both = {str(found) for found in faults_of(each.broken + text, tmp_path, *overrides)}
        added = both - alone
        if alone - both or len(added) != 1 or not all(problem in found for found in added):
            wrong.append(f"{each.name}: lost {alone - both}, added {added}")
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("begin", range(0, len(ROWS), 4 * AT_ONCE))
def test_what_could_not_be_built_makes_no_faults_of_its_own(begin: int, tmp_path: Path) -> None:
    wrong = []
    for each in ROWS[begin : begin + 4 * AT_ONCE]:
        *_, name = re.findall(r"flow: (\w+)|^  (\w+): \{_target_", each.mended, re.MULTILINE)
        override = f"subflows_config.{name[0] or name[1]}._target_=tests.flows_for_tests.Nothing"
        if len(found := faults_of(each.mended, tmp_path, override)) != 1:
            wrong.append(f"{each.name}: " + "\n".join(map(str, found)))
    assert not wrong, "\n\n".join(wrong)


def test_nothing_is_said_of_shapes_that_run(tmp_path: Path) -> None:
    told = {str(each): plan_of(each.text, tmp_path).warnings for each in SHAPES}
    assert {name: list(map(str, warnings)) for name, warnings in told.items() if warnings} == {}
    assert len(told) >= 31


HOSTILE = """\
_target_: parallel
input_interface: [n]
output_interface: n
max_concurency: 3
add: {amount: 3}
model: {_target_: model.opnai}
data: {sales: nowhere.csv, more: 3}
limits: {on_limit: finalise}
subflows_config:
  add: {_target_: T.Add}
  double: {_target_: T.Double, amount: much}
  ask: {_target_: chat, system_prompt: nope, human_prompt: no.more}
  look: {_target_: sql, max_rowz: 3}
topology:
  - {goal: add, flow: add}
  - {goal: double, flow: double}
  - {goal: ask, flow: ask, after: double, output_interface: {keys_to_renam: {api_output: x}}}
"""
SAID = {
    "run.yaml:3:19: output_interface: must be a list": None,
    "run.yaml:4:1: max_concurency: unknown key": "max_concurrency",
    "run.yaml:5:1: add: unknown key 'add'": "subflows_config.add",
    "run.yaml:6:19: model._target_: there is no model named": "model.openai",
    "run.yaml:7:15: data.sales: source 'sales': there is no file": None,
    "run.yaml:7:34: data.more: must be text or a mapping": None,
    "run.yaml:8:20: limits.on_limit: must be one of the allowed values": "finalize",
    "run.yaml:11:60: subflows_config.double.amount: must be a whole number": None,
    "run.yaml:12:40: subflows_config.ask.system_prompt: there is no prompt 'nope'": None,
    "run.yaml:12:60: subflows_config.ask.human_prompt: there is no prompt 'no.more'": None,
    "run.yaml:13:25: subflows_config.look.max_rowz: unknown key": "max_rows",
    "run.yaml:16:5: topology.1: add and double both write 'n'": None,
    "run.yaml:17:35: topology.2.after: must be a list, not 'double'": None,
    "run.yaml:17:61: warning: topology.2.output_interface.keys_to_rename.api_output: nothing": None,
    "run.yaml:17:62: topology.2.output_interface.keys_to_renam: unknown key": "keys_to_rename",
}


def test_all_kinds_of_faults_are_said_at_once(tmp_path: Path) -> None:
    found = faults_of(HOSTILE, tmp_path)
    texts = [str(each).removeprefix(f"{tmp_path}/") for each in found]
    assert len(texts) == len(SAID), "\n".join(texts)
    for each, text, (said, meant) in zip(found, texts, SAID.items(), strict=True):
        assert text.startswith(said), (text, said)
        assert each.meant == meant, text
