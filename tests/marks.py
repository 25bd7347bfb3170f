"""The tests that `make test` leaves out, each with the reason that its mark gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent


class Marked(NamedTuple):
    """A test function, and why it is marked. `file` is relative to the folder of the tests."""

    file: str
    test: str
    reason: str


@cache
def marked(name: str) -> Sequence[Marked]:
    """The tests with `pytest.mark.NAME("reason")`: on the function, a row of it, or the file."""
    found = []
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if f"mark.{name}" in text:
            file = path.relative_to(TESTS).as_posix()
            found += [Marked(file, *each) for each in _marks(ast.parse(text), name)]
    return tuple(found)


def _marks(tree: ast.Module, name: str) -> Iterator[tuple[str, str]]:
    """The function and the reason of each mark; "" for one without a reason."""
    for statement in tree.body:
        test = getattr(statement, "name", "all that use it")
        nodes = list(ast.walk(statement))
        given = {id(each.func): each.args for each in nodes if isinstance(each, ast.Call)}
        for node in nodes:
            named = isinstance(node, ast.Attribute) and node.attr == name
            if named and ast.unparse(node) == f"pytest.mark.{name}":
                arguments = given.get(id(node))
                yield test, ast.literal_eval(arguments[0]) if arguments else ""
