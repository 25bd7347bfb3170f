"""Rules of this house about its own code, each with a bound that may only get tighter."""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
DEEPEST = 3  # classes of ours in a line below `object` or a class of a library
LONGEST = 400  # lines of a file
MOST_BRANCHES = 25
# Names of more than one public class, each with the reason why.
SHARED = {
    "Order": "what rows are sorted by, in a request and in the reader's plan for one",
    "Retry": "the type of the key `retry` of a flow, and of a model, in the schema of run files",
    "Token": "what a lexer gives: of a question, and of a request that is written as text",
}
METHODS = "flows.analysis.methods."  # the class of each method's arguments is named as the method
MOST_DICTS = 2.0  # `dict[str, Any]` in a thousand lines


@cache
def sources() -> dict[str, str]:
    """The text of each module of the package by its dotted name."""
    return {
        ".".join(path.relative_to(PROJECT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted((PROJECT / "flows").rglob("*.py"))
    }


@cache
def trees() -> dict[str, ast.Module]:
    """The tree of each module that has a class."""
    gc.disable()  # nothing of a tree is garbage, and looking for it takes most of the time
    try:
        return {module: ast.parse(text) for module, text in sources().items() if "class " in text}
    finally:
        gc.enable()


def statements(block: ast.AST) -> Iterator[ast.AST]:
    """All statements of a module or a statement, also those in others."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(block, part, ()):
            yield each
            yield from statements(each)


def parents() -> dict[str, list[str]]:
    """The bases of each class by their dotted names, as the imports of its module say them."""
    found: dict[str, list[str]] = {}
    for module, tree in trees().items():
        nodes = list(statements(tree))
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                names = [ast.unparse(each).partition("[")[0] for each in node.bases]
                found[f"{module}.{node.name}"] = [dotted(each, module, imported) for each in names]
    return found


def dotted(name: str, module: str, imported: dict[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return f"{imported.get(first, f'{module}.{first}')}{dot}{rest}"


def line_of(name: str, bases: dict[str, list[str]]) -> list[str]:
    """The class and its longest line of ancestors that are ours."""
    if name not in bases:
        return []
    above = (line_of(each, bases) for each in bases[name])
    return [name, *max(above, key=len, default=[])]


def test_no_class_stands_more_than_three_below_object_or_a_library() -> None:
    bases = parents()
    lines = [line_of(name, bases) for name in bases]
    deep = [" < ".join(line) for line in lines if len(line) > DEEPEST]
    assert deep == [], "have what it needs handed to it, instead of inheriting it"


def test_the_name_of_a_public_class_has_one_meaning() -> None:
    named: dict[str, list[str]] = {}
    for module, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                bases = [ast.unparse(each) for each in node.bases]
                if not (module.startswith(METHODS) and "Arguments" in bases):
                    named.setdefault(node.name, []).append(module)
    twice = {name: modules for name, modules in named.items() if len(modules) > 1}
    more = {name: modules for name, modules in twice.items() if name not in SHARED}
    assert more == {}, "say in its name what it is: a `JoinStep`, not one more `Step`"
    assert set(twice) == set(SHARED), "no longer shared: take it off the list"


def test_what_has_a_shape_has_a_type() -> None:
    texts = sources().values()
    lines = sum(text.count("\n") for text in texts)
    loose = sum(len(re.findall(r"dict\[str, Any\]", text)) for text in texts)
    assert loose / lines * 1000 <= MOST_DICTS, (
        "a model, a TypedDict or a dataclass says what is in it; `flows.core.values.Values` is for "
        "values by the names of ports, `dict[str, object]` for what is only written as JSON"
    )


def test_a_file_can_be_read_at_one_sitting() -> None:
    lines = {module: text.count("\n") for module, text in sources().items()}
    long = {module: size for module, size in lines.items() if size > LONGEST}
    assert long == {}, "which noun is missing? A file of one thing is short"


def test_the_linter_bounds_how_branched_a_function_is() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    lint = settings["tool"]["ruff"]["lint"]
    assert "C901" in lint["select"]
    assert lint["mccabe"]["max-complexity"] <= MOST_BRANCHES
