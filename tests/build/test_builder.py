"""YAML in, a graph out; or an error with file, line, column, config path and what is allowed."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from flows.build.builder import build
from flows.core.flow import walk
from flows.errors import CheckError, ConfigError
from tests.build.broken import CASES, TRUST
from tests.config.broken import Case
from tests.config.test_broken import write
from tests.shapes import SHAPES, Shape, plan_of


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES])
def test_says_what_is_wrong_and_where(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    marked = write(tmp_path, case)

    with pytest.raises(ConfigError) as caught:
        case.act(Path(), case)

    error = caught.value
    assert case.problem in error.problem
    assert error.place
    assert (error.place.origin, error.place.line, error.place.column) == marked
    if case.path is not None:
        assert error.path == case.path
    assert set(case.allowed) <= set(error.allowed)
    if case.meant is not None:
        assert error.meant == case.meant


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 25
    assert len({name for name, _ in CASES}) == len(CASES)


def test_several_problems_in_the_order_of_their_places(tmp_path: Path) -> None:
    with pytest.raises(CheckError) as caught:
        plan_of(
            """\
            _target_: sequential
            input_interface: [m]
            output_interface: [x]
            subflows_config: {a: {_target_: T.Add}}
            topology: [{goal: a, flow: a}]
            """,
            tmp_path,
        )
    assert [error.path for error in caught.value.errors] == ["output_interface.0", "topology.0"]
    text = str(caught.value)
    assert "run.yaml:3:20: output_interface.0: no step gives the output 'x'" in text
    assert "run.yaml:5:12: topology.0: a needs the input 'n'" in text


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_same_file_builds_the_same_graph(shape: Shape, tmp_path: Path) -> None:
    one, two = plan_of(shape.text, tmp_path), plan_of(shape.text, tmp_path)
    described = [
        [(path, type(flow), flow.config) for path, flow in walk(p.flow)] for p in (one, two)
    ]
    assert described[0] == described[1]
    assert one.record == two.record


def test_names_of_aiflows(tmp_path: Path) -> None:
    plan = plan_of(
        """\
        _target_: aiflows.base_flows.CircularFlow.instantiate_from_default_config
        input_interface: [branch, branch_input_data]
        subflows_config:
          Fork:
            _target_: aiflows.base_flows.BranchingFlow.instantiate_from_config
            subflows_config: {a: {_target_: T.Add}}
          Line:
            _target_: aiflows.base_flows.SequentialFlow
            input_interface: [branch]
            subflows_config: {f: {_target_: branching}}
            topology: [{goal: x, flow: f}]
        topology:
          - goal: go
            flow: Fork
            input_interface:
              _target_: aiflows.interfaces.KeyInterface
              additional_transformations:
                - _target_: aiflows.data_transformations.KeyMatchInput
        """,
        tmp_path,
    )
    kinds = [type(flow) for _, flow in walk(plan.flow)]
    names = [kind.__name__ for kind in kinds]
    assert names == [
        "AiflowsCircularFlow", "AiflowsBranchingFlow", "Add", "AiflowsCircularFlow",
        "BranchingFlow",
    ]  # fmt: skip


def test_overrides_reach_below(tmp_path: Path) -> None:
    plan = plan_of(
        SHAPES[3].text, tmp_path, "a.amount=7", "c={_target_: tests.flows_for_tests.Double}"
    )
    flows = dict(walk(plan.flow))
    assert flows["a"].config.amount == 7
    assert type(flows["c"]).__name__ == "Double"


def test_the_plan_holds_what_the_file_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "sales.csv").write_text("a,b\n1,2\n")
    (tmp_path / "more.csv").write_text("a,b\n1,2\n")
    (tmp_path / "here" / "run.yaml").write_text(
        dedent(
            """\
            name: My flow
            description: Adds.
            _target_: tests.flows_for_tests.Add
            inputs: {n: 3}
            limits: {rounds: 4, wall_time: 1.5}
            data: {sales: sales.csv}
            """
        )
    )
    plan, composed = build(Path("here/run.yaml"), ["+data.more=more.csv"], trust=TRUST)

    assert (plan.flow.name, plan.flow.label, plan.inputs) == ("My flow", "Adds.", {"n": 3})
    assert (plan.limits.rounds, plan.limits.wall_time, plan.limits.tokens) == (4, 1.5, None)
    assert plan.runs_folder == Path("runs")
    assert plan.spec["data"] == {
        "sales": str(tmp_path / "here" / "sales.csv"),
        "more": str(tmp_path / "more.csv"),
    }
    assert composed.place(("inputs", "n")).line == 4


def test_a_source_with_settings_keeps_them_beside_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.txt").write_text("a-b\n1-2\n")
    (tmp_path / "run.yaml").write_text(
        "_target_: tests.flows_for_tests.Add\ninputs: {n: 3}\n"
        "data: {odd: {path: odd.txt, delimiter: '-'}}\n"
    )
    plan, _ = build(Path("run.yaml"), [], trust=TRUST)
    assert plan.spec["data"] == {"odd": {"path": str(tmp_path / "odd.txt"), "delimiter": "-"}}
    (tmp_path / "run.yaml").write_text(
        "_target_: tests.flows_for_tests.Add\ndata: {odd: {path: odd.txt, delimeter: '-'}}\n"
    )
    with pytest.raises(ConfigError, match="delimeter"):
        build(Path("run.yaml"), [], trust=TRUST)


def test_building_imports_nothing_that_is_not_named(tmp_path: Path) -> None:
    import subprocess
    import sys

    file = tmp_path / "run.yaml"
    file.write_text("_target_: branching\n")
    code = (
        "import sys; from pathlib import Path; from flows.build.builder import build;"
        f"build(Path({str(file)!r}));"
        "print([m for m in ('openai', 'chromadb', 'langchain', 'pandas', 'plotly')"
        " if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
