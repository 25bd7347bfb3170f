"""Slack's Web API, as far as the application uses it, with its limits and its errors as ours."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from flows.config.redaction import redact_pieces
from flows.errors import FlowsError, UsageError
from flows.web.slack.blocks import SlackText

API: Final = "https://slack.com/api/"
API_VARIABLE: Final = "SLACK_API_URL"
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_TRIES: Final = 6
_LONGEST_WAIT: Final = 60.0
_SECONDS: Final = 30
_NETWORK: Final = (aiohttp.ClientError, TimeoutError, OSError)
# What Slack says of a token, and not of what was asked for with it.
_OF_TOKEN: Final = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
     "not_allowed_token_type", "no_permission"}
)  # fmt: skip


class SlackFault(FlowsError):
    """Slack refused a request, or could not be reached. `code` is Slack's word for it; `wait` the
    seconds after which Slack takes the request again, None where trying again is useless."""

    def __init__(
        self, method: str, code: str, more: str = "", *, wait: float | None = None
    ) -> None:
        self.code, self.wait = code, wait
        super().__init__(f"Slack's {method}: {code}{more}")


@dataclass(frozen=True, slots=True)
class SlackIdentity:
    """Who the application is: its own user, its workspace's id, name and address."""

    user: str
    team: str
    workspace: str
    url: str = ""


def api_url() -> str:
    """The address of the Web API; another one, of a stand-in, only where the environment says so.

    Errors: `UsageError` for one that tokens must not be sent to: without TLS, but for this machine.
    """
    url = os.environ.get(API_VARIABLE) or API
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return url if url.endswith("/") else f"{url}/"
    raise UsageError(f"{API_VARIABLE} must begin https://, or be http:// on this machine")


