"""A tool from the text of its module: what it is for, what it takes and gives, how it is tested."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Collection
from typing import Final

from flows.analysis.prediction.phases import TITLES
from flows.core.function_tool import FunctionTool, ToolParameter
from flows.errors import nearest
from flows.tools.description.annotations import (
    ALLOWED,
    expanded,
    holds_frames,
    is_frame,
    schema_of,
)
from flows.tools.description.docstring import Docstring, read_docstring
from flows.tools.description.faults import SourceFaults
from flows.tools.functions.docstring import ModuleDocstring, read_module_docstring
from flows.tools.functions.module import Module, read_module

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
# Names that code of the sandbox finds by itself.
_KNOWN: Final = frozenset((*dir(builtins), *keyword.kwlist, "pd", "np", "plt", "px", "go", "sns"))


def parse_tool(
    source: str,
    origin: str = "shipped",
    *,
    name: str = "",
    file: str = "tool.py",
    phases: Collection[str] | None = tuple(TITLES),
    siblings: Collection[str] = (),
) -> FunctionTool:
    """The tool whose module has this text; nothing of it is run.

    With a `name` the module may hold other public functions, as one does whose imports were put
    in. `file` is what errors call the text. `phases` are those that there are; None allows any.
    `siblings` are the packages of ours from which the module may import. Errors: `CheckError` with
    all that is wrong or missing, each with its line.
    """
    faults = SourceFaults(file)
    try:
        return _parsed(source, origin, name, phases, siblings, faults)
    except RecursionError:
        faults.add(1, "an expression is nested too deeply")
        faults.check()
        raise


def _parsed(
    source: str,
    origin: str,
    name: str,
    phases: Collection[str] | None,
    siblings: Collection[str],
    faults: SourceFaults,
) -> FunctionTool:
    module = read_module(source, faults, siblings)
    function = _function(module, name, faults)
    declared = read_module_docstring(module.docstring or "")
    _check_declared(module, declared, phases, faults)
    if function is None:
        faults.check()
        raise AssertionError("a module without a function has a fault")
    said = read_docstring(ast.get_docstring(function) or "")
    if not said.summary:
        faults.add(function, f"{function.name} has no docstring that says what it does")
    parameters = _parameters(function, module, said, faults)
    returns = _returned(function, module, declared.gives or (), faults)
    _check_tests(function, module, faults)
    faults.check()
    return FunctionTool(
        name=function.name,
        purpose=declared.purpose,
        description="\n\n".join(each for each in (said.summary, said.description) if each),
        source=source,
        parameters=parameters,
        gives=declared.gives or (),
        returns=f"{returns}: {said.returns}" if said.returns else returns,
        errors=said.errors,
        example=said.example,
        phases=declared.phases or (),
        tests=tuple(each.name for each in module.tests),
        origin=origin,
    )


def _function(module: Module, name: str, faults: SourceFaults) -> ast.FunctionDef | None:
    """The one public function, or the one of that name."""
    found = [each for each in module.public if not name or each.name == name]
    if not found:
        problem = f"there is no function {name}" if name else "there is no public function"
        faults.add(1, f"{problem}; a tool is one function")
        return None
    for each in found[1:]:
        names = ", ".join(function.name for function in found)
        faults.add(each, f"a tool is one public function; others begin with _ (here: {names})")
    function = found[0]
    if not _NAME.fullmatch(function.name):
        problem = "is no name of a tool: small letters, digits and _, at most 64"
        faults.add(function, f"{function.name} {problem}")
    elif function.name in _KNOWN:
        faults.add(function, f"{function.name} has a meaning of its own; the tool needs another")
    if function.decorator_list:
        faults.add(function.decorator_list[0], "a tool has no decorator")
    return function


def _check_declared(
    module: Module, declared: ModuleDocstring, phases: Collection[str] | None, faults: SourceFaults
) -> None:
    """The docstring of the module: its purpose and its lists of names."""
    if not declared.purpose:
        faults.add(1, "the module has no docstring that says in one sentence what the tool is for")
    if not declared.phases:
        faults.add(1, f"the module's docstring has no line `Phases: {', '.join(phases or TITLES)}`")
    for each in declared.phases or ():
        if not _NAME.fullmatch(each):
            faults.add(_line_of(module, "Phases:"), f"{each!r} cannot be the name of a phase")
        elif phases is not None and each not in phases:
            meant = nearest(each, phases)
            hint = f"did you mean: {meant}" if meant else f"allowed: {', '.join(phases)}"
            faults.add(_line_of(module, "Phases:"), f"there is no phase {each!r}; {hint}")
    for each in declared.gives or ():
        if not each.isidentifier() or each in _KNOWN:
            faults.add(_line_of(module, "Gives:"), f"{each!r} cannot be a variable")


def _line_of(module: Module, text: str) -> int:
    """The line of the module's docstring that begins with the text."""
    first = module.tree.body[0].lineno if module.tree.body else 1
    lines = (module.docstring or "").splitlines()
    found = (number for number, line in enumerate(lines) if line.startswith(text))
    return first + next(found, 0)


