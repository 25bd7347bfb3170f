"""What a class or function beside a run file takes and gives, read from its syntax tree.

Nothing of it runs. What the text does not say, or says in another module, is left open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.config.class_text import ClassText, find_class, is_for_aiflows, module_file, module_text
from flows.config.contract import (
    Definition,
    Fault,
    class_faults,
    function_faults,
    import_faults,
    names_of,
    value_faults,
)
from flows.config.own_modules import OwnModule
from flows.config.read import shown
from flows.errors import ConfigError, nearest

Names = Mapping[str, bool]
KEY_KINDS: Final = ("transformation", "interface")
TRANSFORMATION: Final = {
    "apply": "apply(self, data, context)",
    "names": "names(self, available)",
}
_TYPES: Final = frozenset({"str", "int", "float", "bool", "list", "dict"})
_RECORDS: Final = ("BaseModel", "Ports", "TypedDict", "NamedTuple")


@dataclass(frozen=True, slots=True)
class OutlineField:
    """A name with its type, in words that ports have ("any" for all others)."""

    kind: str
    needed: bool


Fields = Mapping[str, OutlineField] | None
Sides = tuple[Fields, Fields, Fields]


@dataclass(frozen=True, slots=True)
class Outline:
    """A class or function that nobody has allowed to run: `inputs`, `outputs` and `keys` of its
    config by name, None where the text does not say them."""

    module: OwnModule
    name: str
    line: int
    is_function: bool
    doc: str
    inputs: Fields
    outputs: Fields
    keys: Fields


def outline_of(module: OwnModule, name: str, kind: str = "flow") -> Outline:
    """The outline of what has that name at the top level of the module.

    Errors: `ConfigError` with file and line for a name that is not there, for a module that is
    imported and not there, and for a function or a class that cannot be of the kind: a step, or a
    transformation of keys.
    """
    missing = [
        f"{shown(each.file)}:{node.lineno}:{node.col_offset + 1}: {problem}"
        for each in module.sources.values()
        for node, problem in import_faults(each.tree, module.sources)
    ]
    if missing:
        raise ConfigError("; ".join(missing))
    source = module.sources[module.main]
    reader = OutlineReader(source.file, source.tree, module.main, source.file.parent)
    if kind in KEY_KINDS:
        return reader.transformation(module, name, whole=kind == "interface")
    return reader.outline(module, name)


def check_text(module: str, name: str, folder: Path) -> None:
    """Say what is wrong with a step of a module that is named by its dotted name, in the folder or
    installed, as far as the text of the module says it.

    Errors: `ConfigError` with file, line and column.
    """
    found = find_class(f"{module}.{name}", folder)
    file = module_file(module, folder) if found is None else found.file
    tree = module_text(file) if file is not None else None
    if file is None or tree is None:
        return
    reader = OutlineReader(file, tree, found.module if found is not None else module, folder)
    reader.check(found.name if found is not None else name)


class OutlineReader:
    """Reads one module, of that dotted name below the root. `defined` are its classes and functions
    by name."""

    def __init__(self, file: Path, tree: ast.Module, module: str, root: Path) -> None:
        self.file = file
        self.module = module
        self.root = root
        self.names = names_of(tree)
        self.defined, self.others = self.names.defined, self.names.bound

    def transformation(self, module: OwnModule, name: str, *, whole: bool) -> Outline:
        """The outline of a class that changes keys; a `whole` interface needs no settings, any
        other is a pydantic model of them. Errors: as of `outline_of`."""
        found = self._found(name)
        if found is None or (
            isinstance(found, ast.ClassDef) and set(map(_text, found.bases)) - {"BaseModel"}
        ):
            return Outline(module, name, 1, False, "", None, None, None)
        methods = {each.name for each in found.body if isinstance(each, Definition)}
        missing = [each for each in TRANSFORMATION if each not in methods]
        needed = " and ".join(TRANSFORMATION.values())
        if not isinstance(found, ast.ClassDef) or missing:
            raise self._error(found, f"it is no transformation, which is a class with {needed}")
        if not whole and not found.bases:
            problem = f"it is no transformation, which is a class with {needed}, and a BaseModel"
            raise self._error(found, problem)
        values = dict(_values(found))
        aliased = "model_config" in values or any(
            isinstance(each, ast.Call) and any("alias" in str(e.arg) for e in each.keywords)
            for each in values.values()
        )
        keys = None if aliased else self._fields_of(found) if found.bases else {}
        return Outline(module, name, found.lineno, False, "", None, None, keys)

    def _found(self, name: str) -> Definition | None:
        """The class or function of that name; None for what the module only binds."""
        found = self.defined.get(name)
        if found is None and name not in self.others:
            raise ConfigError(
                f"{shown(self.file)} has no {name!r}",
                allowed=tuple(self.defined),
                meant=nearest(name, self.defined),
            )
        return found

    def outline(self, module: OwnModule, name: str) -> Outline:
        """The outline of a step. Errors: as of `outline_of`."""
        found = self._found(name)
        inputs, outputs, keys = self.check(name)
        if found is None:  # bound in another way, as by an import: only its module knows
            return Outline(module, name, 1, False, "", None, None, None)
        doc = (ast.get_docstring(found) or "").partition("\n")[0]
        is_function = not isinstance(found, ast.ClassDef)
        return Outline(module, name, found.lineno, is_function, doc, inputs, outputs, keys)

    def check(self, name: str) -> Sides:
        """Inputs, outputs and keys of a step of that name; nothing is known of one that the text
        does not define. Errors: `ConfigError` with all that is wrong."""
        found = self.defined.get(name)
        if isinstance(found, ast.ClassDef):
            return self._class(found)
        if found is not None:
            sides = self._function(found)
            self._refuse(name, function_faults(found, self.names))
            return sides
        if name in self.names.assigned:
            self._refuse(name, value_faults(self.names.assigned[name], self.names))
        return None, None, None

    def _refuse(self, name: str, faults: Iterator[Fault]) -> None:
        """Errors: `ConfigError` with all that is wrong, each with its place in the module."""
        told = [
            f"{shown(self.file)}:{node.lineno}:{node.col_offset + 1}: {name}: {problem}"
            for node, problem in faults
        ]
        if told:
            raise ConfigError("; ".join(told))

    def _error(self, node: Definition, problem: str) -> ConfigError:
        place = f"{shown(self.file)}:{node.lineno}:{node.col_offset + 1}"
        return ConfigError(f"{place}: {node.name}: {problem}")

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Sides:
        """Inputs, outputs and keys. Errors: `ConfigError` for a signature that says too little."""
        given = node.args
        for star, each in (("*", given.vararg), ("**", given.kwarg)):
            if each is not None:
                raise self._error(node, f"{star}{each.arg} cannot be an input; it needs a name")
        for each in given.posonlyargs:
            raise self._error(node, f"{each.arg} cannot be an input; it needs a name")
        plain = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)
        inputs = {}
        for each, default in [
            *zip(given.args, plain, strict=True),
            *zip(given.kwonlyargs, given.kw_defaults, strict=True),
        ]:
            if each.annotation is None:
                raise self._error(node, f"the parameter {each.arg} has no type")
            inputs[each.arg] = OutlineField(_kind(each.annotation), default is None)
        if node.returns is None or _text(node.returns) == "None":
            raise self._error(node, "it has no type of what it returns, as in -> float")
        outputs = self._fields_of(node.returns)
        if outputs is None and _text(node.returns) in self.others:
            return inputs, None, {}  # a type of another module, with fields or without
        return inputs, outputs or {node.name: OutlineField(_kind(node.returns), True)}, {}

    def _class(self, node: ast.ClassDef) -> Sides:
        """Inputs, outputs and keys. Errors: `ConfigError` for a `run` that is none."""
        if is_for_aiflows(ClassText(self.module, self.file, node, self.root)):  # said elsewhere
            return None, None, None
        values = dict(_values(node))
        atomic = "AtomicFlow" in map(_text, node.bases)
        if not node.bases:
            how = "a typed function, or a subclass of AtomicFlow (from flows import AtomicFlow)"
            raise self._error(node, f"it is not a flow: a step is {how}")
        self._refuse(node.name, class_faults(node, values, self.names))
        inputs, outputs, keys = (
            self._fields_of(values[each]) if each in values else {} if atomic else None
            for each in ("Inputs", "Outputs", "Config")
        )
        return inputs, outputs, keys

    def _fields_of(self, written: ast.expr | ast.ClassDef) -> dict[str, OutlineField] | None:
        """The fields of a record; None for what is none, or what another module defines."""
        found = written
        if not isinstance(found, ast.ClassDef):
            named = self.defined.get(_text(found))
            if not isinstance(named, ast.ClassDef):
                return None
            found = named
        bases = [_text(each).rpartition(".")[2] for each in found.bases]
        is_data_class = any("dataclass" in _text(each) for each in found.decorator_list)
        fields: dict[str, OutlineField] = {}
        for base in bases:
            if base in self.defined and base != found.name:
                above = self._fields_of(ast.Name(base))
                if above is None:
                    return None
                fields |= above
            elif base in self.others and base not in (*_RECORDS, "AtomicConfig", "FlowConfig"):
                return None
        if not is_data_class and not bases:
            return None
        for each in found.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                kind = _kind(each.annotation)
                if not _text(each.annotation).startswith("ClassVar"):
                    fields[each.target.id] = OutlineField(kind, _is_needed(each.value))
        return fields


def _is_needed(default: ast.expr | None) -> bool:
    """Whether a field has no default; `Field(gt=0)` is none."""
    if not isinstance(default, ast.Call):
        return default is None
    given = {each.arg for each in default.keywords}
    return not default.args and not given & {"default", "default_factory"}


def _values(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr | ast.ClassDef]]:
    """What the names in the body of a class are set to."""
    for each in node.body:
        if isinstance(each, ast.ClassDef):
            yield each.name, each
        elif isinstance(each, ast.Assign):
            for target in each.targets:
                yield from _assigned(target, each.value)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value:
            yield each.target.id, each.value


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that `target = value` sets, as in `Inputs, Outputs = In, Out`."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=False):
            yield from _assigned(one, other)


def _text(node: ast.expr | ast.ClassDef) -> str:
    """An expression as it is written; of a quoted type what is in the quotes."""
    if isinstance(node, ast.ClassDef):
        return node.name
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def _kind(annotation: ast.expr) -> str:
    head = _text(annotation).partition("[")[0].strip()
    return head if head in _TYPES else "any"
