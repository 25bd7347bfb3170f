"""A small analysis by hand: what a team might have found out about a farm."""

from __future__ import annotations

from typing import Any

from flows.core.documents import Passage
from flows.core.observation import Caution, Preview
from flows.data.answers.citations import Citation
from flows.evaluation.analysis import AnalystOutcome
from flows.semantics.findings import (
    Finding,
    ModelCard,
    ModelMetric,
    Task,
    TaskResult,
    TaskStatus,
    Told,
    Weight,
)

SUMMARY = (
    "Milk depends above all on feed_kg and on walk_time. "
    "With each further hour of walk time, milk falls by 1.23 litres. "
    "Barn 3 has the highest average, 31.5 litres, and Barn 1 the lowest.\n"
    "- The herd is 40."
)


def cited(text: str, number: str, **values: Any) -> Citation:
    """Where a number of a text comes from: a cell unless said otherwise."""
    start = text.index(number)
    given: dict[str, Any] = {"origin": "cell", **values}
    return Citation(text=number, start=start, end=start + len(number), **given)


CORRELATIONS = Preview(
    columns=("feature", "correlation"),
    types=("text", "real"),
    rows=(("feed_kg", 0.71), ("walk_time", -0.52), ("barn_number", 0.02)),
    total_rows=3,
    artifact="correlations",
)
CARD = ModelCard(
    kind="linear",
    target="milk",
    metrics=(ModelMetric(name="R²", held_out=0.8, baseline=0.0),),
    importances=(
        Weight(feature="walk_time", importance=0.3, effect=-1.2),
        Weight(feature="feed_kg", importance=0.6, effect=2.5),
        Weight(feature="barn_number", importance=0.01, effect=0.1),
    ),
)


def result(finding: Finding, number: int = 0, status: TaskStatus = "done") -> TaskResult:
    task = Task(task_id=number, name="PythonDataAgent", description="Look.")
    return TaskResult(task=task, status=status, finding=finding)


def farm(**changes: Any) -> AnalystOutcome:
    """The analysis, with some of its parts replaced."""
    insight = "The correlation of walk_time with milk is -0.52."
    found: dict[str, Any] = {
        "status": "answered",
        "summary": Told(
            text=SUMMARY,
            citations=(
                cited(SUMMARY, "1.23", value=-1.2304, column="slope", result="gone", row=0),
                cited(SUMMARY, "31.5", value=31.5, column="average"),
                cited(SUMMARY, "40", origin="none"),
            ),
        ),
        "results": (
            result(
                Finding(
                    output_type="table",
                    response="Correlated.",
                    table=CORRELATIONS,
                    insights=(
                        Told(
                            text=insight,
                            citations=(
                                cited(
                                    insight, "-0.52", value=-0.52, column="correlation",
                                    result="correlations", row=1,
                                ),
                            ),
                        ),
                    ),
                )
            ),
            result(
                Finding(
                    output_type="model",
                    response="Learned.",
                    model=CARD,
                    cautions=(Caution(code="twins", text="feed_kg_norm is a copy of feed_kg."),),
                ),
                1,
            ),
        ),
        "passages": (
            Passage(id="1", document="notes/barns.md", where="page 1", text="Barns.", score=0.9),
            Passage(id="2", document="cows.txt", where="page 1", text="Cows.", score=0.5),
        ),
        "limits": ("Nothing was measured in winter.",),
    }  # fmt: skip
    return AnalystOutcome(**{**found, **changes})


EMPTY = AnalystOutcome(status="answered", summary=Told(text="Something was found."))
