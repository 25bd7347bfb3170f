"""A composed config with everything that it does not say: presets and the defaults of fields."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined, to_jsonable_python

from flows.build.own_code import outline_flow
from flows.build.run_config import RUN_KINDS, RunConfig
from flows.build.services import TARGET
from flows.config.composition import Composed
from flows.config.outline import Outline
from flows.config.registry import Registered, Registry
from flows.config.secret import masked
from flows.config.tree import SUBFLOWS, Entry, ListNode, Node, Path, Section, merge, planted
from flows.config.validate import model_at
from flows.core.signature import flow_class
from flows.errors import ConfigError, Place

# They hold most of a flow and are read after its short keys.
LAST = (SUBFLOWS, "topology")
# A subflow's name is its key in subflows_config.
UNSAID = ("name", TARGET)


class Defaults:
    """Lays under a config what holds when it says nothing, with where that comes from as place.

    What cannot be looked up, because a name in the config is wrong, is left as it is; `notes`
    says why.
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.notes: list[str] = []

    def under(self, composed: Composed) -> Composed:
        """The config with its defaults."""
        root = composed.tree
        for kind in RUN_KINDS:
            root = self._held(root, kind, kind)
        root = laid(self._flow(root), RunConfig, "default of every run file")
        return Composed(root, composed.file, composed.sources)

    def _flow(self, section: Section) -> Section:
        section, maker = self._component("flow", section)
        for key, kind in getattr(maker, "needs", {}).items():
            if kind != "data":
                section = self._held(section, key, kind)
        subflows = section.section(SUBFLOWS)
        if subflows is None:
            return section
        for name, entry in subflows.entries.items():
            if isinstance(entry.node, Section):
                changed = Entry(entry.key_place, self._flow(entry.node))
                subflows = subflows.with_entry(name, changed)
        return section.with_entry(SUBFLOWS, Entry(section.entries[SUBFLOWS].key_place, subflows))

    def _held(self, section: Section, key: str, kind: str) -> Section:
        """The section with the service under a key completed, if there is one."""
        service = section.section(key)
        if service is None:
            return section
        service, maker = self._component(kind, service)
        for inner, needed in getattr(maker, "needs", {}).items():
            service = self._held(service, inner, needed)
        return section.with_entry(key, Entry(section.entries[key].key_place, service))

    def _component(self, kind: str, section: Section) -> tuple[Section, object]:
        """What a mapping with a `_target_` describes, completed, and what makes it."""
        if section.target is None:
            return section, None
        place = section.entries[TARGET].node.place
        try:
            found = self.registry.find(kind, section.target, place=place)
            maker = self.registry.resolve(kind, section.target, place=place)
            if kind == "flow":
                maker = outline_flow(maker) if isinstance(maker, Outline) else flow_class(maker)
        except ConfigError as error:
            self.notes.append(str(error).splitlines()[0])
            return section, None
        section = _preset(section, found)
        model: type[BaseModel] | None = getattr(maker, "Config", None)
        return (laid(section, model, f"default of {found.name}") if model else section), maker


def _preset(section: Section, found: Registered) -> Section:
    if not found.values:
        return section
    under = planted(found.values, Place(f"preset {found.name}"))
    changed = merge(under, section)
    return changed if isinstance(changed, Section) else section


def laid(section: Section, model: type[BaseModel], origin: str) -> Section:
    """The section with the defaults of the model's fields, and of models inside."""
    place = Place(origin)
    entries: dict[str, Entry] = dict(section.entries)
    for name, info in model.model_fields.items():
        key = info.alias or name
        held = entries.get(key)
        if held is not None:
            entries[key] = Entry(held.key_place, _laid_within(held.node, model, key, origin))
            continue
        default = info.get_default(call_default_factory=True, validated_data={})
        if default is not PydanticUndefined and key not in UNSAID:
            entries[key] = Entry(place, planted(to_jsonable_python(default, by_alias=True), place))
    ordered = {key: entry for key, entry in entries.items() if key not in LAST}
    ordered |= {key: entries[key] for key in LAST if key in entries}
    return Section(ordered, section.place)


def _laid_within(node: Node, model: type[BaseModel], key: str, origin: str) -> Node:
    inner = model_at(model, (key,))
    if inner is None or not isinstance(node, Section) or TARGET in node.entries:
        return node
    return laid(node, inner, origin)


def shown(node: Node, path: Path = ()) -> Any:
    """The node as dicts, lists and scalars that may be printed: secrets are hidden."""
    if isinstance(node, Section):
        return {key: shown(entry.node, (*path, key)) for key, entry in node.entries.items()}
    if isinstance(node, ListNode):
        return [shown(item, (*path, index)) for index, item in enumerate(node.items)]
    value: Any = node.value
    for segment in reversed(path):
        value = masked(str(segment), value)
    return value
