"""The connection to one OpenAI-compatible endpoint, bounded in time and size.

The openai client makes the request. It bounds neither a stream's total time nor its size, and a
stream that is cut cleanly ends without an error; so the bytes of the answer are read here.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from typing import Any

import anyio
import openai

from flows.config.redaction import as_cause
from flows.core.chat import ChatReply
from flows.errors import ModelError, ModelRefused, ModelReplyInvalid, ModelUnreachable
from flows.models.address import Address, EndpointBounds
from flows.models.completion import Completion
from flows.models.deadline import within
from flows.models.faults import error_from_status, scrub
from flows.models.sse import read_events
from flows.models.text import ReplyText
from flows.models.tool_names import ToolNames

_ERROR_BODY_BYTES = 65_536
_AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
# After the finish reason only the usage is missing, after the end marker nothing.
_PATIENCE_FOR_USAGE = 5.0
_PATIENCE_FOR_CLOSE = 0.1

# openai 2 stands on httpx, openai 3 on httpx2; its own client class tells which.
_http = importlib.import_module(
    openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
)
_BROKEN: tuple[type[Exception], ...] = (
    _http.RequestError,
    ssl.SSLError,
    anyio.EndOfStream,
    anyio.ClosedResourceError,
)
_BROKEN_OR_LATE: tuple[type[Exception], ...] = (TimeoutError, *_BROKEN)
_BROKEN_OR_SILENT: tuple[type[Exception], ...] = (ModelUnreachable, *_BROKEN)


@functools.cache
def trusted_authorities(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Who vouches for servers, where SSL_CERT_FILE and SSL_CERT_DIR are these; read once."""
    del file, folder  # the context reads them itself
    context: ssl.SSLContext = _http.create_ssl_context()
    return context


class Endpoint:
    """One client for one event loop; connections cannot move to another loop."""

    def __init__(self, address: Address, bounds: EndpointBounds) -> None:
        self._where = address.host
        self._bounds = bounds
        self._loop = asyncio.get_running_loop()
        timeout = openai.Timeout(None, connect=bounds.connect)
        try:
            http_client = openai.DefaultAsyncHttpxClient(
                timeout=timeout,
                event_hooks={"response": [self._refuse_errors]},
                verify=trusted_authorities(*(os.environ.get(each) for each in _AUTHORITIES)),
            )
        except (ImportError, ValueError, _http.InvalidURL) as error:  # a proxy of no use
            raise ModelRefused(f"no way to {self._where}: {scrub(str(error))}") from as_cause(error)
        self._client = openai.AsyncOpenAI(
            api_key=address.key,
            base_url=address.base_url,
            timeout=timeout,
            max_retries=0,
            http_client=http_client,
        )

    @property
    def is_usable(self) -> bool:
        return self._loop is asyncio.get_running_loop()

    async def aclose(self) -> None:
        if self.is_usable:
            await self._client.close()

    async def ask(self, parameters: dict[str, Any], text: ReplyText, names: ToolNames) -> ChatReply:
        """One attempt at one reply; `names` are the functions that the parameters offer.

        Errors: ModelError and its children.
        """
        stream = bool(parameters["stream"])
        completion = Completion(text, names=names, where=self._where)
        # Unstreamed, the first byte comes with the last: there is no silence to measure.
        idle = self._bounds.idle if stream else None
        async with AsyncExitStack() as stack:
            answer = await self._open(stack, parameters, idle)
            async with aclosing(self._chunks(answer, completion, idle)) as chunks:
                kind = answer.headers.get("content-type", "").casefold()
                if stream and "json" not in kind and "html" not in kind:
                    async for event in read_events(chunks, self._bounds.max_body_bytes):
                        completion.add(event)
                else:
                    completion.add_whole(await self._whole(chunks))
        return completion.reply(parameters["model"])

    async def _open(
        self, stack: AsyncExitStack, parameters: dict[str, Any], idle: float | None
    ) -> Any:
        try:
            async with within(idle, self._silent(idle)):
                return await stack.enter_async_context(
                    self._client.chat.completions.with_streaming_response.create(**parameters)
                )
        except openai.APIStatusError as error:
            raise error_from_status(
                error.status_code, "", error.response.headers, where=self._where
            ) from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error.__cause__ or error) from as_cause(error)
        except openai.OpenAIError as error:
            raise ModelError(f"{self._where}: {scrub(str(error))}") from as_cause(error)

    async def _refuse_errors(self, response: Any) -> None:
        """Raise for an error status, before the client reads its body without a limit."""
        if response.status_code < 400:
            return
        body = b""
        try:
            async with asyncio.timeout(self._bounds.idle):
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > _ERROR_BODY_BYTES:
                        break
        except _BROKEN_OR_LATE:
            pass  # The status is known; what was read of its explanation has to do.
        said = body[:_ERROR_BODY_BYTES].decode(errors="replace")
        raise error_from_status(response.status_code, said, response.headers, where=self._where)

    async def _whole(self, chunks: AsyncIterator[bytes]) -> str:
        body = b""
        async for chunk in chunks:
            body += chunk
            if len(body) > self._bounds.max_body_bytes:
                raise ModelReplyInvalid(
                    f"the answer of {self._where} is larger than max_reply_bytes allows "
                    f"({self._bounds.max_reply_bytes} bytes)"
                )
        return body.decode(errors="replace")

    async def _chunks(
        self, answer: Any, completion: Completion, idle: float | None
    ) -> AsyncGenerator[bytes, None]:
        """The answer's bytes. Once the text is whole, silence and a broken connection end it."""
        async with aclosing(answer.iter_bytes()) as pieces:
            while True:
                whole = completion.finished or completion.announced_end
                patience = _PATIENCE_FOR_USAGE if whole else idle
                if completion.announced_end:
                    patience = _PATIENCE_FOR_CLOSE
                try:
                    async with within(patience, self._silent(idle)):
                        piece = await anext(pieces, None)
                except _BROKEN_OR_SILENT as error:
                    if whole:
                        return
                    if isinstance(error, ModelUnreachable):
                        raise
                    raise self._unreachable(error) from as_cause(error)
                if piece is None:
                    return
                yield piece

    def _silent(self, idle: float | None) -> str:
        return f"{self._where} was silent for longer than timeout_idle ({idle} s)"

    def _unreachable(self, error: BaseException) -> ModelUnreachable:
        return ModelUnreachable(f"the connection to {self._where} failed: {scrub(_reason(error))}")


def _reason(error: BaseException) -> str:
    """What an error says, or the first of its causes that says anything."""
    cause: BaseException | None = error
    while cause is not None:
        said = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
        if said:
            return said
        cause = cause.__cause__ or cause.__context__
    return type(error).__name__
