"""A run as its events tell it, for the tests of the screen; as a program it plays it to a console.

Usage: python -m tests.ui.story [stderr]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.events import (
    ArtifactSaved,
    Event,
    Notice,
    Retrying,
    RoundStarted,
    RunEnded,
    RunStarted,
    StepErred,
    StepFinished,
    StepStarted,
    TextArrived,
)
from flows.core.observation import Observation, Preview
from flows.core.result import RunResult
from flows.ui.console import make_console
from flows.ui.ending import show_result
from flows.ui.screen import Screen

RUN_ID = "20250101-120000-abcdef"
FOLDER = f"runs/{RUN_ID}"
SQL = (
    "SELECT region, SUM(amount) AS total FROM sales WHERE year BETWEEN 2019 AND 2024 "
    "AND region IN ('north  side', 'south') GROUP BY region ORDER BY total DESC LIMIT 20"
)
TABLE = Preview(
    columns=("region", "total", "mean"),
    types=("text", "integer", "real"),
    rows=tuple((f"region {i}", 100_000 - i, None if i == 3 else 1.5 * i) for i in range(20)),
    total_rows=130,
    sql=SQL,
    artifact="result-1234",
    elapsed_ms=3.21,
)
OBSERVED = Observation(kind="ok", text="The query gave 130 rows.", table=TABLE)
DECISION = {
    "thought": "The goal asks for totals.",
    "reasoning": "They are in one table.",
    "plan": "- totals by region\n- finish",
    "criticism": "",
    "speak": "",
    "command": "sql",
    "command_args": {"question": "What is the total by region?"},
}


class Story:
    """Tells events to a listener, numbered as a run numbers them."""

    def __init__(self, listener: Callable[[Event], None]) -> None:
        self._listener = listener
        self._seq = 0

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def start(self, *, resumed: bool = False, **inputs: Any) -> None:
        self._listener(RunStarted(RUN_ID, self._next(), "", 0, "AutoGPT", FOLDER, inputs, resumed))
        self.begin("", "AutoGPT")

    def round(self, number: int, most: int = 30, address: str = "") -> None:
        self._listener(RoundStarted(RUN_ID, self._next(), address, number, most))

    def begin(self, address: str, goal: str = "Do it", **inputs: Any) -> None:
        flow = address.rpartition("/")[2].partition("#")[0]
        self._listener(StepStarted(RUN_ID, self._next(), address, 1, flow, goal, inputs))

    def finish(
        self, address: str, outputs: Mapping[str, Any], ms: float = 12.0, *, reused: bool = False
    ) -> None:
        flow = address.rpartition("/")[2].partition("#")[0]
        self._listener(
            StepFinished(RUN_ID, self._next(), address, 1, flow, outputs, ms, None, reused)
        )

    def step(self, address: str, outputs: Mapping[str, Any], **inputs: Any) -> None:
        self.begin(address, **inputs)
        self.finish(address, outputs)

    def err(self, address: str, message: str) -> None:
        flow = address.rpartition("/")[2].partition("#")[0]
        self._listener(StepErred(RUN_ID, self._next(), address, 1, flow, "ToolError", message))

    def stream(self, address: str, *pieces: str) -> None:
        for piece in pieces:
            self._listener(TextArrived(RUN_ID, self._next(), address, 1, piece))

    def retry(self, address: str, message: str) -> None:
        self._listener(Retrying(RUN_ID, self._next(), address, 1, 1, 0.5, message))

    def notice(self, text: str) -> None:
        self._listener(Notice(RUN_ID, self._next(), "", 0, text))

    def save(self, address: str, name: str, description: str = "") -> None:
        path = f"artifacts/{name}.json"
        self._listener(ArtifactSaved(RUN_ID, self._next(), address, 1, name, path, description))

    def end(self, status: Any = "finished", reason: str = "") -> None:
        self._listener(RunEnded(RUN_ID, self._next(), "", 0, status, reason))

    def query(self, number: int, found: object) -> None:
        """An executor that calls a SQL agent and hands its observation on."""
        executor = f"Executor#{number}"
        self.begin(executor, "Execute the command")
        self.begin(f"{executor}/sql#1", "Answer with SQL")
        self.save(f"{executor}/sql#1", "result-1234", SQL)
        self.finish(f"{executor}/sql#1", {"observation": found})
        self.finish(executor, {"branch_output_data": {"observation": found}})


def result(outputs: Mapping[str, Any], **fields: Any) -> RunResult:
    saved = Artifact(
        name="result-1234",
        kind="json",
        path="artifacts/result-1234.json",
        sha256="",
        bytes=1,
        description=SQL,
        step="Executor#1",
    )
    given = {
        "run_id": RUN_ID,
        "status": "finished",
        "usage": Usage(model_calls=3),
        "seconds": 1.25,
        "folder": Path(FOLDER),
        "artifacts": (saved,),
        "rounds": 2,
    }
    return RunResult(outputs=outputs, **{**given, **fields})


def play(console: Console) -> None:
    """A whole run: one round, and what it came to."""
    with Screen(console) as screen:
        story = Story(screen)
        story.start(goal="Which region is largest?")
        story.round(1)
        story.step("Memory#1", {"retrieved": ()}, operation="read")
        story.begin("Controller#1", "Choose")
        story.stream("Controller#1", '{"thought": ', '"The goal', ' asks"}')
        story.finish("Controller#1", DECISION)
        story.query(1, OBSERVED)
        story.step("HumanFeedback#1", {"human_feedback": "use the median"})
        story.begin("Writer#1", "Write")
        story.stream("Writer#1", "First words, ", "then\nmore.")
        story.finish("Writer#1", {"api_output": "First words, then\nmore."})
        story.end()
    show_result(console, result({"answer": "Region 0 has 100,000."}))


if __name__ == "__main__":
    play(make_console(to_stderr="stderr" in sys.argv))
