"""What `flows mcp` offers beside tools, with the official client: prompts, resources at addresses
of their own, completion, log messages, subscriptions, and the client's model."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, MCPError
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated, listen
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CreateMessageRequestParams,
    CreateMessageResult,
    EmbeddedResource,
    ImageContent,
    LoggingMessageNotificationParams,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from flows.web.mcp.tools import tool_name
from tests.cli.command import environment, flows
from tests.web.mcp.client import MODES, connected, server_parameters, text_of
from tests.web.mcp.test_stdio import handshake, until
from tests.web.own_flows import log, write_flows

TOOLS = Path(__file__).with_name("conformance") / "tools.py"


def files_in(folder: Path, **files: str) -> list[str]:
    """Write run files beside the flows of the suite; returns the arguments of the command."""
    (folder / "tools.py").write_text(TOOLS.read_text("utf-8"), "utf-8")
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(f"_target_: ./tools.py:{text}\n", "utf-8")
    return [*(f"{name}.yaml" for name in files), "--trust", "./tools.py"]


@asynccontextmanager
async def client_of(folder: Path, *arguments: str, **more: Any) -> AsyncIterator[Client]:
    transport = stdio_client(server_parameters(folder, arguments))
    async with Client(transport, **more) as client:
        yield client


async def stands(client: Client, run: str) -> str:
    """The status of a run, by its resource."""
    read = await client.read_resource(f"flows://run/{run}", cache_mode="bypass")
    [content] = read.contents
    assert isinstance(content, TextResourceContents)
    return str(json.loads(content.text)["status"])


async def wait_for_updates(client: Client, uri: str) -> None:
    """Subscribe to an address, as the client's protocol has it."""
    if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
        async with listen(client.session, resource_subscriptions=[uri]):
            return
    await client.subscribe_resource(uri)


@pytest.mark.long("servers in processes of their own")
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")  # of the protocols before
@pytest.mark.parametrize("mode", MODES)
def test_flows_are_prompts_and_resources_and_their_arguments_are_completed(
    tmp_path: Path, mode: str
) -> None:
    arguments = files_in(
        tmp_path,
        pick="with_arguments\nmcp: {kind: prompt}",
        shown="Picture\nmcp: {kind: prompt}",
        broken="error_handling\nmcp: {kind: prompt}",
        data='data_of\nmcp: {kind: resource, uri: "shop://data/{key}"}',
        point='Picture\nmcp: {kind: resource, uri: "shop://point"}',
        several="Several",
        sound="Sound",
    )

    async def use() -> None:
        async with client_of(tmp_path, *arguments, mode=mode) as client:
            names = [each.name for each in (await client.list_tools()).tools]
            assert names == ["several", "sound", "answer"]
            prompts = {each.name: each for each in (await client.list_prompts()).prompts}
            assert set(prompts) == {"pick", "shown", "broken"}
            needed = {each.name: each.required for each in prompts["pick"].arguments or ()}
            assert needed == {"arg1": True, "arg2": True}
            said = await client.get_prompt("pick", {"arg1": "testing", "arg2": "two"})
            [message] = said.messages
            assert isinstance(message.content, TextContent)
            assert message.content.text == "Prompt with arguments: arg1='testing', arg2='two'"
            kinds = [each.content.type for each in (await client.get_prompt("shown")).messages]
            assert kinds == ["text", "image"]
            for name, given, why in (
                ("pick", {"arg1": "testing"}, "missing input 'arg2'"),
                ("broken", {}, "intentionally"),
                ("none", {}, "there is no prompt 'none'; the prompts: pick, shown, broken"),
            ):
                with pytest.raises(MCPError, match=why):
                    await client.get_prompt(name, given)

            listed, *_ = (await client.list_resources()).resources
            assert listed.uri == "shop://point"
            [point] = (await client.read_resource("shop://point")).contents
            assert isinstance(point, BlobResourceContents)
            assert (point.mime_type, base64.b64decode(point.blob)[:4]) == ("image/png", b"\x89PNG")
            [read] = (await client.read_resource("shop://data/7%20up")).contents
            assert isinstance(read, TextResourceContents)
            assert json.loads(read.text)["id"] == "7 up"
            templates = (await client.list_resource_templates()).resource_templates
            assert "shop://data/{key}" in [each.uri_template for each in templates]
            for uri in ("shop://point", "shop://data/7"):
                with pytest.raises(MCPError, match="there are no updates of it"):
                    await wait_for_updates(client, uri)

            several = await client.call_tool("several", {})
            kinds = [each.type for each in several.content]
            assert kinds == ["text", "image", "resource_link", "resource"]
            assert isinstance(several.content[1], ImageContent)
            assert isinstance(several.content[3], EmbeddedResource)
            sound = (await client.call_tool("sound", {})).content
            assert isinstance(sound[1], AudioContent)
            assert sound[1].mime_type == "audio/wav"

            first = PromptReference(name="pick")
            found = await client.complete(first, {"name": "arg1", "value": "testi"})
            assert found.completion.values == ["testing"]
            found = await client.complete(first, {"name": "arg2", "value": ""})
            assert found.completion.values == []
            run = several.structured_content["run"]
            at = ResourceTemplateReference(uri="flows://run/{run}/artifact/{name}{?rows}")
            found = await client.complete(at, {"name": "run", "value": run})
            assert found.completion.values == [run]
            found = await client.complete(at, {"name": "name", "value": "da"}, {"run": run})
            assert [each.startswith("data-") for each in found.completion.values] == [True]

    asyncio.run(use())


