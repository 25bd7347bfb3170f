"""The default config of a class for aiflows, as the text beside it says it.

It is `CLASS.yaml` beside the module that defines the class, or else `__default_flow_config = {...}`
in its body, and is laid over that of the class that it subclasses. Nothing of a module runs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.config.class_text import ClassText, module_text
from flows.config.read import shown
from flows.config.tree import Entry, ListNode, Node, Section, ValueNode
from flows.errors import ConfigError, Place

_NAME: Final = "__default_flow_config"
_MOST_BASES: Final = 20


@dataclass(frozen=True, slots=True)
class DefaultPart:
    """A default config, in a file or as a class says it, whose relative targets are of the
    package."""

    content: Path | Section
    package: str = ""


@dataclass(frozen=True, slots=True)
class ClassDefaults:
    """What stands under the entries of a flow: `parts`, each laid over the one before it.
    `package` is that of the flow's class, which relative targets of its subflows are of."""

    parts: tuple[DefaultPart, ...] = ()
    package: str = ""


def config_beside(found: ClassText) -> Path | None:
    """The file with the default config of a class."""
    file = found.file.with_name(f"{found.name}.yaml")
    return file if file.is_file() else None


def written_defaults(found: ClassText) -> Section | None:
    """The default config in the body of a class, with its places; None for one without.

    Errors: `ConfigError` for one that is known only when the code runs.
    """
    names = (_NAME, f"_{found.name.lstrip('_')}{_NAME}")
    for each in found.node.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        if isinstance(target, ast.Name) and target.id in names:
            value = getattr(each, "value", None)
            if value is not None:
                node = _Literals(found).node(value)
                if isinstance(node, Section):
                    return node
    return None


class _Literals:
    """Reads literals of one module, with the names of it that are literals too."""

    def __init__(self, found: ClassText) -> None:
        self.found = found
        self.names = _assigned(module_text(found.file))

    def node(self, value: ast.expr, depth: int = 0) -> Node:
        """The tree of a literal. Errors: `ConfigError`."""
        place = self._place(value)
        if isinstance(value, ast.Name) and value.id in self.names and depth < _MOST_BASES:
            return self.node(self.names[value.id], depth + 1)
        if isinstance(value, ast.Dict):
            return self._section(value, place, depth)
        if isinstance(value, ast.List | ast.Tuple):
            return ListNode(tuple(self.node(each, depth) for each in value.elts), place)
        try:
            plain = ast.literal_eval(value)
        except (ValueError, TypeError) as error:
            raise self._unknown(value) from error
        if plain is not None and not isinstance(plain, str | int | float | bool):
            raise self._unknown(value)
        return ValueNode(plain, place)

    def _section(self, value: ast.Dict, place: Place, depth: int) -> Section:
        made = Section({}, place)
        for key, inner in zip(value.keys, value.values, strict=True):
            node = self.node(inner, depth)
            if key is None and isinstance(node, Section):  # {**OTHERS}
                made = Section({**made.entries, **node.entries}, place)
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                made = made.with_entry(key.value, Entry(self._place(key), node))
            else:
                raise self._unknown(key or inner)
        return made

    def _place(self, node: ast.expr) -> Place:
        return Place(shown(self.found.file), node.lineno, node.col_offset + 1)

    def _unknown(self, node: ast.expr) -> ConfigError:
        problem = (
            f"the default config of {self.found.name} is known only when its code runs; write it "
            f"in {self.found.name}.yaml beside its module, or as a literal"
        )
        return ConfigError(problem, place=self._place(node))


def _assigned(tree: ast.Module | None) -> Mapping[str, ast.expr]:
    """The names that are assigned once at the top of a module, with their values."""
    found: dict[str, list[ast.expr]] = {}
    for each in tree.body if tree is not None else ():
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(each.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}
