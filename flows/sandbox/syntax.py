"""Compiling a piece of code: its module, its last expression apart, or what is wrong with it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from flows.sandbox.report import Fault

LONGEST = 200_000  # characters of one piece


class UnreadableCode(Exception):
    """Code that cannot be compiled; `fault` holds the fields of a CodeFault."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault["message"])


@dataclass(frozen=True)
class Compiled:
    """Code ready to run. `last` is its last expression, None when it ends otherwise or in `;`.

    `names` are those that stand anywhere in it, `imports` the packages that it imports.
    """

    body: CodeType
    last: CodeType | None
    names: frozenset[str]
    imports: frozenset[str]


def compiled(code: str, filename: str) -> Compiled:
    """Errors: `UnreadableCode`."""
    if len(code) > LONGEST:
        raise UnreadableCode(
            _fault("ValueError", f"code of {len(code):,} characters; {LONGEST:,} fit")
        )
    if "\0" in code:
        before = code[: code.index("\0")]
        fault = _fault("SyntaxError", "code with a NUL character")
        fault["line"], fault["column"] = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise UnreadableCode(fault)
    try:
        return _compiled(code, filename)
    except SyntaxError as error:
        raise UnreadableCode(_of_syntax(error)) from None
    except (ValueError, RecursionError, MemoryError, OverflowError, UnicodeError) as error:
        text = str(error) or "the code is nested too deeply"
        raise UnreadableCode(_fault(type(error).__name__, text)) from None


# Before it runs, a piece is looked at by the block that has it run and by its sandbox, twice.
@lru_cache(maxsize=4)
def _compiled(code: str, filename: str) -> Compiled:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(code, filename)
        whole = compile(code, filename, "exec", dont_inherit=True)
        nodes = list(ast.walk(tree))
        names = frozenset(each.id for each in nodes if isinstance(each, ast.Name))
        imports = _imports(nodes)
        ending = tree.body[-1] if tree.body else None
        if not isinstance(ending, ast.Expr) or code.rstrip().endswith(";"):
            return Compiled(whole, None, names, imports)
        tree.body.pop()
        # A module without its docstring is another module: an only string stays an expression.
        body = compile(tree, filename, "exec", dont_inherit=True)
        last = compile(ast.Expression(ending.value), filename, "eval", dont_inherit=True)
    return Compiled(body, last, names, imports)


def _imports(nodes: Sequence[ast.AST]) -> frozenset[str]:
    found: set[str] = set()
    for each in nodes:
        if isinstance(each, ast.Import):
            found |= {alias.name for alias in each.names}
        elif isinstance(each, ast.ImportFrom) and each.module and not each.level:
            found.add(each.module)
    return frozenset(name.partition(".")[0] for name in found)


def _of_syntax(error: SyntaxError) -> Fault:
    line = error.lineno if error.lineno and error.lineno > 0 else None
    column = error.offset if line and error.offset and error.offset > 0 else None
    text = (error.text or "").rstrip("\n")
    shown = f"  line {line}\n    {text}\n" if line and text else ""
    if shown and column:
        shown += f"    {' ' * (column - 1)}^\n"
    name = type(error).__name__
    fault = _fault(name, error.msg or "invalid syntax")
    return {**fault, "line": line, "column": column, "traceback": f"{shown}{name}: {error.msg}"}


def _fault(name: str, message: str) -> Fault:
    return {"type": name, "message": message, "traceback": f"{name}: {message}"}
