"""The application: Slack's events and buttons in socket mode, so that nothing here listens."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError

from flows.errors import UsageError
from flows.web.slack.blocks import CHOOSE, DROP, plain_message
from flows.web.slack.client import SlackClient, SlackFault, SlackIdentity
from flows.web.slack.conversations import Conversations
from flows.web.slack.messages import ChannelRules, SlackMessage, read_message
from flows.web.slack.settings import SlackSettings
from flows.web.slack.store import SlackStore, WaitingRun
from flows.web.slack.tokens import APP, SlackTokens

log = logging.getLogger(__name__)
_BOLT: Final = logging.getLogger(f"{__name__}.bolt")
_BOLT.setLevel(logging.ERROR)  # its warnings are about ways of use that are not ours

ANSWERED: Final = "That question was answered already."
NOT_YOURS: Final = "Only the person who was asked can answer that."
Next = Callable[[], Awaitable[None]]


class SlackApplication:
    """Hears messages and buttons, and gives them to the conversations.

    A message is on the disk before Slack is told that it arrived, so that it is neither lost nor,
    when Slack sends it again, answered twice.
    """

    def __init__(
        self,
        settings: SlackSettings,
        conversations: Conversations,
        store: SlackStore,
        client: SlackClient,
    ) -> None:
        self._settings = settings
        self._conversations = conversations
        self._store, self._client = store, client
        self._by_name = any(not _is_id(each) for each in settings.channels)
        self._me = SlackIdentity("", "", "")
        self._handler: AsyncSocketModeHandler | None = None

    async def connect(self, tokens: SlackTokens) -> SlackIdentity:
        """Open the socket, and go on with what was not answered when the process ended.

        Errors: `UsageError` for a token that Slack refuses; `SlackFault`.
        """
        self._me = await self._client.identify()
        handler = AsyncSocketModeHandler(
            self._bolt(tokens), tokens.app, logger=log, web_client=self._client.web
        )
        self._handler = handler
        try:
            handler.client.wss_uri = await handler.client.issue_new_wss_url()
        except SlackApiError as error:
            code = error.response.get("error", "no answer")
            raise UsageError(f"Slack refuses {APP}: {code}") from None
        for turn in self._store.unfinished():
            self._conversations.go_on(turn, await self._rules(turn.message.channel))
        await handler.connect_async()  # type: ignore[no-untyped-call]
        return self._me

    async def aclose(self) -> None:
        """Close the socket, then stop what is being answered."""
        if self._handler is not None:
            await self._handler.close_async()  # type: ignore[no-untyped-call]
        await self._conversations.aclose()

    def _bolt(self, tokens: SlackTokens) -> AsyncApp:
        me = self._me
        found = AuthorizeResult(
            enterprise_id=None, team_id=me.team, bot_token=tokens.bot, bot_user_id=me.user
        )

        async def authorize() -> AuthorizeResult:
            return found

        # What is heard is taken by the middleware, before Slack is told that it arrived.
        app = AsyncApp(
            authorize=authorize,
            client=self._client.web,
            request_verification_enabled=False,
            logger=_BOLT,
        )
        app.use(self._take)
        return app

    async def _take(
        self,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Next,  # noqa: A002 - Bolt's names
    ) -> BoltResponse:
        del resp, next
        body: Mapping[str, Any] = req.body
        if body.get("type") == "block_actions":
            for action in body.get("actions") or ():
                await self._press(body, action)
        elif isinstance(event := body.get("event"), Mapping):
            await self._hear(body, event)
        return BoltResponse(status=200, body="")

    async def _hear(self, body: Mapping[str, Any], event: Mapping[str, Any]) -> None:
        message = read_message(event, str(body.get("team_id") or ""), self._me.user)
        if message is None:
            return
        rules = await self._rules(message.channel)
        awaited = self._conversations.is_awaited(message)
        if awaited or rules.hears(message, self._me.team):
            self._conversations.answer(message, rules)

    async def _rules(self, channel: str) -> ChannelRules:
        """The rules of a channel. Where the settings name channels, one whose name Slack does not
        tell is not taken for another: the event fails, and Slack sends it again."""
        if not self._by_name or channel.startswith("D"):
            return ChannelRules.of(self._settings, channel)
        return ChannelRules.of(self._settings, channel, await self._client.name_of(channel))

    async def _press(self, body: Mapping[str, Any], action: Mapping[str, Any]) -> None:
        """A button was pressed: an answer, or that there will be none."""
        pressed = _pressed(body, action)
        if pressed is None:
            return
        message, value = pressed
        waiting = self._store.waiting_by(str(value.get("run", "")))
        if waiting is None or value.get("question", waiting.question_id) != waiting.question_id:
            await self._tell(message, ANSWERED)
        elif (waiting.channel, waiting.user) != (message.channel, message.user):
            await self._tell(message, NOT_YOURS)
        elif str(action.get("action_id")) == DROP:
            await self._conversations.drop(waiting)
        else:
            await self._choose(waiting, message)

    async def _choose(self, waiting: WaitingRun, message: SlackMessage) -> None:
        rules = await self._rules(message.channel)
        self._conversations.choose(waiting, message, rules)

    async def _tell(self, message: SlackMessage, text: str) -> None:
        try:
            await self._client.tell(
                message.channel, message.user, plain_message(text), message.thread
            )
        except SlackFault as fault:
            log.warning("%s", fault)


def _pressed(
    body: Mapping[str, Any], action: Mapping[str, Any]
) -> tuple[SlackMessage, Mapping[str, Any]] | None:
    """A button of ours as the message that it stands for, and what it holds."""
    name = str(action.get("action_id"))
    channel = (body.get("channel") or {}).get("id")
    user = body.get("user") or {}
    if not (name == DROP or name.startswith(f"{CHOOSE}:")) or not isinstance(channel, str):
        return None
    try:
        value = json.loads(str(action.get("value")))
    except ValueError:
        return None
    if not isinstance(value, Mapping):
        return None
    label = (action.get("text") or {}).get("text")
    thread = (body.get("message") or {}).get("thread_ts") or ""
    message = SlackMessage(
        team=str(user.get("team_id") or ""),
        channel=channel,
        user=str(user.get("id") or ""),
        ts=str(action.get("action_ts") or ""),
        text=str(value.get("answer", "")),
        thread=str(thread),
        label=str(label or ""),
    )
    return message, value


def _is_id(channel: str) -> bool:
    """Whether a channel is named by its id, as C024BE91L."""
    return len(channel) > 8 and channel[:1] in "CGD" and channel.isalnum() and channel.isupper()
