"""`flows mcp --http`: the same tools on the loopback, for whoever has the token."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from tests.cli.command import environment
from tests.web.mcp.client import MODES, Person, answering, asking, text_of
from tests.web.mcp.test_stdio import handshake, until
from tests.web.own_flows import log, write_flows

TOKEN = "a-token-of-a-test-0123"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


class Listening:
    """A running `flows mcp --http`."""

    def __init__(self, process: subprocess.Popen[str], url: str, folder: Path) -> None:
        self.process, self.url, self.folder = process, url, folder

    @asynccontextmanager
    async def client(
        self, mode: str, person: Person | None = None, token: str = TOKEN
    ) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, elicitation_callback=asking(person), mode=mode) as client:
                yield client


@contextmanager
def listening_in(folder: Path, port: int = 0, **env: str) -> Iterator[Listening]:
    """The command in the folder `work` of a folder, with the token of these tests, or others."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    arguments = write_flows(work)
    with (folder / "log.txt").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", "mcp", *arguments, "--http", "--port", str(port),
             "--folder", "work"],
            cwd=folder, env=environment(**(env or {"FLOWS_TOKEN": TOKEN})), stdout=subprocess.PIPE,
            stderr=errors, text=True,
        )  # fmt: skip
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), (folder / "log.txt").read_text()
        yield Listening(process, url, work)
        assert "Traceback" not in (folder / "log.txt").read_text()
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(60)
        process.stdout.close()


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    with listening_in(tmp_path) as found:
        yield found


@pytest.mark.long("a server in a process of its own")
def test_nothing_is_told_without_the_token_or_to_another_site(listening: Listening) -> None:
    host = listening.url.split("/")[2]
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}
    with httpx.Client(trust_env=False) as client:
        for changed, code in (
            ({"Authorization": ""}, 401),
            ({"Authorization": "Bearer wrong-token-of-someone"}, 401),
            ({"Host": "evil.example"}, 403),
            ({"Host": f"evil.example:{host.partition(':')[2]}"}, 403),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
        ):
            reply = client.post(listening.url, json=PING, headers={**headers, **changed})
            assert reply.status_code == code, (changed, reply.text)
        large = client.post(listening.url, content=b" " * 17_000_000, headers=headers)
        assert large.status_code == 413
        for odd in (b"{", b"[]", b'"x"', b'{"jsonrpc": "2.0"}', b"[" * 100_000):
            reply = client.post(
                listening.url, content=odd, headers={**headers, "Content-Type": "application/json"}
            )
            assert 400 <= reply.status_code < 500, (odd[:20], reply.status_code)
        assert client.get(listening.url.replace("/mcp", "/api/flows"), headers=headers).is_error


@pytest.mark.long("a server in a process of its own")
def test_clients_of_both_protocols_call_ask_and_vanish(listening: Listening) -> None:
    async def use() -> None:
        async with listening.client(MODES[0], answering("blue")) as new:
            async with listening.client(MODES[1], answering("red")) as old:
                said = await asyncio.gather(
                    *(each.call_tool("asks", {"what": "Which one?"}) for each in (new, old))
                )
                assert [text_of(each) for each in said] == ["blue", "red"]
                call = asyncio.create_task(old.call_tool("slow", {"seconds": 300}))
                await until(lambda: log(listening.folder).count("begun") == 1)
                call.cancel()
                await until(lambda: log(listening.folder).count("stopped") == 1)
            vanishing = asyncio.create_task(gone(listening))
            await until(lambda: log(listening.folder).count("begun") == 2)
            vanishing.cancel()
            await until(lambda: log(listening.folder).count("stopped") == 2)
            assert text_of(await new.call_tool("louder", {"text": "here"})) == "HERE"

    asyncio.run(use())
    listening.process.send_signal(signal.SIGTERM)
    assert listening.process.wait(60) == 0


@pytest.mark.long("a server in a process of its own")
def test_a_person_who_cancels_leaves_the_run_waiting(listening: Listening) -> None:
    def cancelling(message: str, schema: object) -> ElicitResult:
        del message, schema
        return ElicitResult(action="cancel")

    async def use() -> None:
        for mode in MODES:
            async with listening.client(mode, cancelling) as client:
                waiting = await client.call_tool("asks", {"what": "Which one?"})
                assert waiting.structured_content["status"] == "waiting"
                run = waiting.structured_content["run"]
                ended = await client.call_tool("answer", {"run": run, "answer": "green"})
                assert text_of(ended) == "green"

    asyncio.run(use())


@pytest.mark.long("a server in a process of its own")
def test_a_stream_that_is_cut_is_taken_up_again_by_its_session_alone(listening: Listening) -> None:
    """A client of the protocol before, whose connection breaks while its call runs."""
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    with httpx.Client(trust_env=False, timeout=60) as client:

        def session() -> dict[str, str]:
            begin, ready, _ = handshake("slow", {}, version="2025-11-25")
            reply = client.post(listening.url, json=begin, headers=headers)
            mine = {**headers, "Mcp-Session-Id": reply.headers["mcp-session-id"]}
            client.post(listening.url, json=ready, headers=mine)
            return mine

        mine, other = session(), session()
        call = handshake("slow", {"seconds": 1.5})[2]
        with client.stream("POST", listening.url, json=call, headers=mine) as stream:
            lines = stream.iter_lines()
            first = next(line for line in lines if line.startswith("id: "))[4:]
        for each, found in ((other, False), (mine, True)):
            again = {**each, "Last-Event-ID": first}
            with client.stream("GET", listening.url, headers=again) as stream:
                lines = stream.iter_lines()
                answers = (line for line in lines if '"structuredContent"' in line)
                assert (next(answers, None) is not None) is found
    assert log(listening.folder).count("begun") == 1
    assert "stopped" not in log(listening.folder)


async def gone(listening: Listening) -> None:
    """A call whose client goes away without a word."""
    async with listening.client(MODES[0]) as client:
        await client.call_tool("slow", {"seconds": 300})
