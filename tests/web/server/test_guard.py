"""Requests that do not come through: foreign hosts and origins, tokens, sizes, slow ones."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.command import environment, flows
from tests.web.serving import TOKEN, Serving, bearer, serving

READER = "a-token-that-only-reads"
FEW = "a-token-with-few-requests"
ANSWERER = "a-token-that-only-answers"
TOKENS = json.dumps([
    {"name": "reader", "token": READER, "scopes": ["read"]},
    {"name": "answerer", "token": ANSWERER, "scopes": ["answer"]},
    {"name": "few", "token": FEW, "per_minute": 2, "open_runs": 1},
])  # fmt: skip

WRONG = '[{"name": "a", "token": "0123456789abcdef", "scopes": ["all"]}]'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("served"), env={"FLOWS_TOKENS": TOKENS}) as found:
        yield found


@pytest.mark.long("the real command")
def test_without_a_token_nothing_is_told_but_health(service: Serving) -> None:
    for path in ("/healthz", "/readyz"):
        assert httpx.get(service.url + path).status_code == 200
    for path in ("/api/flows", "/api/runs", "/metrics", "/openapi.json", "/", "/none"):
        reply = httpx.get(service.url + path)
        assert reply.status_code == 401
        assert reply.headers["www-authenticate"] == "Bearer"
        wrong = httpx.get(service.url + path, headers=bearer(TOKEN + "x"))
        assert wrong.status_code == 401
    assert httpx.get(f"{service.url}/api/flows?token={TOKEN}").status_code == 401
    many = "&".join(f"a{number}=1" for number in range(101))
    assert httpx.get(f"{service.url}/api/flows?{many}").status_code == 400
    assert "Traceback" not in service.log
    assert TOKEN not in service.log


@pytest.mark.long("the real command")
def test_another_host_or_origin_is_refused(service: Serving) -> None:
    port = urlsplit(service.url).port
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        f"127.0.0.1.evil.example:{port}",
    ):
        reply = service.client.get("/api/flows", headers={"Host": host})
        assert reply.status_code == 403, host
    assert (
        service.client.get("/api/flows", headers={"Host": f"LOCALHOST:{port}"}).status_code == 200
    )
    start, body = "/api/flows/adder/runs", {"inputs": {"n": 1}}
    for origin in (
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        f"https://127.0.0.1:{port}",
    ):
        assert service.post(start, body, headers={"Origin": origin}).status_code == 403, origin
    assert service.post(start, body, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert service.post(start, body, headers={"Origin": service.url}).status_code == 202
    reply = service.client.options(start, headers={"Origin": "https://evil.example"})
    assert reply.status_code == 405
    assert not [name for name in reply.headers if name.startswith("access-control")]


@pytest.mark.long("the real command")
def test_a_token_does_what_its_scopes_and_limits_say(service: Serving) -> None:
    start, body = "/api/flows/asker/runs", {"inputs": {"name": "Ann"}}
    run_id = service.start("asker", name="Ann")
    service.until(run_id, "waiting")
    assert service.client.get("/api/flows", headers=bearer(READER)).status_code == 200
    for path in (start, f"/api/runs/{run_id}/answer", f"/api/runs/{run_id}/cancel"):
        reply = service.post(path, body, headers=bearer(READER))
        assert reply.status_code == 403
        assert "scope" in reply.json()["error"]["what"]
    assert service.client.get("/api/runs", headers=bearer(ANSWERER)).status_code == 403
    answer = service.post(f"/api/runs/{run_id}/answer", {"text": "hi"}, headers=bearer(ANSWERER))
    assert answer.status_code == 202
    slow = "/api/flows/sleeper/runs"
    assert service.post(slow, {"inputs": {"n": 1}}, headers=bearer(FEW)).status_code == 202
    second = service.post(slow, {"inputs": {"n": 1}}, headers=bearer(FEW))
    assert second.status_code == 429
    assert "1 runs" in second.json()["error"]["what"]
    third = service.client.get("/api/flows", headers=bearer(FEW))
    assert third.status_code == 429
    assert 0 < int(third.headers["retry-after"]) <= 30


@pytest.mark.long("the real command")
def test_a_body_that_is_too_large_is_refused_before_it_is_read(service: Serving) -> None:
    start = "/api/flows/echo/runs"
    large = {"inputs": {"value": "x" * 10_000_000}}
    reply = service.post(f"{start}?wait=30", large)
    assert reply.json()["status"] == "finished"
    run_id = reply.json()["id"]
    assert service.run(run_id)["outputs"] == large["inputs"]
    assert all(len(json.dumps(each)) < 10_000 for each in service.events(run_id))
    with raw(service) as link:
        link.sendall(head(service, f"POST {start}", "Content-Length: 99999999999"))
        assert b" 413 " in link.recv(4096)
    with raw(service) as link:
        link.sendall(head(service, f"POST {start}", "Transfer-Encoding: chunked"))
        sent, reply_to = 0, b""
        piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        link.settimeout(10)
        try:
            while sent < 64 and not reply_to:
                link.sendall(piece)
                sent += 1
                if sent > 20:
                    reply_to = link.recv(4096)
        except OSError:
            pass
        assert sent < 40
    assert service.client.get("/healthz").status_code == 200


@pytest.mark.long("waits for the time limit of headers")
def test_slow_headers_and_broken_requests_end_the_connection(service: Serving) -> None:
    with raw(service) as slow, raw(service) as silent, raw(service) as second:
        second.sendall(head(service, "GET /healthz"))
        assert b" 200 " in second.recv(4096)
        began = time.monotonic()
        second.sendall(b"GET /healthz HTTP/1.1\r\n")
        end = began + 30
        open_links = {slow, silent, second}
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
        while open_links and time.monotonic() < end:
            for link in list(open_links):
                try:
                    if link is slow:
                        slow.sendall(b"a")
                    link.settimeout(0.2)
                    if not link.recv(4096):
                        open_links.discard(link)
                except TimeoutError:
                    continue
                except OSError:
                    open_links.discard(link)
        assert not open_links
        assert 8 < time.monotonic() - began < 20
    for bad in (b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 100_000):  # fmt: skip
        with raw(service) as link:
            link.sendall(bad)
            link.settimeout(15)
            assert b" 400 " in link.recv(4096)


@pytest.mark.long("the real command, several times")
def test_an_address_that_others_reach_needs_tokens_and_tls(tmp_path: Path) -> None:
    for arguments, env, said in (
        (("--address", "0.0.0.0"), {"FLOWS_TOKEN": ""}, "FLOWS_TOKEN"),
        (("--address", "0.0.0.0"), {}, "--behind-tls-proxy"),
        (("--tls-cert", "none.pem"), {}, "go together"),
        ((), {"FLOWS_TOKEN": "short"}, "shorter"),
        ((), {"FLOWS_TOKENS": WRONG}, "scopes"),
    ):  # fmt: skip
        given = environment(**{"FLOWS_TOKEN": TOKEN, **env})
        ended = flows("serve", "adder.yaml", *arguments, cwd=tmp_path, env=given)
        assert ended.code == 2
        assert said in ended.err
        assert "0123456789abcdef" not in ended.err


def raw(service: Serving) -> socket.socket:
    found = urlsplit(service.url)
    return socket.create_connection((found.hostname or "", found.port or 0), timeout=15)


def head(service: Serving, first: str, *more: str) -> bytes:
    lines = (f"{first} HTTP/1.1", f"Host: {urlsplit(service.url).netloc}",
             f"Authorization: Bearer {TOKEN}", "Content-Type: application/json", *more)  # fmt: skip
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
