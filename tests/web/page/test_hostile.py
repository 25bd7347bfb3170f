"""Requests to the page's own routes that want what they must not have."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from tests.cli.command import environment, flows
from tests.web.page.browsing import WebPage, web_page

CSV = b"region,revenue\nNorth,1\nSouth,2\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebPage]:
    with web_page(tmp_path_factory.mktemp("page")) as opened:
        yield opened


def promised(base: str, size: int, owner: httpx.Client) -> int:
    """The status of an upload that says that it has so many bytes, and sends none."""
    address = httpx.URL(base)
    connection = HTTPConnection(address.host, address.port or 0, timeout=30)
    connection.putrequest("POST", "/api/uploads")
    named = {"Origin": base, "Content-Type": "multipart/form-data; boundary=x"}
    cookie = "; ".join(f"{name}={value}" for name, value in owner.cookies.items())
    for name, value in {**named, "Cookie": cookie, "Content-Length": str(size)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    with connection.getresponse() as reply:
        status = reply.status
    connection.close()
    return status


@pytest.mark.long("the real command")
def test_a_conversation_over_http_and_what_others_get_of_it(page: WebPage) -> None:
    base = page.base.rstrip("/")
    stranger = httpx.Client(base_url=base)
    owner = httpx.Client(base_url=base, follow_redirects=True, timeout=60)
    with stranger, owner:
        check(page, base, stranger, owner)


def check(page: WebPage, base: str, stranger: httpx.Client, owner: httpx.Client) -> None:
    """What the owner of the page gets, and what others do not."""
    for path in ("/", "/assets/main.js", "/api/sessions", "/page/plotly.js"):
        assert stranger.get(path).status_code == 401
    told = stranger.get("/", headers={"Accept": "text/html"})
    assert (told.status_code, "Open the address" in told.text) == (401, True)
    named = re.findall(r'(?:src|href)="([^"]+)"', told.text)
    assert {stranger.get(each).status_code for each in named} == {200}
    opened = owner.get(page.url)
    assert opened.status_code == 200
    assert "script-src 'self'" in opened.headers["content-security-policy"]
    assert "token" not in str(opened.url)
    cookie = opened.history[0].headers["set-cookie"].lower()
    assert all(each in cookie for each in ("httponly", "samesite=strict", "path=/"))
    # The token is good for one browser.
    assert stranger.get(page.url).status_code == 401

    file = {"file": ("../../../../sales.csv", CSV)}
    assert owner.post("/api/uploads", files=file).status_code == 403, "who sends it is not known"
    foreign = {"Origin": "http://evil.example"}
    assert owner.post("/api/uploads", files=file, headers=foreign).status_code == 403
    assert owner.get("/api/sessions", headers={"Host": "evil.example"}).status_code == 403
    owner.headers["Origin"] = base
    brought = owner.post("/api/uploads", files=file)
    assert brought.status_code == 201, brought.text
    assert brought.json()["name"] == "sales.csv"
    wrong = [{"other": ("a.csv", CSV)}, {"file": ("a.exe", CSV)}, {"file": ("a.csv", b"")}]
    for each in wrong:
        refused = owner.post("/api/uploads", files=each)
        assert refused.status_code == 422, refused.text
        assert ".flows" not in refused.text
    assert promised(base, 10**12, owner) == 413

    asked = {"files": [brought.json()["id"]], "question": "total revenue by region"}
    key = {"Idempotency-Key": "one"}
    first = owner.post("/api/sessions", json=asked, headers=key)
    assert first.status_code == 202, first.text
    session = first.json()["id"]
    assert owner.post("/api/sessions", json=asked, headers=key).json()["id"] == session
    owner.get(f"/api/runs/{session}?wait=30")
    told = owner.get(f"/api/sessions/{session}/turns/1").json()
    assert "North: 1" in told["answer"]
    table = told["table"]["artifact"]
    content = owner.get(f"/page/files/{session}/{table}")
    assert content.text.splitlines()[1:] == ["North,1", "South,2"]
    assert content.headers["content-disposition"] == f'attachment; filename="{table}.csv"'
    assert content.headers["x-content-type-options"] == "nosniff"
    archive = ZipFile(BytesIO(owner.get(f"/page/exports/{session}").content))
    assert {f"{session}/index.html", f"{session}/tables/01-result.json"} <= {*archive.namelist()}
    assert owner.get("/page/exports/none").status_code == 404
    for path in (
        f"/api/sessions/{session}/turns/2", "/api/sessions/..%2f..%2fsales", "/api/sessions/none",
        f"/page/files/{session}/..%2fjournal.sqlite", f"/page/files/{session}/journal",
        f"/page/figures/{session}/{table}", "/page/files/..%2f..%2f/x", "/assets/..%2fdoor.py",
        "/assets/%2e%2e/door.py",
    ):  # fmt: skip
        assert owner.get(path).status_code == 404, path
    bad: list[dict[str, object]] = [
        {"files": ["../sales"]},
        {"files": []},
        {"files": "x"},
        {"file": []},
        {"question": 1},
    ]
    for body in bad:
        refused = owner.post("/api/sessions", json=body)
        assert refused.status_code in (404, 422), refused.text
    assert not list(page.folder.parent.glob("sales.csv"))
    assert "Traceback" not in page.log


def test_an_address_that_others_reach_needs_tls(tmp_path: Path) -> None:
    refused = flows("web", "--no-browser", "--address", "0.0.0.0", cwd=tmp_path)
    assert refused.code == 2
    assert "it needs TLS, with --tls-cert and --tls-key, or --behind-tls-proxy" in refused.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long("the real command")
def test_data_that_are_not_there_are_said_before_there_is_a_page(tmp_path: Path) -> None:
    ended = flows("web", "--no-browser", "--port", "0", "--data", "gone.csv", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "--data gone.csv" in ended.err


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = flows("web", "--no-browser", "--port", port, cwd=tmp_path)
    assert refused.code == 2
    assert f"cannot listen at 127.0.0.1:{port}" in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.long("the real command")
def test_without_a_browser_the_address_is_said_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    env = {**environment(PATH=str(tmp_path), DISPLAY="", BROWSER="")}
    command = [sys.executable, "-m", "flows", "web", "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        assert process.stderr.readline() == "no browser was found: open the address above\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert "Traceback" not in process.stderr.read()


@pytest.mark.long("the real command, twice")
def test_runs_of_the_command_line_are_listed_without_a_run_file(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(CSV)
    asked = flows("ask", "total revenue", "--data", "sales.csv", cwd=tmp_path)
    assert asked.code == 0
    with web_page(tmp_path) as page, httpx.Client(follow_redirects=True, timeout=60) as owner:
        owner.get(page.url)
        [run] = owner.get(f"{page.base}api/runs").json()["runs"]
        assert run["status"] == "finished"
        assert "3" in owner.get(f"{page.base}api/runs/{run['id']}").json()["outputs"]["answer"]
