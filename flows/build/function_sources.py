"""What the sources of functions name in a run file: files, folders, and code that is trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from flows.build.stand_ins import NoFunctions
from flows.config.composition import Composed
from flows.config.faults import Faults
from flows.config.outline import Outline
from flows.config.own_modules import OwnModule
from flows.config.registry import Registry
from flows.config.tree import dotted
from flows.core.function_description import Function
from flows.core.function_store import FunctionStore, FunctionStoreConfig, FunctionUser
from flows.core.memory import Embedder

ConfigPath = tuple[str | int, ...]
FUNCTION_SOURCE: Final = "function_source"
FUNCTIONS: Final[ConfigPath] = ("functions",)
SOURCES: Final = "sources"
# The keys of a source that name a file or a folder.
_PLACES: Final = ("document", "folder")


def located_sources(
    config: FunctionStoreConfig, start: Callable[[ConfigPath], Path]
) -> dict[str, dict[str, Any]]:
    """The sources with whole paths. `start` gives the folder that the path at a key starts from; a
    command that names no folder runs there."""
    found = {}
    for name, values in config.sources.items():
        whole = {
            key: str(start((*FUNCTIONS, SOURCES, name, key)) / Path(each).expanduser())
            for key in _PLACES
            if isinstance(each := values.get(key), str)
        }
        if "command" in values and "folder" not in values:
            whole["folder"] = str(start((*FUNCTIONS, SOURCES, name, "command")))
        found[name] = {**values, **whole}
    return found


def located_functions(
    config: FunctionStoreConfig,
    given: Mapping[str, Any],
    start: Callable[[ConfigPath], Path],
) -> dict[str, Any]:
    """The key `functions` of a run file, which is `given`, with whole paths."""
    index = start((*FUNCTIONS, "index")) / config.index.expanduser()
    return {**given, SOURCES: located_sources(config, start), "index": str(index)}


def function_store(
    config: FunctionStoreConfig,
    make: Callable[[str, ConfigPath, Mapping[str, Any]], object],
    start: Callable[[ConfigPath], Path],
    notes: list[str],
    given: Sequence[Function] | None = (),
    embedder: Mapping[str, Any] | None = None,
) -> FunctionStore:
    """The functions of a run: `given`, and those of its sources; a stand-in where `given` is None.
    `make` makes a service of a kind from the mapping at a path; `embedder` is that of the run's
    embedder. What the sources leave out is added to `notes`. Errors: `ConfigError`, all
    together."""
    from flows.tools.restricted_functions import RestrictedFunctions

    if given is None:
        nothing = NoFunctions()
        return nothing if config.only is None else RestrictedFunctions(nothing, config.only)
    from flows.memory.lexical import LexicalEmbedder
    from flows.tools.function_store import FunctionSource, PartialSource, SourceFunctions

    faults = Faults()
    sources: dict[str, FunctionSource] = {}
    for name, values in located_sources(config, start).items():
        with faults:
            named = {"namespace": name, **values}
            made = make(FUNCTION_SOURCE, (*FUNCTIONS, SOURCES, name), named)
            assert isinstance(made, FunctionSource)
            sources[name] = made
            if isinstance(made, PartialSource):
                notes += [f"{dotted((*FUNCTIONS, SOURCES, name))}: {each}" for each in made.notes]
    faults.raise_all()
    found = make("embedder", ("embedder",), embedder) if embedder is not None else None
    # Words are what the index goes by itself.
    semantic = None if isinstance(found, LexicalEmbedder) else found
    assert semantic is None or isinstance(semantic, Embedder)
    whole = start((*FUNCTIONS, "index")) / config.index.expanduser()
    store = SourceFunctions(config.model_copy(update={"index": whole}), sources, given, semantic)
    allowed = store if config.only is None else RestrictedFunctions(store, config.only)
    for source in sources.values():
        if isinstance(source, FunctionUser):
            source.use_functions(allowed)
    return allowed


def code_names(
    maker: Any, given: Mapping[str, Any], path: ConfigPath
) -> list[tuple[ConfigPath, str]]:
    """The names of modules and functions in the keys that the source declares as its `code`, with
    the place of each in the config."""
    keys: Sequence[str] = getattr(maker, "code", ())
    return [
        ((*path, key, number), name)
        for key in keys
        for number, name in enumerate(given.get(key, ()))
    ]


def trusted_code(
    registry: Registry, composed: Composed, names: Sequence[tuple[ConfigPath, str]]
) -> Iterator[object]:
    """What the names stand for, imported now; nothing of a file that may not be run. Errors:
    `ConfigError` for one that nobody trusts."""
    for at, name in names:
        found = registry.code(name, place=composed.place(at), path=dotted(at))
        if not isinstance(found, Outline | OwnModule):
            yield found
