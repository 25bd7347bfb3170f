"""Faults of the input: each is repaired, or named by an error or a doubt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.analysis.prediction.reading.checking import check_task
from flows.analysis.prediction.reading.reader import read_task
from flows.analysis.prediction.task import PredictionTask
from flows.data.catalog import Catalog
from flows.errors import FlowsError
from flows.services.competition_folder import read_competition
from tests.analysis.prediction.input_faults import FAULTS, ROWS, sound, written


def outcome(folder: Path, scratch: Path) -> tuple[PredictionTask | None, str]:
    """The task of a folder, and all that is said of faults."""
    scratch.mkdir()
    try:
        found = read_competition(folder, scratch)
        with Catalog(found.sources, folder) as catalog:
            tables = {each.source: each for each in catalog.tables()}
        given = (tables["train"], tables.get("test"), tables.get("sample"))
        task = read_task(found.text, *given, fields=found.fields)
    except FlowsError as error:
        return None, str(error)
    assert check_task(task, *given) == ()
    return task, "\n".join((*found.doubts, *task.doubts))


QUICK = [*FAULTS][::6]


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize("name", QUICK)
def test_a_fault_is_repaired_or_named(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


@pytest.mark.long("each fault is a folder of its own, which is read and profiled")
@pytest.mark.parametrize("name", [each for each in FAULTS if each not in QUICK])
def test_each_fault_is_repaired_or_named(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


def check(name: str, tmp_path: Path) -> None:
    fault, parts = FAULTS[name], sound()
    fault.change(parts)
    folder = written(parts, tmp_path / "kilns")
    fault.spoil(folder)
    task, said = outcome(folder, tmp_path / "scratch")
    assert task is None or task.targets == fault.targets
    if fault.named:
        assert re.search(fault.named, said), said
        return
    assert said == ""
    assert task is not None
    assert (task.targets, task.kind, task.metric) == (("grade",), "binary", "accuracy")
    assert task.submission is not None
    assert task.submission.rows == ROWS


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize(
    "written_as",
    ["{:,.0f}", "{:.2f} EUR", "$ {:,.2f}"],
)
def test_a_target_of_number_texts_is_named_or_read_as_numbers(
    written_as: str, tmp_path: Path
) -> None:
    parts = sound(numbers=True)
    parts.train["grade"] = [written_as.format(each) for each in parts.train["grade"]]
    task, said = outcome(written(parts, tmp_path / "kilns"), tmp_path / "scratch")
    assert task is not None
    assert (task.targets, task.kind, task.metric) == (("grade",), "regression", "rmse")
    assert "numbers written as text" in said or said == ""
