"""How steps are checked before a run: which keys can be there, and where it is said if not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.running import problems_of, run_text
from tests.shapes import plan_of


def line(*steps: str, ports: str = "[n]", outputs: str = "null", kind: str = "sequential") -> str:
    """A composite of Add, Accumulate and Echo flows with these steps, one a line from line 9 on."""
    text = f"""\
_target_: {kind}
input_interface: {ports}
output_interface: {outputs}
subflows_config:
  add: {{_target_: T.Add}}
  echo: {{_target_: T.Accumulate}}
  any: {{_target_: T.Echo}}
topology:
"""
    return text + "".join(f"  - {{goal: do it, {step}}}\n" for step in steps)


def test_a_key_that_nothing_gives(tmp_path: Path) -> None:
    [(path, at, column, problem)] = problems_of(line("flow: add", ports="[m]"), tmp_path)
    assert (path, at, column) == ("topology.0", 9, 5)
    assert problem == "add needs the input 'n', and nothing before this step gives it"


def test_a_key_that_was_renamed_away(tmp_path: Path) -> None:
    steps = ("flow: add", "flow: add, input_interface: {keys_to_rename: {n: m}}")
    [(path, at, _, problem)] = problems_of(line(*steps), tmp_path)
    assert (path, at) == ("topology.1.input_interface", 10)
    assert "add needs the input 'n'" in problem


def test_a_key_that_an_output_interface_takes_away(tmp_path: Path) -> None:
    steps = ("flow: add, output_interface: {keys_to_rename: {n: total}}", "flow: echo")
    plan_of(line(*steps), tmp_path)  # the input n is still there
    more = "flow: add, input_interface: {keys_to_select: [total]}"
    [(path, *_)] = problems_of(line(*steps, more), tmp_path)
    assert path == "topology.2.input_interface"


def test_an_interface_that_cannot_apply(tmp_path: Path) -> None:
    steps = (
        "flow: add, input_interface: {keys_to_select: [k]}",
        "flow: add, output_interface: {keys_to_select: [k]}",
    )
    found = problems_of(line(*steps), tmp_path)
    assert [(path, at) for path, at, _, _ in found] == [
        ("topology.0.input_interface.keys_to_select.0", 9),
        ("topology.1.output_interface.keys_to_select.0", 10),
    ]
    assert all(problem.startswith("no key 'k'") for *_, problem in found)


def test_a_declared_output_that_nothing_gives(tmp_path: Path) -> None:
    [(path, at, column, problem)] = problems_of(line("flow: add", outputs="[n, m]"), tmp_path)
    assert (path, at, column) == ("output_interface.1", 3, 23)
    assert problem == "no step gives the output 'm'"


def test_a_nested_output_of_a_key_that_is_there(tmp_path: Path) -> None:
    step = "flow: add, output_interface: {keys_to_rename: {n: r.v}}"
    result, _ = run_text(line(step, outputs="[r.v, r.w]") + "inputs: {n: 1}\n", tmp_path)
    assert result.outputs == {"r.v": 2}


def test_the_first_round_of_a_circle_is_the_strictest(tmp_path: Path) -> None:
    steps = (
        "flow: add, input_interface: {keys_to_rename: {total: n}}",
        "flow: echo",
    )
    [(path, at, _, problem)] = problems_of(line(*steps, kind="circular", ports="[]"), tmp_path)[:1]
    assert (path, at) == ("topology.0.input_interface", 9)
    assert "add needs the input 'n'" in problem
    plan_of(line(*reversed(steps), kind="circular"), tmp_path)


def test_problems_deep_below_name_their_place(tmp_path: Path) -> None:
    text = """\
_target_: branching
subflows_config:
  loop:
    _target_: circular
    input_interface: [goal]
    subflows_config:
      inner:
        _target_: sequential
        input_interface: [goal]
        output_interface: [nothing]
        subflows_config: {a: {_target_: T.Add}}
        topology:
          - {goal: a, flow: a}
    topology: [{goal: inner, flow: inner}]
"""
    inner = "subflows_config.loop.subflows_config.inner"
    assert [(path, at, column) for path, at, column, _ in problems_of(text, tmp_path)] == [
        (f"{inner}.output_interface.0", 10, 28),
        (f"{inner}.topology.0", 13, 13),
    ]


@pytest.mark.parametrize("kind", ["sequential", "circular"])
def test_what_unnesting_gives_of_unknown_data_is_not_known_and_is_allowed(
    tmp_path: Path, kind: str
) -> None:
    unnest = "additional_transformations: [{_target_: UnNesting, input_key: value}]"
    steps = (f"flow: any, output_interface: {{{unnest}}}", "flow: echo")
    plan_of(line(*steps, ports="[value]", outputs="[anything]", kind=kind), tmp_path)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    steps = ("flow: add", "flow: echo")
    found = problems_of(line(*steps, ports="[m]", outputs="[x, y]"), tmp_path)
    assert [(path, at) for path, at, _, _ in found] == [
        ("output_interface.0", 3),
        ("output_interface.1", 3),
        ("topology.0", 9),
    ]


def test_outputs_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    step = "flow: any, output_interface: {keys_to_rename: {value.x: deep, value: top}}"
    text = line(step, ports="[value]", outputs="[deep, top]") + "inputs: {value: 2}\n"
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"top": 2}


def test_an_interface_that_fails_in_the_run_names_its_step(tmp_path: Path) -> None:
    step = "flow: any, output_interface: {keys_to_select: [value.deeper]}"
    result, _ = run_text(line(step, ports="[value]") + "inputs: {value: 1}\n", tmp_path)
    assert result.status == "failed"
    assert "topology step 1 (any), output_interface: no key 'value.deeper'" in result.reason
