"""aiflows in a process of its own and ours in this one, asked the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from flows.core.events import Event, Notice, StepStarted
from flows.errors import FlowsError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import run
from tests.library.aiflows.oracle import package
from tests.library.aiflows.oracle.case import REFUSED, Case
from tests.library.aiflows.oracle.modules import write_classes, write_package

KEPT: Final = "Not done again: enable_cache"


@dataclass
class Answer:
    """What came of a case: the outputs, or why there are none; the calls of classes, each with the
    flow and what it was given; the messages of each request to the model."""

    outputs: Any
    calls: list[tuple[str, Any]] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    reason: str = ""


@dataclass
class Bench:
    """aiflows in a process of its own, ours in this one, and the model that both ask."""

    folder: Path
    server: FakeModel
    process: subprocess.Popen[str]
    done: int = 0

    def there(self, case: Case) -> Answer:
        """What aiflows makes of the case."""
        file = self._prepare(case, {})
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(file.parent), [{"id": 0, **case.inputs}]]), file=self.process.stdin,
              flush=True)  # fmt: skip
        told = json.loads(self.process.stdout.readline())
        if "error" in told:
            return Answer(REFUSED, told["calls"], self._asked(), ": ".join(told["error"]))
        return Answer(told["outputs"][0], told["calls"], self._asked())

    def here(self, case: Case, **more: Any) -> Answer:
        """What ours makes of it, with these keys in the file."""
        file = self._prepare(case, {**more, "inputs": {"id": 0, **case.inputs}})
        events: list[Event] = []
        try:
            with chdir(file.parent):
                result = run(file, (), trust=("scripted", "inherited"), listeners=(events.append,))
        except FlowsError as error:
            return Answer(REFUSED, calls_of(events), self._asked(), str(error))
        ended = result.status in ("finished", "unfinished")
        outputs = plain(result.outputs) if ended else REFUSED
        return Answer(outputs, calls_of(events), self._asked(), result.reason)

    def _prepare(self, case: Case, more: Mapping[str, Any]) -> Path:
        self.done += 1
        folder = self.folder / str(self.done)
        write_classes(folder)
        self.server.clear()
        self.server.script(*map(FakeAnswer, case.answers))
        text = yaml.safe_dump({**case.file, **more}, sort_keys=False, allow_unicode=True)
        file = folder / "case.yaml"
        file.write_text(text.replace("BASE_URL", self.server.base_url), encoding="utf-8")
        return file

    def _asked(self) -> list[Any]:
        return [each.body["messages"] for each in self.server.requests]


def calls_of(events: list[Event]) -> list[tuple[str, Any]]:
    """The calls of classes among the steps, without those of FlowVerse's own and those whose
    outputs were kept from an earlier call."""
    kept = {each.address for each in events if isinstance(each, Notice) and KEPT in each.text}
    begun = [each for each in events if isinstance(each, StepStarted) and each.address not in kept]
    return [
        (each.address.split("/")[-2].partition("#")[0], plain(each.inputs["input_data"]))
        for each in begun
        if each.flow == "call" and "input_data" in each.inputs
    ]


def plain(value: Any) -> Any:
    """As JSON has it."""
    return json.loads(json.dumps(value, default=str))


@contextmanager
def open_bench(folder: Path) -> Iterator[Bench]:
    """A bench that works in the folder."""
    classes = folder / "classes"
    write_package(classes)
    command = [sys.executable, "-W", "ignore", str(package.__file__), str(classes)]
    with (
        FakeModel() as server,
        (folder / "errors.txt").open("w") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=folder,
        ) as process,
    ):
        yield Bench(folder, server, process)
