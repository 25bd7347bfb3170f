"""What pages of others can do to the page, in a real browser that holds its cookie."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright, sync_playwright

from tests.report.browser import CHROMIUM
from tests.web.page.browsing import WebPage, chromium, tab_of, web_page

EVIL = "evil.test"
# Everything that a page of another origin can try: it answers with what it got of each.
ATTACK = """
async (base) => {
  const got = {};
  const note = (name, work) => Promise.race([
    work.then((value) => { got[name] = value; }, () => { got[name] = "refused"; }),
    new Promise((done) => setTimeout(done, 5000)).then(() => { got[name] ??= "nothing came"; }),
  ]);
  const read = (path, options = {}) =>
    fetch(base + path, { credentials: "include", ...options }).then((reply) => reply.text());
  const loads = (element) => new Promise((done, failed) => {
    element.onload = () => done("loaded");
    element.onerror = () => failed();
    document.body.append(element);
  });
  const made = (name, properties) => Object.assign(document.createElement(name), properties);
  const file = new FormData();
  file.append("file", new Blob(["a,b\\n1,2\\n"]), "stolen.csv");
  await note("read", read("api/sessions"));
  await note("page", read(""));
  await note("ask", read("api/sessions", { method: "POST", body: '{"question": "stolen"}' }));
  await note("ask without reading", fetch(base + "api/sessions", {
    method: "POST", mode: "no-cors", credentials: "include", body: '{"question": "stolen"}',
  }).then(() => "sent"));
  await note("upload", fetch(base + "api/uploads", {
    method: "POST", mode: "no-cors", credentials: "include", body: file,
  }).then(() => "sent"));
  await note("events", new Promise((done, failed) => {
    const source = new EventSource(base + "api/runs/any/events", { withCredentials: true });
    source.onopen = () => done("open");
    source.onerror = () => { source.close(); failed(); };
  }));
  await note("script", loads(made("script", { src: base + "assets/theme.js" })));
  await note("image", loads(made("img", { src: base + "assets/icon.svg" })));
  const frame = made("iframe", { src: base, name: "frame" });
  await note("frame", loads(frame));
  await note("inside", Promise.resolve().then(() => frame.contentWindow.document.title));
  const form = made("form", { method: "post", action: base + "api/sessions", target: "frame" });
  document.body.append(form);
  form.submit();
  await new Promise((done) => setTimeout(done, 1000));
  return got;
}
"""


class _Bare(BaseHTTPRequestHandler):
    """An empty page of another server."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>other</title><body>")

    def log_message(self, *given: Any) -> None:
        del given


@contextmanager
def another_server() -> Iterator[int]:
    """The port of a server that is not ours."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Bare) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def playwright() -> Iterator[Playwright]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    with sync_playwright() as opened:
        yield opened


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(240)
def test_pages_of_others_get_nothing_and_change_nothing(
    tmp_path: Path, playwright: Playwright
) -> None:
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,1\nSouth,2\n")
    rules = f"--host-resolver-rules=MAP {EVIL} 127.0.0.1"
    browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", rules])
    with browser, another_server() as port, web_page(tmp_path, "--data", "sales.csv") as page:
        check_rebinding(page, browser)
        with tab_of(browser, page) as tab:
            for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"{EVIL}:{port}"):
                other = tab.context.new_page()
                other.goto(f"http://{host}/")
                got = other.evaluate(ATTACK, page.base)
                for name in ("read", "page", "ask", "events", "script", "image", "inside"):
                    assert got[name] in ("refused", "nothing came"), (host, got)
                other.close()
            sessions = tab.page.evaluate("fetch('/api/sessions').then((found) => found.json())")
            assert sessions["sessions"] == []
            assert not list(tmp_path.rglob("stolen.csv"))
            assert not tab.problems


def check_rebinding(page: WebPage, browser: Any) -> None:
    """A name of others that has come to mean this machine opens nothing, nor uses the token up."""
    own = page.base.removeprefix("http://127.0.0.1")
    with browser.new_context() as context:
        tab = context.new_page()
        for path in ("", "api/sessions", page.url.removeprefix(page.base)):
            reply = tab.goto(f"http://{EVIL}{own}{path}")
            assert reply is not None
            assert reply.status == 403
            assert "this address is not served here" in reply.text()
        assert context.cookies() == []
