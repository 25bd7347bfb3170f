"""What can be reached from here: the model endpoint of the environment, and the search tools."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flows.cli.check_result import CheckResult
from flows.errors import ToolError

if TYPE_CHECKING:
    from http.client import HTTPMessage
    from typing import IO
    from urllib.request import Request

TIMEOUT_S = 2.0
KEY, BASE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
OWN_ENDPOINT = "https://api.openai.com/v1"
SITES = {"Wikipedia": "https://en.wikipedia.org", "DuckDuckGo": "https://duckduckgo.com"}


def reached() -> list[CheckResult]:
    """The findings of all looks, which are taken at once: this takes as long as the slowest."""
    return asyncio.run(_reached())


async def _reached() -> list[CheckResult]:
    looks = [endpoint(), *(site(name, url) for name, url in SITES.items())]
    return [*variables(), *await asyncio.gather(*looks)]


def variables() -> list[CheckResult]:
    """Which variables are set; never what they hold."""
    said = {True: "set", False: "not set"}
    there = {name: bool(os.environ.get(name)) for name in (KEY, BASE)}
    hints = {KEY: "model=openai needs it, except for most local servers", BASE: "OpenAI without it"}
    return [
        CheckResult("Model endpoint", name, "ok" if is_set else "note", text)
        for name, is_set in there.items()
        for text in [said[is_set] if is_set else f"{said[is_set]} ({hints[name]})"]
    ]


async def endpoint() -> CheckResult:
    """Whether the endpoint of model=openai answers, and takes the key."""
    from flows.tools.network import network_reason, run_in_thread

    group, name = "Model endpoint", "endpoint"
    key, base = os.environ.get(KEY, ""), os.environ.get(BASE, "")
    if not key and not base:
        return CheckResult(group, name, "note", "none is configured: model=offline needs none")
    if base and not is_address(base):
        return CheckResult(group, name, "failed", f"{BASE} is no http:// or https:// address")
    try:
        status = await run_in_thread(lambda: ask(base or OWN_ENDPOINT, key), TIMEOUT_S + 0.5)
    except (OSError, ValueError) as error:
        # The reason names no host, for the address is the value of a variable.
        reason = network_reason(error, "it") or "it does not speak HTTP"
        return CheckResult(group, name, "failed", f"does not answer: {reason}")
    if status in (401, 403):
        return CheckResult(group, name, "failed", f"answers, and refuses the key ({status})")
    if status >= 300:
        detail = f"answers, but lists no models ({status}): is the path of {BASE} right?"
        return CheckResult(group, name, "note", detail)
    return CheckResult(group, name, "ok", "answers")


def is_address(text: str) -> bool:
    """Whether it is an address that may be asked: nothing else is opened, files least of all."""
    try:
        return urlsplit(text).scheme in ("http", "https")
    except ValueError:  # Brackets without an end.
        return False


def ask(base: str, key: str) -> int:
    """The status of a GET of the endpoint's models. Errors: `OSError`, `ValueError`."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class NoRedirect(HTTPRedirectHandler):
        """The key goes to the address that the person gave and to no other."""

        def redirect_request(
            self,
            req: Request,
            fp: IO[bytes],
            code: int,
            msg: str,
            headers: HTTPMessage,
            newurl: str,
        ) -> None:
            del req, fp, code, msg, headers, newurl

    request = Request(f"{base.rstrip('/')}/models")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with build_opener(NoRedirect).open(request, timeout=TIMEOUT_S) as reply:
            return int(reply.status)
    except HTTPError as error:
        error.close()
        return error.code
    except HTTPException as error:
        raise ValueError("no HTTP") from error


async def site(name: str, url: str) -> CheckResult:
    """Whether a site can be connected to."""
    from flows.tools.network import check_reachable

    try:
        await check_reachable(url, TIMEOUT_S)
    except ToolError as error:
        return CheckResult("Network (for the search tools)", name, "note", str(error))
    return CheckResult("Network (for the search tools)", name, "ok", "can be reached")
