"""What a user has: a folder with a run file, prompts and data, and runs that are made there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from flows.build.builder import build
from flows.core.events import Event, Listener, Notice, StepFinished, StepStarted, TextArrived
from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import resume, run

AUTO = "defaults: [autogpt, override human: never, _self_]\nname: Mine\n"
SALES = "region,amount\nnorth,10.5\nsouth,20\neast,5\nnorth,4\nwest,8\n"


@dataclass
class World:
    folder: Path
    events: list[Event] = field(default_factory=list)
    also: tuple[Listener, ...] = ()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    def run(self, text: str, *overrides: str, inputs: Mapping[str, Any] | None = None) -> RunResult:
        """Run a run file with this text; `events` are then those of this run."""
        self.events.clear()
        given = f"inputs: {json.dumps(inputs)}\n" if inputs is not None else ""
        file = self.write("my.yaml", text + given)
        return run(file, overrides, trust=("tests",), listeners=(self.events.append, *self.also))

    def resume(self, run_id: str) -> RunResult:
        self.events.clear()
        return resume(run_id, trust=("tests",), listeners=(self.events.append,))

    def auto(self, *overrides: str, goal: str = "Which region sold most?") -> RunResult:
        """The AutoGPT loop over a small table, unless an override says otherwise."""
        if not (self.folder / "sales.csv").exists():
            self.write("sales.csv", SALES)
        return self.run(AUTO, "data.sales=sales.csv", *overrides, inputs={"goal": goal})

    def check(self, text: str, *overrides: str) -> None:
        """Build without running."""
        build(self.write("my.yaml", text), overrides, trust=("tests",))

    def outputs(self, flow: str) -> list[Mapping[str, Any]]:
        """What the calls of a flow returned."""
        ended = [each for each in self.events if isinstance(each, StepFinished)]
        return [each.outputs for each in ended if each.flow == flow]

    def inputs(self, flow: str) -> list[Mapping[str, Any]]:
        begun = [each for each in self.events if isinstance(each, StepStarted)]
        return [each.inputs for each in begun if each.flow == flow]

    def observations(self) -> list[tuple[str, str]]:
        """Kind and text of what each command gave."""
        found = [each["observation"] for each in self.outputs("Executor") if "observation" in each]
        return [(each.kind, each.text) for each in found]

    def notices(self) -> list[str]:
        return [each.text for each in self.events if isinstance(each, Notice)]

    def streamed(self) -> str:
        return "".join(each.text for each in self.events if isinstance(each, TextArrived))


def decision(command: str, /, **args: Any) -> FakeAnswer:
    """A controller's reply."""
    return FakeAnswer(json.dumps({"thought": "so", "command": command, "command_args": args}))


def sql(query: str | None, **more: Any) -> FakeAnswer:
    """A reply of the model that writes SQL."""
    return FakeAnswer(json.dumps({"sql": query, "explanation": "as asked", "cannot": None, **more}))


def asked(server: FakeModel, number: int = -1) -> list[tuple[str, str]]:
    """The messages of a request, as role and content."""
    messages = server.requests[number].body["messages"]
    return [(each["role"], each["content"]) for each in messages]
