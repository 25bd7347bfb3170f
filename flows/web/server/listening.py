"""Listening on an address until a signal tells the process to end."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import gc
import resource
import signal
import socket
import ssl
import struct
import termios
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from flows.errors import UsageError

HEADER_SECONDS: Final = 10.0  # that a request's headers may take
KEEP_ALIVE_SECONDS: Final = 30
TAKE_SECONDS: Final = 30.0  # that a client may take nothing of an answer that waits for it
CONNECTIONS: Final = 4_096
END_SECONDS: Final = 5  # that requests under way have when the process ends
FILES: Final = 65_536
OBJECTS_BETWEEN_COLLECTIONS: Final = 2_000  # a request makes and leaves some hundred
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True)
class ListenAddress:
    """Where an application listens. `names` are hosts that callers may know it by beside its own;
    with `is_proxied` something before it does TLS."""

    host: str = LOOPBACK
    port: int = 8000
    certificate: Path | None = None
    key: Path | None = None
    is_proxied: bool = False
    names: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def has_tls(self) -> bool:
        return self.certificate is not None

    @property
    def scheme(self) -> str:
        return "https" if self.has_tls or self.is_proxied else "http"

    def check(self, *, has_tokens: bool) -> None:
        """Errors: `UsageError` for an address that others reach without a token or without TLS."""
        if (self.certificate is None) != (self.key is None):
            raise UsageError("--tls-cert and --tls-key go together")
        for path in (self.certificate, self.key):
            if path is not None and not path.is_file():
                raise UsageError(f"{path} is no file")
        if self.certificate is not None and self.key is not None:
            _check_chain(self.certificate, self.key)
        if self.is_loopback:
            return
        if not has_tokens:
            raise UsageError(
                f"others reach {self.host}: it needs tokens, in FLOWS_TOKEN or FLOWS_TOKENS"
            )
        if not self.has_tls and not self.is_proxied:
            raise UsageError(
                f"others reach {self.host}: it needs TLS, with --tls-cert and --tls-key, or "
                "--behind-tls-proxy where something before it does that"
            )

    def bind(self) -> socket.socket:
        """A socket that listens there. Errors: `UsageError`."""
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            family, kind, protocol, _, address = found[0]
            bound = socket.socket(family, kind, protocol)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(2_048)
        except OSError as error:
            why = error.strerror or str(error)
            raise UsageError(f"cannot listen at {self.host}:{self.port}: {why}") from error
        return bound

    def hosts(self, port: int) -> frozenset[str]:
        """The values of the header Host under which the socket is known."""
        own = {self.host, *self.names}
        if self.is_loopback:
            own |= {"localhost", LOOPBACK}
        if self.host in ("0.0.0.0", "::"):
            own |= {socket.gethostname(), "localhost", LOOPBACK}
        written = {f"[{each}]" if ":" in each else each.lower() for each in own}
        usual = {"http": 80, "https": 443}[self.scheme] == port or self.is_proxied
        bare = written if usual else frozenset(each.lower() for each in self.names)
        return frozenset({*(f"{each}:{port}" for each in written), *bare})

    def url(self, port: int) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.has_tls else 'http'}://{host}:{port}"


def _check_chain(certificate: Path, key: Path) -> None:
    """Errors: `UsageError` for files that are no certificate with its key."""

    def refuse() -> str:
        raise UsageError(f"{key} is locked by a password: give one without")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, refuse)
    except OSError as error:
        why = getattr(error, "reason", None) or error.strerror or str(error)
        raise UsageError(
            f"{certificate} and {key} are no certificate with its key, in PEM: {why}"
        ) from error


class BoundedProtocol(H11Protocol):
    """HTTP of one connection, which is closed when the headers of a request do not come in time,
    and when its client takes nothing more of an answer: that stays in memory until it does."""

    _late: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._late = self.loop.call_later(HEADER_SECONDS, self._end)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_answering():
            self._unset()
        elif self._late is None:
            self._late = self.loop.call_later(HEADER_SECONDS, self._end)

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset()
        self._unset_stuck()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_again(_untaken(self.transport))

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unset_stuck()

    def _look_again(self, waiting: int) -> None:
        self._unset_stuck()
        self._stuck = self.loop.call_later(TAKE_SECONDS, self._end_stuck, waiting)

    def _end_stuck(self, before: int) -> None:
        """End a connection on which as much waits as did before."""
        waiting = _untaken(self.transport)
        if waiting < before:
            self._look_again(waiting)
        else:
            self.transport.abort()

    def _unset_stuck(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _unset(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end(self) -> None:
        self._late = None
        if not self._is_answering():
            self.transport.close()


def _untaken(transport: asyncio.Transport) -> int:
    """The bytes written to a connection that its client's system has not taken: those that wait
    here, and in the socket."""
    handle = transport.get_extra_info("socket").fileno()
    (queued,) = struct.unpack("i", fcntl.ioctl(handle, termios.TIOCOUTQ, bytes(4)))
    return transport.get_write_buffer_size() + int(queued)


class _Server(uvicorn.Server):
    """A server whose signals are its caller's, who is told when it has begun."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._begun()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def listen(
    application: ASGIApp,
    address: ListenAddress,
    bound: socket.socket,
    *,
    begun: Callable[[], None],
    ending: Callable[[], None],
) -> signal.Signals:
    """Answer requests until a signal comes, and return which. `begun` is called when requests are
    answered; `ending` at the signal, before the requests under way are waited for."""
    _allow_files()
    _collect_often()
    config = uvicorn.Config(
        application, http=BoundedProtocol, ws="none", lifespan="on", log_config=None,
        access_log=False, server_header=False, date_header=False, proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS, limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=END_SECONDS,
        ssl_certfile=address.certificate, ssl_keyfile=address.key,
    )  # fmt: skip
    server = _Server(config, begun)
    told: asyncio.Future[signal.Signals] = asyncio.get_running_loop().create_future()

    def take(each: signal.Signals) -> None:
        if not told.done():
            told.set_result(each)
            ending()
            server.should_exit = True

    for each in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(each, take, each)
    await server.serve([bound])
    if not told.done():
        raise UsageError("the server ended by itself; its log says why")
    return told.result()


def _allow_files() -> None:
    """As many open files as the system allows: a run has its journal open while it runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _collect_often() -> None:
    """Look for garbage often, so that it does not grow for hours; what was made until now stays as
    long as the process, and is never looked through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
