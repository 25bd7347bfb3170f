"""`flows slack`: questions that are asked in Slack, and their answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.arguments import AsJson, Data, Model, Trust, is_override

if TYPE_CHECKING:
    from flows.web.slack.agents import Agents

ACTIONS = ("serve", "check", "index", "digest")
MODULES = ("slack_bolt", "aiohttp")


def slack(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ACTION] [FILE] [OVERRIDE]...",
            show_default=False,
            help="serve, check, index or digest; a run file with an input question, or the name of "
            "a built-in config; and changes of it.",
        ),
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="The settings of the application; slack.yaml where there is one.",
        ),
    ] = None,
    data: Data = None,
    model: Model = None,
    day: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="The day of the digest; today without."),
    ] = None,
    post: Annotated[
        bool, typer.Option("--post", help="Index the channels, and post the digest.")
    ] = False,
    as_json: AsJson = False,
    trust: Trust = None,
) -> int:
    """Answer questions in Slack: a mention, a direct message, a message in a channel.

    Each message is a run of the run file, and goes on with what the same person asked before in the
    same channel. It is answered by one message that says how far it is and then holds the answer;
    figures, tables and reports are attached. What is not clear is asked back with buttons. A run
    that is not over when the application ends goes on with its next start.

    The application connects to Slack (socket mode), nothing here listens. Its tokens are only
    in the environment: SLACK_BOT_TOKEN (xoxb-...) and SLACK_APP_TOKEN (xapp-...). How to make the
    application in Slack, and what slack.yaml can hold: docs/slack.md.

    flows slack check builds every run file that may answer, and connects to nothing. flows slack
    index reads the channels that slack.yaml says to index; flows slack digest sums up what was said
    in them in the 24 hours until the time of the digest, and --post posts it. With a digest in
    slack.yaml the application does both by itself each day.

    Examples:

      flows slack --data sales.csv
      flows slack my.yaml --settings slack.yaml
      flows slack csv_chat --data sales.csv --model openai
      flows slack check
      flows slack index
      flows slack digest --day 2026-01-31

    Exit codes:

        0  it was told to terminate; the check found nothing wrong
        2  wrong usage or config, a token that is missing or refused
        4  Slack cannot be reached
      130  Ctrl-C
    """
    import asyncio

    from flows.cli.output import write_json

    _need_packages()
    action, rest = _action(arguments or [])
    agents = _agents(rest, settings, data, model)
    if action == "serve":
        return _serve(agents, trust or [])
    if action == "digest":
        found, text = _digest(agents, day, post=post)
    elif action == "index":
        found, text = _index(agents)
    else:
        from flows.web.slack.serve import check

        lines = asyncio.run(check(agents, trust or ()))
        found, text = {"files": list(lines)}, "\n".join(lines)
    if as_json:
        write_json(found, quiet=False)
    else:
        print(text)
    return 0


def _index(agents: Agents) -> tuple[dict[str, Any], str]:
    import asyncio
    from dataclasses import asdict

    from flows.web.slack.daily import index

    found = asyncio.run(index(agents))
    lines = [f"#{each.name}: {each.messages} new or changed, {each.gone} gone" for each in found]
    return {"channels": [asdict(each) for each in found]}, "\n".join(lines)


def _digest(agents: Agents, day: str | None, *, post: bool) -> tuple[dict[str, Any], str]:
    import asyncio
    from dataclasses import asdict
    from datetime import date

    from flows.errors import UsageError
    from flows.ui.terminal_text import clean
    from flows.web.slack.daily import digest, post_digest

    try:
        of = date.fromisoformat(day) if day is not None else None
    except ValueError as error:
        raise UsageError(f"--day is {day!r}; it is a date such as 2026-01-31") from error
    if post:
        text = asyncio.run(post_digest(agents, of))
        return {"text": text}, clean(text)
    found, text = digest(agents, of)
    return {"channels": [asdict(each) for each in found], "text": text}, clean(text)


def _serve(agents: Agents, trust: list[str]) -> int:
    import asyncio
    import signal

    from flows.cli.signals import CTRL_C
    from flows.ui.terminal_text import clean
    from flows.web.slack.serve import serve

    def tell(text: str) -> None:
        print(clean(text), file=sys.stderr, flush=True)

    ended = asyncio.run(serve(agents, trust, tell))
    return CTRL_C if ended == signal.SIGINT else 0


def _need_packages() -> None:
    """Errors: `ConfigError` that names the extra without which there is no Slack."""
    from flows.config.packages import missing_module, needed
    from flows.errors import ConfigError

    if missing_module(MODULES):
        raise ConfigError(needed("flows slack", "'analyst-flows[slack]'"))


def _action(arguments: list[str]) -> tuple[str, list[str]]:
    """The action, `serve` without one, and the other arguments."""
    if arguments and arguments[0] in ACTIONS:
        return arguments[0], arguments[1:]
    return ACTIONS[0], arguments


def _agents(
    arguments: list[str], settings: Path | None, data: list[str] | None, model: str | None
) -> Agents:
    """The run files of the application. Errors: `UsageError`, `ConfigError`."""
    from flows.config.composition import Composed
    from flows.config.read import read_yaml
    from flows.errors import UsageError
    from flows.services.model_choice import read_model
    from flows.services.sources import read_sources, source_names
    from flows.web.slack.serve import agents_of
    from flows.web.slack.settings import FILE, SlackSettings, read_settings

    overrides = [each for each in arguments if is_override(each)]
    files = [each for each in arguments if not is_override(each)]
    if len(files) > 1:
        raise UsageError(f"one run file answers, not {len(files)}: {', '.join(files)}")
    if settings is not None or FILE.is_file():
        slack, composed = read_settings(settings or FILE)
    else:
        slack = SlackSettings()
        composed = Composed(read_yaml("{}", FILE, may_be_empty=True).tree, FILE)
    given = [each.setting for each in read_sources(data or (), source_names(overrides))]
    choice = read_model(model)
    return agents_of(
        slack, composed, file=Path(files[0]) if files else None, overrides=overrides,
        given=[*given, *(choice.settings() if choice is not None else ())],
    )  # fmt: skip
