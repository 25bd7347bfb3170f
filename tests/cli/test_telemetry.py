"""A run as OpenTelemetry spans: only when it is asked for, without what was said."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import flows as package
from flows.core.chat import ImagePart, Message, ToolCall
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.local import run_plan
from flows.ui.spans import Spans, message_of
from tests.cli.command import RUN_PY, environment, flows, python, run_py
from tests.cli.inside import CHAIN, write
from tests.shapes import SHAPES, Shape, plan_of

LOOP = """\
_target_: circular
name: Loop
max_rounds: 2
early_exit_key: null
input_interface: [question]
output_interface: [api_output]
model: {_target_: model.openai, model: small, base_url: URL, retry: {attempts: 1}}
subflows_config:
  inner:
    _target_: sequential
    input_interface: [question]
    output_interface: [api_output]
    subflows_config: {ask: {_target_: chat, retry: {attempts: 2, wait: 0.01}}}
    topology: [{goal: Ask, flow: ask}]
topology: [{goal: Go, flow: inner}]
inputs: {question: Marzipan}
"""


class Recorded:
    """Spans that were made, and the way to make them."""

    def __init__(self, *, content: bool = False) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.listener = Spans(provider, content=content)

    @property
    def all(self) -> list[ReadableSpan]:
        found = self._exporter.get_finished_spans()
        return sorted(found, key=lambda each: each.start_time or 0)

    def named(self, name: str) -> list[ReadableSpan]:
        return [each for each in self.all if each.name == name]

    def tree(self) -> list[str]:
        """Each span as the path of names from the root to it."""
        by_id = {each.context.span_id: each for each in self.all if each.context}
        return ["/".join(path_of(each, by_id)) for each in self.all]


def path_of(span: ReadableSpan, by_id: dict[int, ReadableSpan]) -> list[str]:
    above = path_of(by_id[span.parent.span_id], by_id) if span.parent else []
    return [*above, span.name]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    with FakeModel() as running:
        yield running


def run_loop(server: FakeModel, folder: Path, recorded: Recorded) -> Any:
    write(folder, LOOP.replace("URL", server.base_url))
    runs, listeners = [f"runs={folder}/runs"], [recorded.listener]
    return package.run(folder / "my.yaml", runs, listeners=listeners, trust=[server.base_url])


@pytest.mark.long("whole runs of the command")
def test_the_tree_and_the_names_of_the_conventions(server: FakeModel, tmp_path: Path) -> None:
    server.script(FakeAnswer("one"), FakeAnswer("two", finish="length"))
    recorded = Recorded()
    result = run_loop(server, tmp_path, recorded)
    assert result.status == "degraded", result.reason  # its last reply was cut
    one_round = ["round", "round/inner", "round/inner/ask", "round/inner/ask/chat small"]
    assert recorded.tree() == [
        "invoke_agent Loop",
        *(f"invoke_agent Loop/{each}" for each in one_round * 2),
    ]
    run, *_ = recorded.all
    assert attributes(run) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Loop",
        "gen_ai.conversation.id": result.run_id,
        "gen_ai.usage.input_tokens": 22,
        "gen_ai.usage.output_tokens": 14,
        "flows.run": result.run_id,
        "flows.seq": 1,
        "flows.resumed": False,
        "flows.status": "degraded",
    }
    first, second = recorded.named("chat small")
    assert (first.kind, first.status.status_code) == (SpanKind.CLIENT, StatusCode.UNSET)
    assert attributes(first) | {"flows.seq": 0} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.response.model": "small",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.conversation.id": result.run_id,
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 7,
        "flows.run": result.run_id,
        "flows.path": "inner#1/ask#1",
        "flows.round": 1,
        "flows.seq": 0,
    }
    assert attributes(second)["gen_ai.response.finish_reasons"] == ("length",)
    assert (attributes(second)["flows.path"], attributes(second)["flows.round"]) == (
        "inner#2/ask#1",
        2,
    )
    for span in recorded.all:
        assert span.start_time is not None
        assert span.end_time is not None
        assert span.start_time <= span.end_time <= (run.end_time or 0)
    assert "Marzipan" not in "".join(each.to_json() for each in recorded.all)


def test_what_was_said_is_there_when_it_is_asked_for(server: FakeModel, tmp_path: Path) -> None:
    server.script(FakeAnswer("one"), FakeAnswer("two"))
    recorded = Recorded(content=True)
    run_loop(server, tmp_path, recorded)
    _, second = recorded.named("chat small")
    asked = json.loads(attributes(second)["gen_ai.input.messages"])
    texts = [(each["role"], each["parts"][0]["content"]) for each in asked]
    assert texts == [("user", "Marzipan"), ("assistant", "one"), ("user", "Marzipan")]
    assert asked[0] == {"role": "user", "parts": [{"type": "text", "content": "Marzipan"}]}
    said = json.loads(attributes(second)["gen_ai.output.messages"])
    part = {"type": "text", "content": "two"}
    assert said == [{"role": "assistant", "parts": [part], "finish_reason": "stop"}]
    step = attributes(recorded.named("ask")[0])
    assert json.loads(step["flows.inputs"])["question"] == "Marzipan"
    assert json.loads(step["flows.outputs"])["api_output"] == "one"


def test_calls_of_functions_are_parts_of_what_was_said() -> None:
    call = ToolCall(id="c1", name="find", arguments={"key": "KT-2011"})
    told = message_of(Message(role="assistant", content="", tool_calls=(call,)))
    asked = {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"key": "KT-2011"}}
    assert told == {"role": "assistant", "parts": [asked]}
    result = message_of(Message(role="tool", content="found", tool_call_id="c1"))
    assert result["parts"] == [{"type": "tool_call_response", "id": "c1", "response": "found"}]
    images = (ImagePart(artifact="boot-1"), ImagePart(url="https://example.org/a.png"))
    shown = message_of(Message(role="user", content="Look.", images=images))
    assert shown["parts"] == [
        {"type": "text", "content": "Look."},
        {"type": "file", "file_id": "boot-1", "modality": "image"},
        {"type": "uri", "uri": "https://example.org/a.png", "modality": "image"},
    ]


def test_errors_and_retries(server: FakeModel, tmp_path: Path) -> None:
    server.script(
        FakeAnswer(status=503), FakeAnswer(status=401, body={"error": {"message": "wrong key"}})
    )
    recorded = Recorded()
    assert run_loop(server, tmp_path, recorded).status == "failed"
    first, second = recorded.named("chat small")
    assert attributes(first)["error.type"] == "ModelOverloaded"
    assert attributes(second)["error.type"] == "ModelRefused"
    assert "gen_ai.usage.input_tokens" not in attributes(second)
    [step] = recorded.named("ask")
    assert (step.status.status_code, attributes(step)["error.type"]) == (
        StatusCode.ERROR,
        "ModelRefused",
    )
    assert "wrong key" in (step.status.description or "")
    [retry] = step.events
    assert (retry.name, dict(retry.attributes or {})["flows.attempt"]) == ("flows.retrying", 1)
    [run] = recorded.named("invoke_agent Loop")
    assert (run.status.status_code, attributes(run)["flows.status"]) == (StatusCode.ERROR, "failed")
    [inner] = recorded.named("inner")  # the error went through it
    assert inner.end_time is not None


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_has_a_span_for_each_step(shape: Shape, tmp_path: Path) -> None:
    recorded = Recorded()
    steps: list[str] = []

    def count(event: Any) -> None:
        if type(event).__name__ == "StepStarted" and event.address:
            steps.append(event.address)

    plan = plan_of(shape.text, tmp_path)
    result = asyncio.run(run_plan(plan, journal=False, listeners=(recorded.listener, count)))
    assert (result.status, result.outputs) == (shape.status, shape.outputs)
    found = [each for each in recorded.all if "flows.reused" in attributes(each)]
    failed = [each for each in recorded.all if "error.type" in attributes(each)]
    paths = [attributes(each)["flows.path"] for each in (*found, *failed)]
    assert sorted(paths) == sorted(steps)
    roots = [each.name for each in recorded.all if each.parent is None]
    assert roots == [f"invoke_agent {plan.flow.name}"]
    assert recorded.listener._open == {}


@pytest.mark.long("whole runs of the command")
def test_nothing_is_imported_or_sent_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    code = (
        "import sys; from flows.cli.app import run_app; code = run_app(['run', 'my.yaml']); "
        "print(code, [each for each in sys.modules if each.startswith('opentelemetry')])"
    )
    ended = python("-c", code, cwd=tmp_path)
    assert ended.out.splitlines()[-1] == "0 []", ended.err


@pytest.mark.long("the whole demo, with its spans")
def test_the_environment_asks_for_them(tmp_path: Path) -> None:
    env = environment(OTEL_TRACES_EXPORTER="console", OTEL_SERVICE_NAME="mine")
    ended = run_py("human=never", "--json", cwd=tmp_path, env=env)
    assert ended.code == 0, ended.err
    names = [line.split('"')[3] for line in ended.err.splitlines() if line.startswith('    "name"')]
    assert names.count("chat offline") == 6
    assert names.count("round") == 5
    assert names[-1] == "invoke_agent Demo"
    assert '"service.name": "mine"' in ended.err
    assert "gen_ai.input.messages" not in ended.err
    assert ended.json()["status"] == "finished"  # which stands alone


class Collector:
    """A collector of spans over gRPC on a loopback port, as the exporter of the SDK speaks to."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self._server = grpc.server(ThreadPoolExecutor(2))
        export = grpc.unary_unary_rpc_method_handler(
            self._export,
            request_deserializer=ExportTraceServiceRequest.FromString,
            response_serializer=ExportTraceServiceResponse.SerializeToString,
        )
        service = "opentelemetry.proto.collector.trace.v1.TraceService"
        handler = grpc.method_handlers_generic_handler(service, {"Export": export})
        self._server.add_generic_rpc_handlers((handler,))
        self.url = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def _export(
        self, request: ExportTraceServiceRequest, context: object
    ) -> ExportTraceServiceResponse:
        self.requests.append(request)
        return ExportTraceServiceResponse()

    def __enter__(self) -> Collector:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(0).wait()


