"""The files that defaults lists include, and files that include each other in a circle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path as FilePath

from flows.config.places import project_configs
from flows.config.read import Document
from flows.config.tree import DEFAULTS, ListNode, Node, Section, ValueNode
from flows.errors import ConfigError, Place

Find = Callable[[str], Document | None]
SELF = "_self_"


def items_of(document: Document | None) -> tuple[Node, ...]:
    defaults = document.tree.get(DEFAULTS) if document else None
    return defaults.items if isinstance(defaults, ListNode) else ()


def named_in(item: Node) -> Iterator[tuple[str, ValueNode]]:
    """`group/option` of one item of a defaults list, without keyword, package or leading slash."""
    if isinstance(item, ValueNode):
        yield str(item.value).partition("@")[0].lstrip("/"), item
    if isinstance(item, Section):
        for key, entry in item.entries.items():
            group = key.split(" ")[-1].partition("@")[0].lstrip("/")
            several = isinstance(entry.node, ListNode)
            for option in entry.node.items if several else (entry.node,):  # type: ignore[union-attr]  # several says so
                if isinstance(option, ValueNode):
                    yield f"{group}/{option.value}", option


def check_circle(name: str, find: Find) -> None:
    """Errors: `ConfigError` for files that include each other in a circle, from the document of
    that name on; it names each with the place where it includes the next."""
    if circle := _circle(name, find, (), set()):
        (_, first), *_ = circle
        raise ConfigError(_described(circle), place=first, path=DEFAULTS)


Include = tuple[FilePath, Place]


def _circle(
    name: str, find: Find, above: tuple[Include, ...], seen: set[FilePath]
) -> list[Include]:
    """The files of a circle, each with the place where it includes the next; none without one.
    `above` are those that lead here, `seen` those that lead to none."""
    document = find(name)
    if document is None:
        return []
    file = document.file.absolute()
    for number, (each, _) in enumerate(above):
        if each == file:
            return list(above[number:])
    if file in seen:
        return []
    for item in items_of(document):
        for written, node in named_in(item):
            if written == SELF:
                continue
            included = _found(name, written, find)
            if found := _circle(included, find, (*above, (file, node.place)), seen):
                return found
    seen.add(file)
    return []


def _found(name: str, written: str, find: Find) -> str:
    """The name of an included document: it is looked for beside the one that includes it first."""
    group = name.rpartition("/")[0]
    beside = f"{group}/{written}" if group else written
    return beside if find(beside) is not None else written


def _described(circle: list[Include]) -> str:
    """What includes what, and what can be done about it."""
    if len(circle) == 1:
        file, _ = circle[0]
        configs = project_configs()
        if configs is None or not (configs / file.name).is_file():
            return f"{file.name} includes itself; leave that out"
        return (
            f"{file.name} includes itself: it has the name of the built-in config {file.stem!r} "
            "and is found in its place; give it another name"
        )
    names = [file.name for file, _ in circle]
    steps = [
        f"{place} includes {name}"
        for (_, place), name in zip(circle, (*names[1:], names[0]), strict=True)
    ]
    return f"the files include each other in a circle: {', '.join(steps)}; leave one of these out"