class SlackClient:
    """The Web API with the bot's token. A request that Slack limits is sent again when Slack says,
    at most six times. Errors of all methods: `SlackFault`."""

    def __init__(self, token: str, url: str = API) -> None:
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS))
        self.web = AsyncWebClient(token=token, base_url=url, session=self._session)
        self.web.retry_handlers = []
        self._names: dict[str, str] = {}
        self._people: dict[str, str] = {}

    async def aclose(self) -> None:
        await self._session.close()

    async def identify(self) -> SlackIdentity:
        """Who the token belongs to. Errors: `UsageError` when Slack refuses it."""
        try:
            found = await self._call("auth.test", {})
        except SlackFault as fault:
            if fault.code in _OF_TOKEN:
                raise UsageError(f"Slack refuses SLACK_BOT_TOKEN: {fault.code}") from fault
            raise
        user, team = str(found["user_id"]), str(found["team_id"])
        return SlackIdentity(user, team, str(found.get("team", "")), str(found.get("url", "")))

    async def post(self, channel: str, text: SlackText, thread: str = "") -> str:
        """Post a message; returns its timestamp, which is its id in the channel."""
        given = {"channel": channel, "unfurl_links": False, "unfurl_media": False, **text.fields()}
        if thread:
            given["thread_ts"] = thread
        return str((await self._call("chat.postMessage", given))["ts"])

    async def edit(self, channel: str, ts: str, text: SlackText) -> None:
        """Put another text in the place of a message."""
        await self._call("chat.update", {"channel": channel, "ts": ts, **text.fields()})

    async def try_edit(self, channel: str, ts: str, text: SlackText) -> float:
        """As `edit`, for a text that may be left out: returns 0, or the seconds until Slack takes
        the next one."""
        given = {"channel": channel, "ts": ts, **text.fields()}
        try:
            await self._once("chat.update", given)
        except SlackFault as fault:
            return fault.wait or 0.0
        return 0.0

    async def tell(self, channel: str, user: str, text: SlackText, thread: str = "") -> None:
        """Tell one person something that nobody else in the channel sees."""
        given = {"channel": channel, "user": user, **text.fields()}
        await self._call(
            "chat.postEphemeral", {**given, **({"thread_ts": thread} if thread else {})}
        )

    async def upload(
        self, channel: str, thread: str, name: str, title: str, content: bytes
    ) -> None:
        """Attach a file to a channel, or to a thread in it."""
        place = await self._call(
            "files.getUploadURLExternal", {"filename": name, "length": len(content)}
        )
        await self._retried("upload", lambda: self._send(str(place["upload_url"]), name, content))
        done: dict[str, Any] = {
            "files": [{"id": place["file_id"], "title": title}], "channel_id": channel
        }  # fmt: skip
        if thread:
            done["thread_ts"] = thread
        await self._call("files.completeUploadExternal", done)

    async def name_of(self, channel: str) -> str:
        """The name of a channel; empty for a direct message."""
        if channel not in self._names:
            found = await self._call("conversations.info", {"channel": channel})
            self._names[channel] = str(found["channel"].get("name") or "")
        return self._names[channel]

    async def person(self, user: str) -> str:
        """What a person is called; the id where Slack does not tell."""
        if user not in self._people:
            try:
                found = (await self._call("users.info", {"user": user}))["user"]
            except SlackFault:
                return user
            profile = found.get("profile") or {}
            named = (profile.get("display_name"), found.get("real_name"), found.get("name"), user)
            self._people[user] = next(str(each) for each in named if each)
        return self._people[user]

    async def channels(self) -> Mapping[str, str]:
        """The channels that the application can read, ids by their names."""
        given = {"types": "public_channel,private_channel", "exclude_archived": True, "limit": 200}
        return {
            str(each["name"]): str(each["id"])
            async for each in self._pages("conversations.list", given, "channels")
        }

    async def history(self, channel: str, oldest: str, latest: str = "") -> AsyncIterator[Any]:
        """What was said in a channel after `oldest`, newest first; not what was said in threads."""
        given = {"channel": channel, "oldest": oldest, "limit": 200}
        given |= {"latest": latest} if latest else {}
        async for each in self._pages("conversations.history", given, "messages"):
            yield each

    async def replies(self, channel: str, thread: str, oldest: str) -> AsyncIterator[Any]:
        """What was said in a thread after `oldest`, with its first message."""
        given = {"channel": channel, "ts": thread, "oldest": oldest, "limit": 200}
        async for each in self._pages("conversations.replies", given, "messages"):
            yield each

    async def _pages(self, method: str, given: Mapping[str, Any], key: str) -> AsyncIterator[Any]:
        cursor = ""
        while True:
            page = await self._call(method, {**given, **({"cursor": cursor} if cursor else {})})
            for each in page.get(key) or ():
                yield each
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return

    async def _call(self, method: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return await self._retried(method, lambda: self._once(method, given))

    async def _retried(
        self, method: str, work: Callable[[], Coroutine[Any, Any, Mapping[str, Any]]]
    ) -> Mapping[str, Any]:
        """What the work gives, tried again where Slack limits it or the network fails."""
        for tried in range(1, _TRIES + 1):
            try:
                return await work()
            except SlackFault as fault:
                if fault.wait is None or tried == _TRIES or fault.wait > _LONGEST_WAIT:
                    raise
                await asyncio.sleep(fault.wait)
            except _NETWORK as error:
                if tried == _TRIES:
                    why = redact_pieces(str(error)) or type(error).__name__
                    raise SlackFault(method, "not reached", f" ({why})") from None
                await asyncio.sleep(min(8.0, 0.25 * 2**tried))
        raise AssertionError

    async def _once(self, method: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            answer = await self.web.api_call(method, **_body(method, given))
        except SlackApiError as error:
            raise _fault(method, error) from None
        except SlackClientError as error:
            raise SlackFault(
                method, "no answer of Slack", f": {redact_pieces(str(error))}"
            ) from None
        found: Any = answer.data
        return found if isinstance(found, dict) else {}

    async def _send(self, url: str, name: str, content: bytes) -> Mapping[str, Any]:
        form = aiohttp.FormData()
        form.add_field("file", content, filename=name)
        async with self._session.post(url, data=form, allow_redirects=False) as answer:
            if answer.status != 200:
                raise SlackFault("upload", f"HTTP {answer.status}")
        return {}


_READS: Final = ("conversations.", "auth.", "users.", "files.getUploadURLExternal")


def _body(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Methods that read take a form, the others JSON."""
    if method.startswith(_READS):
        form = {key: str(each).lower() if isinstance(each, bool) else each
                for key, each in given.items()}  # fmt: skip
        return {"data": form}
    return {"json": dict(given)}


def _fault(method: str, error: SlackApiError) -> SlackFault:
    """What Slack said, with when it may be asked again."""
    response = error.response
    said: Any = response.data if isinstance(response.data, dict) else {}
    wait = 1.0 if response.status_code >= 500 else None
    if response.status_code == 429:
        wait = _seconds(response.headers)
    code = str(said.get("error") or f"HTTP {response.status_code}")
    needed = f" (it needs the scope {said['needed']})" if said.get("needed") else ""
    return SlackFault(method, code, needed, wait=wait)


def _seconds(headers: Mapping[str, Any]) -> float:
    """How long Slack wants to be left alone."""
    found = next((each for key, each in headers.items() if key.lower() == "retry-after"), "1")
    first = found[0] if isinstance(found, Sequence) and not isinstance(found, str) else found
    try:
        return max(0.0, float(first))
    except ValueError:
        return 1.0
