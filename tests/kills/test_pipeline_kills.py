"""A pipeline that is killed goes on to the same submission; so does one that is forked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flows.core.journal import load
from flows.errors import JournalError
from flows.runners.fork import COPIED
from tests.cli.command import PROJECT, Ended, environment, flows
from tests.library.rooms import TASK, furnish

# The models are planned from few seconds, and have as many as they need on a busy machine: code
# that the clock ends would make one run another.
SHORT = (
    "~PreliminaryEDA", "~InDepthEDA", "~FeatureEngineering.ToolSmith",
    "+ModelBuilding.Developer.seconds=250",
)  # fmt: skip
OPTIONS = ("--time", "20", "--json")
# The numbers of steps after which a run is killed: in the first phase, in a middle one while its
# code runs, between two phases, and while models are learned.
POINTS = (2, 16, 28, 55)
BEFORE = ("UnderstandBackground", "DataCleaning", "FeatureEngineering")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a task."""
    base = tmp_path_factory.mktemp("competing")
    task = base / "rooms"
    task.mkdir()
    furnish(task)
    (task / "sample.csv").rename(task / "sample_submission.csv")
    (task / "task.md").write_text(TASK, encoding="utf-8")
    return base


@dataclass(frozen=True)
class Competed:
    """A run that came to its end, and the bytes of its submission."""

    run_id: str
    submission: bytes
    result: dict[str, Any]

    @classmethod
    def of(cls, ended: Ended, out: Path) -> Competed:
        assert ended.code == 0, ended.err
        result = ended.json()
        return cls(str(result["run_id"]), (out / "submission.csv").read_bytes(), result)


@pytest.fixture(scope="module")
def unbroken(folder: Path) -> Competed:
    out = folder / "unbroken"
    return Competed.of(
        flows("compete", "rooms", *SHORT, "--out", str(out), *OPTIONS, cwd=folder), out
    )


def killed(folder: Path, out: Path, steps: int) -> str:
    """The id of a run that was killed once its journal had so many outcomes."""
    before = set((folder / "runs").iterdir())
    command = [
        sys.executable,
        "-m",
        "flows",
        "compete",
        "rooms",
        *SHORT,
        "--out",
        str(out),
        *OPTIONS,
    ]
    child = subprocess.Popen(
        command, cwd=folder, env={**environment(), "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        for run in _run_folder(folder, before, child):
            if len(outcomes(run)) >= steps:
                return run.name
        raise AssertionError(f"it ended before {steps} steps")
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _run_folder(folder: Path, before: set[Path], child: subprocess.Popen[bytes]) -> Iterator[Path]:
    """The folder of the new run, again and again while the process lives."""
    while child.poll() is None:
        time.sleep(0.02)
        new = [each for each in (folder / "runs").iterdir() if each not in before]
        if new and (new[0] / "journal.sqlite").exists():
            yield new[0]


def outcomes(run: Path) -> list[str]:
    """The addresses of the steps that a run has done, in order."""
    try:
        return [row.address for row in load(run) if row.kind == "outcome"]
    except JournalError:  # it is being made
        return []


@pytest.mark.long("a whole pipeline is killed and goes on")
@pytest.mark.parametrize("steps", POINTS)
def test_a_killed_pipeline_ends_with_the_same_submission(
    folder: Path, unbroken: Competed, steps: int
) -> None:
    out = folder / f"killed_{steps}"
    run_id = killed(folder, out, steps)
    before = outcomes(folder / "runs" / run_id)
    assert not (out / "submission.csv").exists()
    ended = flows("resume", run_id, "--json", cwd=folder)
    assert ended.code == 0, ended.err
    after = outcomes(folder / "runs" / run_id)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)  # no step was done twice
    assert sorted(after) == sorted(outcomes(folder / "runs" / unbroken.run_id))
    assert (out / "submission.csv").read_bytes() == unbroken.submission


@pytest.mark.long("a whole pipeline, twice")
def test_a_second_run_gives_the_same_submission(folder: Path, unbroken: Competed) -> None:
    out = folder / "again"
    again = Competed.of(
        flows("compete", "rooms", *SHORT, "--out", str(out), *OPTIONS, cwd=folder), out
    )
    assert again.submission == unbroken.submission
    assert again.result["score"] == unbroken.result["score"]


@pytest.mark.long("a whole pipeline, forked")
def test_a_fork_at_a_phase_does_not_do_the_phases_before_again(
    folder: Path, unbroken: Competed
) -> None:
    events = folder / "events.jsonl"
    ended = flows(
        "fork", unbroken.run_id, "--at", "ModelBuilding#1", "ModelBuilding.share=0.2",
        "ModelBuilding.title=Models", "--events", str(events),
        "--json", cwd=folder,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    result = ended.json()
    phases = result["outputs"]["phases"]
    assert [each["title"] for each in phases][-1] == "Models"
    known = {each["phase"]: each for each in unbroken.result["phases"]}
    for each in phases[:-1]:
        assert each["score"] == known[each["phase"]]["score"]
    run = folder / "runs" / result["run_id"]
    told = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    made = {each["address"] for each in told if each["event"] == "model_called"}
    assert made
    assert [each for each in made if each.startswith(BEFORE)] == []
    assert [each for each in anew(run) if each.startswith(BEFORE)] == []
    assert any(each.startswith("ModelBuilding") for each in anew(run))
    submission = run / result["outputs"]["submission"]
    assert submission.read_bytes().splitlines()[0] == unbroken.submission.splitlines()[0]


def anew(run: Path) -> list[str]:
    """The addresses of the steps that a fork has not taken over."""
    rows = [row for row in load(run) if row.kind == "outcome"]
    return [row.address for row in rows if COPIED not in row.data()]
