"""Is there a network, and what went wrong with it: said at once and in words."""

from __future__ import annotations

import asyncio
import contextvars
import errno
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from flows.errors import ToolError

T = TypeVar("T")

_NO_NAME = "{host} is not found: there is no network here, or no DNS"
_NO_ROUTE = "{host} cannot be reached: there is no network here"
_REFUSED = "{host} refuses the connection"
_SILENT = "{host} does not answer in time"
_NO_TLS = "{host} and this machine do not agree on a secure connection"

_WORDS = (
    (_NO_NAME, ("dns", "name or service not known", "getaddrinfo", "name resolution", "nodename")),
    (_NO_ROUTE, ("network is unreachable", "no route to host")),
    (_REFUSED, ("connection refused",)),
    (_SILENT, ("timed out", "timeout")),
    (_NO_TLS, ("certificate", "ssl", "tls")),
)


async def check_reachable(url: str, timeout_s: float = 3.0) -> None:
    """Errors: ToolError with the reason when nothing listens at a URL's host, in `timeout_s`.

    With a proxy for the URL in the environment nothing is checked, for the proxy finds the host.
    """
    place = urlsplit(url)
    host = place.hostname or url
    port = place.port or (80 if place.scheme == "http" else 443)
    if place.scheme in getproxies() and not proxy_bypass(host):
        return

    def connect() -> None:
        socket.create_connection((host, port), timeout=timeout_s).close()

    try:
        await run_in_thread(connect, timeout_s)
    except OSError as error:
        raise ToolError(network_reason(error, host) or f"{host}: {error}") from error


async def run_in_thread(work: Callable[[], T], timeout_s: float) -> T:
    """The result of blocking work. Errors: its own, or TimeoutError after `timeout_s`.

    The thread is a daemon of its own: work that hangs for ever must not keep the program from
    ending, as a thread of asyncio's pool would.
    """
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def target() -> None:
        try:
            done.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001  # handed to the one who waits
            done.set_exception(_raisable(error))

    Thread(target=target, name="tool", daemon=True).start()
    waiting = asyncio.wrap_future(done)
    finished, _ = await asyncio.wait({waiting}, timeout=timeout_s)
    if not finished:
        waiting.cancel()
        raise TimeoutError(f"no answer in {timeout_s:g} s")
    return waiting.result()


def _raisable(error: BaseException) -> Exception:
    # A future cannot carry StopIteration, and foreign code that exits must not end this program.
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError(repr(error))
    wrapped.__cause__ = error
    return wrapped


def network_reason(error: BaseException, host: str) -> str | None:
    """What a network error means, in words; None for an error of another kind."""
    for each in _causes(error):
        said = _said_by_type(each) or _said_by_words(each)
        if said is not None:
            return said.format(host=host)
    return None


def _said_by_type(error: BaseException) -> str | None:
    if isinstance(error, socket.gaierror):
        return _NO_NAME
    if isinstance(error, ConnectionRefusedError):
        return _REFUSED
    if isinstance(error, TimeoutError):
        return _SILENT
    if isinstance(error, OSError) and error.errno in {
        errno.ENETUNREACH,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.EPERM,
    }:
        return _NO_ROUTE
    return None


def _said_by_words(error: BaseException) -> str | None:
    # Libraries over native code put the reason into the text and nowhere else.
    text = f"{type(error).__name__} {error}".lower()
    if not isinstance(error, OSError) and not _is_of_a_client(error):
        return None
    return next((said for said, words in _WORDS if any(word in text for word in words)), None)


def _is_of_a_client(error: BaseException) -> bool:
    vendor = type(error).__module__.partition(".")[0]
    return vendor in {"httpx", "httpcore", "ddgs", "primp", "requests", "urllib3", "aiohttp"}


def _causes(error: BaseException) -> Iterator[BaseException]:
    # From the innermost outwards: the innermost knows best.
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    yield from reversed(chain)
