"""Slack's events as typed messages: what is said to the application, and what is not for it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows.web.slack.settings import ChannelSettings, SlackSettings

_MENTION: Final = re.compile(r"<@([A-Z0-9]+)(?:\|[^>]*)?>")
_LINK: Final = re.compile(r"<((?:https?|mailto|s3)[^|>]*)(?:\|([^>]*))?>")
_CHANNEL: Final = re.compile(r"<#([A-Z0-9]+)(?:\|([^>]*))?>")
# Messages that a person wrote; the other subtypes are edits, joins and what bots say.
_SAID: Final = (None, "", "file_share", "thread_broadcast", "me_message")
_DIRECT: Final = "im"
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """A message that a person wrote. `text` is without the mention of the application; `thread` is
    the timestamp of the message that its thread begins with, empty outside of one; `label` what was
    on the button whose answer is the text."""

    team: str
    channel: str
    user: str
    ts: str
    text: str
    thread: str = ""
    mentions: bool = False
    direct: bool = False
    label: str = ""

    @property
    def id(self) -> str:
        """What tells it from all other messages: a retry, and the second event of a mention in a
        channel whose messages are heard too, have the same."""
        return f"{self.channel}:{self.ts}"


def read_message(event: Mapping[str, Any], team: str, bot: str) -> SlackMessage | None:
    """The message of an event, if a person wrote it; `bot` is the application's own user.

    An event that is malformed is none, as it comes from outside.
    """
    if event.get("type") not in ("message", "app_mention") or event.get("bot_id"):
        return None
    if event.get("subtype") not in _SAID:
        return None
    channel, user, ts = (event.get(key) for key in ("channel", "user", "ts"))
    text = event.get("text")
    if not (isinstance(channel, str) and isinstance(user, str) and isinstance(ts, str)):
        return None
    if not isinstance(text, str) or user == bot:
        return None
    thread = event.get("thread_ts")
    sender = event.get("user_team") or event.get("source_team") or event.get("team") or team
    return SlackMessage(
        team=str(sender),
        channel=channel,
        user=user,
        ts=ts,
        text=plain_text(text[:_LONGEST], bot),
        thread=thread if isinstance(thread, str) and thread != ts else "",
        mentions=event.get("type") == "app_mention" or bot in _MENTION.findall(text),
        direct=event.get("channel_type") == _DIRECT or channel.startswith("D"),
    )


def plain_text(text: str, bot: str = "") -> str:
    """A text of Slack as it was written: without the mention of the bot, links as their words."""
    text = _MENTION.sub(lambda found: "" if found[1] == bot else f"@{found[1]}", text)
    text = _CHANNEL.sub(lambda found: f"#{found[2] or found[1]}", text)
    text = _LINK.sub(lambda found: found[2] or found[1].removeprefix("mailto:"), text)
    return html.unescape(text).strip()


@dataclass(frozen=True, slots=True)
class ChannelRules:
    """The settings that hold in a channel: its own over those for all."""

    settings: SlackSettings
    own: ChannelSettings
    named: bool

    @classmethod
    def of(cls, settings: SlackSettings, channel: str, name: str = "") -> ChannelRules:
        """The rules of a channel, by its id, or by its name with or without the #."""
        for key in (channel, f"#{name}", name):
            if name or key == channel:
                own = settings.channels.get(key)
                if own is not None:
                    return cls(settings, own, named=True)
        return cls(settings, ChannelSettings(), named=False)

    def hears(self, message: SlackMessage, home: str) -> bool:
        """Whether a message is to be answered, of itself; `home` is the application's workspace."""
        if not message.text or (message.team != home and not self.settings.guests):
            return False
        if message.direct:
            return True
        if not self.named and not self.settings.other_channels:
            return False
        listen = self.own.listen or self.settings.listen
        return listen == "messages" or (listen == "mentions" and message.mentions)

    def thread_of(self, message: SlackMessage) -> str:
        """The thread that the answer goes to; empty for the channel itself."""
        if message.thread:
            return message.thread
        return message.ts if (self.own.reply or self.settings.reply) == "thread" else ""
