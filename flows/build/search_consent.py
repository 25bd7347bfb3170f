"""Search tools of the finished systems in runs over data: on where a person sees what leaves.

A flow that comes with this package may say `offered: attended`. When a run is built, that becomes
true or false, which is what its journal records.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from flows.build.trust import NOBODY, from_package
from flows.config.composition import Composed
from flows.config.tree import SUBFLOWS, TARGET, Path, Section, ValueNode, find, leaves, put
from flows.human.prompt import is_terminal

OFFERED: Final = "offered"
ATTENDED: Final = "attended"


def settled(composed: Composed) -> tuple[Composed, tuple[Path, ...]]:
    """The config with each `attended` decided, and the flows that are not offered.

    A flow of which the run file or the command line says anything is offered: somebody named it.
    """
    tree, off = composed.tree, []
    safe = not has_data(composed.values) or somebody_watches(composed.values)
    for path, section in _undecided(composed.tree, ()):
        is_on = safe or not all(from_package(node.place) for _, node in leaves(section))
        at = (*path, OFFERED)
        place = composed.place(at)
        tree = put(tree, at, ValueNode(is_on, place), place)
        if not is_on:
            off.append(path)
    return (replace(composed, tree=tree) if tree is not composed.tree else composed), tuple(off)


def has_data(values: Mapping[str, Any]) -> bool:
    """Whether the run has data or documents, of which a question to the outside may tell."""
    return bool(values.get("data")) or bool(values.get("documents"))


def somebody_watches(values: Mapping[str, Any]) -> bool:
    """Whether a person sees what the run does while it does it."""
    human = values.get("human")
    target = human.get(TARGET) if isinstance(human, Mapping) else None
    if target == "human.terminal":
        return is_terminal(sys.stdin)
    return target is not None and target not in NOBODY


def notes_on(off: Sequence[Path]) -> tuple[str, ...]:
    """What is said of the flows that are not offered, in a line, with how to have them."""
    if not off:
        return ()
    names = [".".join(str(part) for part in path if part != SUBFLOWS) for path in off]
    are = "is off" if len(names) == 1 else "are off"
    return (
        f"{' and '.join(names)} {are}: the run has data, and nobody watches what leaves it; "
        f"switch on with {names[0]}.{OFFERED}=true",
    )


def _undecided(section: Section, path: Path) -> Iterator[tuple[Path, Section]]:
    """The flows below that wait for a decision."""
    offered = section.get(OFFERED)
    if isinstance(offered, ValueNode) and offered.value == ATTENDED:
        yield path, section
    subflows = find(section, (SUBFLOWS,))
    if isinstance(subflows, Section):
        for name, entry in subflows.entries.items():
            if isinstance(entry.node, Section):
                yield from _undecided(entry.node, (*path, SUBFLOWS, name))
