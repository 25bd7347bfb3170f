"""Chromium, driven through its debugging pipe: what a page does, and what it tried to do."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-quic",
    "--disable-extensions", "--mute-audio", "--hide-scrollbars",
)  # fmt: skip
_SECONDS = 60.0


class Browser:
    """One tab. `requests`, `violations`, `errors` are what pages did since they were opened."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        # The browser's pipe has the descriptors 3 and 4, whatever was free here.
        started = ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "bash", CHROMIUM]
        options = [*_OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"]
        self._process = subprocess.Popen(
            [*started, *options],
            pass_fds=(to_read, from_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self._out, self._in = to_write, from_read
        self._rest = b""
        self._id = 0
        self._session = ""
        self.requests: list[str] = []
        self.violations: list[str] = []
        self.errors: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        told = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = told["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait(timeout=_SECONDS)

    def open(self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load a file and wait for its end, with nothing noted of pages before."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self.resize(width, height)
        self.requests, self.violations, self.errors = [], [], []
        self._call("Page.navigate", url=page.as_uri())
        self.wait("document.readyState === 'complete'")

    def resize(self, width: int, height: int) -> None:
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=False)  # fmt: skip

    def scripts(self, *, allowed: bool) -> None:
        """Whether the next pages may run their own scripts; `run` works all the same."""
        self._call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def run(self, expression: str) -> Any:
        """The value of JavaScript in the page. Errors: `AssertionError` when it raises."""
        found = self._call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)  # fmt: skip
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a condition of the page holds. Errors: `TimeoutError`."""
        end = time.monotonic() + _SECONDS
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def click(self, x: float, y: float) -> None:
        """As a person clicks, with the mouse."""
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                       clickCount=1)  # fmt: skip

    def press(self, key: str) -> None:
        code = {"Enter": 13, "Tab": 9, "Escape": 27}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                       **(text if kind == "keyDown" else {}))  # fmt: skip

    def picture(self, path: Path, *, whole: bool = True) -> None:
        found = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self._call("Page.printToPDF", printBackground=True)["data"])

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._id += 1
        asked: dict[str, Any] = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._message()
            if told.get("id") == self._id:
                assert "error" not in told, told["error"]
                result: dict[str, Any] = told["result"]
                return result
            self._note(told)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], _SECONDS)
            if not ready:
                raise TimeoutError("the browser says nothing")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise EOFError("the browser ended")
            self._rest += read
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def _note(self, told: dict[str, Any]) -> None:
        found = told.get("params", {})
        match told.get("method"):
            case "Network.requestWillBeSent":
                url = found["request"]["url"]
                if not url.startswith(("data:", "file:")) or found.get("type") != "Document":
                    self.requests += [] if url.startswith("data:") else [url]
            case "Log.entryAdded":
                entry = found["entry"]
                security = entry["source"] == "security" or "Content Security" in entry["text"]
                (self.violations if security else self.errors).append(entry["text"])
            case "Runtime.exceptionThrown":
                self.errors.append(str(found["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if found["type"] in ("error", "warning"):
                self.errors.append(str(found["args"]))
