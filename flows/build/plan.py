"""A built graph that is ready to run, with the services it uses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pydantic_core import to_json

from flows.build.consents import Consents
from flows.build.files import FileUse
from flows.build.own_code import signed_code
from flows.build.trust import Sending, Trust, refusal
from flows.build.worst_case import WorstCase, worst_case
from flows.config.composition import raise_all
from flows.core.editions import Edition
from flows.core.flow import Flow
from flows.core.function_description import Function
from flows.core.human import Human
from flows.core.limits import Limits, Prices
from flows.core.sandbox import Sandbox
from flows.core.store import Durability
from flows.core.workers import RunnerConfig
from flows.errors import ConfigError, PortError


@runtime_checkable
class Closable(Protocol):
    async def aclose(self) -> None: ...


@runtime_checkable
class SettingsChecked(Protocol):
    """A service that can tell before a run what it would refuse at its first call."""

    def check_settings(self) -> None: ...


@dataclass(frozen=True)
class RunPlan:
    """What a runner runs. `spec` is the composed config that it was built from, as plain data;
    `secrets` the paths in it that name environment variables, `base` where relative paths start,
    `human` whoever is asked about the run itself, `made_of` the fingerprints of its flows,
    `strict` the sandbox that has to be whole before anything runs, `sendings` what its services
    send where, `files` what they read or make, `foreign` the code of other packages that they are,
    by the place in the config that names it, `notes` what the person is told at its start, `trust`
    and `functions` what it was built with, `past` the graphs that a change of the session took the
    place of, `consents` what was allowed before, `warnings` what a check says of the graph."""

    flow: Flow
    inputs: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    prices: Prices = field(default_factory=dict)
    human: Human | None = None
    runner: RunnerConfig = field(default_factory=RunnerConfig)
    durability: Durability = "full"
    runs_folder: Path = Path("runs")
    spec: Mapping[str, Any] = field(default_factory=dict)
    secrets: tuple[tuple[str | int, ...], ...] = ()
    base: Path = Path()
    made_of: Mapping[str, Any] = field(default_factory=dict)
    services: tuple[Closable, ...] = ()
    strict: Sandbox | None = None
    sendings: tuple[Sending, ...] = ()
    files: tuple[FileUse, ...] = ()
    foreign: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trust: Trust = field(default_factory=Trust)
    functions: tuple[Function, ...] = ()
    past: tuple[Edition, ...] = ()
    consents: Consents = field(default_factory=Consents)
    warnings: tuple[ConfigError, ...] = ()

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """What the journal keeps so that the plan can be built again; never a secret."""
        record = {
            "spec": self.spec,
            "secrets": self.secrets,
            "base": str(self.base.absolute()),
            "folder": str(Path.cwd()),
            "inputs": self.inputs,
            "limits": self.limits,
            "allowed": sorted(
                {(each.key, each.address) for each in self.sendings if each.state != "usual"}
            ),
            **self.made_of,
        }
        if self.flow.private_keys:
            record["private_keys"] = self.flow.private_keys
        code = signed_code(self.sendings, self.consents, record)
        return {**record, "code": code} if code else record

    @cached_property
    def worst_case(self) -> WorstCase:
        """What a run can come to at most."""
        return worst_case(self.flow, self.limits, self.prices)

    @cached_property
    def record_text(self) -> str:
        """`record` as JSON, made once for all runs of the plan."""
        return to_json(self.record).decode()

    def with_inputs(self, inputs: Mapping[str, Any]) -> RunPlan:
        """The same graph and services for a run with these inputs beside those of the config."""
        return replace(self, inputs={**self.inputs, **inputs}) if inputs else self

    def check_inputs(self) -> None:
        """Errors: `ConfigError` that names the inputs that are missing, unknown or wrong."""
        try:
            self.flow.read_inputs(self.inputs)
        except PortError as error:
            raise ConfigError(f"the inputs do not fit: {error}", path="inputs") from error

    def check_trust(self) -> None:
        """Errors: `UntrustedError` for a secret that nobody has allowed to be sent."""
        raise_all([refusal(each, asks=False) for each in self.sendings if each.is_refused])

    async def check_ready(self) -> None:
        """Errors: `ConfigError` for inputs that do not fit, and for a service that lacks a key;
        `SandboxUnsafe` for a missing wall that the run wants; `SandboxError`."""
        self.check_inputs()
        for service in self.services:
            if isinstance(service, SettingsChecked):
                service.check_settings()
        if self.strict is not None:
            (await self.strict.finding()).require()

    @asynccontextmanager
    async def in_use(self) -> AsyncIterator[None]:
        """Check the plan for a run of it, and give its services up afterwards. Errors: as for
        `check_ready`."""
        try:
            await self.check_ready()
            yield
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """Give up what the services hold; one that fails keeps none of the others from it."""
        async with AsyncExitStack() as stack:
            for service in self.services:
                stack.push_async_callback(service.aclose)
