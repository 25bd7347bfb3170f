"""The program of a worker: lines of JSON in, lines of JSON out.

    python -m flows.runners.workers.program

The first line says what the flow is built from; each other one is an item to do, or an answer. It
ends at the end of its input, and with the process that started it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pydantic_core import from_json, to_json

from flows.build.plan import RunPlan
from flows.build.restoration import RecordSource, flows_by_path
from flows.build.trust import Trust
from flows.core.run import call_at
from flows.core.sandbox import ProbeFinding
from flows.core.session import Session
from flows.core.values import Values
from flows.errors import ConfigError, FlowsError, Place
from flows.runners.workers.links import LONGEST
from flows.runners.workers.messages import Item, Setup, line_of, read_line
from flows.runners.workers.record import Send, WorkerMeter, WorkerRecord


def main() -> int:
    """Do items until there are no more, or until it is told to end."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what a step reads is no message to this
    os.dup2(2, 1)  # and what it prints is no reply
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it, who then ends it
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve(requests, replies))
    return 0


def _end_with(parent: int) -> None:
    """End when the process that started this one is gone, also in the middle of a long step."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


async def _serve(requests: BinaryIO, replies: BinaryIO) -> None:
    reader = asyncio.StreamReader(limit=LONGEST)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, requests)

    def send(message: Values) -> None:
        """Write a line. When whoever asked is gone, its input has ended too, and so does this."""
        try:
            replies.write(line_of(message))
            replies.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())  # what is left is dropped

    first = await reader.readline()
    if not first:
        return
    setup = Setup.model_validate_json(first)
    try:
        plan = rebuilt(setup)
        if plan.strict is not None:
            (await plan.strict.finding()).require()
    except FlowsError as error:
        send({"refused": str(error)})
        return
    worker = ItemWorker(plan, setup, send)
    send({"ready": True})
    try:
        while line := await reader.readline():
            worker.take(read_line(line))
    finally:
        await worker.end()
        await plan.aclose()


def rebuilt(setup: Setup) -> RunPlan:
    """The plan of a run, from what its journal keeps. Errors: `ConfigError`, also for a flow whose
    code is another here."""
    record = setup.record
    with suppress(OSError):  # no such folder on this node, where nothing relative to it is used
        os.chdir(record["folder"])
    folder = Path(setup.folder)
    source = RecordSource(Place(f"run {setup.run_id}"), folder, trust=Trust(setup.trust))
    plan = source.plan(record)
    made_of: Values = from_json(to_json(plan.made_of))
    if differing := [key for key, value in made_of.items() if record.get(key) != value]:
        raise ConfigError(f"this worker has other code or files than the run: {differing[0]}")
    return plan


class ItemWorker:
    """Does items of one run, several at once."""

    def __init__(self, plan: RunPlan, setup: Setup, send: Send) -> None:
        self.plan = plan
        self.setup = setup
        self.send = send
        self.flows = flows_by_path(plan)
        self.walls: ProbeFinding | None = None
        self.records: dict[int, WorkerRecord] = {}
        self.tasks: dict[int, asyncio.Task[None]] = {}

    def take(self, message: Values) -> None:
        """Begin an item, end one, or hand on an answer."""
        number = message["item"]
        if "answer" in message:
            if (record := self.records.get(number)) is not None:
                record.answer(message["answer"], message.get("limit"))
        elif "cancel" in message:
            if (task := self.tasks.get(number)) is not None:
                task.cancel()
        else:
            item = Item.model_validate(message)
            self.tasks[number] = asyncio.create_task(self._do(item))

    async def end(self) -> None:
        """Give up what is not done."""
        tasks = list(self.tasks.values())
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _do(self, item: Item) -> None:
        record = self.records[item.item] = WorkerRecord(item, self.send)
        session = self._session(item, record)
        above = self.flows[item.path.rpartition("/")[0]]
        try:
            with suppress(FlowsError):  # the run finds it in the rows, or meets it again itself
                await call_at(
                    session, above, self.flows[item.path], item.address, item.round, item.inputs,
                    apart=item.apart,
                )  # fmt: skip
            self.walls = session.walls
            record.end(session.walls)
        finally:
            await session.give_up()
            del self.tasks[item.item], self.records[item.item]

    def _session(self, item: Item, record: WorkerRecord) -> Session:
        plan = self.plan
        session = Session(
            self.setup.run_id,
            Path(self.setup.folder),
            journal=record,
            listeners=(record.listen,) if item.tells else (),
            meter=WorkerMeter(plan.limits, item.used, plan.prices),
        )
        record.session = session
        session.meter.rounds = item.rounds
        session.turns = record if session.turns is not None else None
        session.unattended = True
        session.walls = self.walls
        session.artifacts.durable = self.setup.durable
        for each in item.artifacts:
            session.artifacts.register(each)
        return session


if __name__ == "__main__":
    sys.exit(main())
