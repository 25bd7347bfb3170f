"""The steps of the run that is killed: those of the library, and some of the test's own.

Each notes in the file that KILLS_LOG names when it begins and when it has ended, so that what was
done is known from outside of the journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from flows.core.flow import AtomicFlow, Effect, FlowConfig, Ports
from flows.core.run import Run
from flows.errors import ToolError
from flows.library.blocks.append import AppendConfig, AppendFlow
from flows.library.blocks.chat import ChatConfig, ChatFlow
from flows.library.blocks.feedback import FeedbackConfig, HumanFeedbackFlow
from flows.library.blocks.recall import MemoryConfig, MemoryFlow

LETTERS = Path("letters.log")
MENDED = Path("mended")


def note(run: Run, word: str) -> None:
    """Add a line in one write, which a kill cannot part."""
    line = f"{word} {run.session.run_id} {run.address}\n".encode()
    log = os.open(os.environ["KILLS_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(log, line)
    os.close(log)


class Think(ChatFlow):
    """Asks the model."""

    Config: ClassVar[type[FlowConfig]] = ChatConfig

    async def run(self, inputs: Any, run: Run) -> Any:
        note(run, "begin")
        outputs = await super().run(inputs, run)
        note(run, "end")
        return outputs


class Append(AppendFlow):
    """Adds a row to a table."""

    Config: ClassVar[type[FlowConfig]] = AppendConfig

    async def run(self, inputs: Any, run: Run) -> Any:
        note(run, "begin")
        outputs = await super().run(inputs, run)
        note(run, "end")
        return outputs


class Remember(MemoryFlow):
    """Writes to the memory."""

    Config: ClassVar[type[FlowConfig]] = MemoryConfig

    async def run(self, inputs: Any, run: Run) -> Any:
        note(run, "begin")
        outputs = await super().run(inputs, run)
        note(run, "end")
        return outputs


class Ask(HumanFeedbackFlow):
    """Asks the person."""

    Config: ClassVar[type[FlowConfig]] = FeedbackConfig

    async def run(self, inputs: Any, run: Run) -> Any:
        note(run, "begin")
        outputs = await super().run(inputs, run)
        note(run, "end")
        return outputs


class Number(Ports):
    n: int


class Count(AtomicFlow):
    """n + 1."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run, "begin")
        note(run, "end")
        return Number(n=inputs.n + 1)


class Reply(Ports):
    n: int
    api_output: str


class Prepared(Ports):
    row: Mapping[str, Any]
    operation: str
    content: str
    question: str


class Prepare(AtomicFlow):
    """What the next steps write and ask, made of a reply."""

    Inputs: ClassVar[type[Ports]] = Reply
    Outputs: ClassVar[type[Ports]] = Prepared

    async def run(self, inputs: Reply, run: Run) -> Prepared:
        note(run, "begin")
        text = f"{inputs.n}: {inputs.api_output}"
        note(run, "end")
        return Prepared(
            row={"n": inputs.n, "text": text},
            operation="write",
            content=text,
            question=f"and after {inputs.n}?",
        )


def is_mended() -> bool:
    return MENDED.exists()


class Fetch(AtomicFlow):
    """Fails until somebody has mended what it needs."""

    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run, "begin")
        if not is_mended():
            raise ToolError("the network is away")
        note(run, "end")
        return Number(n=inputs.n + 10)


class Table(Ports):
    name: str


class Save(AtomicFlow):
    """Writes a file to the run's folder."""

    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Table

    async def run(self, inputs: Number, run: Run) -> Table:
        note(run, "begin")
        lines = "".join(f"{each},{inputs.n}\n" for each in range(2_000))
        saved = run.save("numbers", "csv", lines.encode(), "many numbers")
        note(run, "end")
        return Table(name=saved.name)


class Letter(Ports):
    n: int
    human_feedback: str


class Receipt(Ports):
    receipt: str


class Send(AtomicFlow):
    """Sends a letter: a line in a file outside of the run, and nothing there keeps it single."""

    effect: Effect = "once"
    Inputs: ClassVar[type[Ports]] = Letter
    Outputs: ClassVar[type[Ports]] = Receipt

    async def run(self, inputs: Letter, run: Run) -> Receipt:
        note(run, "begin")
        outputs = Receipt(receipt=f"{inputs.human_feedback} ({inputs.n})")
        sent = {"run": run.session.run_id, "step": run.address, "outputs": outputs.model_dump()}
        log = os.open(LETTERS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(log, f"{json.dumps(sent)}\n".encode())
        os.close(log)
        note(run, "end")
        return outputs
