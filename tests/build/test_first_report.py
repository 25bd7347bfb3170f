"""All faults of a config are said in the first report: those of the text of its files, of what they
include, of interpolations and overrides beside those of keys, types and the graph.

«...» marks where a fault must point; a row names its faults in the order of their places.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.errors import CheckError, ConfigError

RUN = "run.yaml"


@dataclass(frozen=True)
class ManyFaults:
    """Files with marks, and the texts of the faults: of each file in turn, from its top down.
    `elsewhere` are those of the command line, which come first."""

    files: dict[str, str]
    said: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


ROWS = {
    "an interpolation, a circle, a value to be given and the graph": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
output_interface: [n, «totl»]
description: «${nope}»
durability: «${a.b}»
limits: {rounds: «"${limits.rounds}"»}
subflows_config:
  add: {_target_: T.Add, amount: «"???"»}
  double: {_target_: T.Double}
  spare: {_target_: «T.Duoble»}
topology:
  - {goal: add, flow: add}
  - {goal: double, flow: double, input_interface: {keys_to_select: [«m»]}}
""",
        },
        (
            "no step gives the output 'totl'",
            "`${nope}` names nothing",
            "`${a.b}` names nothing",
            "interpolations in a circle: limits.rounds -> limits.rounds",
            "a value must be given, for example with subflows_config.add.amount=",
            "cannot be loaded",
            "no key 'm': nothing before this step gives it",
        ),
    ),
    "what the reader of YAML finds by itself": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
name: a
«name»: b
description: «!secret» x
timeout: «!!int» soon
limits: {rounds: «*most»}
runs: a
subflows_config:
  add: {_target_: T.Add, «amonut»: 3}
topology:
  - {goal: add, flow: «ad»}
""",
        },
        (
            "duplicate key 'name', first in line 3",
            "the tag !secret is not allowed",
            "'soon' cannot be read as int",
            "the alias *most has no anchor",
            "unknown key 'amonut'",
            "there is no subflow 'ad'",
        ),
    ),
    "three places where the parser cannot go on": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
model:
  _target_: model.offline
   name«:» x
limits:
«\t»rounds: 3
human: {_target_: «human.nevr»}
prices: {m: $«{»price}}
subflows_config:
  add: {_target_: T.Add, «amonut»: 3}
topology:
  - {goal: add, flow: «ad»}
""",
        },
        (
            "starts a second value",
            "a tab",
            "there is no human named 'human.nevr'",
            "write '${...}' in quotes",
            "unknown key 'amonut'",
            "there is no subflow 'ad'",
        ),
    ),
    "brackets that are not closed": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n
limits«:» {rounds: 3}
durability: «half»
subflows_config:
  add: {_target_: T.Add, «amonut»: 3}
topology:
  - {goal: add, flow: add
  - «{»goal: add, flow: ad}
""",
        },
        (
            "in the brackets that are opened in line 2",
            "must be one of the allowed values",
            "unknown key 'amonut'",
            "in the brackets that are opened in line 8",
        ),
    ),
    "a quote that is not closed": ManyFaults(
        {
            RUN: """\
_target_: sequential
description: «"»so
input_interface: [n]
name: "x"
limits: {«rouns»: 3}
subflows_config:
  add: {_target_: T.Add, «amonut»: 3}
topology:
  - {goal: add, flow: add}
""",
        },
        ("is closed in line 4: one is missing", "unknown key 'rouns'", "unknown key 'amonut'"),
    ),
    "a line with another indentation": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
subflows_config:
  add: {_target_: T.Add, «amonut»: 3}
 «double»: {_target_: T.Double}
topology:
  - {goal: add, flow: add}
  - {goal: double, flow: double}
limits: {«rouns»: 3}
""",
        },
        ("unknown key 'amonut'", "this line is indented otherwise", "unknown key 'rouns'"),
    ),
    "broken files that are included": ManyFaults(
        {
            "a.yaml": "_target_: sequential\nname: x\n«name»: y\n",
            "b.yaml": "data: [a, b\n«»",
            "model/mine.yaml": "_target_: model.openai\nmodel: x\n  bare«:» 1\n«nmae»: 3\n",
            RUN: """\
defaults:
  - a
  - b
  - «lost»
  - model: mine
  - memory: «chrome»
  - «3»
  - _self_
limits: {«rouns»: 3}
subflows_config:
  add: {_target_: T.Add, «amonut»: 3}
topology:
  - {goal: add, flow: add}
""",
        },
        (
            "duplicate key 'name'",
            "in the brackets that are opened in line 1",
            "starts a second value",
            "unknown key 'nmae'",
            "there is no file lost.yaml",
            "has no option 'chrome'",
            "an item is",
            "unknown key 'rouns'",
            "unknown key 'amonut'",
        ),
    ),
    "an included file whose keys are known": ManyFaults(
        {
            "a.yaml": "_target_: sequential\ninput_interface: [n]\nname: «${nope}»\n",
            RUN: """\
defaults: [a, _self_]
subflows_config:
  add: {_target_: T.Add}
topology:
  - {goal: add, flow: add, input_interface: {keys_to_select: [n, «m»]}}
  - {goal: add, flow: «ad»}
""",
        },
        ("`${nope}` names nothing", "no key 'm'", "there is no subflow 'ad'"),
    ),
    "overrides": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
