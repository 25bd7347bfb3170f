"""Access tokens of an OAuth 2 client: asked for with its id and secret, kept until they expire."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from time import monotonic
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

from flows.config.redaction import remember, reveal
from flows.core.destination import origin_of
from flows.errors import ToolError
from flows.tools.sources.authentication import Authentication
from flows.tools.sources.web import WebClient, WebReply
from flows.tools.text import cap, plain

_MOST_BYTES: Final = 1_000_000
_LONGEST: Final = 20_000  # characters of a token
_MOST_SAID: Final = 300
_EARLY: Final = 0.1  # part of its time that a token is given up before it ends
_MOST_EARLY_S: Final = 30.0
_FOREVER: Final = 10 * 365 * 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, and until when it may be used, as `time.monotonic` tells it."""

    text: str
    until: float


class AccessTokens:
    """The token of one client. Several calls that need one at once wait for one request."""

    def __init__(self, client: Authentication) -> None:
        self._client = client
        self._web = WebClient(client.token_url, _MOST_BYTES)
        self._token: AccessToken | None = None
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def current(self) -> AccessToken:
        """A token that has not expired. Errors: `ToolError`."""
        async with self._lock():
            if self._token is None or monotonic() >= self._token.until:
                self._token = await self._asked()
            return self._token

    def refuse(self, token: AccessToken) -> None:
        """Forget a token that the API has refused; a newer one stays."""
        if self._token == token:
            self._token = None

    async def aclose(self) -> None:
        await self._web.aclose()

    def _lock(self) -> asyncio.Lock:
        """The lock of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._turn, self._loop = asyncio.Lock(), loop
        return self._turn

    async def _asked(self) -> AccessToken:
        fields = {"grant_type": "client_credentials"}
        if self._client.scope:
            fields["scope"] = self._client.scope
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }
        assert self._client.id is not None  # as its model has checked
        client, secret = reveal(self._client.id), reveal(self._client.secret)
        if self._client.client_in == "body":
            fields |= {"client_id": client, "client_secret": secret}
        else:
            pair = f"{quote_plus(client)}:{quote_plus(secret)}"
            headers["Authorization"] = f"Basic {remember(b64encode(pair.encode()).decode())}"
        asked = monotonic()
        reply = await self._web.request(
            "POST",
            self._client.token_url,
            params=[],
            headers=headers,
            content=urlencode(fields).encode(),
        )
        return self._read(reply, asked)

    def _read(self, reply: WebReply, asked: float) -> AccessToken:
        """Errors: `ToolError` for a reply that holds no token that can be used."""
        values = _values(reply)
        where = origin_of(self._client.token_url)
        if not 200 <= reply.status < 300:
            said = [values.get(key) for key in ("error", "error_description")]
            told = ": ".join(cap(plain(each), _MOST_SAID) for each in said if isinstance(each, str))
            what = f"{where} gives no token: it answered {reply.status} {plain(reply.reason)}"
            raise ToolError(f"{what}: {told}" if told else what)
        text, kind = values.get("access_token"), values.get("token_type", "bearer")
        if not isinstance(text, str) or not _can_be_sent(text):
            raise ToolError(f"{where} gives no token: its reply has no access_token of plain signs")
        remember(text)
        if not isinstance(kind, str) or kind.lower() != "bearer":
            raise ToolError(f"{where} gives a token of another type than Bearer")
        lasts = _seconds(values.get("expires_in"))
        return AccessToken(text, asked + lasts - min(lasts * _EARLY, _MOST_EARLY_S))


def _values(reply: WebReply) -> Mapping[str, Any]:
    try:
        values = json.loads(reply.body)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, Mapping) else {}


def _can_be_sent(token: str) -> bool:
    return (
        0 < len(token) <= _LONGEST and token.isascii() and token.isprintable() and " " not in token
    )


def _seconds(given: object) -> float:
    """How long a token holds; for ever where its server does not say, until the API refuses it."""
    try:
        seconds = float(given) if isinstance(given, int | float | str) else inf
    except (ValueError, OverflowError):
        return _FOREVER
    return max(seconds, 0.0) if isfinite(seconds) else _FOREVER
