"""Running the application until it is told to end."""

from __future__ import annotations

import logging
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from flows.config.composition import Composed
from flows.config.settings import Choice, Setting
from flows.errors import ConfigError
from flows.services.hosting.run_host import RunHost
from flows.web.signals import end_signal
from flows.web.slack.agents import QUESTION, Agents
from flows.web.slack.app import SlackApplication
from flows.web.slack.client import SlackClient, api_url
from flows.web.slack.conversations import Conversations
from flows.web.slack.daily import digests
from flows.web.slack.settings import SlackSettings
from flows.web.slack.store import SlackStore
from flows.web.slack.tokens import read_tokens

Tell = Callable[[str], None]


def agents_of(
    settings: SlackSettings,
    composed: Composed,
    *,
    file: Path | None = None,
    overrides: Sequence[str] = (),
    given: Sequence[Setting | Choice] = (),
) -> Agents:
    """The run files of the application: `file`, `overrides` and `given` are the command line's."""
    folder = composed.file.absolute().parent
    return Agents(settings, composed, folder, file, tuple(overrides), tuple(given))


async def check(agents: Agents, trust: Sequence[str]) -> tuple[str, ...]:
    """Build every run file that may answer; returns a line about each. Errors: `ConfigError` also
    for one that takes no question."""
    host = RunHost(trust=trust)
    try:
        return tuple([line async for line in _checked(agents, host)])
    finally:
        await host.aclose()


async def _checked(agents: Agents, host: RunHost) -> AsyncIterator[str]:
    for channel, file in agents.files().items():
        inputs = await host.inputs_of(file)
        if QUESTION not in inputs:
            raise ConfigError(
                f"{file.path} takes no input {QUESTION!r}; it takes {', '.join(sorted(inputs))}"
            )
        yield f"{channel or 'all other channels'}: {file.path}"


async def serve(agents: Agents, trust: Sequence[str], tell: Tell) -> signal.Signals:
    """Answer in Slack until a signal tells the process to end, and return which.

    Errors: `ConfigError` for run files, `UsageError` for tokens and a second process, `SlackFault`.
    """
    tokens, url = read_tokens(), api_url()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    async with _application(agents, trust, tokens.bot, url) as (application, host, client):
        for line in [line async for line in _checked(agents, host)]:
            tell(line)
        with_signal = end_signal()
        me = await application.connect(tokens)
        tell(f"connected to {me.workspace or me.team} as {me.user}; Ctrl-C ends it")
        async with digests(agents, client):
            return await with_signal


@asynccontextmanager
async def _application(
    agents: Agents, trust: Sequence[str], token: str, url: str
) -> AsyncIterator[tuple[SlackApplication, RunHost, SlackClient]]:
    settings = agents.slack
    store = SlackStore(agents.state_folder())
    host = RunHost(trust=trust, at_once=settings.at_once)
    client = SlackClient(token, url)
    conversations = Conversations(agents, host, store, client)
    application = SlackApplication(settings, conversations, store, client)
    try:
        yield application, host, client
    finally:
        await application.aclose()
        await client.aclose()
        await host.aclose()
        store.close()
