"""The table of graph shapes. Each runs in every mode that the engine has.

To add one, write the run file as a user would, with its outputs. `T` stands for the module of the
test flows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.core.events import Status

TRUST = ("tests",)
MODULE = "tests.flows_for_tests"


@dataclass(frozen=True)
class Shape:
    """A run file, and what running it gives. `steps` is the number of atomic calls."""

    name: str
    text: str
    outputs: Mapping[str, Any]
    steps: int
    status: Status = "finished"
    reason: str = ""

    def __str__(self) -> str:
        return self.name


def plan_of(text: str, folder: Path, *overrides: str) -> RunPlan:
    """Build a run file with this text in the folder."""
    file = folder / "run.yaml"
    file.write_text(dedent(text).replace("T.", f"{MODULE}."))
    plan, _ = build(file, (f"runs={folder / 'runs'}", *overrides), trust=TRUST)
    return plan


ADD = "{_target_: T.Add}"
SHAPES = (
    Shape("atomic top", "{_target_: T.Add, amount: 5, inputs: {n: 1}}", {"n": 6}, 1),
    Shape(
        "stateful top",
        "{_target_: T.Accumulate, inputs: {n: 4}}",
        {"total": 4, "calls": (4,)},
        1,
    ),
    Shape(
        "one step",
        """
        _target_: sequential
        input_interface: [n]
        subflows_config: {a: {_target_: T.Add}}
        topology: [{goal: add, flow: a}]
        inputs: {n: 1}
        """,
        {"n": 2},
        1,
    ),
    Shape(
        "three steps",
        """
        _target_: sequential
        input_interface: {n: int}
        output_interface: [n]
        subflows_config: {a: {_target_: T.Add}, b: {_target_: T.Double}, c: {_target_: T.Add}}
        topology: [{goal: a, flow: a}, {goal: b, flow: b}, {goal: c, flow: c}]
        inputs: {n: 1}
        """,
        {"n": 5},
        3,
    ),
    Shape(
        "a flow twice",
        """
        _target_: sequential
        input_interface: [n]
        subflows_config: {a: {_target_: T.Accumulate}}
        topology: [{goal: one, flow: a}, {goal: two, flow: a}]
        inputs: {n: 3}
        """,
        {"n": 3, "total": 6, "calls": (3, 3)},
        2,
    ),
    Shape(
        "reset between",
        """
        _target_: sequential
        input_interface: [n]
        subflows_config: {a: {_target_: T.Accumulate}}
        topology: [{goal: one, flow: a, reset: true}, {goal: two, flow: a}]
        inputs: {n: 3}
        """,
        {"n": 3, "total": 3, "calls": (3,)},
        2,
    ),
    Shape(
        "effects",
        """
        _target_: sequential
        input_interface: [n]
        subflows_config: {a: {_target_: T.Write}, b: {_target_: T.Send}, c: {_target_: T.Write}}
        topology: [{goal: a, flow: a}, {goal: b, flow: b}, {goal: c, flow: c}]
        inputs: {n: 0}
        """,
        {"n": 3},
        3,
    ),
    Shape(
        "sequence ended early",
        """
        _target_: sequential
        early_exit_key: EARLY_EXIT
        input_interface: [n]
        output_interface: [n]
        subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 2}, b: {_target_: T.Add}}
        topology: [{goal: a, flow: a}, {goal: s, flow: s}, {goal: b, flow: b}]
        inputs: {n: 1}
        """,
        {"n": 2},
        2,
    ),
    Shape(
        "circle of all rounds",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 4
        input_interface: [n]
        subflows_config: {a: {_target_: T.Add}, b: {_target_: T.Add}}
        topology: [{goal: a, flow: a}, {goal: b, flow: b}]
        inputs: {n: 0}
        """,
        {"n": 8},
        8,
    ),
    Shape(
        "circle ended early",
        """
        _target_: circular
        max_rounds: 9
        input_interface: [n]
        output_interface: [n]
        subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 3}}
        topology: [{goal: a, flow: a}, {goal: s, flow: s}]
        inputs: {n: 0}
        """,
        {"n": 3},
        6,
    ),
    Shape(
        "circle without rounds left",
        """
        _target_: circular
        name: Loop
        max_rounds: 2
        input_interface: [n]
        output_interface: [n, answer]
        subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 9}, w: {_target_: T.Echo}}
        topology:
          - {goal: a, flow: a}
          - {goal: s, flow: s}
          - {goal: w, flow: w, output_interface: {keys_to_rename: {value.no: answer}}}
        inputs: {n: 0}
        """,
        {"n": 2},
        6,
        "unfinished",
        "Loop used up its 2 rounds",
    ),
    Shape(
        "circle ended by a text",
        """
        _target_: circular
        max_rounds: 9
        input_interface: [n]
        output_interface: [n]
        subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 2, reason: enough of it}}
        topology: [{goal: a, flow: a}, {goal: s, flow: s}]
        inputs: {n: 0}
        """,
        {"n": 2},
        4,
        "unfinished",
        "enough of it",
    ),
    Shape(
        "circle with state",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 3
        input_interface: [n]
        output_interface: [total, calls]
        subflows_config: {a: {_target_: T.Add}, k: {_target_: T.Accumulate}}
        topology: [{goal: a, flow: a}, {goal: k, flow: k}]
        inputs: {n: 0}
        """,
        {"total": 6, "calls": (1, 2, 3)},
        6,
    ),
    Shape(
        "circle with reset",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 3
        input_interface: [n]
        output_interface: [total, calls]
        subflows_config: {a: {_target_: T.Add}, k: {_target_: T.Accumulate}}
        topology: [{goal: a, flow: a}, {goal: k, flow: k, reset: true}]
        inputs: {n: 0}
        """,
        {"total": 3, "calls": (3,)},
        6,
    ),
    Shape(
        "circle of one key from itself",
        """
        _target_: circular
        early_exit_key: done
        max_rounds: null
        input_interface: [n]
        output_interface: [n]
        subflows_config: {s: {_target_: T.Stop, at: 5}, a: {_target_: T.Add}}
        topology:
          - {goal: a, flow: a}
          - {goal: s, flow: s, output_interface: {keys_to_rename: {EARLY_EXIT: done}}}
        inputs: {n: 3}
        """,
        {"n": 5},
        4,
    ),
    Shape(
        "branch even",
        """
        _target_: branching
        subflows_config: {even: {_target_: T.Double}, odd: {_target_: T.Add}}
        inputs: {branch: even, branch_input_data: {n: 4}}
        """,
        {"branch_output_data": {"n": 8}},
        1,
    ),
    Shape(
        "branches in a circle",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 3
        input_interface: [n]
        output_interface: [n]
        subflows_config:
          Choose: {_target_: T.Choose}
          Executor:
            _target_: branching
            subflows_config: {even: {_target_: T.Add, amount: 3}, odd: {_target_: T.Double}}
        topology:
          - {goal: choose, flow: Choose}
          - goal: do it
            flow: Executor
            output_interface:
              additional_transformations: [{_target_: UnNesting, input_key: branch_output_data}]
        inputs: {n: 1}
        """,
        {"n": 10},
        6,
    ),
    Shape(
        "branch of sequences",
        """
        _target_: branching
        subflows_config:
          odd:
            _target_: sequential
            input_interface: [n]
            subflows_config: {a: {_target_: T.Add}, b: {_target_: T.Double}}
            topology: [{goal: a, flow: a}, {goal: b, flow: b}]
          even: {_target_: T.Add}
        inputs: {branch: odd, branch_input_data: {n: 1}}
        """,
        {"branch_output_data": {"n": 4}},
        2,
    ),
    Shape(
        "two at once",
        """
        _target_: parallel
        input_interface: [n]
        output_interface: [x, y]
        subflows_config: {a: {_target_: T.Double}, b: {_target_: T.Add}}
        topology:
          - {goal: a, flow: a, output_interface: {keys_to_rename: {n: x}}}
          - {goal: b, flow: b, output_interface: {keys_to_rename: {n: y}}}
        inputs: {n: 5}
        """,
        {"x": 10, "y": 6},
        2,
    ),
    Shape(
        "diamond",
        """
        _target_: parallel
        input_interface: [n]
        output_interface: [n, l, r, total]
        subflows_config:
          top: {_target_: T.Double}
          left: {_target_: T.Add}
          right: {_target_: T.Double}
          bottom: {_target_: T.Accumulate}
        topology:
          - goal: join
            flow: bottom
            after: [left, right]
            input_interface: {keys_to_copy: {r: n}}
          - {goal: l, flow: left, after: [top], output_interface: {keys_to_rename: {n: l}}}
          - {goal: r, flow: right, after: [top], output_interface: {keys_to_rename: {n: r}}}
          - {goal: t, flow: top}
        inputs: {n: 2}
        """,
        {"n": 4, "l": 5, "r": 8, "total": 8},
        4,
    ),
    Shape(
        "parallel, one at a time",
        """
        _target_: parallel
        max_concurrency: 1
        input_interface: [n]
        output_interface: [x, y, z]
        subflows_config: {a: {_target_: T.Double}, b: {_target_: T.Write}, c: {_target_: T.Double}}
        topology:
          - {goal: a, flow: a, output_interface: {keys_to_rename: {n: x}}}
          - {goal: b, flow: b, output_interface: {keys_to_rename: {n: y}}}
          - {goal: c, flow: c, output_interface: {keys_to_rename: {n: z}}}
        inputs: {n: 5}
        """,
        {"x": 10, "y": 6, "z": 10},
        3,
    ),
    Shape(
        "parallel in a circle",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 2
        input_interface: [n]
        output_interface: [n, y]
        subflows_config:
          both:
            _target_: parallel
            input_interface: [n]
            output_interface: [n, y]
            subflows_config: {a: {_target_: T.Double}, b: {_target_: T.Accumulate}}
            topology:
              - {goal: a, flow: a}
              - {goal: b, flow: b, output_interface: {keys_to_rename: {total: y}}}
        topology: [{goal: both, flow: both}]
        inputs: {n: 1}
        """,
        {"n": 4, "y": 3},
        4,
    ),
    Shape(
        "circles in parallel",
        """
        _target_: parallel
        input_interface: [n]
        output_interface: [x, y]
        subflows_config:
          up: &loop
            _target_: circular
            early_exit_key: null
            max_rounds: 3
            input_interface: [n]
            subflows_config: {a: {_target_: T.Double}}
            topology: [{goal: a, flow: a}]
          down: *loop
        topology:
          - {goal: up, flow: up, output_interface: {keys_to_rename: {n: x}}}
          - {goal: down, flow: down, output_interface: {keys_to_rename: {n: y}}}
        inputs: {n: 1}
        """,
        {"x": 8, "y": 8},
        6,
    ),
    Shape(
        "circle in a circle",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 2
        input_interface: [n]
        output_interface: [n]
        subflows_config:
          inner:
            _target_: circular
            max_rounds: 5
            input_interface: [n]
            output_interface: [n]
            subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 2}}
            topology: [{goal: a, flow: a}, {goal: s, flow: s}]
        topology: [{goal: inner, flow: inner}]
        inputs: {n: 0}
        """,
        {"n": 3},
        6,
    ),
    Shape(
        "inner circle without rounds left",
        """
        _target_: sequential
        input_interface: [n]
        output_interface: [n]
        subflows_config:
          inner:
            _target_: circular
            max_rounds: 2
            input_interface: [n]
            output_interface: [n]
            subflows_config: {a: {_target_: T.Add}}
            topology: [{goal: a, flow: a}]
          after: {_target_: T.Double}
        topology: [{goal: inner, flow: inner}, {goal: after, flow: after}]
        inputs: {n: 0}
        """,
        {"n": 4},
        3,
    ),
    Shape(
        "inner state outlives a call",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 3
        input_interface: [n]
        output_interface: [calls]
        subflows_config:
          inner:
            _target_: sequential
            input_interface: [n]
            subflows_config: {k: {_target_: T.Accumulate}, a: {_target_: T.Add}}
            topology: [{goal: k, flow: k}, {goal: a, flow: a}]
        topology: [{goal: inner, flow: inner}]
        inputs: {n: 1}
        """,
        {"calls": (1, 2, 3)},
        6,
    ),
    Shape(
        "reset reaches below",
        """
        _target_: circular
        early_exit_key: null
        max_rounds: 3
        input_interface: [n]
        output_interface: [calls]
        subflows_config:
          inner:
            _target_: sequential
            input_interface: [n]
            subflows_config: {k: {_target_: T.Accumulate}, a: {_target_: T.Add}}
            topology: [{goal: k, flow: k}, {goal: a, flow: a}]
        topology: [{goal: inner, flow: inner, reset: true}]
        inputs: {n: 1}
        """,
        {"calls": (3,)},
        6,
    ),
    Shape(
        "interfaces all the way",
        """
        _target_: sequential
        input_interface: [task]
        output_interface: [task.result, mark]
        subflows_config: {a: {_target_: T.Add}, b: {_target_: T.Double}}
        topology:
          - goal: in and out
            flow: a
            input_interface: {keys_to_copy: {task.start: n}, keys_to_select: [n]}
            output_interface: {keys_to_rename: {n: sum.value}, keys_to_set: {mark: {a: []}}}
          - goal: again
            flow: b
            input_interface: {keys_to_rename: {sum.value: n}}
            output_interface: {keys_to_rename: {n: task.result}}
        inputs: {task: {start: 4}}
        """,
        {"task.result": 10, "mark": {"a": []}},
        2,
    ),
    Shape(
        "a failure that is caught",
        """
        _target_: sequential
        input_interface: [n]
        output_interface: [observation, n]
        subflows_config:
          try:
            _target_: T.Catch
            input_interface: [n]
            subflows_config: {a: {_target_: T.Add}, f: {_target_: T.Fail, error: Own}}
            topology: [{goal: a, flow: a}, {goal: f, flow: f}]
          after: {_target_: T.Add}
          seen: {_target_: T.Echo}
        topology:
          - {goal: try, flow: try}
          - {goal: after, flow: after}
          - goal: see
            flow: seen
            input_interface: {keys_to_rename: {observation: value}}
            output_interface: {keys_to_rename: {value: observation}}
        inputs: {n: 1}
        """,
        {"observation": "OwnToolError: an error of its own (True)", "n": 2},
        4,
    ),
    Shape(
        "a map over a list",
        """
        _target_: map
        input_interface: {numbers: list, unused: "int?"}
        over: numbers
        as: n
        collect: n
        max_concurrency: 2
        subflows_config: {each: {_target_: T.Double}}
        inputs: {numbers: [1, 2, 3, 4]}
        """,
        {"results": (2, 4, 6, 8), "failures": ()},
        4,
    ),
    Shape(
        "a map of a flow that keeps state",
        """
        _target_: map
        over: numbers
        as: n
        subflows_config:
          each:
            _target_: sequential
            input_interface: {n: int}
            output_interface: [calls]
            subflows_config: {d: {_target_: T.Double}, k: {_target_: T.Accumulate}}
            topology:
              - {goal: keep, flow: k}
              - {goal: double, flow: d}
              - {goal: keep, flow: k}
        inputs: {numbers: [1, 5]}
        """,
        {"results": ({"calls": (1, 2)}, {"calls": (5, 10)}), "failures": ()},
        6,
    ),
    Shape(
        "a map in a step, over its own keys",
        """
        _target_: sequential
        input_interface: [pairs]
        output_interface: [results]
        subflows_config:
          all:
            _target_: map
            over: pairs
            subflows_config:
              each: {_target_: map, over: numbers, as: n, collect: n,
                     subflows_config: {add: {_target_: T.Add}}}
        topology: [{goal: all of them, flow: all}]
        inputs: {pairs: [{numbers: [1]}, {numbers: []}, {numbers: [3, 4]}]}
        """,
        {
            "results": (
                {"results": (2,), "failures": ()},
                {"results": (), "failures": ()},
                {"results": (4, 5), "failures": ()},
            )
        },
        3,
    ),
    Shape(
        "values without a JSON form",
        """
        _target_: sequential
        input_interface: [n]
        output_interface: [pair, best, missing, names]
        subflows_config: {o: {_target_: T.Oddities}}
        topology: [{goal: odd, flow: o}]
        inputs: {n: 1}
        """,
        {"pair": (1, "a"), "best": float("inf"), "missing": None, "names": frozenset({"x"})},
        1,
    ),
    Shape(
        "model calls and files",
        """
        _target_: sequential
        input_interface: [n]
        output_interface: [n, name]
        subflows_config: {m: {_target_: T.Spend, calls: 2}, f: {_target_: T.Save}}
        topology: [{goal: spend, flow: m}, {goal: save, flow: f}]
        inputs: {n: 1}
        """,
        {"n": 2, "name": "table-1fa5bf1b77"},
        2,
    ),
)  # fmt: skip
