"""The tokens of the Slack application: only from the environment, hidden in all that is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from flows.config.environment import read_variable
from flows.config.redaction import remember
from flows.errors import UsageError

BOT: Final = "SLACK_BOT_TOKEN"
APP: Final = "SLACK_APP_TOKEN"
_BEGINNINGS: Final = {BOT: "xoxb-", APP: "xapp-"}


@dataclass(frozen=True, slots=True)
class SlackTokens:
    """The bot's token, for the Web API, and the app's, for socket mode."""

    bot: str = field(repr=False)
    app: str = field(repr=False, default="")


def read_tokens(*, socket: bool = True) -> SlackTokens:
    """The tokens of the environment, or of `.env`; the app's only for a `socket`.

    Errors: `UsageError` that names the variables that are missing or hold another kind of token,
    never a value.
    """
    names = (BOT, APP) if socket else (BOT,)
    faults = [fault for name in names if (fault := _fault(name))]
    if faults:
        raise UsageError("\n".join(faults))
    bot, app = (remember(read_variable(name) or "") if name in names else "" for name in (BOT, APP))
    return SlackTokens(bot, app)


def _fault(name: str) -> str:
    value = read_variable(name) or ""
    if not value:
        return f"the environment variable {name} is not set; docs/slack.md says where it is from"
    if not value.startswith(_BEGINNINGS[name]):
        return f"the environment variable {name} holds another token: it begins {_BEGINNINGS[name]}"
    return ""