@pytest.mark.long("the whole demo, with its spans")
def test_they_arrive_at_a_collector(tmp_path: Path) -> None:
    with Collector() as collector:
        env = environment(
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true",
        )
        ended = run_py("human=never", "--json", cwd=tmp_path, env=env)
    assert ended.code == 0, ended.err
    resources = [each for request in collector.requests for each in request.resource_spans]
    for resource in resources:
        named = {each.key: each.value.string_value for each in resource.resource.attributes}
        assert named["service.name"] == "flows"
    scopes = [scope for resource in resources for scope in resource.scope_spans]
    spans = [each for scope in scopes for each in scope.spans]
    [root] = [each for each in spans if not each.parent_span_id]
    assert root.name == "invoke_agent Demo"
    assert {each.trace_id for each in spans} == {root.trace_id}
    chats = [each for each in spans if each.name == "chat offline"]
    assert all("gen_ai.input.messages" in {a.key for a in each.attributes} for each in chats)
    assert ended.json()["run_id"] in {a.value.string_value for a in root.attributes}


@pytest.mark.long("the whole demo, with its spans")
def test_a_provider_of_the_process_is_used(tmp_path: Path) -> None:
    """As under `opentelemetry-instrument`, which gives the process a provider before it begins."""
    code = f"""
import sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
trace.set_tracer_provider(provider)
sys.argv = ["run.py", "human=never", "--events", "events.jsonl"]
import runpy
runpy.run_path({str(RUN_PY)!r}, run_name="__main__")
"""
    ended = python("-c", code, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert '"name": "invoke_agent Demo"' in ended.err
    assert "SpanKind" not in ended.out


@pytest.mark.long("whole runs of the command")
def test_what_cannot_be_had_is_said_and_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    env = environment(OTEL_TRACES_EXPORTER="zipkin")
    ended = flows("run", "my.yaml", "--json", cwd=tmp_path, env=env)
    assert (ended.code, ended.json()["status"]) == (0, "finished")
    said = "no spans are sent: the exporter zipkin is not installed; run: pip install "
    assert ended.err.count(f"{said}opentelemetry-exporter-zipkin") == 1
    for switched_off in ({"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_TRACES_EXPORTER": ""}):
        ended = flows("run", "my.yaml", "--json", cwd=tmp_path, env=environment(**switched_off))
        assert (ended.code, "span" in ended.err) == (0, False)


def test_an_endpoint_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    with socket.socket() as taken:  # bound and not listening: it refuses
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        env = environment(OTEL_EXPORTER_OTLP_ENDPOINT=url, OTEL_EXPORTER_OTLP_TIMEOUT="1")
        ended = flows("run", "my.yaml", "--json", cwd=tmp_path, env=env)
    assert (ended.code, ended.json()["status"]) == (0, "finished")
