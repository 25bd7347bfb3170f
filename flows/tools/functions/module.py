"""The text of a tool's module, taken apart by its syntax: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.tools.description.faults import SourceFaults

TEST: Final = "test_"
HYPOTHESIS: Final = "hypothesis"
_OURS: Final = "flows"


@dataclass
class Module:
    """What stands at the top of a tool's module. `aliases` are its own names for types, `extras`
    the names that it imports from Hypothesis."""

    tree: ast.Module
    docstring: str | None
    public: list[ast.FunctionDef] = field(default_factory=list)
    tests: list[ast.FunctionDef] = field(default_factory=list)
    aliases: dict[str, ast.expr] = field(default_factory=dict)
    extras: set[str] = field(default_factory=set)


def read_module(source: str, faults: SourceFaults, siblings: Collection[str] = ()) -> Module:
    """Take the text apart; what may not stand there is a fault.

    `siblings` are the packages of ours from which it may import, since their sources are put in.
    Errors: `CheckError` for a text that is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else 1
        text = error.msg if isinstance(error, SyntaxError) else str(error) or "nested too deeply"
        faults.add(line or 1, f"this is no Python: {text}")
        faults.check()
        raise AssertionError from error  # a fault is raised above
    module = Module(tree, ast.get_docstring(tree))
    statements = tree.body[1:] if module.docstring is not None else tree.body
    last = 0
    for statement in statements:
        if statement.lineno <= last:
            faults.add(statement, "two statements stand on one line")
        last = statement.end_lineno or statement.lineno
        _read(statement, module, faults, siblings)
    return module


def _read(
    statement: ast.stmt, module: Module, faults: SourceFaults, siblings: Collection[str]
) -> None:
    match statement:
        case ast.Import() | ast.ImportFrom():
            _read_import(statement, module, faults, siblings)
        case ast.FunctionDef(name=name):
            if name.startswith(TEST):
                module.tests.append(statement)
            elif not name.startswith("_"):
                module.public.append(statement)
        case ast.AsyncFunctionDef():
            faults.add(statement, f"{statement.name} is async; a tool is a plain function")
        case ast.ClassDef(name=name):
            if not name.startswith("_"):
                faults.add(statement, f"the class {name} has to begin with _")
        case ast.Assign() | ast.AnnAssign():
            _read_constant(statement, module, faults)
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Try():
            for inner in _inside(statement):
                _read(inner, module, faults, siblings)
        case ast.Pass():
            pass
        case _:
            text = "only a docstring, imports, functions and constants may stand in a tool's module"
            faults.add(statement, f"this would run when the tool is read; {text}")


def _read_import(
    statement: ast.Import | ast.ImportFrom,
    module: Module,
    faults: SourceFaults,
    siblings: Collection[str],
) -> None:
    for package, name in imported(statement):
        root = package.partition(".")[0]
        if root == HYPOTHESIS:
            module.extras.add(name)
        elif name == "*":
            faults.add(statement, "an import of * does not say which names it brings")
        elif not package or package.startswith("."):
            faults.add(statement, "a relative import finds nothing in the sandbox")
        elif root == _OURS and package.rpartition(".")[0] not in siblings:
            faults.add(statement, f"{package} is not there in the sandbox")


def imported(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The module of each name that the statement brings, and the name."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            yield alias.name, alias.asname or alias.name.partition(".")[0]
        else:
            yield "." * statement.level + (statement.module or ""), alias.asname or alias.name


def _read_constant(
    statement: ast.Assign | ast.AnnAssign, module: Module, faults: SourceFaults
) -> None:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        if not isinstance(target, ast.Name):
            faults.add(statement, "only names may be assigned in a tool's module")
        elif not target.id.startswith("_"):
            faults.add(statement, f"the constant {target.id} has to begin with _")
        elif statement.value is not None:
            module.aliases[target.id] = statement.value


def _inside(statement: ast.If | ast.Try) -> Sequence[ast.stmt]:
    if isinstance(statement, ast.If):
        return [*statement.body, *statement.orelse]
    handlers = [each for handler in statement.handlers for each in handler.body]
    return [*statement.body, *handlers, *statement.orelse, *statement.finalbody]
