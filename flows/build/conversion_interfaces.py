"""The interfaces of a file of aiflows in our form: the same keys, which mean the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from flows.build.interfaces import ConfigPath
from flows.config.registry import Registry
from flows.config.tree import MAKERS, TARGET
from flows.core.values import Values
from flows.library.aiflows.transformations import KINDS

_ORDER: Final = (
    ("keys_to_rename", "KeyRename", "old_key2new_key"),
    ("keys_to_copy", "KeyCopy", "old_key2new_key"),
    ("keys_to_set", "KeySet", "key2value"),
)
_AFTER: Final = ("keys_to_select", "keys_to_delete")
_FLAGS: Final = ("nested_keys", "flatten_data_dict")
_OURS: Final = frozenset(each.__name__ for each in KINDS)


class Inconvertible(Exception):
    """What a composite of ours does not do; `path` is the config path of the key that asks it."""

    def __init__(self, why: str, path: ConfigPath = ()) -> None:
        super().__init__(why)
        self.path = path


def convert_interface(given: Mapping[str, Any], registry: Registry, path: ConfigPath) -> Values:
    """An interface with our names, one transformation after the other where the order matters.
    Errors: `Inconvertible` for what ours does not do."""
    target = given.get(TARGET)
    named = registry.canonical("interface", target) if isinstance(target, str) else "KeyInterface"
    if named != "KeyInterface":
        return {**given, TARGET: MAKERS.sub("", named)}
    steps: list[Values] = []
    for number, each in enumerate(given.get("additional_transformations") or ()):
        at = (*path, "additional_transformations", number)
        steps += _transformations(each, registry, at)
    values: Values = {}
    if any(_is_chain(given.get(key) or {}) for key, _, _ in _ORDER[:2]):
        first = [
            _one(kind, key, pair) for name, kind, key in _ORDER for pair in _pairs(given, name)
        ]
        steps = [*first, *steps]
    else:
        values = {key: given[key] for key, _, _ in _ORDER if given.get(key)}
    if steps:
        values["additional_transformations"] = steps
    return values | {key: list(given[key]) for key in _AFTER if given.get(key)}


def _pairs(given: Mapping[str, Any], name: str) -> Iterator[tuple[str, Any]]:
    yield from (given.get(name) or {}).items()


def _one(kind: str, key: str, pair: tuple[str, Any]) -> Values:
    return {TARGET: kind, key: dict([pair])}


def _transformations(
    given: Mapping[str, Any], registry: Registry, path: ConfigPath
) -> Sequence[Values]:
    kind = registry.canonical("transformation", str(given.get(TARGET)))
    keys = {key: each for key, each in given.items() if key != TARGET}
    if kind not in _OURS:
        return [{TARGET: MAKERS.sub("", kind), **keys}]
    flags = [keys.pop(flag) for flag in _FLAGS if flag in keys]
    if not all(flags) and any("." in name for name in _names_in(keys)):
        raise Inconvertible("its keys are whole names with dots in them", path)
    if kind in ("KeyRename", "KeyCopy") and _is_chain(keys["old_key2new_key"]):
        pairs = keys["old_key2new_key"].items()
        return [_one(kind, "old_key2new_key", pair) for pair in pairs]
    if kind == "UnNesting":
        keys.pop("output_key", None)
    if kind == "RegexFirstOccurrenceExtractor":
        keys = _expression(keys, path)
    return [{TARGET: kind, **keys}]


def _names_in(keys: Mapping[str, Any]) -> Iterator[str]:
    for each in keys.values():
        if isinstance(each, Mapping):
            yield from (name for pair in each.items() for name in pair if isinstance(name, str))
        elif isinstance(each, list | tuple):
            yield from (name for name in each if isinstance(name, str))


def _is_chain(pairs: Mapping[str, str]) -> bool:
    """Whether a pair moves or copies what another one has made."""
    olds = {old.partition(".")[0] for old in pairs}
    news = {new.partition(".")[0] for old, new in pairs.items() if old != new}
    return bool(olds & news)


def _expression(keys: Mapping[str, Any], path: ConfigPath) -> Values:
    """An extractor in which a dot matches no line break, as in aiflows."""
    fallback = keys.get("regex_fallback")
    fallbacks = [fallback] if isinstance(fallback, str) else list(fallback or ())
    patterns = [keys["regex"], *fallbacks]
    if any(each.startswith("(?") and each[2:3].isalpha() and each[2] != "P" for each in patterns):
        raise Inconvertible("its regular expression begins with flags of its own", path)
    if keys.get("assert_unique") and any(re.compile(each).groups != 1 for each in patterns):
        raise Inconvertible("its assert_unique wants one capture group", path)
    plain = [f"(?-s:{each})" if "." in each else each for each in patterns]
    values: Values = {**keys, "regex": plain[0], "assert_unique": False}
    if fallbacks:
        values["regex_fallback"] = plain[1:] if not isinstance(fallback, str) else plain[1]
    return values
