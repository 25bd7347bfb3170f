"""A stand-in of Slack on loopback ports: its Web API and its socket mode, with its real JSON.

with SlackServer() as slack:
    ... SLACK_API_URL=slack.url, SLACK_BOT_TOKEN=slack.bot_token, SLACK_APP_TOKEN=slack.app_token
    ts = slack.say("C0SALES00", "U0ANNA000", "<@U0FLOWS00> total revenue")
    answer = slack.wait(lambda: slack.messages_of("C0SALES00")[-1]["text"] == "...")

It refuses what Slack refuses: wrong tokens, blocks beyond their limits, messages that are not
there, too many requests where a test says so; and sends an event again that is not acknowledged.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import WSMsgType, web

BOT_USER: Final = "U0FLOWS00"
TEAM: Final = "T0TEAM000"
SECONDS: Final = 240.0
_LIMITS: Final = {"section": 3000, "context": 3000}
_FORM: Final = ("conversations.", "auth.", "files.getUploadURLExternal", "apps.")

Message = dict[str, Any]


class Refused(Exception):
    """An error as Slack names it."""


@dataclass
class Upload:
    """A file that was attached."""

    name: str
    length: int
    content: bytes = b""
    title: str = ""
    channel: str = ""
    thread: str = ""
    done: bool = False


@dataclass
class _State:
    channels: dict[str, str] = field(
        default_factory=lambda: {"C0SALES00": "sales", "C0GENERAL": "general"}
    )
    messages: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    private: list[Message] = field(default_factory=list)
    uploads: dict[str, Upload] = field(default_factory=dict)
    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    edits: int = 0


class SlackServer:
    """The server, in a thread of its own. `retry_after` seconds it waits for an acknowledgement
    before it sends an event again; `limited` maps methods to how often they are refused with 429,
    for `wait` seconds."""

    bot_token = "xoxb-111111111111-222222222222-AbCdEfGhIjKl"
    app_token = "xapp-1-A0000000000-333333333333-ffffffffffff"

    def __init__(self, *, retry_after: float = 3.0, wait: int = 1) -> None:
        self.state = _State()
        self.limited: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self.retry_after = retry_after
        self.wait_seconds = wait
        self._numbers = itertools.count(1)
        self._started = int(time.time())
        self._sockets: list[web.WebSocketResponse] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._ended: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which the application finds it."""
        return {
            "SLACK_API_URL": self.url,
            "SLACK_BOT_TOKEN": self.bot_token,
            "SLACK_APP_TOKEN": self.app_token,
        }

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(SECONDS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._ended is not None
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    # What people do.

    def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread: str = "",
        kinds: tuple[str, ...] = ("app_mention",),
        direct: bool = False,
        team: str = TEAM,
        ts: str = "",
        **more: Any,
    ) -> str:
        """A person writes a message; returns its timestamp. An event of each of the `kinds` is
        sent: of a mention in a channel whose messages are heard Slack sends two."""
        ts = ts or self.next_ts()
        event: Message = {
            "user": user, "ts": ts, "text": text, "channel": channel, "event_ts": ts,
            "team": team, "blocks": [], **more,
        }  # fmt: skip
        if thread:
            event["thread_ts"] = thread
        self.state.messages[channel].append({**event, "type": "message"})
        for kind in kinds:
            own = {**event, "type": kind}
            if kind == "message":
                own["channel_type"] = "im" if direct else "channel"
            self.send_event(own)
        return ts

    def send_event(self, event: Message) -> str:
        """Send an event in an envelope; returns the envelope's id."""
        payload = {
            "token": "verification", "team_id": TEAM, "api_app_id": "A0000000000", "event": event,
            "type": "event_callback", "event_id": f"Ev{next(self._numbers):09d}",
            "event_time": int(time.time()), "is_ext_shared_channel": False,
            "authorizations": [
                {"enterprise_id": None, "team_id": TEAM, "user_id": BOT_USER, "is_bot": True}
            ],
        }  # fmt: skip
        return self._send("events_api", payload)

    def press(self, channel: str, message: Message, label: str, user: str) -> str:
        """A person presses the button with that label; returns the envelope's id."""
        button = next(
            each
            for block in message["blocks"]
            if block["type"] == "actions"
            for each in block["elements"]
            if each["text"]["text"] == label
        )
        action = {
            "action_id": button["action_id"], "block_id": "b", "type": "button",
            "text": button["text"], "value": button["value"], "action_ts": self.next_ts(),
        }  # fmt: skip
        payload = {
            "type": "block_actions", "team": {"id": TEAM, "domain": "team"},
            "user": {"id": user, "username": "somebody", "team_id": TEAM},
            "api_app_id": "A0000000000", "token": "verification",
            "container": {"type": "message", "message_ts": message["ts"], "channel_id": channel},
            "trigger_id": "1.2.3", "channel": {"id": channel, "name": "name"},
            "message": message, "state": {"values": {}}, "actions": [action],
        }  # fmt: skip
        return self._send("interactive", payload)

    def disconnect(self) -> None:
        """End the connection as Slack does every few hours: it says so, and closes."""
        asyncio.run_coroutine_threadsafe(self._disconnect(), self._loop).result(SECONDS)

    # What a test looks at.

    def messages_of(self, channel: str) -> list[Message]:
        """The messages of the application in a channel."""
        return [each for each in self.state.messages[channel] if each.get("bot_id")]

    def wait(self, found: Callable[[], Any], seconds: float = SECONDS) -> Any:
        """What `found` gives as soon as it is true."""
        until = time.monotonic() + seconds
        while not (got := found()):
            assert time.monotonic() < until, self.state.messages
            time.sleep(0.02)
        return got

    def wait_connected(self) -> None:
        self.wait(lambda: self._sockets)

    def files(self) -> list[Upload]:
        return [each for each in self.state.uploads.values() if each.done]

    def next_ts(self) -> str:
        return f"{self._started}.{next(self._numbers):06d}"

    # The server itself.

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._ended = asyncio.Event()
        app = web.Application(client_max_size=100_000_000)
        app.router.add_route("*", "/api/{method}", self._call)
        app.router.add_get("/socket", self._socket)
        app.router.add_post("/upload/{id}", self._upload)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._ended.wait()
        for socket in self._sockets:
            await socket.close()
        await runner.cleanup()

    async def _call(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        given: Mapping[str, Any]
        if request.content_type == "application/json":
            given = await request.json()
        else:
            given = dict(await request.post())
        self.state.calls.append((method, given))
        if self.limited.get(method, 0) > 0:
            self.limited[method] -= 1
            headers = {"Retry-After": str(self.wait_seconds)}
            return web.json_response(
                {"ok": False, "error": "ratelimited"}, status=429, headers=headers
            )
        try:
            if method in self.refused:
                raise Refused(self.refused[method])
            wanted = self.app_token if method.startswith("apps.") else self.bot_token
            if request.headers.get("Authorization") != f"Bearer {wanted}":
                raise Refused("invalid_auth")
            handler = getattr(self, f"_{method.replace('.', '_')}", None)
            if handler is None:
                raise Refused("unknown_method")
            return web.json_response({"ok": True, **handler(given)})
        except Refused as error:
            return web.json_response({"ok": False, "error": str(error)})

    def _auth_test(self, given: Mapping[str, Any]) -> Message:
        return {
            "url": "https://team.slack.com/", "team": "Team", "user": "flows", "team_id": TEAM,
            "user_id": BOT_USER, "bot_id": "B0FLOWS00", "is_enterprise_install": False,
        }  # fmt: skip

    def _apps_connections_open(self, given: Mapping[str, Any]) -> Message:
        return {"url": f"ws://127.0.0.1:{self.port}/socket?ticket={next(self._numbers)}"}

    def _chat_postMessage(self, given: Mapping[str, Any]) -> Message:  # noqa: N802 - Slack's name
        channel = self._channel(given)
        check_message(given)
        message: Message = {
            "type": "message", "bot_id": "B0FLOWS00", "user": BOT_USER, "ts": self.next_ts(),
            "text": given.get("text", ""), "blocks": given.get("blocks", []), "edits": [],
            "posted": time.monotonic(), "changed": time.monotonic(),
        }  # fmt: skip
        if given.get("thread_ts"):
            message["thread_ts"] = given["thread_ts"]
        self.state.messages[channel].append(message)
        return {"channel": channel, "ts": message["ts"], "message": message}

    def _chat_update(self, given: Mapping[str, Any]) -> Message:
        channel = self._channel(given)
        check_message(given)
        for message in self.state.messages[channel]:
            if message["ts"] == given.get("ts"):
                if not message.get("bot_id"):
                    raise Refused("cant_update_message")
                message["edits"].append(message["text"])
                message["text"], message["blocks"] = given.get("text", ""), given.get("blocks", [])
                message["changed"] = time.monotonic()
                self.state.edits += 1
                return {"channel": channel, "ts": message["ts"], "text": message["text"]}
        raise Refused("message_not_found")

    def _chat_postEphemeral(self, given: Mapping[str, Any]) -> Message:  # noqa: N802
        self._channel(given)
        check_message(given)
        self.state.private.append(dict(given))
        return {"message_ts": self.next_ts()}

    def _files_getUploadURLExternal(self, given: Mapping[str, Any]) -> Message:  # noqa: N802
        if not given.get("filename") or int(given.get("length") or 0) < 1:
            raise Refused("invalid_arguments")
        name = f"F{next(self._numbers):09d}"
        self.state.uploads[name] = Upload(str(given["filename"]), int(given["length"]))
        return {"upload_url": f"http://127.0.0.1:{self.port}/upload/{name}", "file_id": name}

    async def _upload(self, request: web.Request) -> web.Response:
        upload = self.state.uploads[request.match_info["id"]]
        form = await request.post()
        part = form["file"]
        assert isinstance(part, web.FileField)
        upload.content = part.file.read()
        if len(upload.content) != upload.length:
            return web.Response(status=400, text="wrong length")
        return web.Response(text=f"OK - {upload.length}")

    def _files_completeUploadExternal(self, given: Mapping[str, Any]) -> Message:  # noqa: N802
        done = []
        for each in given.get("files", ()):
            upload = self.state.uploads.get(each["id"])
            if upload is None or not upload.content:
                raise Refused("file_not_found")
            upload.title, upload.done = each.get("title", ""), True
            upload.channel = str(given.get("channel_id", ""))
            upload.thread = str(given.get("thread_ts", ""))
            done.append({"id": each["id"], "title": upload.title})
        return {"files": done}

    def _users_info(self, given: Mapping[str, Any]) -> Message:
        user = str(given.get("user"))
        name = user.removeprefix("U0").rstrip("0").capitalize()
        return {"user": {"id": user, "name": name, "profile": {"display_name": name}}}

    def _conversations_info(self, given: Mapping[str, Any]) -> Message:
        channel = self._channel(given)
        return {"channel": {"id": channel, "name": self.state.channels[channel]}}

    def _conversations_list(self, given: Mapping[str, Any]) -> Message:
        found = [{"id": key, "name": name} for key, name in self.state.channels.items()]
        at = int(given.get("cursor") or 0)
        following = str(at + 1) if at + 1 < len(found) else ""
        return {
            "channels": found[at : at + 1], "response_metadata": {"next_cursor": following}
        }  # fmt: skip

    def _conversations_history(self, given: Mapping[str, Any]) -> Message:
        channel = self._channel(given)
        said = [each for each in self.state.messages[channel] if not _is_reply(each)]
        return self._page([self._with_replies(channel, each) for each in said], given)

    def _conversations_replies(self, given: Mapping[str, Any]) -> Message:
        channel = self._channel(given)
        of = [
            each
            for each in self.state.messages[channel]
            if given["ts"] in (each["ts"], each.get("thread_ts"))
        ]
        return self._page(of, given)

    def _page(self, messages: list[Message], given: Mapping[str, Any]) -> Message:
        oldest, latest = float(given.get("oldest") or 0), float(given.get("latest") or "inf")
        found = [each for each in messages if oldest < float(each["ts"]) < latest]
        found.sort(key=lambda each: float(each["ts"]), reverse=True)
        at, size = int(given.get("cursor") or 0), 3
        following = str(at + size) if at + size < len(found) else ""
        return {
            "messages": found[at : at + size], "has_more": bool(following),
            "response_metadata": {"next_cursor": following},
        }  # fmt: skip

    def _with_replies(self, channel: str, message: Message) -> Message:
        replies = [
            each
            for each in self.state.messages[channel]
            if each.get("thread_ts") == message["ts"] != each["ts"]
        ]
        if not replies:
            return message
        return {
            **message, "thread_ts": message["ts"], "reply_count": len(replies),
            "latest_reply": replies[-1]["ts"],
        }  # fmt: skip

    def _channel(self, given: Mapping[str, Any]) -> str:
        channel = str(given.get("channel"))
        by_name = {f"#{name}": key for key, name in self.state.channels.items()}
        channel = by_name.get(channel, channel)
        if channel not in self.state.channels and not channel.startswith("D"):
            raise Refused("channel_not_found")
        return channel

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        hello = {
            "type": "hello", "num_connections": 1, "connection_info": {"app_id": "A0000000000"},
            "debug_info": {"host": "applink", "approximate_connection_time": 18060},
        }  # fmt: skip
        await socket.send_json(hello)
        self._sockets.append(socket)
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    said = json.loads(message.data)
                    self.state.acknowledged.append(said["envelope_id"])
        finally:
            if socket in self._sockets:
                self._sockets.remove(socket)
        return socket

    def _send(self, kind: str, payload: Mapping[str, Any]) -> str:
        envelope = f"{next(self._numbers):08d}-0000-4000-8000-000000000000"
        asyncio.run_coroutine_threadsafe(self._deliver(envelope, kind, payload), self._loop)
        return envelope

    async def _deliver(self, envelope: str, kind: str, payload: Mapping[str, Any]) -> None:
        """Send until it is acknowledged; at most four times, as Slack does."""
        for attempt in range(4):
            sent = {
                "envelope_id": envelope, "payload": payload, "type": kind,
                "accepts_response_payload": kind == "interactive", "retry_attempt": attempt,
                "retry_reason": "timeout" if attempt else "",
            }  # fmt: skip
            await self._write(sent)
            began = time.monotonic()
            until = began + self.retry_after
            while time.monotonic() < until:
                if envelope in self.state.acknowledged:
                    self.state.waits.append(time.monotonic() - began)
                    return
                await asyncio.sleep(0.01)

    async def _write(self, sent: Mapping[str, Any]) -> None:
        """Send on the newest connection, as soon as there is one that takes it."""
        while True:
            if self._sockets:
                try:
                    await self._sockets[-1].send_json(sent)
                except ConnectionError:  # it is closing; its end takes it from the list
                    pass
                else:
                    return
            await asyncio.sleep(0.05)

    async def _disconnect(self) -> None:
        for socket in list(self._sockets):
            await socket.send_json(
                {"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "a"}}
            )
            await socket.close()


def _is_reply(message: Message) -> bool:
    return bool(message.get("thread_ts")) and message["thread_ts"] != message["ts"]


def check_message(given: Mapping[str, Any]) -> None:
    """Slack's own limits. Errors: `Refused`."""
    blocks = given.get("blocks") or []
    if not given.get("text") and not blocks:
        raise Refused("no_text")
    if len(str(given.get("text", ""))) > 40_000:
        raise Refused("msg_too_long")
    if len(blocks) > 50:
        raise Refused("invalid_blocks")
    for block in blocks:
        texts = [block["text"]] if block["type"] == "section" else block.get("elements", [])
        if block["type"] not in ("section", "context", "actions", "divider", "header"):
            raise Refused("invalid_blocks")
        if len(texts) > (25 if block["type"] == "actions" else 10) or not texts:
            raise Refused("invalid_blocks")
        for each in texts:
            _check_element(block["type"], each)


def _check_element(kind: str, element: Message) -> None:
    if element["type"] == "button":
        if not 1 <= len(element["text"]["text"]) <= 75 or len(element.get("value", "")) > 2000:
            raise Refused("invalid_blocks")
    elif not 1 <= len(element["text"]) <= _LIMITS.get(kind, 3000):
        raise Refused("invalid_blocks")