@pytest.mark.long("servers in processes of their own")
@pytest.mark.parametrize("mode", MODES)
def test_the_model_of_the_client_answers_and_is_recorded(tmp_path: Path, mode: str) -> None:
    asked: list[CreateMessageRequestParams] = []

    async def answer(_: object, params: CreateMessageRequestParams) -> CreateMessageResult:
        asked.append(params)
        return CreateMessageResult(
            role="assistant", content=TextContent(text="Paris."), model="theirs-1"
        )

    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "say.j2").write_text("{#- variables: what -#}\n{{ what }}\n", "utf-8")
    (tmp_path / "say.yaml").write_text("_target_: chat\nhuman_prompt: say.j2\n", "utf-8")

    async def use() -> str:
        async with client_of(
            tmp_path, "say.yaml", "model=client", mode=mode, sampling_callback=answer
        ) as client:
            said = await client.call_tool("say", {"what": "The capital of France?"})
            assert "Paris." in text_of(said)
            return str(said.structured_content["run"])

    async def without() -> None:
        async with client_of(tmp_path, "say.yaml", "model=client", mode=mode) as client:
            with pytest.raises(MCPError, match="asks the model of the client"):
                await client.call_tool("say", {"what": "The capital of France?"})

    run = asyncio.run(use())
    [params] = asked
    assert params.max_tokens == 4_096
    assert "The capital of France?" in str(params.messages[0].content)
    asyncio.run(without())
    shown = flows("show", run, "--json", cwd=tmp_path).json()
    assert shown["usage"]["model_calls"] == 1
    elsewhere = flows("run", "say.yaml", "model=client", "inputs.what=x", cwd=tmp_path)
    assert elsewhere.code == 3
    assert "no client waits for this run" in " ".join(elsewhere.out.split())


