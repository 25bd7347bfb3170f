"""Which words a test file passes to commands, read from its syntax tree.

A command that the pages show can so be held by a test in another file, while that types it.
"""

from __future__ import annotations

import ast
import functools
import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from tests.cli.command import PROJECT

Function = ast.FunctionDef | ast.AsyncFunctionDef
Named = Mapping[str, tuple[ast.AST, ...]]
DEEPEST = 3  # functions that call functions


def passes(file: str, line: str, actions: Collection[str] = ()) -> bool:
    """Whether somewhere in the file a call, a list or a tuple holds the verb of the command, its
    action, its options and the keys of its overrides: of `flows ask "..." --data a.csv --json` they
    are `ask`, `--data` and `--json`. What a name or a function of a test stands for counts too."""
    needed = needed_words(line, actions)
    return any(needed <= each for each in _phrases(PROJECT / file))


def needed_words(line: str, actions: Collection[str] = ()) -> set[str]:
    """The verb of a command, its action if it has one, its options, and the keys that it overrides,
    each with its `=`."""
    _, verb, *words = shlex.split(line)
    options = {each.partition("=")[0] for each in words if each.startswith("-")}
    parts = [each.partition("=") for each in words if not each.startswith("-")]
    keys = {f"{key}=" for key, equals, _ in parts if equals and " " not in key}
    return {verb} | options | keys | ({words[0]} & set(actions) if words else set())


@functools.cache
def _phrases(file: Path) -> tuple[frozenset[str], ...]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    named = _named(tree)
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("tests."):
            other = PROJECT / f"{str(each.module).replace('.', '/')}.py"
            if other.is_file():
                named = {**_named(ast.parse(other.read_text(encoding="utf-8"))), **named}
    nodes = [each for each in ast.walk(tree) if isinstance(each, ast.Call | ast.List | ast.Tuple)]
    return tuple(frozenset(_words(each, named, 0)) for each in nodes)


def _named(tree: ast.Module) -> dict[str, tuple[ast.AST, ...]]:
    """What the names of a file stand for: its functions and methods, and what is set to them."""
    found: dict[str, tuple[ast.AST, ...]] = {}
    for each in ast.walk(tree):
        if isinstance(each, Function):
            found[each.name] = (*found.get(each.name, ()), *each.body)
        elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
            for target in each.targets if isinstance(each, ast.Assign) else [each.target]:
                if isinstance(target, ast.Name):
                    found[target.id] = (*found.get(target.id, ()), each.value)
    return found


def _words(node: ast.AST, named: Named, depth: int) -> Iterator[str]:
    """The words in the texts of a node. Of `a=b` these are `a` and `a=`."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            for word in each.value.split():
                key, equals, _ = word.partition("=")
                yield from (key, f"{key}=") if equals else (word,)
        name = ""
        if isinstance(each, ast.Name):
            name = each.id
        elif isinstance(each, ast.Attribute):
            name = each.attr
        if depth < DEEPEST:
            for inner in named.get(name, ()):
                yield from _words(inner, named, depth + 1)