def _parameters(
    function: ast.FunctionDef, module: Module, said: Docstring, faults: SourceFaults
) -> tuple[ToolParameter, ...]:
    arguments = function.args
    for each in (arguments.vararg, arguments.kwarg, *arguments.posonlyargs):
        if each is not None:
            faults.add(each, f"each argument has a name by which it is given; {each.arg} has none")
    positional = arguments.args
    without = len(positional) - len(arguments.defaults)
    defaults = [*[None] * without, *arguments.defaults, *arguments.kw_defaults]
    found = [
        _parameter(each, default, module, said, faults)
        for each, default in zip((*positional, *arguments.kwonlyargs), defaults, strict=True)
    ]
    names = [each.name for each in found]
    for name in said.arguments:
        if name not in names:
            faults.add(function, f"the docstring describes {name!r}, which is no argument")
    return tuple(found)


def _parameter(
    argument: ast.arg,
    default: ast.expr | None,
    module: Module,
    said: Docstring,
    faults: SourceFaults,
) -> ToolParameter:
    name, described = argument.arg, said.arguments.get(argument.arg, "")
    if name.startswith("_"):
        faults.add(argument, f"the argument {name} begins with _")
    if not described and said.summary:
        faults.add(argument, f"the docstring's Args do not say what {name} is")
    kind, frame = "Any", False
    if argument.annotation is None:
        faults.add(argument, f"the argument {name} has no type")
    else:
        annotation = expanded(argument.annotation, module.aliases)
        kind, frame = ast.unparse(annotation), is_frame(annotation)
        _check_type(argument, annotation, faults)
    return ToolParameter(
        name=name,
        type=kind,
        required=default is None,
        default="" if default is None else _written(default, module),
        description=described,
        frame=frame,
    )


def _written(default: ast.expr, module: Module) -> str:
    """The default as it is written, or as the module's constant that it names is."""
    known = module.aliases.get(default.id) if isinstance(default, ast.Name) else None
    return ast.unparse(known or default)


def _check_type(argument: ast.arg, annotation: ast.expr, faults: SourceFaults) -> None:
    problem = ""
    try:
        schema_of(annotation)
        if holds_frames(annotation) and not is_frame(annotation):
            problem = f"{ast.unparse(annotation)} holds tables beside other values"
    except (ValueError, IndexError) as error:
        problem = str(error)
    if problem:
        faults.add(argument, f"the argument {argument.arg}: {problem}; allowed: {ALLOWED}")


def _returned(
    function: ast.FunctionDef, module: Module, gives: tuple[str, ...], faults: SourceFaults
) -> str:
    """The type of what it returns; as many values as the names that it gives."""
    if function.returns is None:
        faults.add(function, f"{function.name} has no type of what it returns, as in -> dict")
        return ""
    annotation = expanded(function.returns, module.aliases)
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "tuple":
        inner = annotation.slice
        members = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if gives and len(members) != len(gives) and ast.unparse(members[-1]) != "...":
            problem = f"it returns {len(members)} values, and Gives: names {len(gives)}"
            faults.add(function.returns, problem)
    elif len(gives) > 1:
        problem = f"it returns {ast.unparse(annotation)}, and Gives: names {len(gives)} variables"
        faults.add(function.returns, problem)
    return ast.unparse(annotation)


def _check_tests(function: ast.FunctionDef, module: Module, faults: SourceFaults) -> None:
    """There is a test that calls the tool and may fail; a test's arguments have types."""
    if not module.tests:
        problem = f"{function.name} has no test: a function whose name begins with test_"
        faults.add(function, problem)
    elif not any(_tests(each, function.name) for each in module.tests):
        problem = f"no test calls {function.name} and asserts something of what it returns"
        faults.add(module.tests[0], problem)
    for test in module.tests:
        if test.decorator_list:  # of Hypothesis, which gives the arguments
            continue
        for each in (test.args.vararg, test.args.kwarg, *test.args.posonlyargs):
            if each is not None:
                faults.add(each, f"{test.name}: the argument {each.arg} has no name")
        for argument in (*test.args.args, *test.args.kwonlyargs):
            if argument.annotation is None:
                problem = f"{test.name}: the argument {argument.arg} has no type to take values of"
                faults.add(argument, problem)
            else:
                _check_type(argument, expanded(argument.annotation, module.aliases), faults)


def _tests(test: ast.FunctionDef, name: str) -> bool:
    nodes = list(ast.walk(test))
    calls = any(isinstance(each, ast.Name) and each.id == name for each in nodes)
    return calls and any(isinstance(each, ast.Assert | ast.Raise) for each in nodes)
