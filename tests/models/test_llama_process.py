"""A real small model in a process of llama.cpp: the contract, its schema, its life and its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from flows.core.chat import ChatReply, ChatRequest, Message
from flows.core.reply import Reply, ReplySchema
from flows.errors import ModelRefused
from flows.models.llama.messages import ServerSettings
from flows.models.llama.model import LlamaModel
from flows.models.llama.server import LlamaProcess, shared_server, size_of, stop_servers
from flows.sandbox.processes import seen
from tests.contracts.chat_model import ChatModelContract, Subject, ask
from tests.models.small_model import small_model

FOUND = small_model()
MODEL = FOUND or Path("none.gguf")
pytestmark = [
    pytest.mark.long("a real language model is loaded, and writes"),
    pytest.mark.skipif(FOUND is None, reason="xllamacpp and the small model are not installed"),
]
CONTEXT = 1024


class Choice(Reply):
    colour: Literal["amber", "crimson"]
    sure: bool


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    stop_servers()


def model(**settings: Any) -> LlamaModel:
    given = {"path": MODEL, "threads": 1, "context_length": CONTEXT, **settings}
    return LlamaModel(LlamaModel.Config.model_validate(given))


def settings() -> ServerSettings:
    size, changed = size_of(MODEL)
    return ServerSettings(
        path=MODEL, size=size, changed=changed, context=CONTEXT, parallel=1, threads=1,
        gpu_layers=0,
    )  # fmt: skip


def process() -> LlamaProcess:
    """The process that models of these settings share."""
    server = shared_server(settings())
    try:
        return server.process(60)
    finally:
        server.release(60)


def of_choice(text: str) -> ChatRequest:
    return replace(ask(text, json_reply=True), schema=ReplySchema.of(Choice))


def is_gone(pid: int) -> bool:
    found = seen(pid)
    return found is None or found.state in "ZX"


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + 60
    while not is_gone(pid):
        assert time.monotonic() < until, f"{pid} is still there"
        time.sleep(0.05)


class TestLlama(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        yield Subject(
            model(),
            plain=replace(ask("Say hello."), max_tokens=None),
            json=of_choice("Which colour? Reply in JSON."),
            refused=ask("word " * 2 * CONTEXT),
        )


def test_whatever_is_asked_the_reply_is_of_the_schema() -> None:
    async def work() -> list[ChatReply]:
        asked = model(temperature=1.5)
        texts = ("Tell me a story.", "Reply with the word NO and nothing else.", "blue? {]")
        return [await asked.reply(of_choice(each)) for each in texts]

    for reply in asyncio.run(work()):
        assert reply.finish == "stop"
        Choice.model_validate_json(reply.text)


def test_a_prompt_that_is_too_long_is_refused_with_both_numbers() -> None:
    with pytest.raises(ModelRefused, match=r"has 2\d{3} tokens, and the context of .* 1024"):
        asyncio.run(model().reply(ask("word " * 2 * CONTEXT)))


def test_runs_of_one_process_share_it_and_the_last_ends_it() -> None:
    async def work() -> tuple[list[int], int]:
        first, second = model(keep_alive=0), model(keep_alive=0)
        await asyncio.gather(first.reply(of_choice("One")), second.reply(of_choice("Two")))
        pids = [process().pid]
        await first.aclose()
        await second.reply(of_choice("Three"))
        pids.append(process().pid)
        await second.aclose()
        return pids, pids[0]

    stop_servers()
    pids, pid = asyncio.run(work())
    assert pids == [pid, pid]
    stop_servers()
    wait_until_gone(pid)


def test_a_process_that_dies_under_a_request_is_replaced_and_nothing_is_said_twice() -> None:
    heard: list[str] = []
    killed: list[int] = []

    def hear(piece: str) -> None:
        heard.append(piece)
        if len(heard) == 4 and not killed:
            killed.append(process().pid)
            os.kill(killed[0], signal.SIGKILL)

    async def work() -> ChatReply:
        request = ChatRequest(messages=(Message(role="user", content="Tell a story of a fox."),))
        return await model().reply(replace(request, max_tokens=20), hear)

    reply = asyncio.run(work())
    assert killed
    assert process().pid != killed[0]
    assert "".join(heard) == reply.text


def test_nobody_without_the_key_is_answered() -> None:
    address = process().address
    asked = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    for headers in ({}, {"Authorization": "Bearer guess"}):
        answer = httpx.post(f"{address.base_url}/chat/completions", json=asked, headers=headers)
        assert answer.status_code == 401
    command = Path(f"/proc/{process().pid}/cmdline").read_bytes()
    assert address.key.encode() not in command


def test_a_file_that_llama_cpp_cannot_load_is_told_with_its_words(tmp_path: Path) -> None:
    from tests.models.gguf_files import write_gguf

    request = ChatRequest(messages=(Message(role="user", content="Hello"),))
    asked = LlamaModel(LlamaModel.Config(path=write_gguf(tmp_path / "odd.gguf")))
    with pytest.raises(ModelRefused, match=r"odd\.gguf"):
        asyncio.run(asked.reply(request))


HOLDER = """\
import asyncio, sys
from pathlib import Path
from flows.core.chat import ChatRequest, Message
from flows.models.llama.model import LlamaModel
async def main():
    config = {"path": sys.argv[1], "threads": 1, "context_length": 1024}
    model = LlamaModel(LlamaModel.Config.model_validate(config))
    request = ChatRequest(messages=(Message(role="user", content="Hello"),), max_tokens=2)
    await model.reply(request)
    print(model._process.pid, flush=True)
    if sys.argv[2] == "wait":
        await asyncio.sleep(300)
asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["wait", "end"])
def test_no_process_outlives_who_started_it(way: str) -> None:
    """One that is killed, and one that ends without having closed its model."""
    command = [sys.executable, "-c", HOLDER, str(MODEL), way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        pid = int(holder.stdout.readline())
        if way == "wait":
            assert not is_gone(pid)
            holder.kill()
    wait_until_gone(pid)


def test_one_that_is_killed_while_the_model_is_loaded_leaves_nothing() -> None:
    found: list[int] = []

    def look(holder: int) -> None:
        until = time.monotonic() + 60
        while not found and time.monotonic() < until:
            tasks = Path(f"/proc/{holder}/task").glob("*/children")
            found.extend(int(pid) for each in tasks for pid in each.read_text().split())

    command = [sys.executable, "-c", HOLDER, str(MODEL), "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        watcher = threading.Thread(target=look, args=(holder.pid,))
        watcher.start()
        watcher.join()
        holder.kill()
    assert found
    for pid in found:
        wait_until_gone(pid)


def test_a_command_asks_it(tmp_path: Path) -> None:
    """The small model reads no question right; its proposal always parses, and the run ends."""
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,10\nSouth,5\n")
    command = [sys.executable, "-m", "flows", "ask", "What is the total revenue?"]
    options = ["--data", "sales.csv", "--model", f"llama:{MODEL}", "--json", "--by", "sql"]
    more = ["model.threads=1", "model.max_tokens=200", "tries=1", "corrections=0"]
    ended = subprocess.run(
        [*command, *options, *more], cwd=tmp_path, capture_output=True, text=True, timeout=110
    )
    found = json.loads(ended.stdout)
    assert ended.returncode in (0, 3, 4), ended.stderr
    assert "no JSON" not in found["reason"]
