"""How calls of an API show who sends them: keys in each place, and tokens of an OAuth 2 client."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

import flows
from flows.core.events import Event
from flows.core.function_description import Function
from flows.core.observation import Observation
from flows.core.result import RunResult
from flows.errors import ConfigError, UntrustedError
from flows.tools.sources.invoke import Invocation, invoke, invoke_all
from flows.tools.sources.openapi.source import OpenAPISource
from tests.servers.local_http import LocalHttp, Reply, Request
from tests.tools.shop_api import KEY, write_document

CLIENT_ID = "client-of-the-shop-0042"
SECRET = "secret/of the+client=4711"
RUN = """\
_target_: tests.tools.call_flow.CallFunctions
functions:
  sources:
    shop:
      _target_: functions.openapi
      document: shop.json
      base_url: BASE
      auth: AUTH
"""
OAUTH = (
    '{kind: client_credentials, token_url: "TOKENS/token", id: "${env:SHOP_ID}", '
    'secret: "${env:SHOP_SECRET}", scope: "read write"}'
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SHOP_KEY", KEY)
    monkeypatch.setenv("SHOP_ID", CLIENT_ID)
    monkeypatch.setenv("SHOP_SECRET", SECRET)


class TokenServer:
    """A server of tokens and, at /api, one that wants the last of them. `lasts` is `expires_in`."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.lasts: object = 3600
        self.refused: set[str] = set()
        self.reply: Reply | None = None

    def __call__(self, request: Request) -> Reply:
        if request.path == "/token":
            if self.reply is not None:
                return self.reply
            self.given.append(f"token-number-{len(self.given)}-of-the-shop")
            told = {"access_token": self.given[-1], "token_type": "bearer"}
            return Reply(json=told | {"expires_in": self.lasts}, delay=0.05)
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if sent not in self.given or sent in self.refused:
            return Reply(json={"error": "who are you", "sent": sent}, status=401)
        return Reply(json={"you": sent})


@pytest.fixture
def tokens() -> TokenServer:
    return TokenServer()


@pytest.fixture
def server(tokens: TokenServer) -> Iterator[LocalHttp]:
    with LocalHttp(tokens) as made:
        yield made


def run_shop(
    folder: Path, base_url: str, auth: str, calls: list[Any] | None = None, **more: Any
) -> RunResult:
    write_document(folder)
    (folder / "run.yaml").write_text(RUN.replace("BASE", base_url).replace("AUTH", auth))
    asked = [("shop/getOrder", {"orderId": 1})] if calls is None else calls
    return flows.run(folder / "run.yaml", inputs={"calls": asked}, **more)


def source_of(folder: Path, url: str, **auth: Any) -> OpenAPISource:
    given = {
        "kind": "client_credentials", "token_url": f"{url}/token", "id": CLIENT_ID,
        "secret": SECRET, **auth,
    }  # fmt: skip
    config = {"document": write_document(folder), "base_url": f"{url}/api", "auth": given}
    return OpenAPISource(OpenAPISource.Config.model_validate(config))


async def order(source: OpenAPISource) -> Function:
    return next(f for f in await source.functions() if f.description.name == "getOrder")


def called(source: OpenAPISource, times: int = 1) -> list[Observation]:
    """What calls see, one after the other."""

    async def all_of() -> list[Observation]:
        function = await order(source)
        try:
            return [await invoke(function, {"orderId": 1}) for _ in range(times)]
        finally:
            await source.aclose()

    return asyncio.run(all_of())


@pytest.mark.parametrize(
    ("auth", "where"),
    [
        ("{kind: bearer, SECRET}", "authorization"),
        ("{kind: header, name: X-Api-Key, SECRET}", "x-api-key"),
        ("{kind: query, name: api_key, SECRET}", "api_key"),
        ("{kind: cookie, name: session, SECRET}", "cookie"),
    ],
)
def test_a_key_goes_where_it_is_said_and_nowhere_else(
    tmp_path: Path, server: LocalHttp, auth: str, where: str
) -> None:
    server.answer = lambda request: Reply(json={"got": {**request.query, **request.headers}})
    given = auth.replace("SECRET", 'secret: "${env:SHOP_KEY}"')
    result = run_shop(tmp_path, server.url, given, trust=("tests", server.url))
    [request] = server.requests
    holders = {name for name, text in {**request.query, **request.headers}.items() if KEY in text}
    assert holders == {where}
    if where == "cookie":
        assert request.headers["cookie"] == f"session={KEY}"
    [told] = result.outputs["observations"]
    assert told.kind == "ok"
    assert KEY not in told.text
    written = [each.read_bytes() for each in result.folder.rglob("*") if each.is_file()]
    assert not any(KEY.encode() in each for each in written)


