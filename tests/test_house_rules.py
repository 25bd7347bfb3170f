"""Rules of this house about its own code, each with a bound that may only get tighter."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
DEEPEST = 3  # classes of ours in a line below `object` or a class of a library
# Each is a special kind of a class that users know, and is caught or configured as one.
DEEPER = {
    "flows.library.analyst.actions.ActionConfig",
    "flows.library.analyst.actions.ActionFlow",
    "flows.library.analyst.autogen_chat.ModellerFlow",
    "flows.library.autogpt.autogpt.AutoGPTConfig",
    "flows.library.autogpt.autogpt.AutoGPTFlow",
    "flows.library.autogpt.executor.ExecutorFlow",
}
LONGEST = 400  # lines of a file
# Files that are longer, each with its lines: shorten one, and take it off the list.
LONGER = {
    "flows.analysis.reading.superlatives": 416,
    "flows.analysis.team.figures": 422,
}
MOST_BRANCHES = 25
MOST_DICTS = 2.0  # `dict[str, Any]` in a thousand lines


def sources() -> dict[str, str]:
    """The text of each module of the package by its dotted name."""
    return {
        ".".join(path.relative_to(PROJECT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted((PROJECT / "flows").rglob("*.py"))
    }


def parents() -> dict[str, list[str]]:
    """The bases of each class by their dotted names, as the imports of its module say them."""
    found: dict[str, list[str]] = {}
    for module, text in sources().items():
        nodes = list(ast.walk(ast.parse(text)))
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
    lines = {name: line_of(name, bases) for name in bases}
    deep = {name: line for name, line in lines.items() if len(line) > DEEPEST}
    more = [" < ".join(line) for name, line in deep.items() if name not in DEEPER]
    assert more == [], "have what it needs handed to it, instead of inheriting it"
    assert max(map(len, lines.values())) <= DEEPEST + 1
    assert set(deep) == DEEPER, "no longer that deep: take it off the list"


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
    more = {module: size for module, size in long.items() if size > LONGER.get(module, LONGEST)}
    assert more == {}, "which noun is missing? A file of one thing is short"
    assert set(long) == set(LONGER), "no longer that long: take it off the list"


def test_the_linter_bounds_how_branched_a_function_is() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    lint = settings["tool"]["ruff"]["lint"]
    assert "C901" in lint["select"]
    assert lint["mccabe"]["max-complexity"] <= MOST_BRANCHES
