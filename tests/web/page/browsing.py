"""The real command `flows web` as a process, and Chromium that looks at its page."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize
from playwright.sync_api import TimeoutError as TooLate

from tests.cli.command import environment
from tests.report.browser import CHROMIUM

SECONDS = 90.0
Scheme = Literal["light", "dark"]


class WebPage:
    """A running `flows web`. `url` is the address with its token, `base` the one without."""

    def __init__(self, process: subprocess.Popen[str], url: str, log: Path) -> None:
        self.process, self.url, self._log = process, url, log
        self.folder = log.parent
        self.base = url.partition("?")[0]

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


class Tab:
    """A tab of Chromium. `problems` are errors of scripts, refusals of the policy, dialogs, and
    requests to other addresses; none of these may ever be there."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.context, self._base = context, base
        self.page: Page = context.new_page()
        self.page.set_default_timeout(SECONDS * 1000)
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self._refuse(dialog.message))
        self.page.on("console", lambda told: self._note(told.type, told.text))
        self.page.on("request", lambda request: self._check(request.url))

    def show(self, place: str) -> None:
        """Go to a view: `#/runs`."""
        self.page.goto(f"{self._base}{place}")

    def wait(
        self,
        selector: str,
        text: str | re.Pattern[str] | None = None,
        *,
        seconds: float = SECONDS,
    ) -> None:
        """Until something is to be seen."""
        found = self.page.locator(selector)
        if text is not None:
            found = found.filter(has_text=text)
        try:
            found.first.wait_for(timeout=seconds * 1000)
        except TooLate as error:
            seen = self.page.locator("body").inner_text()
            raise AssertionError(f"no {selector} {text or ''}; {self.problems}\n{seen}") from error

    def text(self, selector: str) -> str:
        return self.page.locator(selector).last.inner_text()

    def say(self, text: str) -> None:
        self.page.fill("#say", text)
        self.page.press("#say", "Enter")

    def _refuse(self, message: str) -> None:
        self.problems.append(f"a dialog: {message}")

    def _note(self, kind: str, text: str) -> None:
        of_network = "Failed to load resource" in text
        if "Content Security Policy" in text or (kind == "error" and not of_network):
            self.problems.append(text)

    def _check(self, url: str) -> None:
        if not url.startswith((self._base, "data:", "blob:")):
            self.problems.append(f"a request to {url}")


@contextmanager
def web_page(
    folder: Path, *arguments: str, port: int = 0, env: Mapping[str, str] | None = None
) -> Iterator[WebPage]:
    """`flows web` in a folder."""
    log = folder / "web.log"
    with log.open("a") as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", "web", *arguments, "--no-browser", "--port", str(port)],
            cwd=folder, env=environment(**(env or {})), stdout=subprocess.PIPE, stderr=told,
            text=True,
        )  # fmt: skip
    assert process.stdout is not None
    with process, process.stdout:
        try:
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), log.read_text()
            yield WebPage(process, url, log)
        finally:
            if process.poll() is None:
                process.kill()


@contextmanager
def tab_of(
    browser: Browser, page: WebPage, *, width: int = 1280, scheme: Scheme = "light"
) -> Iterator[Tab]:
    """A tab that has opened the page with its token."""
    size: ViewportSize = {"width": width, "height": 860}
    with browser.new_context(viewport=size, color_scheme=scheme) as context:
        tab = Tab(context, page.base)
        tab.page.goto(page.url)
        tab.wait("main h1")
        yield tab


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def chromium() -> str:
    """Where Chromium is. Call it only where there is one."""
    assert CHROMIUM is not None
    return CHROMIUM