@pytest.mark.parametrize(
    ("auth", "said"),
    [
        ("{kind: cookie, SECRET}", "name is for a header, a query or a cookie"),
        ("{kind: cookie, name: 'a b', SECRET}", "no cookie can be named 'a b'"),
        ("{kind: header, name: 'X: y', SECRET}", "no header and no cookie can be named"),
        ("{kind: bearer, scope: read, SECRET}", "are for the kind client_credentials"),
        ("{kind: client_credentials, SECRET}", "needs id, secret and token_url"),
        (
            "{kind: client_credentials, id: a, token_url: 'ftp://x', SECRET}",
            "token_url is an address that begins with https://",
        ),
        ("{kind: cooky, SECRET}", "did you mean: cookie"),
    ],
)
def test_a_wrong_key_of_the_config_is_said_with_its_place(
    tmp_path: Path, server: LocalHttp, auth: str, said: str
) -> None:
    given = auth.replace("SECRET", 'secret: "${env:SHOP_KEY}"')
    with pytest.raises(ConfigError, match=said) as caught:
        run_shop(tmp_path, server.url, given, trust=("tests", server.url))
    assert "run.yaml:" in str(caught.value)
    assert server.requests == []


@pytest.mark.parametrize(
    ("auth", "key", "said"),
    [
        ("{kind: bearer, SECRET}", f"{KEY}\n", "line end"),
        ("{kind: cookie, name: c, SECRET}", f"{KEY}; admin=1", "no cookie can have"),
    ],
)
def test_a_key_that_cannot_be_sent_is_said_without_it(
    tmp_path: Path,
    server: LocalHttp,
    monkeypatch: pytest.MonkeyPatch,
    auth: str,
    key: str,
    said: str,
) -> None:
    monkeypatch.setenv("SHOP_KEY", key)
    given = auth.replace("SECRET", 'secret: "${env:SHOP_KEY}"')
    with pytest.raises(ConfigError, match=said) as caught:
        run_shop(tmp_path, server.url, given, trust=("tests", server.url))
    assert KEY not in str(caught.value)


def test_a_client_gets_a_token_and_nothing_of_it_is_written(
    tmp_path: Path, server: LocalHttp, tokens: TokenServer
) -> None:
    events: list[Event] = []
    auth = OAUTH.replace("TOKENS", server.url)
    calls = [("shop/getOrder", {"orderId": n}) for n in range(1, 6)]
    result = run_shop(
        tmp_path,
        f"{server.url}/api",
        auth,
        calls,
        trust=("tests", server.url),
        listeners=[events.append],
    )
    assert [each.kind for each in result.outputs["observations"]] == ["ok"] * 5
    [asked] = [each for each in server.requests if each.path == "/token"]
    assert asked.method == "POST"
    assert dict(parse_qsl(asked.body.decode())) == {
        "grant_type": "client_credentials", "scope": "read write",
    }  # fmt: skip
    basic = asked.headers["authorization"].removeprefix("Basic ")
    pair = base64.b64decode(basic).decode()
    assert pair == f"{CLIENT_ID}:secret%2Fof+the%2Bclient%3D4711"
    hidden = (CLIENT_ID, SECRET, tokens.given[0], basic)
    written = [each.read_bytes() for each in result.folder.rglob("*") if each.is_file()]
    assert not any(each.encode() in content for each in hidden for content in written)
    assert not any(each in repr(events) for each in hidden)
    assert all('{"you": "***"}' in each.text for each in result.outputs["observations"])


