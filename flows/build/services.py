"""Making the services of a run: models, memories, people, tools, data. Each is made once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from flows.build.faults import Faults
from flows.build.plan import Closable
from flows.build.stand_ins import NoData, NoSandbox, StandIn
from flows.config.composed import Composed
from flows.config.redaction import redact
from flows.config.registry import Registry
from flows.config.secret import ENV, EnvSecret, resolve_secret
from flows.config.validate import validate
from flows.core.documents import Documents
from flows.core.sandbox import Sandbox, SandboxConfig
from flows.data.catalog import Catalog
from flows.data.described import DescribedCatalog
from flows.data.documents.folder import check_place
from flows.data.files.source_options import SourceOptions
from flows.data.files.sources import open_any
from flows.data.meaning.dictionary_file import read_dictionary
from flows.data.meaning.glossary import Glossary
from flows.data.profiles.cache import PROFILES
from flows.errors import ConfigError, SourceError
from flows.tools.langchain import as_tool

ConfigPath = tuple[str | int, ...]
TARGET = "_target_"
OUTSIDE = ("model", "memory", "human", "documents")
DOCUMENTS: ConfigPath = ("documents",)
SANDBOX: ConfigPath = ("sandbox",)
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

    def catalog(
        self, sources: Mapping[str, str | SourceOptions], dictionary: str | None = None
    ) -> Catalog:
        """The data sources of the run. Those of the command line start from the working folder.
        `dictionary` is a file that describes their columns."""
        path: ConfigPath = ("data",)
        if path not in self.made:
            where = self.located(sources)
            self.made[path] = self._catalog(where, dictionary) if self.live else NoData(where)
        found = self.made[path]
        assert isinstance(found, Catalog)
        return found

    def _catalog(self, where: Mapping[str, str | SourceOptions], dictionary: str | None) -> Catalog:
        given = with_secrets(where)
        if dictionary is None:
            return Catalog(given, self.base, PROFILES)
        known = read_dictionary(self.file("dictionary", dictionary))
        return DescribedCatalog(given, self.base, PROFILES, dictionary=known)

    def glossary(self, path: str) -> Glossary:
        """What words mean in the data. Errors: `ConfigError` for a file that is none."""
        at: ConfigPath = ("glossary",)
        if at not in self.made:
            glossary = Glossary(self.file("glossary", path))
            try:
                if self.live:
                    glossary.terms()
            except SourceError as error:
                place = self.composed.place(at)
                raise ConfigError(str(error), place=place, path=_dotted(at)) from error
            self.made[at] = glossary
        found = self.made[at]
        assert isinstance(found, Glossary)
        return found

    def file(self, key: str, path: str) -> Path:
        """The whole path of a file that a key of the run names, from where `located` starts."""
        from_command_line = self.composed.place((key,)).line is None
        return (Path.cwd() if from_command_line else self.base) / Path(path).expanduser()

    def documents(self, given: str | Mapping[str, Any]) -> Documents:
        """The documents of the run; nothing is read before they are used. Errors: `ConfigError`."""
        where = self.located_documents(given)
        values = {TARGET: "documents.folder", "folder": where} if isinstance(where, str) else where
        found = self.make("documents", DOCUMENTS, values)
        assert isinstance(found, Documents)
        return found

    def located_documents(self, given: str | Mapping[str, Any]) -> str | dict[str, Any]:
        """The key `documents` with whole paths. Errors: `ConfigError` for a folder that is not
        there."""
        if isinstance(given, str):
            return self._document_place(given, DOCUMENTS)
        own = {
            key: self._started_from(each, (*DOCUMENTS, key))
            for key in ("folder", "index")
            if isinstance(each := given.get(key), str)
        }
        if "folder" in own:
            self._document_place(own["folder"], (*DOCUMENTS, "folder"))
        return {**given, **own}

    def _document_place(self, where: str, path: ConfigPath) -> str:
        whole = self._started_from(where, path)
        try:
            if not where.strip():
                raise SourceError("no path is given")
            if self.live:
                check_place(Path(whole))
        except SourceError as error:
            place = self.composed.place(path)
            raise ConfigError(str(error), place=place, path=_dotted(path)) from error
        return whole

    def _started_from(self, where: str, path: ConfigPath) -> str:
        """The whole path: from the working folder if the command line says so."""
        from_command_line = self.composed.place(path).line is None
        return _whole(where, Path.cwd() if from_command_line else self.base)

    def sandbox(self, config: SandboxConfig) -> Sandbox:
        """What runs Python code that nobody trusts; it starts nothing before it is used."""
        if SANDBOX not in self.made:
            from flows.sandbox.python import PythonSandbox

            self.made[SANDBOX] = PythonSandbox(config) if self.live else NoSandbox()
        sandbox = self.made[SANDBOX]
        assert isinstance(sandbox, Sandbox)
        return sandbox

    def located(self, sources: Mapping[str, str | SourceOptions]) -> dict[str, str | SourceOptions]:
        """The sources with whole paths: from the run file's folder, or from the working folder
        for those of the command line; `${env:NAME}` as it is. Errors: `ConfigError` for each that
        cannot be opened."""
        faults = Faults()
        found: dict[str, str | SourceOptions] = {}
        for name, where in sources.items():
            from_command_line = self.composed.place(("data", name)).line is None
            start = Path.cwd() if from_command_line else self.base
            if isinstance(where, SourceOptions):
                found[name] = where.model_copy(update={"path": _whole(where.path, start)})
            elif ENV.fullmatch(where):
                found[name] = EnvSecret(where)
            else:
                found[name] = _whole(where, start)
            with faults:
                if self.live:
                    self._check_source(name, found[name], start)
        faults.raise_all()
        return found

    def _check_source(self, name: str, where: str | SourceOptions, start: Path) -> None:
        path = ("data", name)
        try:
            given = where if isinstance(where, SourceOptions) else resolve_secret(where)
            open_any(name, given, start)
        except (SourceError, ConfigError) as error:
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


def _whole(where: str, start: Path) -> str:
    return where if "://" in where else str(start / Path(where).expanduser())


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
