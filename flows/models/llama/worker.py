"""The program that runs a model: a child process with llama.cpp's server in it.

    python boot.py ... flows.models.llama.worker SOCKET PARENT

`SOCKET` is the number of an open socket to the host, whose process is `PARENT`. The order comes
over it, with the key that requests have to bring, so that no list of processes shows it. When the
host closes its end or is gone, the process ends.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Sequence
from typing import Any

from flows.models.llama.messages import ServerSettings, StartOrder, StartReport
from flows.sandbox import libc

_ERRORS_ALONE = 1


def main(arguments: Sequence[str]) -> int:
    """Serve the model until the host closes its end."""
    number, parent = (int(each) for each in arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc.end_with_parent(parent)
    with socket.socket(fileno=number) as host:
        order = StartOrder.model_validate_json(host.makefile("rb").readline())
        threading.Thread(target=_end_with, args=(host,), daemon=True).start()
        try:
            server = _serve(order)
        except Exception as error:  # noqa: BLE001 - llama.cpp's own, which the host tells
            _tell(host, StartReport(problem=str(error) or type(error).__name__))
            return 1
        _tell(host, StartReport(address=str(server.listening_address)))
        threading.Event().wait()
    return 0


def _tell(host: socket.socket, report: StartReport) -> None:
    host.sendall(report.model_dump_json().encode() + b"\n")


def _end_with(host: socket.socket) -> None:
    """End the process, in the middle of whatever it does, when the host is not there any more."""
    try:
        while host.recv(1024):
            pass
    finally:
        os._exit(0)


def _serve(order: StartOrder) -> Any:
    """llama.cpp's server, with the model loaded. Nothing but the loopback can reach it, and its
    page, its properties and its slots are off."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    _set(params, order.settings)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order.key]
    params.verbosity = _ERRORS_ALONE
    for name in ("ui", "endpoint_props", "endpoint_slots", "endpoint_metrics", "warmup"):
        setattr(params, name, False)
    return xllamacpp.Server(params)


def _set(params: Any, settings: ServerSettings) -> None:
    """A prompt that is too long is refused and never cut (`ctx_shift`); the context is the one
    that was asked for, whatever memory there is (`fit_params`)."""
    params.model.path = str(settings.path)
    params.n_ctx = settings.context * settings.parallel
    params.n_parallel = settings.parallel
    params.n_gpu_layers = settings.gpu_layers
    params.ctx_shift = False
    params.fit_params = False
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = settings.threads
        cpu.poll = 0  # threads that wait leave the processor to others
