"""What every request passes before it reaches a route: host, origin, token, scope and size."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flows.web.server.access import Access, Keyring
from flows.web.server.replies import error_reply

MAX_BODY: Final = 16_000_000
BODY_SECONDS: Final = 60.0
SAFE: Final = ("GET", "HEAD")
METHODS: Final = ("GET", "HEAD", "POST", "DELETE")
TOKEN_QUERY: Final = "token"
QUERY_FIELDS: Final = 100
CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class GuardRules:
    """What a guard holds requests to.

    `hosts` are the values that the header Host may have, `scheme` is that of the addresses that
    callers see. `public` are paths that are open to all, `bodies` the bytes that the body of a
    request may have where it is not `MAX_BODY`, by paths. `closed` is the page, as HTML, that a
    browser without access is shown.
    """

    keyring: Keyring
    hosts: frozenset[str]
    scheme: str = "http"
    public: frozenset[str] = frozenset()
    bodies: Mapping[str, int] = field(default_factory=dict)
    closed: bytes | None = None

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"{self.scheme}://{host}" for host in self.hosts)


class Guard:
    """An ASGI application around another. Whoever sends a request is in its state, as `access`."""

    def __init__(self, app: ASGIApp, rules: GuardRules) -> None:
        self._app, self._rules = app, rules
        self._origins = rules.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks over a websocket
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    told.setdefault(name, value)
            await send(message)

        reply = self._refusal(scope, headers)
        if reply is not None:
            await reply(scope, receive, send_guarded)
            return
        most = self._rules.bodies.get(scope["path"], MAX_BODY)
        await self._app(scope, _Body(receive, most).receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a request that does not come through."""
        method, path = scope["method"], scope["path"]
        if headers.get("host", "").lower() not in self._rules.hosts:
            return error_reply(403, "this address is not served here", "the header Host")
        if method not in METHODS:
            return error_reply(405, f"{method} is not understood", allowed=METHODS)
        if method not in SAFE and (bad := self._foreign(headers)) is not None:
            return bad
        most = self._rules.bodies.get(path, MAX_BODY)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > most:
            return error_reply(413, f"the body is too large: at most {most} bytes are taken")
        if path in self._rules.public and method in SAFE:
            return None
        return self._access(scope, headers)

    def _foreign(self, headers: Headers) -> Response | None:
        """The answer to a request that a page of another origin sends."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin.lower() not in self._origins:
            return error_reply(403, "a page of another origin cannot do this", "the header Origin")
        if site not in (None, "same-origin", "none"):
            return error_reply(403, "another site cannot do this", "the header Sec-Fetch-Site")
        return None

    def _access(self, scope: Scope, headers: Headers) -> Response | None:
        """Find out who sends the request; the answer to one that may not."""
        method, path = scope["method"], scope["path"]
        try:
            query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=QUERY_FIELDS)
        except ValueError:
            return error_reply(400, f"more than {QUERY_FIELDS} fields", "the query")
        cookie = self._cookie(headers)
        if method == "GET" and TOKEN_QUERY in query and self._rules.keyring.cookie is not None:
            return self._exchange(scope, query, cookie, headers)
        access = self._by_header(headers) or self._rules.keyring.by_cookie(cookie)
        if access is None:
            return self._unknown(headers, "a token is needed: Authorization: Bearer TOKEN")
        if access.by_cookie:
            sender = headers.get("origin") or headers.get("sec-fetch-site")
            if method not in SAFE and sender is None:
                return error_reply(403, "the sender cannot be told", "the header Origin")
            if path.startswith("/api/") and (foreign := self._foreign(headers)) is not None:
                return foreign
        needed = scope_of(method, path)
        if needed not in access.scopes:
            have = ", ".join(access.scopes) or "none"
            return error_reply(403, f"the token {access.name} lacks the scope {needed}: has {have}")
        seconds = access.take()
        if seconds:
            reply = error_reply(429, f"at most {access.per_minute} requests a minute")
            reply.headers["retry-after"] = str(math.ceil(seconds))
            return reply
        scope.setdefault("state", {})["access"] = access
        return None

    def _unknown(self, headers: Headers, what: str) -> Response:
        """The answer to a sender that has no access: a page for a browser, JSON for programs."""
        if self._rules.closed is not None and "text/html" in headers.get("accept", ""):
            reply: Response = Response(self._rules.closed, 401, media_type="text/html")
        else:
            reply = error_reply(401, what)
        reply.headers["www-authenticate"] = "Bearer"
        return reply

    def _by_header(self, headers: Headers) -> Access | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        return self._rules.keyring.by_token(token.strip()) if kind.lower() == "bearer" else None

    def _cookie(self, headers: Headers) -> str | None:
        if self._rules.keyring.cookie is None or "cookie" not in headers:
            return None
        try:
            found = SimpleCookie(headers["cookie"]).get(self._rules.keyring.cookie[0])
        except CookieError:
            return None
        return found.value if found is not None else None

    def _exchange(
        self,
        scope: Scope,
        query: Mapping[str, Sequence[str]],
        cookie: str | None,
        headers: Headers,
    ) -> Response:
        """Give the page its cookie for the token of its address, and take that off the address."""
        rules = self._rules
        known = rules.keyring.by_cookie(cookie) is not None
        if not known and not rules.keyring.exchange(query[TOKEN_QUERY][0]):
            return self._unknown(
                headers, "this address was used before; start the command again for another"
            )
        rest = urlencode({key: each for key, each in query.items() if key != TOKEN_QUERY}, True)
        path = f"/{scope['path'].lstrip('/')}"
        reply = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        assert rules.keyring.cookie is not None
        name, value = rules.keyring.cookie
        secure = rules.scheme == "https"
        reply.set_cookie(name, value, path="/", httponly=True, samesite="strict", secure=secure)
        return reply


class BodyTooLarge(Exception):
    """More came than the request's route takes."""


class BodyTooSlow(Exception):
    """The body did not come in time."""


class _Body:
    """The body of a request, counted and timed."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most
        self._until = asyncio.get_running_loop().time() + BODY_SECONDS
        self._whole = False

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise BodyTooSlow from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                raise BodyTooLarge
        return message


def scope_of(method: str, path: str) -> str:
    """The scope that a request needs."""
    if method in SAFE:
        return "read"
    return "answer" if path.endswith("/answer") else "run"