def test_the_address_of_the_tokens_has_to_be_allowed_too(tmp_path: Path) -> None:
    with LocalHttp(TokenServer()) as tokens, LocalHttp(TokenServer()) as api:
        auth = OAUTH.replace("TOKENS", tokens.url)
        with pytest.raises(UntrustedError, match="a token would be sent to") as caught:
            run_shop(tmp_path, api.url, auth, trust=("tests", tokens.url))
        assert f"--trust {api.url}" in str(caught.value)
        with pytest.raises(ConfigError, match=f"SHOP_SECRET would be sent to {tokens.url}"):
            run_shop(tmp_path, api.url, auth, trust=("tests", api.url))
        assert tokens.requests == api.requests == []


def test_a_token_is_asked_for_once_and_again_when_it_has_expired(
    tmp_path: Path, server: LocalHttp, tokens: TokenServer
) -> None:
    assert called(source_of(tmp_path, server.url), 3)[-1].kind == "ok"
    assert len(tokens.given) == 1
    tokens.lasts = 0
    called(source_of(tmp_path, server.url), 3)
    assert len(tokens.given) == 4
    tokens.lasts = "soon"  # no number: it holds until it is refused
    called(source_of(tmp_path, server.url), 3)
    assert len(tokens.given) == 5


def test_calls_at_once_wait_for_one_token(
    tmp_path: Path, server: LocalHttp, tokens: TokenServer
) -> None:
    async def at_once(source: OpenAPISource) -> list[Observation]:
        function = await order(source)
        try:
            return await invoke_all([Invocation(function, {"orderId": 1})] * 8)
        finally:
            await source.aclose()

    found = asyncio.run(at_once(source_of(tmp_path, server.url)))
    assert {each.kind for each in found} == {"ok"}
    assert len(tokens.given) == 1


def test_a_token_that_the_api_refuses_is_asked_for_anew_once(
    tmp_path: Path, server: LocalHttp, tokens: TokenServer
) -> None:
    tokens.refused = {"token-number-0-of-the-shop"}
    assert called(source_of(tmp_path, server.url))[0].kind == "ok"
    assert len(tokens.given) == 2
    tokens.refused = {f"token-number-{n}-of-the-shop" for n in range(100)}
    [refused] = called(source_of(tmp_path, server.url))
    assert "the server answered 401" in refused.text
    assert len(tokens.given) == 4
    assert not any(each in refused.text for each in tokens.given)


def test_the_id_and_the_secret_may_be_in_the_body(tmp_path: Path, server: LocalHttp) -> None:
    assert called(source_of(tmp_path, server.url, client_in="body"))[0].kind == "ok"
    asked = server.requests[0]
    assert "authorization" not in asked.headers
    assert dict(parse_qsl(asked.body.decode()))["client_secret"] == SECRET


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            Reply(json={"error": "no_client", "error_description": f"not {SECRET}"}, status=401),
            "gives no token: it answered 401 Unauthorized: no_client: not ***",
        ),
        (Reply(body=b"<html>"), "its reply has no access_token"),
        (Reply(json={"access_token": "two words\r\nX: y"}), "its reply has no access_token"),
        (Reply(json={"access_token": "t" * 30_000}), "its reply has no access_token"),
        (Reply(json={"access_token": "abcdefgh1", "token_type": "mac"}), "another type than Bear"),
        (Reply(json=["x"]), "its reply has no access_token"),
        (Reply(body=b"[" * 100_000), "its reply has no access_token"),
        (Reply(body=b"x" * 2_000_000), "sends more than 1,000,000 bytes"),
        (Reply(status=302, headers={"Location": "http://169.254.169.254/"}), "redirects to http://"),
        (Reply(status=302, headers={"Location": "/token"}), "answers a POST with a redirect"),
    ],
)  # fmt: skip
def test_a_server_that_gives_no_token_is_said(
    tmp_path: Path, server: LocalHttp, tokens: TokenServer, reply: Reply, said: str
) -> None:
    tokens.reply = reply
    [found] = called(source_of(tmp_path, server.url))
    assert found.kind == "error"
    assert said in found.text
    assert SECRET not in found.text
    assert {each.path for each in server.requests} == {"/token"}
