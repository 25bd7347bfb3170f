"""What a file of aiflows 0.1.7 means here and what it means there, place by place.

The file is built first, so that everything is found as the run would find it: in the wrapper, under
overrides, and in the default configs. What stands in one of our default configs has the place of
the flow that brings it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel

from flows.build.aiflows_keys import unknown_keys
from flows.build.default_files import FOLDER, default_files
from flows.build.interfaces import ConfigPath
from flows.build.names import builtin_registry
from flows.build.plan import RunPlan
from flows.build.run_config import SIDES, SUBFLOWS, RunConfig
from flows.config.aiflows import LAUNCH, LAUNCHED
from flows.config.composition import Composed
from flows.config.no_effect import keys_without_effect
from flows.config.read import read
from flows.config.tree import MAKERS, TARGET, ListNode, Node, Section, dotted
from flows.core.flow import Flow
from flows.errors import Place
from flows.library.aiflows.chat import ChatModuleKeys
from flows.library.aiflows.composites import (
    AiflowsCircularFlow,
    AiflowsSequentialConfig,
)
from flows.library.aiflows.controller import ControllerModuleFlow
from flows.library.aiflows.keys import AiflowsKeys
from flows.library.aiflows.search import LangChainToolFlow, WikiModuleFlow
from flows.models.litellm import ApiInfo, LiteLLMConfig

Kind = Literal["differs", "same", "no effect"]
# What a file can ask to be as in aiflows, or finds as it is there.
ITEMS: Final = (
    "None overwrites", "empty update", "mappings copied and deleted", "keys with a dot",
    "lists replaced", "names of subflows", "first_k over last_k", "early exit",
    "outputs that no step has set", "interpolated twice",
)  # fmt: skip
NONE, EMPTY, MAPPINGS, DOTS, LISTS, NAMES, WINDOW, EXIT, OUTPUTS, TWICE = range(1, 11)
_SEARCHES: Final = (WikiModuleFlow, LangChainToolFlow)
_COPIED: Final = "a key that holds a mapping is copied here; there nothing is done with it"
_DELETED: Final = "a key that holds a mapping is deleted here; there it stays"
_TORN: Final = (
    "keys with a dot and empty mappings stay as they are here; there the keys are torn apart at "
    "the dot and the empty mappings vanish"
)


@dataclass(frozen=True, slots=True)
class Remark:
    """One place of a file and what is to be known of it. `item` is the number of the decision in
    `ITEMS` that it is a case of, 0 for none; `compat` says that `compat: aiflows-0.1` brings the
    meaning of aiflows back."""

    place: Place
    path: str
    kind: Kind
    text: str
    item: int = 0
    compat: bool = False

    def as_json(self) -> dict[str, object]:
        return {
            "place": str(self.place),
            "path": self.path,
            "kind": self.kind,
            "item": ITEMS[self.item - 1] if self.item else None,
            "compat": self.compat,
            "text": self.text,
        }


def compat_report(plan: RunPlan, composed: Composed) -> list[Remark]:
    """The remarks on a built file, in the order of their places. In a file with
    `compat: aiflows-0.1` what that brings back is the same and not told."""
    found = _Reader(plan, composed).remarks()
    return sorted(dict.fromkeys(found), key=lambda each: (str(each.place.origin),
                  each.place.line or 0, each.place.column or 0, each.item))  # fmt: skip


class _Reader:
    def __init__(self, plan: RunPlan, composed: Composed) -> None:
        self.flow = plan.flow
        self.composed = composed
        self.registry = builtin_registry()
        self.defaults_of = default_files(plan.base)
        launched = composed.values.get(TARGET) == LAUNCH
        self.top: ConfigPath = (SUBFLOWS, LAUNCHED) if launched else ()

    def remarks(self) -> Iterator[Remark]:
        yield from self._of(self.flow, ())
        text = self.composed.file.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            column = line.find("\\${")
            if column >= 0:
                place = Place(str(self.composed.file), number, column + 1)
                told = "this is the text ${...} here; there it is interpolated again, and fails"
                yield Remark(place, "", "differs", told, TWICE)

    def _of(self, flow: Flow, path: ConfigPath) -> Iterator[Remark]:
        config = flow.config
        if isinstance(config, AiflowsKeys):
            for each in self._flow(flow, path):
                if not (config.compat and each.compat):
                    yield each
        for name, child in flow.children().items():
            below = (*path, SUBFLOWS, name)
            if name in (self._values(path).get(SUBFLOWS) or {}):
                yield from self._of(child, below)

    def _flow(self, flow: Flow, path: ConfigPath) -> Iterator[Remark]:
        values = self._values(path)
        yield from self._ignored(type(flow.config), values, path)
        for key in unknown_keys(type(flow), values):
            of_run = not path and key in RunConfig.model_fields
            if not of_run and not self._is_default((*path, key)):
                yield self._remark((*path, key), "no effect", "nothing reads it, as there")
        if len(path) > len(self.top) and values.get("name") not in (None, path[-1]):
            text = f"the flow is called {path[-1]}, as its key says, whatever its name is"
            yield self._remark((*path, "name"), "same", text, NAMES)
        yield from self._lists(values, path)
        if isinstance(flow, AiflowsCircularFlow):
            yield from self._composite(flow, path)
        if isinstance(flow.config, ChatModuleKeys):
            yield from self._chat(flow.config, values, path)
        if isinstance(flow, ControllerModuleFlow):
            text = (
                "a reply that is no command is answered with what is wrong with it, corrections "
                "times at most; there it ends the run"
            )
            yield self._remark((*path, TARGET), "differs", text)
        if isinstance(flow, _SEARCHES):
            text = "a search that fails is an observation; there it ends the run"
            yield self._remark((*path, TARGET), "differs", text)

    def _composite(self, flow: AiflowsCircularFlow, path: ConfigPath) -> Iterator[Remark]:
        config = flow.config
        in_rounds = not isinstance(config, AiflowsSequentialConfig)
        nested = len(path) > len(self.top)
        if config.early_exit_key and len(config.topology) > 1:
            text = "a true value ends the flow at once, also in the middle of a round"
            yield self._remark((*path, "early_exit_key"), "same", text, EXIT)
        if config.early_exit_key and nested:
            text = "an exit of the last call is forgotten; there it ends the next call too"
            yield self._remark((*path, "early_exit_key"), "differs", text, EXIT, compat=True)
        if config.output_interface and in_rounds and config.max_rounds is not None:
            text = (
                "outputs that no round has set are left out, and the run is unfinished; there it "
                "is a KeyError"
            )
            at = (*path, "output_interface")
            yield self._remark(at, "differs", text, OUTPUTS, compat=True)
        for number, item in enumerate(config.topology):
            at = (*path, "topology", number)
            if self._is_own((*path, SUBFLOWS, item.flow)):
                yield from self._own_code((*at, "flow"))
            for side in SIDES:
                interface = getattr(item, side)
                if interface is not None:
                    yield from self._interface(interface.model_dump(), (*at, side))

    def _is_own(self, path: ConfigPath) -> bool:
        """Whether the flow is a class or a function of somebody's own."""
        target = self._values(path).get(TARGET)
        return isinstance(target, str) and not self.registry.is_built_in(
            "flow", self.registry.canonical("flow", target)
        )

    def _own_code(self, path: ConfigPath) -> Iterator[Remark]:
        text = "where it returns None for a key, None is the state; there the old value stays"
        yield self._remark(path, "differs", text, NONE, compat=True)
        text = "where it returns nothing, nothing changes; there it is an error"
        yield self._remark(path, "differs", text, EMPTY, compat=True)

    def _interface(self, given: Mapping[str, Any], path: ConfigPath) -> Iterator[Remark]:
        for key, name in (("keys_to_copy", "KeyCopy"), ("keys_to_set", "KeySet"),
                          ("keys_to_delete", "KeyDelete")):  # fmt: skip
            if given[key]:
                set_values = {"key2value": given[key]} if name == "KeySet" else {}
                yield from self._transformation(name, set_values, (*path, key))
        for number, each in enumerate(given["additional_transformations"]):
            at = (*path, "additional_transformations", number)
            name = MAKERS.sub("", str(each.get(TARGET, ""))).rpartition(".")[2]
            yield from self._transformation(name, each, at)

    def _transformation(
        self, name: str, given: Mapping[str, Any], path: ConfigPath
    ) -> Iterator[Remark]:
        flat = given.get("flatten_data_dict", True)
        if flat and name in ("KeyCopy", "KeyDelete"):
            text = _COPIED if name == "KeyCopy" else _DELETED
            yield self._remark(path, "differs", text, MAPPINGS, compat=True)
        if flat and name in ("KeyCopy", "KeyDelete", "KeySet"):
            yield self._remark(path, "differs", _TORN, DOTS, compat=True)
        sets_none = name == "KeySet" and None in given.get("key2value", {}).values()
        if sets_none or name == "RegexFirstOccurrenceExtractor":
            text = (
                "its None overwrites what the key holds; there it does not, where a step's outputs "
                "become the state"
            )
            if path[-1] == "output_interface" or "output_interface" in path:
                yield self._remark(path, "differs", text, NONE, compat=True)
        if name in ("Json2Obj", "Obj2Json") and given.get("output_key") is None:
            text = "without output_key the value stands under null, which is None there"
            yield self._remark(path, "same", text)
        if name == "Obj2Json":
            text = "letters such as \u00e4 are written as they are; there as \\u00e4"
            yield self._remark(path, "differs", text, compat=True)
        if name == "EndOfInteraction" and "." in str(given.get("output_key")):
            text = "output_key is a path; there it is one name, dots and all"
            yield self._remark((*path, "output_key"), "differs", text, compat=True)

    def _chat(
        self, config: ChatModuleKeys, values: Mapping[str, Any], path: ConfigPath
    ) -> Iterator[Remark]:
        window = config.previous_messages
        if window.first_k and window.last_k:
            text = "a message that both keep is sent once; there it is sent twice"
            at = (*path, "previous_messages")
            yield self._remark(at, "differs", text, WINDOW, compat=True)
        backend = values.get("backend")
        if isinstance(backend, Mapping):
            yield from self._ignored(LiteLLMConfig, backend, (*path, "backend"))
            infos = backend.get("api_infos")
            single = isinstance(infos, Mapping)
            for number, each in enumerate([infos] if single else infos or ()):
                at = (*path, "backend", "api_infos", *(() if single else (number,)))
                yield from self._ignored(ApiInfo, each, at)

    def _ignored(
        self, config: type[BaseModel], values: Mapping[str, Any], path: ConfigPath
    ) -> Iterator[Remark]:
        """The keys that are written and do nothing."""
        for key, why in keys_without_effect(config):
            if key in values and not self._is_default((*path, key)):
                yield self._remark((*path, key), "no effect", why)

    def _lists(self, values: Mapping[str, Any], path: ConfigPath) -> Iterator[Remark]:
        """The lists that take the place of one of the default config."""
        target = values.get(TARGET)
        parts = self.defaults_of(target).parts if isinstance(target, str) else ()
        if not parts:
            return
        file = parts[-1].content
        tree = file if isinstance(file, Section) else read(file).tree
        origin = file.place.origin if isinstance(file, Section) else str(file)
        for below in _lists_in(tree, ()):
            at = (*path, *below)
            if not self._is_default(at, origin) and self._is_list(at):
                text = "the list takes the place of the default's, and nothing of that is kept"
                yield self._remark(at, "same", text, LISTS)

    def _is_list(self, path: ConfigPath) -> bool:
        found: Any = self.composed.values
        for each in path:
            found = found.get(each) if isinstance(found, Mapping) else None
        return isinstance(found, list)

    def _values(self, path: ConfigPath) -> Mapping[str, Any]:
        found: Any = self.composed.values
        for each in path:
            found = found[each]
        return found if isinstance(found, Mapping) else {}

    def _is_default(self, path: ConfigPath, file: str = "") -> bool:
        """Whether the value is one of our default configs, or of this file."""
        origin = self.composed.place(path).origin
        return origin == file or Path(origin).parent == FOLDER

    def _remark(
        self, path: ConfigPath, kind: Kind, text: str, item: int = 0, *, compat: bool = False
    ) -> Remark:
        near: Sequence[str | int] = path
        while near and self._is_default(tuple(near)):
            near = near[:-1]
        place = self.composed.place(tuple(near))
        if place == self.composed.place(path):  # the key says more than its value
            place = self.composed.key_place(path)
        written = path[1:] if self.top and path[: len(self.top)] == self.top else path
        return Remark(place, dotted(written), kind, text, item, compat)


def _lists_in(node: Node, path: ConfigPath) -> Iterator[ConfigPath]:
    if isinstance(node, ListNode):
        yield path
    elif isinstance(node, Section):
        for key, entry in node.entries.items():
            yield from _lists_in(entry.node, (*path, key))
