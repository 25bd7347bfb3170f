"""Over HTTP a run is its token's alone, also when the server was killed and started again."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx
from mcp import Client, MCPError
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    ResourceTemplateReference,
)

from flows.web.mcp.resources import RUN_TEMPLATE
from flows.web.mcp.tasks import EXTENSION
from tests.web.mcp.client import MODES, text_of
from tests.web.mcp.test_http import TOKEN, Listening, listening_in
from tests.web.mcp.test_stdio import handshake
from tests.web.page.browsing import free_port

OTHER = "a-token-of-someone-else-0123"
READER = "a-token-without-answers-0123"
TOKENS = json.dumps(
    [
        {"name": "mine", "token": TOKEN, "open_runs": 1},
        {"name": "other", "token": OTHER},
        {"name": "reader", "token": READER, "scopes": ["run", "read"]},
    ]
)
VERSION = "2026-07-28"


async def refusal(call: Any) -> str:
    with pytest.raises(MCPError) as refused:
        await call
    return str(refused.value)


async def cannot_reach(client: Client, run: str) -> None:
    """A run is as one that is not there."""
    told = f"there is no run '{run}'"
    uri = f"flows://run/{run}"
    answered = await client.call_tool("answer", {"run": run, "answer": "stolen"})
    assert (answered.is_error, text_of(answered)) == (True, told)
    assert told in await refusal(client.read_resource(uri))
    assert told in await refusal(client.read_resource(f"{uri}/artifact/rows"))
    reference = ResourceTemplateReference(uri=RUN_TEMPLATE)
    found = await client.complete(reference, {"name": "run", "value": ""})
    assert run not in found.completion.values


@pytest.mark.long("a server in a process of its own")
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")  # of the protocols before
def test_a_run_is_its_tokens_alone(tmp_path: Path) -> None:
    async def use(listening: Listening) -> None:
        for mode in MODES:
            async with (
                listening.client(mode) as mine,
                listening.client(mode, token=OTHER) as other,
                listening.client(mode, token=READER) as reader,
            ):
                run = (await mine.call_tool("asks", {"what": "Which?"})).structured_content["run"]
                await cannot_reach(other, run)
                if mode == "legacy":
                    told = f"there is no run '{run}'"
                    assert told in await refusal(other.subscribe_resource(f"flows://run/{run}"))
                said = await mine.call_tool("answer", {"run": run, "answer": "blue"})
                assert text_of(said) == "blue"
                run = (await reader.call_tool("asks", {"what": "Which?"})).structured_content["run"]
                said = await reader.call_tool("answer", {"run": run, "answer": "blue"})
                assert text_of(said) == "the token reader lacks the scope answer"
                calls = [mine.call_tool("slow", {"seconds": 1}) for _ in range(2)]
                ended = [each.is_error for each in await asyncio.gather(*calls)]
                assert sorted(ended) == [False, True]  # one open run is what the token may have

    with listening_in(tmp_path, FLOWS_TOKENS=TOKENS) as listening:
        asyncio.run(use(listening))


def modern(listening: Listening, method: str, params: dict[str, Any], **headers: str) -> Any:
    """The answer to a request of a client that takes tasks."""
    meta = {
        PROTOCOL_VERSION_META_KEY: VERSION,
        CLIENT_INFO_META_KEY: {"name": "test", "version": "1"},
        CLIENT_CAPABILITIES_META_KEY: {"extensions": {EXTENSION: {}}},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    sent = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
        "Mcp-Name": str(params.get("name") or params.get("taskId")),
        **headers,
    }
    reply = httpx.post(listening.url, json=body, headers=sent, timeout=60, trust_env=False)
    lines = [line[6:] for line in reply.text.splitlines() if line.startswith("data: {")]
    return json.loads(lines[-1] if lines else reply.text)


@pytest.mark.long("a server in a process of its own, killed and started again")
def test_a_session_ends_with_its_server_and_a_task_does_not(tmp_path: Path) -> None:
    port = free_port()
    begin, ready, _ = handshake("slow", {}, version="2025-11-25")
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    call = {"name": "slow", "arguments": {"seconds": 2}}
    with listening_in(tmp_path, port) as listening, httpx.Client(trust_env=False) as client:
        begun = client.post(listening.url, json=begin, headers=headers)
        mine = {**headers, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
        client.post(listening.url, json=ready, headers=mine)
        task = modern(listening, "tools/call", call)["result"]
        assert task["status"] == "working"
        listening.process.kill()
        listening.process.wait(60)
    with listening_in(tmp_path, port) as listening, httpx.Client(trust_env=False) as client:
        again = {**mine, "Last-Event-ID": "1"}
        for reply in (
            client.get(listening.url, headers=again),
            client.post(listening.url, json=handshake("slow", {})[2], headers=mine),
        ):
            assert (reply.status_code, reply.json()["error"]["message"]) == (
                404, "Session not found",
            )  # fmt: skip
        named = {"taskId": task["taskId"]}
        end = time.monotonic() + 60
        while (found := modern(listening, "tasks/get", named))["result"]["status"] == "working":
            assert time.monotonic() < end
            time.sleep(0.1)
        assert found["result"]["status"] == "completed"
        assert found["result"]["result"]["structuredContent"]["outputs"] == {"waited": 2.0}


@pytest.mark.long("a server in a process of its own")
def test_a_session_and_a_task_are_their_tokens_alone(tmp_path: Path) -> None:
    begin, ready, call = handshake("louder", {"text": "x"}, version="2025-11-25")
    accept = {"Accept": "application/json, text/event-stream"}
    mine, other = ({**accept, "Authorization": f"Bearer {each}"} for each in (TOKEN, OTHER))
    with (
        listening_in(tmp_path, FLOWS_TOKENS=TOKENS) as listening,
        httpx.Client(trust_env=False) as client,
    ):
        begun = client.post(listening.url, json=begin, headers=mine)
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        client.post(listening.url, json=ready, headers={**mine, **session})
        codes = [
            client.post(listening.url, json=call, headers={**each, **session}).status_code
            for each in (other, mine)
        ]
        assert codes == [404, 200]
        task = modern(listening, "tools/call", {"name": "slow", "arguments": {"seconds": 30}})
        named = {"taskId": task["result"]["taskId"]}
        for method in ("tasks/get", "tasks/cancel"):
            stolen = modern(listening, method, named, Authorization=f"Bearer {OTHER}")
            assert "there is no run" in stolen["error"]["message"]
        assert "error" not in modern(listening, "tasks/cancel", named)
        assert modern(listening, "tasks/get", named)["result"]["status"] == "cancelled"
