"""OpenTelemetry, if the user set it up: by its own variables or by `opentelemetry-instrument`."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

    from flows.core.events import Event
    from flows.ui.spans import Spans

EXPORTERS = "OTEL_TRACES_EXPORTER"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
OTLP = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
WITH_CONTENT = ("true", "span_only", "span_and_event")
GROUP = "opentelemetry_traces_exporter"
# An endpoint that does not answer keeps the command from ending for so long at most.
FLUSH_S = 5.0


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A listener: the spans of a run, and the provider that was made for them, if one was."""

    spans: Spans
    provider: TracerProvider | None

    def another(self) -> Spans:
        """The spans of one more run, which go where these do."""
        from flows.ui.spans import Spans

        return Spans(self.provider, content=has_content())

    def __call__(self, event: Event) -> None:
        self.spans(event)

    def close(self) -> None:
        """End the spans and send them."""
        self.spans.close()
        if self.provider is not None:
            sending = Thread(target=self.provider.shutdown, daemon=True)
            sending.start()
            sending.join(FLUSH_S)


def open_telemetry() -> Telemetry | None:
    """Spans, if the environment or the process says where they go; else nothing is imported.

    What the environment asks for and cannot be had is said on standard error, once.
    """
    names = exporter_names()
    if not names and "opentelemetry.trace" not in sys.modules:
        return None
    try:
        if has_provider():
            return _telemetry(None)
        return _telemetry(make_provider(names)) if names else None
    except (ImportError, LookupError, ValueError) as error:
        print(f"note: no spans are sent: {error}", file=sys.stderr)
        return None


def exporter_names() -> list[str]:
    """The exporters that the environment names, each as its package calls it."""
    default = "otlp" if any(os.environ.get(name) for name in ENDPOINTS) else ""
    named = (each.strip() for each in (os.environ.get(EXPORTERS) or default).split(","))
    protocol = next((os.environ[name] for name in PROTOCOLS if os.environ.get(name)), "grpc")
    otlp = OTLP.get(protocol.strip(), protocol)
    return [otlp if each == "otlp" else each for each in named if each not in ("", "none")]


def has_provider() -> bool:
    """Whether this process was given a provider, as `opentelemetry-instrument` does."""
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


def make_provider(names: list[str]) -> TracerProvider:
    """A provider for these exporters. All else the SDK reads from the environment itself.

    Errors: `LookupError` for an exporter that is not installed; its own for a wrong setting.
    """
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create()
    if str(resource.attributes["service.name"]).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "flows"}))
    exporters = [make_exporter(name) for name in names]
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for exporter in exporters:
        provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def make_exporter(name: str) -> SpanExporter:
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is None:
        package = f"opentelemetry-exporter-{name.replace('_', '-')}"
        raise LookupError(f"the exporter {name} is not installed; run: pip install {package}")
    exporter: SpanExporter = found.load()()
    return exporter


def _telemetry(provider: TracerProvider | None) -> Telemetry:
    from flows.ui.spans import Spans

    return Telemetry(Spans(provider, content=has_content()), provider)


def has_content() -> bool:
    """Whether the environment asks for what was said in the spans."""
    return os.environ.get(CONTENT, "").strip().lower() in WITH_CONTENT