limits: {«rouns»: 3}
subflows_config:
  add: {_target_: T.Add}
topology:
  - {goal: add, flow: «ad»}
""",
        },
        ("unknown key 'rouns'", "there is no subflow 'ad'"),
        ("=3", "a b c", "add.x.y=3", "model=opnai", "modle/x=y", "hydra.run=1"),
        (
            "an override without a path",
            "cannot be read",
            "unknown key 'x'",
            "no option 'opnai'",
            "no config group 'modle/x'",
            "Hydra's own settings",
        ),
    ),
    "a step that cannot be built, and what stands behind it": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
output_interface: [n, «totl»]
subflows_config:
  add: {_target_: T.Add, amount: «much»}
  double: {_target_: T.Double}
topology:
  - {goal: add, flow: add, reset: «5»}
  - {goal: double, flow: double, input_interface: {keys_to_select: [«m»]}}
""",
        },
        ("no step gives the output 'totl'", "a whole number", "true or false", "no key 'm'"),
    ),
    "a key that is misspelt, and must be given": ManyFaults(
        {
            RUN: """\
_target_: sequential
input_interface: [n]
subflows_config:
  add: {_target_: T.Add}
topology:
  - {goal: add, flow: «ad»}
  - {goal: add, «flows»: add}
""",
        },
        ("there is no subflow 'ad'", "unknown key 'flows'"),
    ),
    "a command of an agent that is not there": ManyFaults(
        {
            RUN: """\
defaults: [autogpt, _self_]
subflows_config:
  Executor:
    subflows_config:
      convert: {_target_: «./nowhere.py:convert»}
""",
        },
        ("there is no file ./nowhere.py beside the run file",),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_all_of_them_are_said_at_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ROWS[name]
    monkeypatch.chdir(tmp_path)
    marked = [each for file, text in row.files.items() for each in _written(file, text)]

    found = _faults(row.overrides)

    said = [*row.elsewhere, *row.said]
    shown = "\n".join(map(str, found))
    in_files = [each for each in found if each.place and each.place.line]
    places = [(e.place.origin, e.place.line, e.place.column) for e in in_files if e.place]
    assert places == marked, shown
    for each, part in zip(found, said, strict=True):
        assert part in each.problem, shown


def _written(name: str, text: str) -> list[tuple[str, int, int]]:
    """Write a file without the marks in its text; give the place of each."""
    marks = []
    text = text.replace("T.", "tests.flows_for_tests.").replace("»", "")
    while "«" in text:
        before, _, after = text.partition("«")
        line = before.count("\n") + 1
        marks.append((name, line, len(before) - (before.rfind("\n") + 1) + 1))
        text = before + after
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return marks


def _faults(overrides: tuple[str, ...]) -> list[ConfigError]:
    """What a check says of the run file; the faults of the command line first."""
    try:
        build(Path(RUN), overrides, trust=("tests",))
    except CheckError as several:
        return list(several.errors)
    except ConfigError as error:
        return [error]
    return []
