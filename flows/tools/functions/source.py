"""The source of a tool, changed by whole statements: without its tests, with what it imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from flows.core.function_tool import FunctionTool
from flows.errors import ConfigError, Place
from flows.tools.functions.module import HYPOTHESIS, TEST, imported

_FUTURE: Final = "__future__"
# What ends a line of Python; `str.splitlines` knows more, which may stand inside of a text.
_LINE: Final = re.compile(r"\r\n|\r|\n")
# What stands between a module and the sources of those that it imports.
_MARK: Final = "# The source of {}, which is used above."


def code_of(tool: FunctionTool) -> str:
    """The tool's source as a step runs it: without its tests, its lines where they were."""
    return _without(tool.source, lambda each: _is_test(each) or _imports_of(each) == {HYPOTHESIS})


def without_hypothesis(source: str, tests: Collection[str]) -> str:
    """The source without its imports of Hypothesis and these tests, its lines where they were."""
    return _without(
        source,
        lambda each: (
            _imports_of(each) == {HYPOTHESIS}
            or (isinstance(each, ast.FunctionDef) and each.name in tests)
        ),
    )


def inlined(source: str, file: str, modules: Mapping[str, str]) -> str:
    """The source with those of the `modules` that it imports, and that they import, put below it.

    `modules` are texts by their dotted names. Its own lines stay where they were. Errors:
    `ConfigError` for an import in another form than `from MODULE import NAME`, for modules that
    import each other, and for a name that two of them define.
    """
    pieces = {"": _without(source, lambda each: bool(_imports_of(each) & set(modules)))}
    _gather(source, file, modules, pieces, ())
    owners: dict[str, str] = {}
    for module, piece in pieces.items():
        for name in defined(piece):
            if owners.setdefault(name, module) != module:
                both = " and in ".join(each or file for each in (owners[name], module))
                raise ConfigError(f"{name} is defined in {both}", place=Place(file))
    below = [
        f"\n\n{_MARK.format(module)}\n{piece.strip()}\n"
        for module, piece in pieces.items()
        if module
    ]
    return pieces[""] + "".join(below)


def _gather(
    source: str,
    file: str,
    modules: Mapping[str, str],
    pieces: dict[str, str],
    above: tuple[str, ...],
) -> None:
    """Put in the modules that the source imports, each once."""
    for statement in ast.parse(source).body:
        for module in sorted(_imports_of(statement) & set(modules)):
            place = Place(file, statement.lineno, 1)
            if module in above:
                raise ConfigError(f"{module} imports itself over others", place=place)
            renamed = any(each.asname for each in getattr(statement, "names", ()))
            if not isinstance(statement, ast.ImportFrom) or renamed:
                problem = f"as `from {module} import NAME`, without another name"
                raise ConfigError(f"what is put in is imported {problem}", place=place)
            if module not in pieces:
                pieces[module] = _without(modules[module], _is_own(modules))
                _gather(modules[module], f"{module}", modules, pieces, (*above, module))


def _is_own(modules: Collection[str]) -> Callable[[ast.stmt], bool]:
    """Whether a statement of a module is left out where its source is put below another one."""

    def left_out(statement: ast.stmt) -> bool:
        text = isinstance(statement, ast.Expr)  # its docstring
        return (
            text
            or _is_test(statement)
            or bool(_imports_of(statement) & {*modules, _FUTURE, HYPOTHESIS})
        )

    return left_out


def _is_test(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name.startswith(TEST)


def _imports_of(statement: ast.stmt) -> set[str]:
    """The modules that an import brings names of; of Hypothesis only its own name."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return set()
    modules = {module for module, _ in imported(statement)}
    of_tests = all(each.partition(".")[0] == HYPOTHESIS for each in modules)
    return {HYPOTHESIS} if of_tests else modules


def defined(source: str) -> Iterator[str]:
    """The functions, classes and constants of the source."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Assign):
            yield from (each.id for each in statement.targets if isinstance(each, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id


def _without(source: str, left_out: Callable[[ast.stmt], bool]) -> str:
    """The source with empty lines for the statements that are left out."""
    lines = _LINE.split(source)
    for statement in ast.parse(source).body:
        if left_out(statement):
            decorators = getattr(statement, "decorator_list", ())
            first = min((each.lineno for each in decorators), default=statement.lineno)
            last = statement.end_lineno or statement.lineno
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines).rstrip() + "\n"
