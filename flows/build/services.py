"""Making the services of a run: models, memories, people, tools, data. Each is made once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from flows.build.faults import Faults
from flows.build.plan import Closable
from flows.build.stand_ins import NoData, StandIn
from flows.config.composed import Composed
from flows.config.redaction import redact
from flows.config.registry import Registry
from flows.config.secret import EnvSecret, resolve_secret
from flows.config.validate import validate
from flows.data.catalog import Catalog
from flows.data.sources import open_source
from flows.errors import ConfigError, SourceError
from flows.tools.langchain import as_tool

ConfigPath = tuple[str | int, ...]
TARGET = "_target_"
OUTSIDE = ("model", "memory", "human")
M = TypeVar("M", bound=BaseModel)


class Services:
    """The services that a graph asks for, by the place in the config that describes each.

    `base` is the folder that relative paths of the run file start from. Without `live` nothing of
    the outside is reached or has to be there: models, memories, people and data are stand-ins.
    """

    def __init__(
        self, composed: Composed, registry: Registry, base: Path, *, live: bool = True
    ) -> None:
        self.composed = composed
        self.registry = registry
        self.base = base
        self.live = live
        self.made: dict[ConfigPath, object] = {}

    def closable(self) -> tuple[Closable, ...]:
        """Those that hold something that has to be given up."""
        return tuple(each for each in self.made.values() if isinstance(each, Closable))

    def make(self, kind: str, path: ConfigPath, values: Mapping[str, Any]) -> object:
        """The service that the mapping at `path` describes. Errors: `ConfigError`."""
        if path not in self.made:
            self.made[path] = self._make(kind, path, values)
        return self.made[path]

    def catalog(self, sources: Mapping[str, str]) -> Catalog:
        """The data sources of the run. Those of the command line start from the working folder."""
        path: ConfigPath = ("data",)
        if path not in self.made:
            where = self.located(sources)
            self.made[path] = Catalog(where, self.base) if self.live else NoData(where)
        catalog = self.made[path]
        assert isinstance(catalog, Catalog)
        return catalog

    def located(self, sources: Mapping[str, str]) -> dict[str, str]:
        """The sources with whole paths: from the run file's folder, or from the working folder
        for those of the command line. Errors: `ConfigError` for each that cannot be opened."""
        faults = Faults()
        found = {}
        for name, where in sources.items():
            from_command_line = self.composed.place(("data", name)).line is None
            start = Path.cwd() if from_command_line else self.base
            found[name] = where if "://" in where else str(start / Path(where).expanduser())
            with faults:
                if self.live:
                    self._check_source(name, found[name], start)
        faults.raise_all()
        return found

    def _check_source(self, name: str, where: str, start: Path) -> None:
        try:
            open_source(name, where, start)
        except SourceError as error:
            path = ("data", name)
            place = self.composed.place(path)
            raise ConfigError(str(error), place=place, path=_dotted(path)) from error

    def _make(self, kind: str, path: ConfigPath, values: Mapping[str, Any]) -> object:
        target = values.get(TARGET)
        if not isinstance(target, str):
            raise ConfigError(
                f"this {kind} has no _target_",
                place=self.composed.place(path),
                path=_dotted((*path, TARGET)),
                allowed=self.registry.names(kind),
            )
        at = (*path, TARGET)
        place = self.composed.place(at)
        found = self.registry.find(kind, target, place=place, path=_dotted(at))
        if kind in OUTSIDE and not self.live:
            return StandIn(kind)
        maker: Any = self.registry.resolve(kind, target, place=place, path=_dotted(at))
        given = {**found.values, **{key: each for key, each in values.items() if key != TARGET}}
        try:
            if kind == "tool":
                return as_tool(self._config(maker, given, path))
            parts = self._parts(maker, path, given)
            if getattr(maker, "Config", None) is None:
                self._refuse_keys(given, path)
                return maker(**parts)
            return maker(self._config(maker.Config, given, path), **parts)
        except ConfigError as error:
            if error.place is not None:
                raise
            raise ConfigError(
                error.problem,
                place=self.composed.place(path),
                path=_dotted(path),
                allowed=error.allowed,
                meant=error.meant,
            ) from error

    def _config(self, model: type[M], given: Mapping[str, Any], path: ConfigPath) -> M:
        """The settings of a service, checked as they are written and then with their secrets."""
        validate(model, given, self.composed, path)
        try:
            return model.model_validate(with_secrets(given) if self.live else given)
        except ValidationError as error:  # by now only a secret can be what does not fit
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = (*path, *first["loc"])
            raise ConfigError(
                redact(f"this secret does not fit: {first['msg']}"),
                place=self.composed.place(where),
                path=_dotted(where),
            ) from None

    def _parts(self, maker: Any, path: ConfigPath, given: Mapping[str, Any]) -> dict[str, object]:
        """The services that a service is made of, such as a memory's embedder."""
        needs: Mapping[str, str] = getattr(maker, "needs", {})
        return {
            key: self.make(kind, (*path, key), given[key])
            for key, kind in needs.items()
            if isinstance(given.get(key), Mapping)
        }

    def _refuse_keys(self, given: Mapping[str, Any], path: ConfigPath) -> None:
        for key in given:
            raise ConfigError(
                f"unknown key {key!r}: this takes no settings",
                place=self.composed.key_place((*path, key)),
                path=_dotted((*path, key)),
            )


def _dotted(path: ConfigPath) -> str:
    return ".".join(str(part) for part in path)


def with_secrets(values: Any) -> Any:
    """The values with `${env:NAME}` replaced by what the variable holds."""
    if isinstance(values, EnvSecret):
        return resolve_secret(values)
    if isinstance(values, Mapping):
        return {key: with_secrets(value) for key, value in values.items()}
    if isinstance(values, list):
        return [with_secrets(value) for value in values]
    return values
