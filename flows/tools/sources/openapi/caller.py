"""Sends the requests of an API's operations to its address, with its key or token."""

from __future__ import annotations

from flows.core.destination import origin_of
from flows.tools.sources.access_token import AccessToken, AccessTokens
from flows.tools.sources.authentication import CLIENT, Authentication
from flows.tools.sources.openapi.request import OperationRequest
from flows.tools.sources.web import WebClient, WebReply


class Caller:
    """Calls one address. A token that the API refuses is asked for anew, once for a call."""

    def __init__(self, client: WebClient, base_url: str, auth: Authentication | None) -> None:
        self._client = client
        self.base_url = base_url
        self._auth = auth
        is_client = auth is not None and auth.kind == CLIENT
        self._tokens = AccessTokens(auth) if auth is not None and is_client else None

    @property
    def origin(self) -> str:
        return origin_of(self.base_url)

    async def send(self, request: OperationRequest) -> WebReply:
        """Errors: `ToolError`."""
        if self._tokens is None:
            return await self._sent(request, None)
        token = await self._tokens.current()
        reply = await self._sent(request, token)
        if reply.status != 401:
            return reply
        self._tokens.refuse(token)
        newer = await self._tokens.current()
        return reply if newer == token else await self._sent(request, newer)

    async def aclose(self) -> None:
        await self._client.aclose()
        if self._tokens is not None:
            await self._tokens.aclose()

    async def _sent(self, request: OperationRequest, token: AccessToken | None) -> WebReply:
        headers, params = dict(request.headers), list(request.params)
        if self._auth is not None and self._auth.kind == "query":
            params = [each for each in params if each[0] != self._auth.name]
            params += self._auth.params()
        if self._auth is not None:
            headers |= self._auth.headers()
        if token is not None:
            headers["Authorization"] = f"Bearer {token.text}"
        headers["Accept"] = "application/json, text/*;q=0.9, */*;q=0.5"
        return await self._client.request(
            request.method, request.url, params=params, headers=headers, content=request.content
        )
