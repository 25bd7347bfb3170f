"""The lines of JSON between a batch and the processes that answer it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from flows.core.chat import Usage
from flows.evaluation.cases import ExpectedResult
from flows.library.ask.answer import AskAnswer
from flows.services.model_choice import ModelChoice
from flows.services.request import DataQuestion, Options
from flows.services.sources import NamedSource

OPEN: Final = 8


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The first line to a process: the `options` of each question, the folder `runs`, how many
    lists of data sources it keeps open, and whether it is told how each word was read."""

    options: Options = field(default_factory=lambda: Options(person="never"))
    runs: str = "runs"
    open: int = OPEN
    explain: bool = False


@dataclass(frozen=True, slots=True)
class WorkerQuestion:
    """Each other line to it: a question with its number in the batch (from 0). With `expected`, SQL
    as the data's own database reads it, or with `expected_request`, as JSON, what that gives is
    found out too."""

    number: int
    request: DataQuestion
    expected: str = ""
    expected_request: str = ""


@dataclass(frozen=True, slots=True)
class BatchReply:
    """A line back: the answer to the question of that number, the seconds that it took, what the
    expected SQL gives, and what models were asked for it."""

    number: int
    answer: AskAnswer
    seconds: float = 0.0
    expected: ExpectedResult | None = None
    usage: Usage = field(default_factory=Usage)

    def as_json(self) -> dict[str, Any]:
        expected = asdict(self.expected) if self.expected is not None else None
        own = {"number": self.number, "seconds": self.seconds, "expected": expected}
        return {**own, "answer": self.answer.as_json(), "usage": self.usage.model_dump()}


def line_of(message: WorkerOptions | WorkerQuestion) -> bytes:
    """A message to a process as a line."""
    return json.dumps(asdict(message), default=str).encode() + b"\n"


def read_options(line: bytes) -> WorkerOptions:
    """The message of a first line."""
    values = json.loads(line)
    return WorkerOptions(**{**values, "options": _options(values["options"])})


def read_question(line: bytes) -> WorkerQuestion:
    """The message of any other line."""
    values = json.loads(line)
    return WorkerQuestion(**{**values, "request": _request(values["request"])})


def read_reply(values: Mapping[str, Any]) -> BatchReply:
    """The message of a line back, that was read as JSON."""
    expected = values["expected"]
    return BatchReply(
        values["number"],
        AskAnswer.model_validate(values["answer"]),
        values["seconds"],
        ExpectedResult(**expected) if expected is not None else None,
        Usage.model_validate(values["usage"]),
    )


def _options(values: Mapping[str, Any]) -> Options:
    model, glossary = values["model"], values["glossary"]
    return Options(
        overrides=tuple(values["overrides"]),
        model=ModelChoice(**model) if model is not None else None,
        person=values["person"],
        glossary=Path(glossary) if glossary is not None else None,
        trust=tuple(values["trust"]),
        by=values["by"],
    )


def _request(values: Mapping[str, Any]) -> DataQuestion:
    sources = tuple(NamedSource(**each) for each in values["sources"])
    return DataQuestion(**{**values, "sources": sources})
