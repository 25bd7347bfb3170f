"""Names of older releases of aiflows, and references into the wrapper, in the tree of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from flows.config.tree import SUBFLOWS, TARGET, Entry, ListNode, Node, Section, ValueNode
from flows.errors import Place

# Of a flow.
KEYS: Final = {
    "input_keys": "input_interface",
    "output_keys": "output_interface",
    "max_round": "max_rounds",
    "keys_to_ignore_for_hash": "keys_to_ignore_for_hash_flow_config",
}
# Of a step; the lists are the transformations of an interface.
STEP_KEYS: Final = {
    "input_data_transformations": "input_interface",
    "output_data_transformations": "output_interface",
}
# Before it was named `aiflows` the package was `flows`.
OLD_PACKAGES: Final = (
    "flows.base_flows.", "flows.data_transformations.", "flows.interfaces.", "flows.backends.",
    "flows.prompt_template.",
)  # fmt: skip
_TOPOLOGY: Final = "topology"
_ADDITIONAL: Final = "additional_transformations"
_REFERENCE: Final = re.compile(r"(\$\{\s*)flow\.")


@dataclass(frozen=True, slots=True)
class LegacyName:
    """A name of an older release, where it is written, and what it is called in 0.1.7."""

    place: Place
    name: str
    now: str


def legacy_names(node: Node) -> Iterator[LegacyName]:
    """The names of older releases in a file of aiflows."""
    if isinstance(node, ListNode):
        for item in node.items:
            yield from legacy_names(item)
    if not isinstance(node, Section):
        return
    for key, entry in node.entries.items():
        known = STEP_KEYS if _is_step(node) else KEYS if _is_flow(node) else {}
        if (now := known.get(key)) is not None and now not in node.entries:
            yield LegacyName(entry.key_place, key, now)
        inner = entry.node
        if key == TARGET and isinstance(inner, ValueNode) and (new := _target(inner)) is not None:
            yield LegacyName(inner.place, str(inner.value), new)
        yield from legacy_names(inner)


def with_names_of_now(node: Node) -> Node:
    """The node with those names as they are in 0.1.7."""
    if isinstance(node, ListNode):
        return replace(node, items=tuple(map(with_names_of_now, node.items)))
    if not isinstance(node, Section):
        return node
    known = STEP_KEYS if _is_step(node) else KEYS if _is_flow(node) else {}
    entries: dict[str, Entry] = {}
    for key, entry in node.entries.items():
        inner = with_names_of_now(entry.node)
        if key == TARGET and isinstance(inner, ValueNode) and (new := _target(inner)) is not None:
            inner = replace(inner, value=new)
        now = known.get(key)
        if now is None or now in node.entries:
            entries[key] = replace(entry, node=inner)
        elif known is KEYS:
            entries[now] = replace(entry, node=inner)
        else:
            additional = Entry(entry.key_place, inner)
            entries[now] = replace(entry, node=Section({_ADDITIONAL: additional}, entry.key_place))
    return replace(node, entries=entries)


def moved_references(node: Node, below: str) -> Node:
    """The node whose references to what stands under the wrapper's key `flow`, as in
    `${flow.max_rounds}`, are to where that stands now: `below` a path, "" for the top."""
    return _with_texts(node, lambda text: _REFERENCE.sub(rf"\g<1>{below}", text))


def _with_texts(node: Node, change: Callable[[str], str]) -> Node:
    if isinstance(node, ListNode):
        return replace(node, items=tuple(_with_texts(each, change) for each in node.items))
    if isinstance(node, Section):
        changed: Mapping[str, Entry] = {
            key: replace(each, node=_with_texts(each.node, change))
            for key, each in node.entries.items()
        }
        return replace(node, entries=dict(changed))
    if isinstance(node.value, str) and "${" in node.value:
        return replace(node, value=change(node.value))
    return node


def _target(node: ValueNode) -> str | None:
    """A target of the old package as it is now; None for any other."""
    target = str(node.value)
    return f"ai{target}" if target.startswith(OLD_PACKAGES) else None


def _is_step(node: Section) -> bool:
    return "goal" in node.entries and "flow" in node.entries


def _is_flow(node: Section) -> bool:
    return bool(node.entries.keys() & {TARGET, SUBFLOWS, _TOPOLOGY, "name"})
