"""The daily digest: what was said in the indexed channels, the most answered messages first."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from flows.web.slack.archive import ArchivedMessage, MessageArchive
from flows.web.slack.settings import DigestSettings

_LONGEST: Final = 240
_REPLY_WORTH: Final = 2  # a reply says more of a message than a reaction
_QUESTION: Final = re.compile(
    r"\?\s*$|^(who|what|when|where|why|how|which|can|does|is|are)\b", re.I
)


@dataclass(frozen=True, slots=True)
class ChannelDigest:
    """A channel in a digest: how much was said by how many, the messages `shown`, those that were
    answered most first, and the questions that nobody has `answered` yet."""

    id: str
    name: str
    messages: int
    people: int
    shown: tuple[ArchivedMessage, ...]
    unanswered: tuple[ArchivedMessage, ...]


def period_of(day: date, settings: DigestSettings) -> tuple[float, float]:
    """The time that the digest of a day is about, in seconds since 1970: the 24 hours until it is
    posted."""
    hour, minute = map(int, settings.at.split(":"))
    end = datetime(day.year, day.month, day.day, hour, minute, tzinfo=settings.time_zone)
    return (end - timedelta(days=1)).timestamp(), end.timestamp()


def digest_of(
    archive: MessageArchive, day: date, settings: DigestSettings
) -> tuple[ChannelDigest, ...]:
    """The digest of a day: the channels in which something was said."""
    since, until = period_of(day, settings)
    found = []
    for channel, name in archive.names().items():
        said = archive.messages(channel, since, until)
        if said:
            found.append(_channel(channel, name, said, settings.messages))
    return tuple(found)


def _channel(channel: str, name: str, said: Sequence[ArchivedMessage], most: int) -> ChannelDigest:
    replied = {each.thread for each in said if each.thread}
    replies = {ts: sum(each.thread == ts for each in said) for ts in replied}
    begun = [each for each in said if not each.thread]

    def worth(message: ArchivedMessage) -> tuple[int, float]:
        answers = max(message.replies, replies.get(message.ts, 0))
        return _REPLY_WORTH * answers + message.reactions, message.at

    shown = sorted(begun, key=worth, reverse=True)[:most]
    unanswered = [
        each
        for each in begun
        if _QUESTION.search(each.text) and not each.replies and each.ts not in replied
    ]
    people = len({each.user for each in said})
    return ChannelDigest(channel, name, len(said), people, tuple(shown), tuple(unanswered[:most]))


def digest_text(
    digest: Sequence[ChannelDigest], day: date, url: str = "", told: Sequence[str] = ()
) -> str:
    """A digest as Markdown. `url` is the workspace's address, for links; `told` a summary of each
    channel."""
    lines = [f"# What was said until {day:%A, %d %B %Y}"]
    if not digest:
        return "\n".join([*lines, "", "Nothing."])
    for place, each in enumerate(digest):
        people = "1 person" if each.people == 1 else f"{each.people} people"
        messages = "1 message" if each.messages == 1 else f"{each.messages} messages"
        lines += ["", f"## #{each.name}", f"{messages} by {people}."]
        lines += [told[place]] if place < len(told) and told[place] else []
        lines += [_line(message, url) for message in each.shown]
        if each.unanswered:
            lines += ["Not answered yet:", *(_line(message, url) for message in each.unanswered)]
    return "\n".join(lines)


def _line(message: ArchivedMessage, url: str) -> str:
    said = " ".join(message.text.split())
    short = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
    marks = []
    if message.replies:
        marks.append("1 reply" if message.replies == 1 else f"{message.replies} replies")
    if message.reactions:
        marks.append("1 reaction" if message.reactions == 1 else f"{message.reactions} reactions")
    where = f"{url.rstrip('/')}/archives/{message.channel}/p{message.ts.replace('.', '')}"
    told = [*marks, f"[open]({where})"] if url else marks
    more = f" ({', '.join(told)})" if told else ""
    return f"- {message.name}: {short}{more}"


class DailyDigest:
    """Posts a digest each day at its time, once, however often the process starts."""

    def __init__(
        self,
        settings: DigestSettings,
        archive: MessageArchive,
        post: Callable[[date], Awaitable[str]],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._archive, self._post, self._now = settings, archive, post, now

    def due(self) -> date | None:
        """The day whose digest is to be posted now, if one is."""
        here = self._now().astimezone(self._settings.time_zone)
        today = here.date()
        due = here.strftime("%H:%M") >= self._settings.at
        return today if due and not self._archive.is_digested(str(today), self._channel) else None

    @property
    def _channel(self) -> str:
        return self._settings.channel

    async def work(self, every: float = 20.0) -> None:
        """Post what is due, for ever."""
        while True:
            await self.step()
            await asyncio.sleep(every)

    async def step(self) -> None:
        """Post the digest that is due, if one is."""
        day = self.due()
        if day is not None:
            ts = await self._post(day)
            self._archive.add_digest(str(day), self._channel, ts)
