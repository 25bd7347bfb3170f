"""Files of aiflows: what their launchers do with a file, done to the tree of a document.

A file of aiflows names flows by dotted paths of `aiflows` or of `flow_modules`. It may stand under
the key `flow`, with interfaces of the launcher beside it, and leaves `api_infos: ???` for the
launcher to fill. Nothing is imported here and no value is computed: what comes out is the tree of a
run file, in which every key is still where it was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from flows.config.aiflows_classes import class_beside
from flows.config.aiflows_names import OLD_PACKAGES, moved_references, with_names_of_now
from flows.config.overrides import Override
from flows.config.read import Document
from flows.config.tree import (
    DEFAULTS,
    MAKERS,
    SUBFLOWS,
    TARGET,
    Entry,
    ListNode,
    Node,
    Section,
    ValueNode,
)
from flows.errors import Place

PACKAGES: Final = ("aiflows.", "flow_modules.")
COMPAT: Final = "compat"
LAUNCHED: Final = "flow"
LAUNCH: Final = "aiflows.launch"
# What a launcher brings that no file of aiflows names: a model without a key, a memory, a person.
SERVICES: Final = {"model": "offline", "memory": "chroma", "human": "terminal", "prices": "list"}
# Makers that get the keys of a flow as one argument.
_ARGUMENTS: Final = {
    ".instantiate_with_overrides": "overrides",
    ".instantiate_from_config": "config",
}
_SIDES: Final = ("input_interface", "output_interface")


def is_aiflows(tree: Section) -> bool:
    """Whether a document is one of aiflows: some target of it is, or ends as there, or it says
    `compat`, or its flow stands under `flow`. Our own names for its flows have one dot, as in
    `aiflows.chat`; paths have more."""
    flow = tree.section(LAUNCHED)
    if (
        flow is not None
        and flow.target is not None
        and not tree.entries.keys() & {TARGET, DEFAULTS}
    ):
        return True
    return COMPAT in tree.entries or any(
        (target.startswith((*PACKAGES, *OLD_PACKAGES)) and target.count(".") > 1)
        or MAKERS.search(target)
        for target in _targets(tree)
    )


def read_aiflows(document: Document) -> Document:
    """The document as a run file; one that is none of aiflows as it is."""
    tree = document.tree
    if not is_aiflows(tree):
        return document
    tree = _renamed(tree)
    if isinstance(tree.get(LAUNCHED), Section) and tree.target is None:
        tree = _launched(tree)
    elif tree.target is None:
        tree = _with_target(tree, document.file)
    filled = _filled(tree)
    assert isinstance(filled, Section)
    tree = filled
    if DEFAULTS not in tree.entries:
        place = tree.place
        items = tuple(
            Section({group: Entry(place, ValueNode(option, place))}, place)
            for group, option in SERVICES.items()
        )
        chosen = ListNode((*items, ValueNode("_self_", place)), place)
        tree = replace(tree, entries={DEFAULTS: Entry(place, chosen), **tree.entries})
    return replace(document, tree=tree)


def read_defaults(tree: Section) -> Section:
    """The default config of a class of aiflows as that of a run file: with the names of now, and
    with `api_infos: ???` left to the environment."""
    filled = _filled(_renamed(tree))
    assert isinstance(filled, Section)
    return filled


def is_unwrapped(written: Document, run_file: Document) -> bool:
    """Whether the flow under the key `flow` of the written file has become the run file itself."""
    subflows = run_file.tree.section(SUBFLOWS)
    return written.tree.section(LAUNCHED) is not None and not (
        LAUNCHED in run_file.tree.entries or (subflows and LAUNCHED in subflows.entries)
    )


def unwrapped(override: Override) -> Override:
    """An override of a file that had the wrapper, where its paths began with `flow.`."""
    package = override.package
    return replace(
        override,
        key=override.key.removeprefix(f"{LAUNCHED}."),
        package=None if package is None else package.removeprefix(f"{LAUNCHED}."),
    )


def with_package(node: Node, package: str, *, deep: bool = True) -> Node:
    """The node whose relative targets, such as `.Foo`, are of the package: its own, and with
    `deep` those of all below it."""
    if isinstance(node, ListNode) and deep:
        return replace(node, items=tuple(with_package(each, package) for each in node.items))
    if not isinstance(node, Section) or not package:
        return node
    entries = dict(node.entries)
    for key, entry in node.entries.items():
        inner = entry.node
        if key == TARGET and isinstance(inner, ValueNode) and str(inner.value).startswith("."):
            if not str(inner.value).startswith("./"):
                inner = replace(inner, value=f"{package}{inner.value}")
        elif deep:
            inner = with_package(inner, package)
        entries[key] = replace(entry, node=inner)
    return replace(node, entries=entries)


def _targets(node: Node) -> Iterator[str]:
    if isinstance(node, Section):
        if node.target is not None:
            yield node.target
        for entry in node.entries.values():
            yield from _targets(entry.node)
    elif isinstance(node, ListNode):
        for item in node.items:
            yield from _targets(item)


def _launched(tree: Section) -> Section:
    """The flow under `flow`, in the place of the file; with an interface of the launcher beside
    it, the one step of a flow that applies them."""
    entry = tree.entries[LAUNCHED]
    flow = entry.node
    assert isinstance(flow, Section)
    rest = {key: each for key, each in tree.entries.items() if key not in (LAUNCHED, *_SIDES)}
    sides = {key: tree.entries[key] for key in _SIDES if key in tree.entries}
    moved = moved_references(flow, f"{SUBFLOWS}.{LAUNCHED}." if sides else "")
    assert isinstance(moved, Section)
    flow, entry = moved, replace(entry, node=moved)
    if not sides:
        return replace(flow, entries={**rest, **flow.entries})
    return _with_sides(flow, sides, rest, entry.key_place)


def with_launcher(flow: Section) -> Section:
    """A flow among whose own keys are interfaces of the launcher, as in the file of a class, as the
    one step of a flow that applies them; any other as it is."""
    sides = {
        key: entry
        for key, entry in flow.entries.items()
        if key in _SIDES and isinstance(entry.node, Section) and entry.node.target is not None
    }
    if not sides:
        return flow
    rest = {key: each for key, each in flow.entries.items() if key not in sides}
    return _with_sides(replace(flow, entries=rest), sides, {}, flow.place)


def _with_sides(
    flow: Section, sides: Mapping[str, Entry], rest: Mapping[str, Entry], place: Place
) -> Section:
    """The flow with interfaces around it; `rest` stays at the top."""
    item = Section(
        {
            "goal": _text(_description(flow), place),
            "flow": _text(LAUNCHED, place),
            **sides,
        },
        place,
    )
    named = {key: flow.entries[key] for key in ("name", "description") if key in flow.entries}
    return Section(
        {
            **rest,
            **named,
            TARGET: _text(LAUNCH, place),
            SUBFLOWS: Entry(place, Section({LAUNCHED: Entry(place, flow)}, place)),
            "topology": Entry(place, ListNode((item,), place)),
        },
        place,
    )


def _renamed(tree: Section) -> Section:
    renamed = with_names_of_now(tree)
    assert isinstance(renamed, Section)
    return renamed


def _description(flow: Section) -> str:
    node = flow.get("description")
    said = isinstance(node, ValueNode) and isinstance(node.value, str) and node.value
    return said or "Call the flow"


def _with_target(tree: Section, file: Path) -> Section:
    """A bare file leaves its class to the launcher: that of its topology is meant, or the one that
    lies beside it."""
    kind = "CircularFlow" if "max_rounds" in tree.entries else "SequentialFlow"
    is_composite = "topology" in tree.entries
    name = f"aiflows.base_flows.{kind}" if is_composite else class_beside(file)
    if name is None:
        return tree
    return replace(tree, entries={TARGET: _text(name, tree.place), **tree.entries})


def _filled(node: Node) -> Node:
    """The node with `api_infos: ???` left to the environment, as launchers do, and with the keys of
    the argument of `instantiate_with_overrides` in its place."""
    if isinstance(node, Section):
        for maker, argument in _ARGUMENTS.items():
            given = node.get(argument)
            if (node.target or "").endswith(maker) and isinstance(given, Section):
                rest = {key: each for key, each in node.entries.items() if key != argument}
                node = replace(node, entries={**rest, **given.entries})
        entries = {}
        for key, entry in node.entries.items():
            inner = entry.node
            if key == "api_infos" and isinstance(inner, ValueNode) and inner.is_missing:
                inner = replace(inner, value=None)
            entries[key] = replace(entry, node=_filled(inner))
        return replace(node, entries=entries)
    if isinstance(node, ListNode):
        return replace(node, items=tuple(_filled(item) for item in node.items))
    return node


def _text(value: str, place: Place) -> Entry:
    return Entry(place, ValueNode(value, place))
