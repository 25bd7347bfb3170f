"""The program that answers questions of a batch: lines of JSON in, lines of JSON out.

    python -m flows.services.batch_worker

The first line says how to ask; each other one holds a question. It ends at the end of its input.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from flows.core.chat import Usage
from flows.core.store import JournalFile
from flows.errors import FlowsError
from flows.library.ask.answer import AskAnswer
from flows.runners.local import make_folder, new_run_id
from flows.semantics.request import REQUEST
from flows.services.answer import answer_of
from flows.services.batch_messages import (
    BatchReply,
    WorkerQuestion,
    read_options,
    read_question,
)
from flows.services.questions import QuestionService

LONGEST: Final = 1 << 30


def main() -> int:
    """Answer questions until there are no more, or until it is told to end."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints is no reply
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it, who then ends it
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve(replies))
    return 0


async def _serve(replies: BinaryIO) -> None:
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await _answer_all(replies)
    finally:
        # A loop that closes with a handler complains of a signal that comes while it closes.
        loop.remove_signal_handler(signal.SIGTERM)


async def _answer_all(replies: BinaryIO) -> None:
    requests = await _standard_input()
    options = read_options(await requests.readline())
    try:
        file = _journal(Path(options.runs))
        service = QuestionService(options.options, file=file, most=options.open)
        at_once = service.most_at_once()
    except FlowsError as error:
        _send(replies, {"refused": str(error)})
        return
    _send(replies, {"at_once": at_once})
    server = _Server(service, replies, explain=options.explain)
    try:
        async with asyncio.TaskGroup() as group:
            while line := await requests.readline():
                group.create_task(server.answer(read_question(line)))
    finally:
        await service.aclose()
        file.close()


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    return reader


def _journal(runs: Path) -> JournalFile:
    """The file that all runs of this process are recorded in. Errors: `UsageError`."""
    folder = runs / f"batch-{new_run_id()}"
    make_folder(folder)
    return JournalFile(folder, new=True, durability="normal", grouped=True)


class _Server:
    def __init__(self, service: QuestionService, replies: BinaryIO, *, explain: bool) -> None:
        self._service = service
        self._replies = replies
        self._explain = explain

    async def answer(self, question: WorkerQuestion) -> None:
        started = time.perf_counter()
        usage = Usage()
        try:
            result = await self._service.ask(question.request)
            usage = result.usage
            answer = answer_of(result, explain=self._explain)
        except FlowsError as error:
            answer = self._failure(str(error))
        except Exception as error:  # noqa: BLE001 - one question must not take others with it
            answer = self._failure(f"{type(error).__name__}: {error}")
        seconds = round(time.perf_counter() - started, 6)
        expected = None
        if question.expected:
            expected = await self._service.expected(question.expected, question.request)
        elif question.expected_request:
            wanted = REQUEST.validate_json(question.expected_request)
            expected = await self._service.expected_of(wanted, question.request)
        reply = BatchReply(question.number, answer, seconds, expected, usage)
        _send(self._replies, reply.as_json())

    def _failure(self, reason: str) -> AskAnswer:
        return AskAnswer.failure(reason, explain=self._explain)


def _send(replies: BinaryIO, message: dict[str, Any]) -> None:
    """Write a line. When whoever asked is gone, its input has ended too, and so does this."""
    try:
        replies.write(json.dumps(message, default=str).encode() + b"\n")
        replies.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())  # what is left is dropped


if __name__ == "__main__":
    sys.exit(main())
