"""Writing a response to the table of responses."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Ports
from flows.core.run import Run
from flows.errors import ToolError
from flows.library.interpreter.response_table import (
    FILE,
    LoggedFunction,
    LoggedResponse,
    ResponseTable,
)


class LogConfig(AtomicConfig):
    """The keys of logging."""

    description: str = "Logs the response."
    table: Path = Field(default=FILE)


class LogInputs(Ports):
    """A response, as far as the flow around knows it."""

    flow: str = ""
    question: str
    status: str
    answer: str = ""
    confidence: int = 0
    model_confidence: int = 0
    strategy: str = ""
    lacks: str = ""
    citations: int = 0
    uncited: int = 0
    turns: int = 0
    user: str = ""
    channel: str = ""
    functions: tuple[LoggedFunction, ...] = ()


class LogFlow(AtomicFlow):
    """Logs a response once, however often the step is done. A table that cannot be written is told,
    and keeps nobody from the answer."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = LogConfig
    Inputs: ClassVar[type[Ports]] = LogInputs

    async def run(self, inputs: LogInputs, run: Run) -> Ports:
        config: LogConfig = self.config
        at = datetime.now(UTC).isoformat(timespec="seconds")
        row = LoggedResponse(key=run.effect_key, run=run.session.run_id, at=at, **inputs.__dict__)
        try:
            await asyncio.to_thread(ResponseTable(config.table).add, row)
        except ToolError as error:
            run.notice(str(error))
        return Ports()
