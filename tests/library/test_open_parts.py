"""A question of which a part stays open is never answered whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from flows.analysis.team.abilities import team_of
from flows.analysis.team.goals.breakdown import Breakdown, break_down
from flows.core.observation import Caution, Preview
from flows.data.catalog import Catalog
from flows.library.analyst.goal import _has_found, _open, _unplanned
from flows.semantics.findings import Finding, Task, TaskResult, TaskStatus
from flows.semantics.inference.model import infer_model
from flows.semantics.query import FieldRef
from flows.semantics.tables import meant
from flows.semantics.tree import parts
from tests.analysis.business import agents

_FILES = {
    "crew": "crew_id,harbour,wage,service_years",
    "catches": "catch_id,species,weight",
    "repairs": "repair_id,yard,cost",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dice, path = random.Random(8), tmp_path_factory.mktemp("fleet")
    for name, head in _FILES.items():
        lines = [head]
        for n in range(1, 61):
            years = dice.randint(0, 30)
            more = f",{years}" if name == "crew" else ""
            lines.append(f"{n},{'ABC'[n % 3]},{900 + 40 * years + dice.randint(0, 99)}{more}")
        (path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return path


def planned(folder: Path, question: str) -> Breakdown:
    files = {name: str(folder / f"{name}.csv") for name in _FILES}
    with Catalog(files, folder) as catalog:
        model = infer_model(catalog.tables())
        team, tables = team_of({"agents": agents()}), meant(catalog.tables(), model)
        return break_down(question, team, tables, model, 12)


def used(made: Breakdown) -> set[tuple[str, str]]:
    asked = [parts(each.request) for each in made.steps if each.request is not None]
    return {(e.dataset, e.field) for each in asked for e in each if isinstance(e, FieldRef)}


def result(status: TaskStatus, rows: int = 1, *cautions: Caution) -> TaskResult:
    table = Preview(columns=("n",), types=("integer",), rows=((1,),) * rows, total_rows=rows)
    finding = Finding(output_type="table", response="x", table=table, cautions=cautions)
    task = Task(task_id=0, name="SQL", description="Count the boats.")
    return TaskResult(task=task, status=status, finding=finding)


def test_all_columns_that_are_set_against_each_other_are_worked_on(folder: Path) -> None:
    made = planned(folder, "Analyze wage vs service years across harbours")
    assert made.left_out == ()
    assert used(made) >= {("crew", each) for each in ("wage", "service_years", "harbour")}
    methods = [getattr(each.request, "method", "") for each in made.steps]
    assert "correlation" in methods


@pytest.mark.long("whole runs of a flow")
def test_each_table_of_a_list_is_opened(folder: Path) -> None:
    made = planned(folder, "crew AND catches AND repairs")
    assert {name for name, _ in used(made)} == set(_FILES)
    assert planned(folder, "Analyze crew, catches and the tides").left_out == ("the tides",)


def test_a_word_that_no_task_is_about_is_told(folder: Path) -> None:
    assert "thirst" in planned(folder, "What drives wage and thirst of the crew?").left_out


def test_what_failed_or_found_nothing_or_stays_open_is_told() -> None:
    assert _open((), [result("done")]) == []
    assert _open((), [result("failed", 0)]) == ["Not done: Count the boats."]
    assert _open((), [result("done", 0)]) == ["No rows were found: Count the boats."]
    assert _open(("tides",), []) == ["Not understood and left out: tides."]
    within = _unplanned("Why the tides?", "no table", "").finding.cautions
    assert _open((), [result("done", 1, *within)]) == ["Not answered: Why the tides."]
    assert not _has_found(result("done", 0))
    assert not _has_found(result("failed"))
