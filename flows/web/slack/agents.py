"""Which run file answers in a channel, and with which changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.config.composition import Composed
from flows.config.places import project_configs
from flows.config.settings import Choice, Setting
from flows.errors import ConfigError, UsageError
from flows.services.hosting.hosted_flow import HostedFile
from flows.web.slack.messages import ChannelRules
from flows.web.slack.settings import ChannelSettings, SlackSettings

DEFAULTS: Final = ("interpreter", "csv_chat")
QUESTION: Final = "question"
# The keys of an interpreter's run file that a channel's settings stand for.
REVISE: Final = "revise"
PLAN: Final = "plan"
FUNCTIONS: Final = "functions.only"


@dataclass(frozen=True, slots=True)
class Agents:
    """The run files of an application. `settings` and `overrides` are those of the command line,
    which hold in every channel; `folder` is that of the settings file, where its paths start."""

    slack: SlackSettings
    composed: Composed
    folder: Path
    file: Path | None = None
    overrides: tuple[str, ...] = ()
    settings: tuple[Setting | Choice, ...] = ()

    def of(self, rules: ChannelRules) -> HostedFile:
        """The run file that answers by these rules. Errors: `ConfigError`."""
        own = rules.own
        named = own.run or (None if self.file else self.slack.run)
        path = self._located(named) if named else self.file or default_file()
        return HostedFile(
            path,
            (*self.slack.overrides, *self.overrides, *own.overrides),
            (*self.settings, *self._changes(own)),
        )

    def files(self) -> Mapping[str, HostedFile]:
        """Every run file that may answer, by the place in the settings that names it."""
        found = {"": self.of(ChannelRules(self.slack, ChannelSettings(), named=False))}
        for channel, own in self.slack.channels.items():
            found[channel] = self.of(ChannelRules(self.slack, own, named=True))
        return found

    def state_folder(self) -> Path:
        """The folder of what is kept between two starts: below the working folder, as `.flows` is.

        Errors: `UsageError` for a place outside of it.
        """
        state = Path(self.slack.state)
        if state.is_absolute() or ".." in state.parts:
            raise UsageError(f"state: {state} must be a folder below the working folder")
        return state

    def _located(self, name: str) -> Path:
        """A run file beside the settings, or a built-in config by its name."""
        beside = self.folder / name
        return beside if beside.is_file() or Path(name).suffix else Path(name)

    def _changes(self, own: ChannelSettings) -> Sequence[Setting]:
        where = "the settings of a Slack channel"
        changes: list[Setting] = []
        if own.revise is not None:
            changes.append(Setting(REVISE, own.revise, where))
        if own.plan is not None:
            changes.append(Setting(PLAN, own.plan, where))
        if own.functions is not None:
            changes.append(Setting(FUNCTIONS, list(own.functions), where))
        return changes


def default_file() -> Path:
    """The built-in config that answers where none is named. Errors: `ConfigError`."""
    configs = project_configs()
    for name in DEFAULTS:
        if configs is not None and (configs / f"{name}.yaml").is_file():
            return configs / f"{name}.yaml"
    raise ConfigError("the folder of configs, which `flows slack` runs from, is missing")
