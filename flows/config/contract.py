"""What is wrong with a class or function beside a run file, as its syntax tree says it.

Only what is sure is said: a name that comes from another module may be anything.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from flows.config.packages import install_line, missing_module
from flows.errors import nearest

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Fault = tuple[ast.expr | ast.stmt, str]
RUN: Final = "async def run(self, inputs, run)"
INIT: Final = "def __init__(self, config, parts)"
SUPER: Final = "super().__init__(config, parts)"
EFFECTS: Final = ("pure", "idempotent", "once")
SERVICE_KINDS: Final = (
    "data", "documents", "embedder", "entities", "functions", "glossary", "human", "memory",
    "model", "sandbox", "semantics", "tool", "vectors",
)  # fmt: skip
STREAMS: Final = frozenset(
    {"AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Callable", "Coroutine"}
    | {"Generator", "Iterator"}
)
_ENDLESS: Final = frozenset({"Never", "NoReturn"})
_LITERALS: Final = (
    ast.Constant, ast.Dict, ast.DictComp, ast.JoinedStr, ast.Lambda, ast.List, ast.ListComp,
    ast.Set, ast.SetComp, ast.Tuple,
)  # fmt: skip
# What a class of each key has to come from, and known classes that do not.
_WANTED: Final = {"Inputs": "Ports", "Outputs": "Ports", "Config": "AtomicConfig"}
_MODELS: Final = frozenset({"AtomicConfig", "BaseModel", "FlowConfig", "Ports"})
# What makes modules importable that are neither beside nor installed.
_PATHS: Final = frozenset({"sys.path", "site.addsitedir", "flow_verse.sync_dependencies"})
_OTHERS: Final = frozenset(
    {"AtomicConfig", "AtomicFlow", "BaseModel", "Enum", "FlowConfig", "NamedTuple", "Ports"}
    | {"Protocol", "TypedDict"}
    | {name for name, each in vars(builtins).items() if isinstance(each, type)}
)
_PLAIN: Final[Mapping[str, tuple[type, ...]]] = {
    "bool": (bool,),
    "float": (float, int),
    "int": (int,),
    "str": (str,),
}


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """The names of a module: its classes and functions, what it binds in other ways, of that what
    a line at its top sets, what is named further inside, and whether it imports all names of
    another module."""

    defined: Mapping[str, Definition]
    bound: frozenset[str]
    assigned: Mapping[str, ast.expr]
    inner: frozenset[str]
    has_star: bool

    def is_own(self, name: str) -> bool:
        """Whether the module may give the name a meaning of its own."""
        known = name in self.defined or name in self.bound or name in self.inner
        return known or self.has_star

    def is_built_in(self, name: str) -> bool:
        return hasattr(builtins, name) and not self.is_own(name)

    def is_missing(self, name: str) -> bool:
        return not (self.is_own(name) or hasattr(builtins, name))

    def roots(self, found: ast.ClassDef, seen: tuple[str, ...] = ()) -> frozenset[str]:
        """The classes that a class comes from in the end: none of them is of this module."""
        roots: set[str] = set()
        for base in found.bases:
            text = ast.unparse(base)
            above = self.defined.get(text)
            if isinstance(above, ast.ClassDef) and text not in (*seen, found.name):
                roots |= self.roots(above, (*seen, found.name))
            else:
                roots.add(text.partition("[")[0].rpartition(".")[2])
        return frozenset(roots or {"object"})


def names_of(tree: ast.Module) -> ModuleNames:
    """The names of a module."""
    assigned = {
        target.id: each.value
        for each in tree.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    imports = [each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
    stored = [
        each.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    imported = [
        (each.asname or each.name).partition(".")[0] for node in imports for each in node.names
    ]
    return ModuleNames(
        {each.name: each for each in tree.body if isinstance(each, Definition)},
        frozenset([*stored, *imported]),
        assigned,
        frozenset(name for each in ast.walk(tree) if (name := str(getattr(each, "name", "")))),
        "*" in imported,
    )


def import_faults(tree: ast.Module, beside: Collection[str]) -> Iterator[Fault]:
    """The modules that are imported at the top of a module, and are neither installed nor beside
    it, by their dotted names there. One that is tried, or that another line may make importable,
    may be missing."""
    texts = {ast.unparse(each) for each in ast.walk(tree) if isinstance(each, ast.Attribute)}
    if not _PATHS.isdisjoint(texts):
        return
    tops = {each.partition(".")[0] for each in beside}
    for node in tree.body:
        if isinstance(node, ast.Import):
            named = [each.name.partition(".")[0] for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            named = [(node.module or "").partition(".")[0]]
        else:
            continue
        for name in named:
            if name not in tops and missing_module([name]):
                line = install_line(name)
                how = f"; install it with: {line}" if line else ""
                yield node, f"there is no module {name!r}, neither beside it nor installed{how}"


def value_faults(value: ast.expr, names: ModuleNames) -> Iterator[Fault]:
    """What is wrong with a value that is named as a step."""
    how = "a step is a typed function (def), or a subclass of AtomicFlow"
    if isinstance(value, ast.Lambda):
        yield value, f"it is a lambda, whose types nobody knows: {how}"
    elif isinstance(value, _LITERALS):
        yield value, f"it is {ast.unparse(value)[:40]}, and not a flow: {how}"
    elif isinstance(value, ast.Call):
        made = ast.unparse(value.func).rpartition(".")[2]
        is_class = isinstance(names.defined.get(made), ast.ClassDef) or names.is_built_in(made)
        if is_class or made == "partial":
            yield value, f"it is an object of {made}, and not a flow: {how}"
    elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Call):
        yield from value_faults(value.value, names)


def class_faults(
    node: ast.ClassDef, values: Mapping[str, ast.expr | ast.ClassDef], names: ModuleNames
) -> Iterator[Fault]:
    """What is wrong with a class of steps; `values` are what the names in its body are set to."""
    effect = values.get("effect")
    if isinstance(effect, ast.Constant) and effect.value not in EFFECTS:
        meant = nearest(str(effect.value), EFFECTS)
        hint = f"; did you mean {meant!r}?" if meant else ""
        yield node, f"its effect {effect.value!r} is none of {', '.join(EFFECTS)}{hint}"
    if "AtomicFlow" not in names.roots(node):
        return
    for key, wanted in _WANTED.items():
        if key in values and (found := _is_other(values[key], wanted, names)):
            text = f"{key} must be a subclass of {wanted}, as in class {key}({wanted}), not {found}"
            yield values[key], text
        elif key in values:
            yield from _field_faults(key, values[key], names)
    if isinstance(needs := values.get("needs"), ast.expr):
        yield from _needs_faults(needs)
    methods = [
        each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    is_atomic = any(ast.unparse(each) == "AtomicFlow" for each in node.bases)
    if is_atomic and "run" not in [each.name for each in methods]:
        yield node, f"it has no run: {RUN}"
    for each in methods:
        yield from _method_faults(node, each, is_atomic=is_atomic)


def _field_faults(
    key: str, written: ast.expr | ast.ClassDef, names: ModuleNames
) -> Iterator[Fault]:
    """What is wrong with the fields of the class of a key, where this module defines it."""
    found = written
    if isinstance(found, ast.Name):
        named = names.defined.get(found.id)
        found = named if isinstance(named, ast.ClassDef) else found
    if not isinstance(found, ast.ClassDef) or not names.roots(found) <= _MODELS:
        return
    for each in found.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            if not ast.unparse(each.annotation).startswith(("ClassVar", "typing.ClassVar")):
                what = f"its {key}.{each.target.id} is"
                yield from _type_faults(each.annotation, what, names, is_port=key != "Config")
        elif isinstance(each, ast.Assign):
            for target in each.targets:
                if isinstance(target, ast.Name) and not target.id.startswith(("_", "model_")):
                    kind = type(getattr(each.value, "value", None)).__name__
                    like = f", as in {target.id}: {kind} = ..." if kind in _PLAIN else ""
                    yield each, f"its {key}.{target.id} has no type{like}"


def _is_other(written: ast.expr | ast.ClassDef, wanted: str, names: ModuleNames) -> str:
    """What is written in the place of a class that comes from the wanted one; "" where it may be
    such a class."""
    found: ast.expr | Definition = written
    if isinstance(found, ast.Subscript):
        found = found.value
    if isinstance(found, ast.Name):
        if names.is_missing(found.id) or names.is_built_in(found.id):
            return ast.unparse(written)
        found = names.defined.get(found.id, found)
    if isinstance(found, ast.ClassDef):
        is_other = names.roots(found) <= _OTHERS - {wanted}
        return f"the class {found.name}" if is_other else ""
    if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        return f"the function {found.name}"
    return ast.unparse(written)[:40] if isinstance(found, _LITERALS) else ""


def _needs_faults(needs: ast.expr) -> Iterator[Fault]:
    how = 'a mapping of keys to kinds of services, as in {"model": "model"}'
    if not isinstance(needs, ast.Dict):
        if isinstance(needs, _LITERALS):
            yield needs, f"its needs must be {how}, not {ast.unparse(needs)[:40]}"
        return
    for kind in needs.values:
        if isinstance(kind, ast.Constant) and kind.value not in SERVICE_KINDS:
            yield kind, unknown_kind(kind.value)


def unknown_kind(kind: object) -> str:
    """What is said of a kind of service that there is not."""
    meant = nearest(str(kind), SERVICE_KINDS)
    hint = f"; did you mean {meant!r}?" if meant else ""
    return f"there is no service {kind!r} to need: {', '.join(SERVICE_KINDS)}{hint}"


def _method_faults(
    node: ast.ClassDef, method: ast.FunctionDef | ast.AsyncFunctionDef, *, is_atomic: bool
) -> Iterator[Fault]:
    given = method.args
    taken = len(given.posonlyargs) + len(given.args)
    if method.name == "__init__":
        if given.vararg is None and not taken - len(given.defaults) <= 3 <= taken:
            text = f"its __init__ in line {method.lineno} takes other arguments: {INIT}"
            yield node, text
        inner = [each for each in ast.walk(method) if isinstance(each, ast.Attribute)]
        if "__init__" not in [each.attr for each in inner]:
            yield node, f"its __init__ in line {method.lineno} never calls {SUPER}"
    if method.name != "run":
        return
    if not isinstance(method, ast.AsyncFunctionDef):
        yield node, f"its run in line {method.lineno} is not async: {RUN}"
    if is_atomic and given.vararg is None and taken - len(given.defaults) != 3:
        yield node, f"its run in line {method.lineno} takes other arguments: {RUN}"
    for each in method.decorator_list:
        if ast.unparse(each) in ("staticmethod", "classmethod"):
            yield node, f"its run in line {method.lineno} is a {ast.unparse(each)}: {RUN}"
    if (line := _yields_in(method)) is not None:
        yield node, f"its run yields in line {line}: a step returns its Outputs once, {RUN}"


def function_faults(
    node: ast.FunctionDef | ast.AsyncFunctionDef, names: ModuleNames
) -> Iterator[Fault]:
    """What is wrong with a function as a step, beside its parameters without a name or type."""
    if (line := _yields_in(node)) is not None:
        yield node, f"it yields in line {line}: a step returns once; return a list"
    given = [*node.args.args, *node.args.kwonlyargs]
    plain = [None] * (len(node.args.args) - len(node.args.defaults)) + list(node.args.defaults)
    for each, default in zip(given, [*plain, *node.args.kw_defaults], strict=True):
        if each.annotation is None:
            continue
        yield from _type_faults(each.annotation, f"its parameter {each.arg} is", names)
        allowed = _PLAIN.get(ast.unparse(each.annotation))
        if allowed and isinstance(default, ast.Constant) and type(default.value) not in allowed:
            kind = ast.unparse(each.annotation)
            more = f", or {kind} | None" if default.value is None else ""
            text = f"its parameter {each.arg} is {kind}, and its default is {default.value!r}{more}"
            if default.value is not None:
                yield default, text
    if node.returns is not None:
        yield from _type_faults(node.returns, "it returns", names)
        if ast.unparse(node.returns).rpartition(".")[2] in _ENDLESS:
            yield node.returns, "it never returns, and a step returns its outputs"


def _type_faults(
    written: ast.expr, what: str, names: ModuleNames, *, is_port: bool = True
) -> Iterator[Fault]:
    """Types that no port can have, and names of types that there are not."""
    for each in ast.walk(written):
        if is_port and isinstance(each, ast.Name | ast.Attribute):
            name = ast.unparse(each).rpartition(".")[2]
            if name in STREAMS and name not in names.defined:
                text = f"{what} {ast.unparse(written)}, which the journal cannot keep: ports are "
                yield each, f"{text}plain data, such as numbers, texts, lists and dicts"
                return
        found = names.defined.get(each.id) if isinstance(each, ast.Name) else None
        if isinstance(found, ast.ClassDef) and _is_bare(found):
            text = f"{what} {ast.unparse(written)}, a class that declares no fields: take a "
            yield written, f"{text}TypedDict, a data class or a pydantic model"
            return
        if isinstance(each, ast.Name) and names.is_missing(each.id):
            meant = nearest(each.id, [*_PLAIN, "list", "dict", *names.defined])
            hint = f"; did you mean {meant!r}?" if meant else ""
            yield each, f"{what} {ast.unparse(written)}, and there is no type {each.id!r}{hint}"
            return


def _is_bare(found: ast.ClassDef) -> bool:
    """Whether it is a class of nothing, which says nothing of its fields."""
    hooks = (each.name for each in found.body if isinstance(each, Definition))
    return not (found.bases or found.decorator_list or any("pydantic" in each for each in hooks))


def _yields_in(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int | None:
    """The line of a `yield` of the function itself, not of one inside of it."""
    inside: list[ast.AST] = list(node.body)
    while inside:
        each = inside.pop(0)
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return each.lineno
        if not isinstance(each, Definition | ast.Lambda):
            inside += ast.iter_child_nodes(each)
    return None
