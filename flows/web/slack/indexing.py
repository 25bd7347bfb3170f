"""Reading the indexed channels into the archive, and into a vector store for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from flows.core.vector_store import VectorEntry
from flows.errors import UsageError, nearest
from flows.memory.vectors.stores import ChromaVectorStore
from flows.web.slack.archive import ArchivedMessage, MessageArchive, archived
from flows.web.slack.client import SlackClient
from flows.web.slack.settings import SlackSettings

NAMESPACE: Final = "slack"
FOLDER: Final = Path(".flows") / "memory"
# So far back replies, reactions and deletions of what was read before are still noticed.
AGAIN_SECONDS: Final = 2 * 86_400.0
_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")

StoreOf = Callable[[str], ChromaVectorStore]


@dataclass(frozen=True, slots=True)
class IndexedChannel:
    """What reading a channel came to: messages that are new or changed, and those that are gone."""

    id: str
    name: str
    messages: int
    gone: int


def store_of(channel: str, folder: Path = FOLDER) -> ChromaVectorStore:
    """The vector store of a channel: `slack` is its namespace, the channel's name its name."""
    name = _NAME.sub("-", channel).strip("-_")[:60] or "channel"
    about = f"What people said in the Slack channel #{channel}."
    config = ChromaVectorStore.Config(
        namespace=NAMESPACE, name=name, description=about, folder=folder
    )
    return ChromaVectorStore(config)


async def indexed_channels(settings: SlackSettings, client: SlackClient) -> dict[str, str]:
    """The channels that the settings say to index, names by ids. Errors: `UsageError` when there
    are none, or for a name that Slack does not know; `SlackFault`."""
    wanted = [each for each, own in settings.channels.items() if own.index]
    if not wanted:
        raise UsageError("no channel is indexed; as: channels: {'#sales': {index: true}}")
    known = await client.channels()
    by_id = {identity: name for name, identity in known.items()}
    found: dict[str, str] = {}
    for each in wanted:
        name = by_id.get(each, each.removeprefix("#"))
        if name not in known:
            meant = nearest(name, known)
            hint = f"; did you mean #{meant}" if meant else ""
            raise UsageError(f"the application is in no channel {each}{hint}")
        found[known[name]] = name
    return found


async def index_channels(
    settings: SlackSettings, client: SlackClient, archive: MessageArchive, store_of: StoreOf
) -> tuple[IndexedChannel, ...]:
    """Read what was said since the last time. Errors: as for `indexed_channels`, `StoreError`."""
    channels = await indexed_channels(settings, client)
    return tuple(
        [await _index(each, name, client, archive, store_of) for each, name in channels.items()]
    )


async def _index(
    channel: str, name: str, client: SlackClient, archive: MessageArchive, store_of: StoreOf
) -> IndexedChannel:
    since = max(0.0, float(archive.latest(channel)) - AGAIN_SECONDS)
    said = await _said(channel, client, since)
    changed, gone = archive.put(channel, name, said, since)
    store = store_of(name)
    try:
        await store.add([_entry(each, name) for each in changed])
        await store.remove(gone)
    finally:
        await store.aclose()
    return IndexedChannel(channel, name, len(changed), len(gone))


async def _said(channel: str, client: SlackClient, since: float) -> Sequence[ArchivedMessage]:
    """All that people said in a channel, and in its threads, after a time."""
    found: list[ArchivedMessage] = []

    async def add(event: Any) -> None:
        message = archived(event, channel, await client.person(str(event.get("user") or "")))
        if message is not None and message.at > since:
            found.append(message)

    async for event in client.history(channel, f"{since:.6f}"):
        await add(event)
        if event.get("reply_count"):
            async for reply in client.replies(channel, str(event["ts"]), f"{since:.6f}"):
                if reply.get("ts") != event["ts"]:
                    await add(reply)
    return found


def _entry(message: ArchivedMessage, channel: str) -> VectorEntry:
    return VectorEntry(
        name=message.id,
        text=f"{message.name}: {message.text}",
        doc_id=f"{message.channel}:{message.thread or message.ts}",
        timestamp=datetime.fromtimestamp(message.at, UTC),
        metadata={"channel": channel, "user": message.user},
    )
