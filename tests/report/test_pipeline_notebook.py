"""The notebook of a pipeline runs again, with what each step was given in the run."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from flows.analysis.prediction.plan import PlanStep
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import PhaseRecord, PhaseWork, StepOutcome
from flows.core.observation import Preview
from flows.report.pipeline.contents import PipelineReport, ToolTold
from flows.report.pipeline.notebook import pipeline_notebook
from flows.report.report import SourceTable, SourceUsed
from tests.report.notebooks import run_notebook

TASK = PredictionTask(
    title="Pots", targets=("grade",), kind="regression", metric="rmse", greater_is_better=False
)
FUTURE = "from __future__ import annotations"
MADE = Preview(columns=("a",), types=("integer",), rows=(), total_rows=0)
DOUBLED = '''\
"""Double a column."""
from __future__ import annotations

import pandas as pd


def doubled(train: pd.DataFrame, column: str) -> pd.DataFrame:
    return train.assign(**{column: _times(train[column])})


def _times(column):
    return column * 2
'''
HALVED = '''\
"""Halve a column, with a helper of the same name."""
import pandas as pd


def halved(train: pd.DataFrame, column: str) -> pd.DataFrame:
    return train.assign(**{column: _times(train[column])})


def _times(column):
    return column / 2
'''


def outcome(code: str, *made: str, status: str = "done", tool: str = "") -> StepOutcome:
    step = PlanStep(purpose="A step", tool=tool, optional=status != "done")
    return StepOutcome.model_validate(
        {"step": step, "code": code, "status": status, "made": dict.fromkeys(made, MADE)}
    )


def phase(*outcomes: StepOutcome, ran: bool = True) -> PhaseRecord:
    steps = tuple(each.step for each in outcomes)
    work = PhaseWork(outcomes=outcomes, ran=ran)
    return PhaseRecord(phase="data_cleaning", title="A phase", steps=steps, work=work)


def source(folder: Path, name: str, *, plain: bool = True) -> SourceUsed:
    table = SourceTable(name=name, frame=name, physical=name)
    where = str(folder / f"{name}.csv")
    return SourceUsed(name=name, kind="csv", where=where, plain=plain, tables=(table,))


def report(folder: Path, *phases: PhaseRecord, **more: object) -> PipelineReport:
    """Of a train with the columns `a` and `grade`, and a test with `a`."""
    pd.DataFrame({"a": [1, 2, 3], "grade": [1.0, 2.0, 3.0]}).to_csv(
        folder / "train.csv", index=False
    )
    pd.DataFrame({"a": [4, 5]}).to_csv(folder / "test.csv", index=False)
    given = {
        "run_id": "r", "status": "done", "task": TASK, "phases": phases, "submission": "s.csv",
        "sources": (source(folder, "train"), source(folder, "test")),
        "frames": {"train": "train", "test": "test"},
    }  # fmt: skip
    return PipelineReport.model_validate({**given, **more})


def submitted(folder: Path, told: PipelineReport) -> pd.DataFrame:
    """What the notebook writes, run in the folder."""
    path = folder / "report.ipynb"
    path.write_bytes(pipeline_notebook(told))
    run_notebook(path, folder, 120)
    return pd.read_csv(folder / "submission.csv")


@pytest.mark.long("notebooks and pages made of whole runs")
def test_each_step_finds_the_tables_as_the_steps_before_it_left_them(tmp_path: Path) -> None:
    first = phase(
        outcome("train = train.set_index('a')", "train"),
        outcome("train.loc[:, 'grade'] = 0"),  # changes a copy that is not passed on
        outcome("import nowhere", status="left_out"),
        outcome(f"{FUTURE}\nkinds = pd.Series(train['a'], name='k')", "kinds"),
    )  # fmt: skip
    lost = phase(outcome("train = None", "train"), ran=False)
    last = phase(
        outcome(
            "assert before_train['grade'].tolist() == [1, 2, 3]\n"
            "assert list(raw_train.columns) == ['a', 'grade']\n"
            "more = train['grade'].mean() + np.float64(1)\n"
            "submission = test.assign(grade=kinds['k'].sum() + more)",
            "submission",
        )
    )
    found = submitted(tmp_path, report(tmp_path, first, lost, last))
    assert found.to_dict("list") == {"a": [4, 5], "grade": [9.0, 9.0]}


@pytest.mark.long("notebooks and pages made of whole runs")
def test_tools_with_helpers_of_the_same_name_do_what_they_did(tmp_path: Path) -> None:
    tools = (
        ToolTold(name="doubled", purpose="Double", code=DOUBLED),
        ToolTold(name="halved", purpose="Halve", code=HALVED),
    )
    steps = phase(
        outcome("train = doubled(train, 'grade')", "train", tool="doubled"),
        outcome("train = halved(train, 'a')", "train", tool="halved"),
        outcome("train = doubled(train, 'grade')", "train", tool="doubled"),
        outcome("submission = test.assign(grade=train['grade'].sum(), half=train['a'].sum())",
                "submission"),
    )  # fmt: skip
    found = submitted(tmp_path, report(tmp_path, steps, tools=tools))
    assert found["grade"].tolist() == [24.0, 24.0]
    assert found["half"].tolist() == [3.0, 3.0]


@pytest.mark.long("notebooks and pages made of whole runs")
def test_a_file_that_takes_more_than_one_way_is_read_from_its_copy(tmp_path: Path) -> None:
    copy = tmp_path / "as_read.parquet"
    pd.DataFrame({"a": [7], "grade": [8.5]}).to_parquet(copy)
    told = report(
        tmp_path,
        phase(outcome("submission = test.assign(grade=train['grade'].sum())", "submission")),
        copies={"train": str(copy)},
        sampling="train = train.sample(n=1, random_state=0)",
    )
    assert submitted(tmp_path, told)["grade"].tolist() == [8.5, 8.5]


@pytest.mark.long("notebooks and pages made of whole runs")
@pytest.mark.parametrize("name", ["`x`\n\nimport os", "]</script>*|", "'''\"\"\"\\"])
def test_names_and_texts_are_no_code_and_no_markup(name: str, tmp_path: Path) -> None:
    step = PlanStep(purpose=f"Look at {name}")
    done = StepOutcome(
        step=step, code="submission = test.assign(grade=1)", made={"submission": MADE}
    )
    record = phase(done).model_copy(update={"title": name, "report": f"# {name}\n\n- {name}"})
    told = report(tmp_path, record, notes=(name,))
    book = json.loads(pipeline_notebook(told))
    texts = [each["source"] for each in book["cells"] if each["cell_type"] == "markdown"]
    assert not any("<script" in each or "</script" in each for each in texts)
    assert submitted(tmp_path, told)["grade"].tolist() == [1, 1]
