"""A run file's flow over many inputs: the same config with a map around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from flows.build.run_config import RunConfig
from flows.config.aiflows import with_launcher
from flows.config.composition import Composed
from flows.config.tree import SUBFLOWS, TARGET, Entry, ListNode, Node, Section, ValueNode
from flows.core.values import Values
from flows.errors import Place

ROWS: Final = "rows"
EACH: Final = "each"


def map_over(rows: list[Values], settings: Values) -> Callable[[Composed], Composed]:
    """What makes of a composed run file one whose flow is called once for each of the rows, whose
    keys are its inputs; the inputs of the file are those of each row, unless it has its own.
    `settings` are further keys of the map. The keys of the run stay where they are."""

    def wrap(composed: Composed) -> Composed:
        tree = composed.tree
        place = Place("--inputs")
        own = {key: each for key, each in tree.entries.items() if key in RunConfig.model_fields}
        flow = {key: each for key, each in tree.entries.items() if key not in own}
        given = composed.values.get("inputs")
        shared: Values = dict(given) if isinstance(given, dict) else {}
        made: Values = {
            TARGET: "map",
            "over": ROWS,
            "input_interface": {ROWS: "list"},
            "inputs": {ROWS: [{**shared, **row} for row in rows]},
            **settings,
        }
        named = {"name": flow["name"]} if "name" in flow else {}
        each = with_launcher(Section(flow, tree.place))
        below = Section({EACH: Entry(tree.place, each)}, tree.place)
        entries = {
            **own,
            **named,
            **{key: Entry(place, node_of(value, place)) for key, value in made.items()},
            SUBFLOWS: Entry(tree.place, below),
        }
        return replace(composed, tree=Section(entries, tree.place))

    return wrap


def node_of(value: Any, place: Place) -> Node:
    """A plain value as a node of a tree; its texts are literal."""
    if isinstance(value, dict):
        entries = {str(key): Entry(place, node_of(each, place)) for key, each in value.items()}
        return Section(entries, place)
    if isinstance(value, list):
        return ListNode(tuple(node_of(each, place) for each in value), place)
    return ValueNode(value, place, literal=isinstance(value, str))
