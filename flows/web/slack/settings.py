"""The settings of the Slack application: a YAML file, read with the place of every fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from flows.config.composition import Composed, raise_all
from flows.config.read import read
from flows.config.tree import Path as ConfigPath
from flows.config.tree import plain
from flows.config.validate import validate
from flows.errors import ConfigError

FILE: Final = Path("slack.yaml")
_TOKEN: Final = re.compile(r"xox[abeprs]-|xapp-")
_HOUR: Final = r"^([01]\d|2[0-3]):[0-5]\d$"
_PREFIX: Final = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$"

Listen = Literal["mentions", "messages", "nothing"]
Place = Literal["channel", "thread"]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ChannelSettings(_Settings):
    """What is different in one channel; what is not given is as for all channels."""

    run: str | None = Field(default=None, description="the run file that answers here")
    overrides: tuple[str, ...] = Field(
        default=(), description="changes of the run file, as on the command line"
    )
    listen: Listen | None = Field(
        default=None, description="what is answered: mentions, all messages, or nothing"
    )
    reply: Place | None = Field(default=None, description="answers in the channel or in a thread")
    revise: bool | None = Field(
        default=None, description="false: the agent keeps the functions that it begins with"
    )
    plan: str | None = Field(
        default=None,
        description="another PLAN, the agent's global prompt: a file of the folder prompts beside "
        "the run file",
    )
    functions: tuple[str, ...] | None = Field(
        default=None,
        description="the only functions that may be called here: ids, or patterns as sales/*",
    )
    index: bool = Field(default=False, description="what is said here is indexed and digested")


class DigestSettings(_Settings):
    """Where and when the daily digest of the indexed channels is posted."""

    channel: str = Field(description="the channel that gets it, by id or #name")
    at: Annotated[str, StringConstraints(pattern=_HOUR)] = Field(
        default="19:30", description="the time of day, HH:MM"
    )
    zone: str = Field(default="UTC", description="the time zone, as Europe/Berlin")
    messages: int = Field(default=5, ge=1, le=20, description="messages shown of each channel")

    @field_validator("zone")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in available_timezones():
            raise ValueError("this is no time zone; as: Europe/Berlin")
        return name

    @property
    def time_zone(self) -> ZoneInfo:
        return ZoneInfo(self.zone)


class AttachmentSettings(_Settings):
    """What is attached to answers. An object of S3 is only fetched from a prefix named here."""

    s3: tuple[Annotated[str, StringConstraints(pattern=_PREFIX)], ...] = Field(
        default=(), description="s3://BUCKET/PREFIX whose objects may be attached"
    )
    max_bytes: int = Field(default=20_000_000, ge=1, description="larger files stay where they are")
    most: int = Field(default=8, ge=0, description="files attached to one answer")


class SlackSettings(_Settings):
    """The keys of the file. The tokens are never in it: the environment holds them."""

    run: str | None = Field(
        default=None, description="the run file that answers, or the name of a built-in config"
    )
    overrides: tuple[str, ...] = Field(
        default=(), description="changes of the run file, as on the command line"
    )
    listen: Listen = Field(default="mentions", description="what is answered in channels")
    reply: Place = Field(default="channel", description="answers in the channel or in a thread")
    channels: Mapping[str, ChannelSettings] = Field(
        default={}, description="what is different in some channels, by id or #name"
    )
    other_channels: bool = Field(
        default=True,
        description="false: only the channels above, and direct messages, are answered",
    )
    guests: bool = Field(
        default=False, description="true: people of other workspaces are answered too"
    )
    turns_kept: int = Field(
        default=6, ge=0, description="earlier questions that a new one is asked after"
    )
    wait_hours: float = Field(
        default=24, gt=0, description="a question to a person is dropped after so many hours"
    )
    at_once: int = Field(default=50, ge=1, le=500, description="runs at the same time")
    progress_seconds: float = Field(
        default=2.0, ge=0.2, description="seconds between two edits of a message"
    )
    longest_answer: int = Field(
        default=3000, ge=200, le=11_000, description="characters; a longer answer is attached"
    )
    attachments: AttachmentSettings = Field(default=AttachmentSettings())
    digest: DigestSettings | None = Field(default=None)
    state: str = Field(
        default=".flows/slack", description="the folder of what is kept between two starts"
    )


def read_settings(path: Path) -> tuple[SlackSettings, Composed]:
    """The settings of a file, and where each of them is written.

    Errors: `ConfigError` with places; also for a token that is written out in the file.
    """
    document = read(path, may_be_empty=True)
    composed = Composed(document.tree, path, (path,))
    raise_all([_token_in_file(composed, where) for where in _tokens(plain(document.tree), ())])
    return validate(SlackSettings, composed.values, composed, ()), composed


def _tokens(value: Any, path: ConfigPath) -> Iterator[ConfigPath]:
    """The paths of texts that are Slack tokens."""
    if isinstance(value, str) and _TOKEN.match(value):
        yield path
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, each in items:
        yield from _tokens(each, (*path, key))


def _token_in_file(composed: Composed, path: ConfigPath) -> ConfigError:
    return composed.error(
        "a token does not belong in a file; set SLACK_BOT_TOKEN and SLACK_APP_TOKEN in the "
        "environment",
        path,
    )
