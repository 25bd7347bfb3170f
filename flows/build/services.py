"""Making the services of a run: models, memories, people, tools, data. Each is made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from flows.build.data_sources import use_of_source
from flows.build.files import FileUse, files_of, named_file
from flows.build.function_sources import (
    FUNCTIONS,
    code_names,
    function_store,
    located_functions,
    trusted_code,
)
from flows.build.plan import Closable
from flows.build.stand_ins import NoData, NoSandbox, StandIn
from flows.build.trust import OWN_PACKAGE, Sending, Trust, asks_person, refusal, sendings_of
from flows.config.composition import Composed, raise_all
from flows.config.faults import Faults
from flows.config.outline import Outline
from flows.config.packages import missing_module, missing_package, needed, package_of
from flows.config.redaction import redact, remember_path
from flows.config.registry import Registered, Registry
from flows.config.secret import ENV, EnvSecret, env_name, resolve_secret, with_secrets
from flows.config.tree import dotted
from flows.config.validate import validate
from flows.core.documents import Documents
from flows.core.function_description import Function
from flows.core.function_store import FunctionStore, FunctionStoreConfig
from flows.core.sandbox import Sandbox, SandboxConfig
from flows.data.catalog import Catalog
from flows.data.dictionary_catalog import DescribedCatalog
from flows.data.documents.folder import check_place
from flows.data.files.source_options import SourceOptions
from flows.data.files.sources import open_any
from flows.data.meaning.dictionary_file import read_dictionary
from flows.data.meaning.glossary import Glossary
from flows.data.profiles.cache import PROFILES
from flows.errors import ConfigError, SourceError, UnknownValue

if TYPE_CHECKING:
    from flows.semantics.models import SemanticModels

ConfigPath = tuple[str | int, ...]
TARGET = "_target_"
EMBEDDER = "embedder"
SHARED = (EMBEDDER, "entities")  # parts of services that are the run's, if they have no own
OUTSIDE = ("model", "memory", "human", "documents", "entities", "vectors", EMBEDDER)
DATA: ConfigPath = ("data",)
DOCUMENTS: ConfigPath = ("documents",)
SANDBOX: ConfigPath = ("sandbox",)
SEMANTICS: ConfigPath = ("semantic_model",)
M = TypeVar("M", bound=BaseModel)


class Services:
    """The services that a graph asks for, by the place in the config that describes each.

    `base` is the folder that relative paths of the run file start from. Without `live` nothing of
    the outside is reached or has to be there: models, memories, people and data are stand-ins.
    `functions` are those that a program gives."""

    def __init__(
        self,
        composed: Composed,
        registry: Registry,
        base: Path,
        *,
        live: bool = True,
        trust: Trust | None = None,
        functions: Sequence[Function] = (),
    ) -> None:
        self.composed = composed
        self.registry = registry
        self.base = base
        self.live = live
        self.trust = trust or Trust()
        self.given = tuple(functions) if live else None
        self.made: dict[ConfigPath, object] = {}
        self.used: set[ConfigPath] = set()
        self.sendings: list[Sending] = []
        self.files: list[FileUse] = []
        self.notes: list[str] = []
        self.foreign: dict[str, str] = {}

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
        self.used.add(DATA)
        if DATA not in self.made:
            where = self.located(sources)
            for name, each in where.items():
                place = self.composed.place(("data", name))
                use = use_of_source(name, each, place, live=self.live)
                if isinstance(use, FileUse):
                    self.files.append(use)
                else:
                    self.sendings.append(use)
            self.made[DATA] = self._catalog(where, dictionary) if self.live else NoData(where)
        found = self.made[DATA]
        assert isinstance(found, Catalog)
        return found

    def _catalog(self, where: Mapping[str, str | SourceOptions], dictionary: str | None) -> Catalog:
        given = {name: self._revealed(name, each) for name, each in where.items()}
        if dictionary is None:
            return Catalog(given, self.base, PROFILES)
        known = read_dictionary(self.file("dictionary", dictionary))
        return DescribedCatalog(given, self.base, PROFILES, dictionary=known)

    def semantics(self, catalog: Catalog, path: str | None) -> SemanticModels:
        """What the data of the catalog mean. `path` is a file that says it, over what the data tell
        by themselves. Errors: `ConfigError`, `CheckError` for a file that is none."""
        from flows.semantics.formats import check_file
        from flows.semantics.models import SemanticModels

        if SEMANTICS not in self.made:
            declared = None if path is None else self.file("semantic_model", path)
            if declared is not None and self.live:
                check_file(declared)
            self.made[SEMANTICS] = SemanticModels(catalog, declared=declared, cache=PROFILES)
        found = self.made[SEMANTICS]
        assert isinstance(found, SemanticModels)
        return found

    def glossary(self, path: str) -> Glossary:
        """What words mean in the data. Errors: `ConfigError` for a file that is none."""
        at = ("glossary",)
        if at not in self.made:
            glossary = Glossary(self.file("glossary", path))
            try:
                if self.live:
                    glossary.terms()
            except SourceError as error:
                raise self.composed.error(str(error), at) from error
            self.made[at] = glossary
        found = self.made[at]
        assert isinstance(found, Glossary)
        return found

    def file(self, key: str, path: str) -> Path:
        """The whole path of a file that a key of the run names."""
        return named_file(self.composed, key, path, self._start((key,)), live=self.live)

    def _start(self, path: ConfigPath) -> Path:
        """Where a path starts from: the run file's folder, or the working folder for one of the
        command line."""
        return Path.cwd() if self.composed.place(path).line is None else self.base

    def note_code(self, found: Registered, path: ConfigPath) -> None:
        """Note the code of another package that the config at `path` names."""
        if found.source != OWN_PACKAGE:
            self.foreign[dotted(path) or "the flow"] = found.reference

    def documents(self, given: str | Mapping[str, Any]) -> Documents:
        """The documents of the run; nothing is read before they are used. Errors: `ConfigError`."""
        self.used.add(DOCUMENTS)
        where = self.located_documents(given)
        values = {TARGET: "documents.folder", "folder": where} if isinstance(where, str) else where
        found = self.make("documents", DOCUMENTS, values)
        assert isinstance(found, Documents)
        return found

    def located_documents(self, given: str | Mapping[str, Any]) -> str | dict[str, Any]:
        """The key `documents` with whole paths. Errors: `ConfigError` for a folder that is used
        and not there."""
        if isinstance(given, str):
            return self._document_place(given, DOCUMENTS)
        own = {
            key: _whole(each, self._start((*DOCUMENTS, key)))
            for key in ("folder", "index")
            if isinstance(each := given.get(key), str)
        }
        if "folder" in own:
            self._document_place(own["folder"], (*DOCUMENTS, "folder"))
        return {**given, **own}

    def _document_place(self, where: str, path: ConfigPath) -> str:
        whole = _whole(where, self._start(path))
        try:
            if not where.strip():
                raise SourceError("no path is given")
            if self.live and DOCUMENTS in self.used:
                check_place(Path(whole))
        except SourceError as error:
            raise self.composed.error(str(error), path) from error
        return whole

    def functions(self, config: FunctionStoreConfig) -> FunctionStore:
        """The functions of the run; no source is reached before they are used."""
        if FUNCTIONS not in self.made:
            more = (self.given, self.composed.values.get(EMBEDDER))
            self.made[FUNCTIONS] = function_store(config, self.make, self._start, self.notes, *more)
        found = self.made[FUNCTIONS]
        assert isinstance(found, FunctionStore)
        return found

    def located_functions(self, config: FunctionStoreConfig) -> dict[str, Any]:
        return located_functions(config, self.composed.values["functions"], self._start)

    def sandbox(self, config: SandboxConfig) -> Sandbox:
        """What runs Python code that nobody trusts; it starts nothing before it is used."""
        if SANDBOX not in self.made:
            from flows.sandbox.python import PythonSandbox

            self.made[SANDBOX] = PythonSandbox(config) if self.live else NoSandbox()
        sandbox = self.made[SANDBOX]
        assert isinstance(sandbox, Sandbox)
        return sandbox

    def located(self, sources: Mapping[str, str | SourceOptions]) -> dict[str, str | SourceOptions]:
        """The sources with whole paths; `${env:NAME}` as it is. Errors: `ConfigError` for each
        that is used and cannot be opened."""
        faults = Faults()
        found: dict[str, str | SourceOptions] = {}
        for name, where in sources.items():
            start = self._start(("data", name))
            if isinstance(where, SourceOptions):
                found[name] = where.model_copy(update={"path": _whole(where.path, start)})
            elif ENV.fullmatch(where):
                found[name] = EnvSecret(where)
            else:
                found[name] = _whole(where, start)
            with faults:
                if self.live and DATA in self.used:
                    self._check_source(name, found[name], start)
        faults.raise_all()
        return found

    def _check_source(self, name: str, where: str | SourceOptions, start: Path) -> None:
        try:
            open_any(name, self._revealed(name, where), start)
        except (SourceError, ConfigError) as error:
            raise self.composed.error(str(error), ("data", name)) from error

    def check(self, kind: str, path: ConfigPath, values: Mapping[str, Any]) -> None:
        """Check the names and keys of a service that no flow uses: nothing is made, and nothing
        outside has to be there. Errors: `ConfigError`."""
        _, maker, given = self._found(kind, path, values)
        if isinstance(maker, Outline):
            return
        self._checked(_settings(kind, maker), given, path)
        for key, inner in getattr(maker, "needs", {}).items():
            if isinstance(given.get(key), Mapping):
                self.check(inner, (*path, key), given[key])

    def _found(
        self, kind: str, path: ConfigPath, values: Mapping[str, Any]
    ) -> tuple[Registered, Any, dict[str, Any]]:
        """What the `_target_` at `path` stands for, its class, and its keys. Without `live` what
        reaches outside is not imported. Errors: `ConfigError`."""
        target, at = values.get(TARGET), (*path, TARGET)
        if self.composed.is_unknown(at):
            raise UnknownValue(f"{dotted(at)} is not known")
        if not isinstance(target, str):
            raise ConfigError(
                f"this {kind} has no _target_",
                place=self.composed.place(path),
                path=dotted(at),
                allowed=self.registry.names(kind),
            )
        place, where = self.composed.place(at), dotted(at)
        found = self.registry.find(kind, target, place=place, path=where)
        given = {**found.values, **{key: each for key, each in values.items() if key != TARGET}}
        if kind in OUTSIDE and not self.live:
            return found, None, given
        return found, self.registry.resolve(kind, target, place=place, path=where), given

    def _checked(
        self, settings: type[BaseModel] | None, given: Mapping[str, Any], path: ConfigPath
    ) -> None:
        """Errors: `ConfigError` for the keys of a service that are wrong."""
        if settings is None:
            self._refuse_keys(given, path)
        else:
            validate(settings, given, self.composed, path)

    def _revealed(self, name: str, where: str | SourceOptions) -> str | SourceOptions:
        """What the variable of a source holds, which is hidden from now on; else as it is.

        Errors: `ConfigError` for a variable that is not set.
        """
        if env_name(where) is None or isinstance(where, SourceOptions):
            return where
        start, found = self._start(("data", name)), resolve_secret(where)
        return _whole(found if "://" in found else remember_path(found, start), start)

    def _make(self, kind: str, path: ConfigPath, values: Mapping[str, Any]) -> object:
        found, maker, given = self._found(kind, path, values)
        if maker is None or isinstance(maker, Outline):
            return StandIn(kind)
        settings = _settings(kind, maker)
        try:
            if missing := missing_module(getattr(maker, "modules", ())):
                raise ConfigError(needed(found.name, package_of(missing)))
            self._checked(settings, given, path)
            with_keys = self.note_sendings(maker, found, given, path)
            parts = {} if kind == "tool" else self._parts(maker, path, given)
            if settings is None:
                return maker(**parts)
            self.files += files_of(settings, given, path)
            config = self._config(settings, given, path, with_keys=with_keys)
            if kind == "tool":
                from flows.tools.langchain import as_tool

                return as_tool(config)
            return maker(config, **parts)
        except ImportError as error:
            text = missing_package(found.name, error)
            place = self.composed.place((*path, TARGET))
            raise ConfigError(text, place=place, path=dotted(path)) from error
        except ConfigError as error:
            if error.place is not None:
                raise
            raise self.composed.error(error.problem, path, error.allowed, error.meant) from error

    def note_sendings(
        self, maker: Any, found: Registered, given: Mapping[str, Any], path: ConfigPath
    ) -> bool:
        """Note what the service or flow sends where. Returns whether all of it is allowed.

        Errors: `UntrustedError` for what is not, where it is refused.
        """
        if not self.live:
            return False
        self.note_code(found, path)
        noted = list(sendings_of(maker, found, given, self.composed, path, self.trust))
        self.sendings += noted
        refused = [each for each in noted if each.is_refused]
        if self.trust.refuse:
            asks = asks_person(self.composed.values)
            raise_all([refusal(each, asks=asks) for each in refused])
        return not refused

    def _config(
        self, model: type[M], given: Mapping[str, Any], path: ConfigPath, *, with_keys: bool
    ) -> M:
        """The settings of a service, checked with their secrets too."""
        try:
            return model.model_validate(with_secrets(given) if with_keys else given)
        except ValidationError as error:  # by now only a secret can be what does not fit
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            text = redact(f"this secret does not fit: {first['msg']}")
            raise self.composed.error(text, (*path, *first["loc"])) from None

    def _parts(self, maker: Any, path: ConfigPath, given: Mapping[str, Any]) -> dict[str, object]:
        """The services that a service is made of, such as a memory's embedder: its own, else the
        run's."""
        parts: dict[str, object] = {}
        if code := code_names(maker, given, path):
            self.foreign |= {dotted(at): name for at, name in code}
            parts["code"] = tuple(trusted_code(self.registry, self.composed, code))
        for key, kind in getattr(maker, "holds", {}).items():
            parts[key] = {
                name: self.make(kind, (*path, key, name), values)
                for name, values in given.get(key, {}).items()
            }
        for key, kind in getattr(maker, "needs", {}).items():
            if isinstance(own := given.get(key), Mapping):
                parts[key] = self.make(kind, (*path, key), own)
            elif kind in SHARED and isinstance(shared := self.composed.values.get(kind), Mapping):
                parts[key] = self.make(kind, (kind,), shared)
        return parts

    def _refuse_keys(self, given: Mapping[str, Any], path: ConfigPath) -> None:
        for key in given:
            raise ConfigError(
                f"unknown key {key!r}: this takes no settings",
                place=self.composed.key_place((*path, key)),
                path=dotted((*path, key)),
            )


def _settings(kind: str, maker: Any) -> type[BaseModel] | None:
    """The model of a service's keys; a tool is its own. None for one that takes none."""
    found: type[BaseModel] | None = maker if kind == "tool" else getattr(maker, "Config", None)
    return found


def _whole(where: str, start: Path) -> str:
    return where if "://" in where else str(start / Path(where).expanduser())
