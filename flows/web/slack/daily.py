"""Indexing channels and posting digests: once from the command line, or each day beside the
application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import date, datetime

from flows.errors import FlowsError, UsageError
from flows.web.slack.agents import Agents
from flows.web.slack.archive import MessageArchive
from flows.web.slack.blocks import markdown_messages
from flows.web.slack.client import SlackClient, api_url
from flows.web.slack.digest import ChannelDigest, DailyDigest, digest_of, digest_text
from flows.web.slack.indexing import IndexedChannel, index_channels, store_of
from flows.web.slack.settings import DigestSettings
from flows.web.slack.tokens import read_tokens

log = logging.getLogger(__name__)


async def index(agents: Agents) -> tuple[IndexedChannel, ...]:
    """Read the indexed channels. Errors: `UsageError`, `SlackFault`, `StoreError`."""
    async with _opened(agents) as (client, archive):
        return await index_channels(agents.slack, client, archive, store_of)


async def post_digest(agents: Agents, day: date | None) -> str:
    """Index the channels, and post the digest of a day, today's without one; returns its text.

    Errors: as for `index`; `UsageError` without a channel that gets it.
    """
    settings = _digest_settings(agents)
    async with _opened(agents) as (client, archive):
        return (await _posted(agents, settings, client, archive, day or _today(settings)))[1]


def digest(agents: Agents, day: date | None) -> tuple[tuple[ChannelDigest, ...], str]:
    """The digest of a day from the archive, and its text. Errors: `UsageError`."""
    settings = agents.slack.digest or DigestSettings(channel="")
    archive = MessageArchive(agents.state_folder())
    try:
        of = day or _today(settings)
        found = digest_of(archive, of, settings)
        return found, digest_text(found, of)
    finally:
        archive.close()


@asynccontextmanager
async def digests(agents: Agents, client: SlackClient) -> AsyncIterator[None]:
    """Post the digest each day while this is open, if the settings say so."""
    settings = agents.slack.digest
    if settings is None:
        yield
        return
    archive = MessageArchive(agents.state_folder())

    async def post(day: date) -> str:
        try:
            return (await _posted(agents, settings, client, archive, day))[0]
        except FlowsError as error:
            log.warning("no digest of %s: %s", day, error)
            return ""

    task = asyncio.create_task(DailyDigest(settings, archive, post).work())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        archive.close()


async def _posted(
    agents: Agents,
    settings: DigestSettings,
    client: SlackClient,
    archive: MessageArchive,
    day: date,
) -> tuple[str, str]:
    """Index the channels and post the digest; returns the timestamp of its message, and its text.
    What does not fit in one message follows in its thread."""
    await index_channels(agents.slack, client, archive, store_of)
    me = await client.identify()
    text = digest_text(digest_of(archive, day, settings), day, me.url)
    first = ""
    for message in markdown_messages(text):
        ts = await client.post(settings.channel, message, first)
        first = first or ts
    return first, text


def _digest_settings(agents: Agents) -> DigestSettings:
    if agents.slack.digest is None:
        raise UsageError("no channel gets the digest; as: digest: {channel: '#news', at: '19:30'}")
    return agents.slack.digest


def _today(settings: DigestSettings) -> date:
    return datetime.now(settings.time_zone).date()


@asynccontextmanager
async def _opened(agents: Agents) -> AsyncIterator[tuple[SlackClient, MessageArchive]]:
    tokens, url = read_tokens(socket=False), api_url()
    client, archive = SlackClient(tokens.bot, url), MessageArchive(agents.state_folder())
    try:
        yield client, archive
    finally:
        await client.aclose()
        archive.close()