@pytest.mark.long("a server in a process of its own")
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")  # of the protocols before
def test_a_client_asks_for_log_messages_and_hears_no_others(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []

    async def hear(params: LoggingMessageNotificationParams) -> None:
        told.append((params.level, str(params.data)))

    arguments = files_in(tmp_path, talks="Talks", fails="error_handling")

    async def use() -> None:
        async with client_of(tmp_path, *arguments, mode="legacy", logging_callback=hear) as client:
            await client.call_tool("talks", {})
            assert told == []
            await client.set_logging_level("info")
            await client.call_tool("talks", {})
            assert [text for _, text in told] == [
                "Tool execution started", "Tool processing data", "Tool execution completed",
            ]  # fmt: skip
            await client.set_logging_level("error")
            await client.call_tool("talks", {})
            await client.call_tool("fails", {})
            assert [level for level, _ in told] == ["info"] * 3 + ["error"]

    asyncio.run(use())


@pytest.mark.long("servers in processes of their own")
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")  # of the protocols before
def test_a_client_that_subscribes_to_a_run_is_told_when_it_goes_on(tmp_path: Path) -> None:
    async def heard_by_stream() -> None:
        async with connected(tmp_path) as client:
            run = (await client.call_tool("asks", {"what": "Which?"})).structured_content["run"]
            uri = f"flows://run/{run}"
            async with listen(client.session, resource_subscriptions=[uri]) as stream:
                await client.call_tool("answer", {"run": run, "answer": "red"})
                event = await asyncio.wait_for(anext(aiter(stream)), 30)
                assert event == ResourceUpdated(uri=uri)
            assert await stands(client, run) == "finished"

    async def heard_by_session() -> None:
        told: list[str] = []

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                told.append(str(message.params.uri))

        arguments = write_flows(tmp_path)
        async with client_of(tmp_path, *arguments, mode="legacy", message_handler=hear) as client:
            run = (await client.call_tool("asks", {"what": "Which?"})).structured_content["run"]
            uri = f"flows://run/{run}"
            await client.subscribe_resource(uri)
            await client.call_tool("answer", {"run": run, "answer": "red"})
            await until(lambda: uri in told)
            await client.unsubscribe_resource(uri)

    asyncio.run(heard_by_stream())
    asyncio.run(heard_by_session())


@pytest.mark.long("servers in processes of their own, of which one is killed")
def test_a_killed_server_goes_on_with_its_run_when_it_is_started_again(tmp_path: Path) -> None:
    arguments = write_flows(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "mcp", *arguments],
        cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for each in handshake("slow", {"seconds": 1}):
            process.stdin.write(json.dumps(each).encode() + b"\n")
            process.stdin.flush()
        asyncio.run(until(lambda: "begun" in log(tmp_path)))
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
        process.stdin.close()
        process.stdout.close()
    run = log(tmp_path).split()[1]

    async def use() -> None:
        async with connected(tmp_path, *arguments) as client:
            for _ in range(300):
                if await stands(client, run) == "finished":
                    return
                await asyncio.sleep(0.1)
            raise AssertionError("the run did not go on")

    asyncio.run(use())


@pytest.mark.long("servers in processes of their own")
@pytest.mark.parametrize("mode", MODES)
def test_a_question_for_an_object_is_a_form_with_its_fields(tmp_path: Path, mode: str) -> None:
    from mcp_types import ElicitResult

    seen: list[dict[str, Any]] = []

    def person(_: str, schema: dict[str, Any]) -> ElicitResult:
        seen.append(schema["properties"])
        return ElicitResult(action="accept", content={"name": "Ann", "age": 7})

    arguments = files_in(
        tmp_path,
        who="Asks\ninputs: {fields: {name: {type: string}, age: {type: integer, default: 30}}}",
    )

    async def use() -> None:
        async with connected(tmp_path, *arguments, mode=mode, person=person) as client:
            said = await client.call_tool("who", {})
            assert json.loads(said.structured_content["outputs"]["said"]) == {
                "name": "Ann", "age": 7,
            }  # fmt: skip

    asyncio.run(use())
    assert seen == [{"name": {"type": "string"}, "age": {"type": "integer", "default": 30}}]


def test_a_tool_has_a_name_that_clients_take_and_that_is_its_own() -> None:
    names = ["sales", "my sales", "продажи", "销售", "отчёт-2024", "Größe", "déjà_vu", "x" * 200]
    made = [tool_name(each) for each in names]
    assert made[:2] == ["sales", "my_sales"]
    assert made[6] == "deja_vu"
    assert len(set(made)) == len(names)
    for each in made:
        assert each.isascii()
        assert 0 < len(each) <= 64
        assert all(sign.isalnum() or sign in "_.-" for sign in each)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("{kind: resource}", "a resource needs a uri"),
        ("{kind: prompt, uri: 'a://b'}", "uri is for kind: resource"),
        ("{kind: tol}", "allowed: tool, prompt, resource"),
    ],
)
def test_what_is_wrong_under_mcp_is_told_with_its_line(
    tmp_path: Path, keys: str, said: str
) -> None:
    (tmp_path / "a.yaml").write_text(f"defaults: [ask, _self_]\nmcp: {keys}\n", "utf-8")
    ended = flows("check", "a.yaml", cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err + ended.out
    assert "a.yaml:2" in ended.err + ended.out
