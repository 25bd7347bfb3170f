"""Path overrides applied to a tree: short paths, new keys, deletions, swapped subflows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from flows.config.overrides import Override
from flows.config.tree import (
    SUBFLOWS,
    TARGET,
    Entry,
    ListNode,
    Node,
    Path,
    Section,
    ValueNode,
    as_index,
    dotted,
    drop,
    find,
    is_unknown,
    is_unknown_at,
    merge,
    plain,
    put,
)
from flows.errors import ConfigError, Place, UnknownValue, nearest

INPUTS = "inputs"
INPUT_INTERFACE = "input_interface"
TEXT_TYPES = frozenset({"str", "string", "text", "any"})


@dataclass(frozen=True, slots=True)
class Editor:
    """What an edit has to know: names that may stand at the top, and what a slot may hold.
    `inputs_of` gives the inputs of a target by its class, with their types."""

    known: Collection[str]
    inputs: Collection[str]
    inputs_of: Callable[[str], Mapping[str, str]]
    options: Callable[[str], list[str]]
    load_option: Callable[[str, str, Override], Section]
    complete: Callable[[Node], Node]

    def apply(self, root: Section, override: Override) -> Section:
        """The root after the override."""
        if override.package is not None:
            problem = f"there is no config group {override.key!r}"
            raise ConfigError(problem, place=override.place, path=override.key)
        if override.kind == "delete":
            return self._delete(root, override)
        path = self._locate(root, override)
        held = find(root, path)
        if override.kind == "add" and held is not None and not _extends(held, override):
            problem = "there is a value already: leave out the `+`"
            raise ConfigError(problem, place=override.place, path=dotted(path))
        node = self._value(root, path, held, override)
        return put(root, path, node, override.place)

    def _delete(self, root: Section, override: Override) -> Section:
        path = locate(root, override, ())
        held = find(root, path)
        if held is None and is_unknown_at(root, path):
            raise UnknownValue(f"{dotted(path)} is not known", place=override.place)
        if held is None:
            raise _unknown(find(root, path[:-1]) or root, path[:-1], str(path[-1]), override.place)
        if override.has_value and plain(held) != override.value:
            problem = f"not deleted: its value is {str(plain(held))[:60]!r}"
            raise ConfigError(problem, place=override.place, path=dotted(path))
        return drop(root, path)

    def _locate(self, root: Section, override: Override) -> Path:
        if self._is_input(root, override.segments[0]):
            return (INPUTS, *override.segments)
        known = {*self.known, INPUTS} if override.kind == "change" else None
        path = locate(root, override, known)
        parent = find(root, path[:-1])
        is_new = isinstance(parent, Section) and str(path[-1]) not in parent.entries
        if is_new and isinstance(parent, Section) and parent.section(SUBFLOWS):
            # A new thing with a target in a composite is a subflow, unless its name is a group's.
            names_target = isinstance(override.value, dict) and TARGET in override.value
            if names_target and not self._group(str(path[-1])):
                return (*path[:-1], SUBFLOWS, path[-1])
        return path

    def _is_input(self, root: Section, name: str) -> bool:
        subflows = root.section(SUBFLOWS)
        if name in root.entries or name in self.known or (subflows and name in subflows.entries):
            return False
        return name in self.inputs or name in self._types(root)

    def _types(self, root: Section) -> Mapping[str, str]:
        """The inputs that are known, with their types."""
        types = input_types(root)
        target = root.get(TARGET)
        if not isinstance(target, ValueNode) or not isinstance(target.value, str):
            return types
        return {**self.inputs_of(target.value), **types}

    def _value(self, root: Section, path: Path, held: Node | None, override: Override) -> Node:
        is_input = path[0] == INPUTS and len(path) == 2
        if is_input and not override.is_set and self._takes_text(root, str(path[1])):
            return override.written
        if override.is_name:
            swapped = self._swap(path, held, override)
            if swapped is not None:
                return self.complete(swapped)
        node = override.node()
        if isinstance(node, Section) and isinstance(held, Section) and TARGET not in node.entries:
            return merge(held, node)
        return self.complete(node)

    def _takes_text(self, root: Section, name: str) -> bool:
        """Whether an input takes the text as it is written: it has no type, or `str`."""
        kind = self._types(root).get(name, "str")
        return kind.rstrip("?").strip().lower() in TEXT_TYPES

    def _swap(self, path: Path, held: Node | None, override: Override) -> Section | None:
        """What `PATH=NAME` puts into a slot; None when the path is no slot."""
        name = str(override.value)
        group = self._group(str(path[-1]))
        is_option = group is not None and name in self.options(group)
        is_slot = (isinstance(held, Section) and TARGET in held.entries) or (
            len(path) > 1 and path[-2] == SUBFLOWS
        )
        is_empty = held is None or (isinstance(held, ValueNode) and held.value in (None, "???"))
        names_group = group is not None and name.startswith(f"{group}.")
        if not is_slot and not (is_empty and (is_option or names_group)):
            return None
        if group is not None and is_option:
            return self.load_option(group, name, override)
        target = Entry(override.place, ValueNode(name, override.place))
        return Section({TARGET: target}, override.place)

    def _group(self, key: str) -> str | None:
        """The config group that is called like a key."""
        return next((each for each in (key, key.lower()) if self.options(each)), None)


def declared_types(root: Section) -> dict[str, str]:
    """The inputs that the file declares, with their types as written; one without is `str`."""
    declared = root.get(INPUT_INTERFACE)
    types: dict[str, str] = {}
    if isinstance(declared, ListNode):
        types = {str(plain(item)): "str" for item in declared.items if isinstance(item, ValueNode)}
    elif isinstance(declared, Section) and TARGET not in declared.entries:
        types = {key: str(plain(entry.node)) for key, entry in declared.entries.items()}
    return types


def input_types(root: Section) -> dict[str, str]:
    """The inputs that the file declares or gives, with their types."""
    types = declared_types(root)
    given = root.section(INPUTS)
    for key, entry in given.entries.items() if given else ():
        is_text = isinstance(entry.node, ValueNode) and isinstance(entry.node.value, str | None)
        types.setdefault(key, "str" if is_text else "value")
    return types


def _extends(held: Node, override: Override) -> bool:
    """Whether `+` may touch what is there: a mapping gets more keys."""
    return isinstance(held, Section) and isinstance(override.value, dict)


def locate(root: Section, override: Override, known: Collection[str] | None) -> Path:
    """The full path of the override's path, through `subflows_config` where that is left out.

    The last segment may be a new key. A new one before it is an error, except at the top when
    `known` has it, in a mapping with a `_target_` when it is like no key there, and everywhere when
    `known` is None.
    """
    path: Path = ()
    node: Node = root
    segments = override.segments
    for index, segment in enumerate(segments):
        step = _step(node, segment)
        inner = find(node, step) if step else None
        if step and inner is not None:
            path = (*path, *step)
            node = inner
            continue
        rest = segments[index:]
        _check_new(node, path, rest, override, known)
        return (*path, *rest)
    return path


def _step(node: Node, segment: str) -> Path | None:
    if isinstance(node, ListNode):
        index = as_index(segment)
        return (index,) if index is not None and index < len(node.items) else None
    if not isinstance(node, Section):
        return None
    if segment in node.entries:
        return (segment,)
    subflows = node.section(SUBFLOWS)
    return (SUBFLOWS, segment) if subflows and segment in subflows.entries else None


def _check_new(
    node: Node, path: Path, rest: Path, override: Override, known: Collection[str] | None
) -> None:
    """Raise unless `rest` may be made inside `node`."""
    if (isinstance(node, Section) and node.open) or is_unknown(node):
        raise UnknownValue(f"{dotted(path)} is not known", place=override.place)
    is_empty = isinstance(node, ValueNode) and node.value in (None, "???")
    if isinstance(node, Section):
        if known is None or len(rest) == 1 or (not path and rest[0] in known):
            return
        if path and node.target is not None and not _is_misspelt(str(rest[0]), node):
            return  # a setting of what the node describes, which only its target can judge
    elif is_empty and path:
        return
    raise _unknown(node, path, str(rest[0]), override.place)


def _is_misspelt(segment: str, node: Section) -> bool:
    subflows = node.section(SUBFLOWS)
    return nearest(segment, [*node.entries, *(subflows.entries if subflows else ())]) is not None


def _unknown(node: Node, path: Path, segment: str, place: Place) -> ConfigError:
    here = f"`{dotted(path)}`" if path else "the file"
    if isinstance(node, ListNode):
        problem = f"{here} has {len(node.items)} items, counted from 0: no {segment!r}"
        return ConfigError(problem, place=place, path=dotted(path))
    if isinstance(node, ValueNode):
        problem = f"{here} is a single value, it has no {segment!r}"
        return ConfigError(problem, place=place, path=dotted(path))
    subflows = node.section(SUBFLOWS)
    allowed = [*(subflows.entries if subflows else ()), *node.entries]
    problem = f"{here} has no {segment!r}"
    meant = nearest(segment, allowed)
    return ConfigError(
        problem, place=place, path=dotted((*path, segment)), allowed=allowed, meant=meant
    )
