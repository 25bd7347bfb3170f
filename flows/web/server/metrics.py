"""What Prometheus may know: requests and runs, counted."""

from __future__ import annotations

import time
from collections import Counter
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flows.services.hosting.service import RunService

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Meters:
    """Counts the requests of one application; `text` tells them with the runs of its service."""

    def __init__(self, service: RunService) -> None:
        self._service = service
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds = 0.0
        self._open = 0
        self._began = time.time()

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """An ASGI application that counts what another answers."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, status = time.perf_counter(), 500

            async def send_counted(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            self._open += 1
            try:
                await app(scope, receive, send_counted)
            finally:
                self._open -= 1
                self._requests[scope["method"], status] += 1
                self._seconds += time.perf_counter() - began

        return counted

    def text(self) -> str:
        """All figures in Prometheus' text format."""
        live = Counter(each.status for each in self._service.live.values())
        lines = _metric("flows_up_since_seconds", "gauge", "When the process began, since 1970.")
        lines.append(f"flows_up_since_seconds {self._began:.3f}")
        lines += _metric("flows_http_requests_total", "counter", "Requests that were answered.")
        lines += [
            f'flows_http_requests_total{{method="{method}",status="{status}"}} {count}'
            for (method, status), count in sorted(self._requests.items())
        ]
        lines += _metric("flows_http_seconds_total", "counter", "Seconds from request to answer.")
        lines.append(f"flows_http_seconds_total {self._seconds:.6f}")
        lines += _metric("flows_http_open", "gauge", "Requests that are being answered.")
        lines.append(f"flows_http_open {self._open}")
        lines += _metric("flows_runs", "gauge", "Runs that are queued or running.")
        lines += [f'flows_runs{{status="{each}"}} {live[each]}' for each in ("queued", "running")]
        lines += _metric("flows_runs_started_total", "counter", "Runs that were taken on.")
        lines.append(f"flows_runs_started_total {self._service.counts['started']}")
        lines += _metric("flows_runs_ended_total", "counter", "Runs by what they came to.")
        lines += [
            f'flows_runs_ended_total{{status="{status}"}} {count}'
            for status, count in sorted(self._service.counts.items())
            if status != "started"
        ]
        return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
