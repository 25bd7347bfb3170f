"""Describing a function of Python by its signature, its types and its docstring."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from pydantic_core import PydanticSerializationError, to_jsonable_python

from flows.config.read import shown
from flows.core.flow import Effect
from flows.core.function_description import FunctionDescription
from flows.errors import ConfigError, Place
from flows.tools.description.docstring import read_docstring
from flows.tools.description.faults import SourceFaults
from flows.tools.description.result_fields import fields_of_type
from flows.tools.description.schema import schema_of_type, type_name
from flows.tools.description.signature import (
    Default,
    Signature,
    SignatureArgument,
    SignatureOrigin,
    describe_signature,
)

_UNNAMED = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
)


def describe_function(
    function: Callable[..., Any],
    *,
    name: str = "",
    namespace: str = "default",
    function_class: str = "python",
    source: str = "",
    effect: Effect | None = None,
) -> FunctionDescription:
    """What the function does and takes, for an index and for a model that may call it.

    Each argument has a type, and the docstring says under `Args:` what it is. A method is given
    with its object, as in `store.search`. With an `effect` that is declared and not `pure` a person
    is asked before a call; without a word its effect is `once` and nobody is asked. Errors:
    `CheckError` with everything that is unclear, each with its file and line.
    """
    code = _unwrapped(function)
    lines = _Lines(code)
    faults = SourceFaults(lines.file)
    signature = Signature(
        name=name or getattr(code, "__name__", type(function).__name__),
        line=lines.first,
        arguments=_arguments(function, code, lines, faults),
        returns=_returned(code),
        fields=_fields(code, lines),
    )
    said = read_docstring(inspect.getdoc(function) or "")
    origin = SignatureOrigin(
        namespace, function_class, source or f"python:{_path_of(code)}", effect
    )
    described = describe_signature(signature, said, origin, faults)
    faults.check()
    if described is None:
        raise AssertionError("a function without a description has a fault")
    return described


class _Lines:
    """Where the arguments of a function stand in its file; its module where no file is known."""

    def __init__(self, code: Callable[..., Any]) -> None:
        self.first, self._arguments = 1, {}
        try:
            file = inspect.getsourcefile(code)
            self.file = shown(Path(file)) if file else _path_of(code)
            written, self.first = inspect.getsourcelines(code)
            tree = ast.parse(textwrap.dedent("".join(written)))
        except (OSError, TypeError, SyntaxError):
            self.file = _path_of(code)
            return
        found = next((each for each in ast.walk(tree) if isinstance(each, _DEFINITIONS)), None)
        if found is not None:
            args = found.args
            named = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
            self._arguments = {
                each.arg: self.first + each.lineno - 1 for each in named if each is not None
            }
            self.first += getattr(found, "lineno", 1) - 1

    def of(self, argument: str) -> int:
        return self._arguments.get(argument, self.first)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that is called in the end: of a method, a decorated one, an object."""
    found: Callable[..., Any] = inspect.unwrap(function)
    found = getattr(found, "__func__", found)
    if not (inspect.isroutine(found) or inspect.isclass(found)):
        found = type(found).__call__
    last: Callable[..., Any] = inspect.unwrap(found)
    return last


def _path_of(code: Callable[..., Any]) -> str:
    name = getattr(code, "__qualname__", type(code).__name__)
    return f"{getattr(code, '__module__', None) or 'builtins'}.{name}"


def _hints(code: Callable[..., Any], lines: _Lines) -> Mapping[str, Any]:
    try:
        return get_type_hints(code, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        problem = f"a type of {_path_of(code)} cannot be found: {error}"
        raise ConfigError(problem, place=Place(lines.file, lines.first, 1)) from error


def _arguments(
    function: Callable[..., Any], code: Callable[..., Any], lines: _Lines, faults: SourceFaults
) -> list[SignatureArgument]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError) as error:
        problem = f"{_path_of(code)} has no signature that can be read"
        raise ConfigError(problem, place=Place(lines.file, lines.first, 1)) from error
    hints = _hints(code, lines)
    return [_argument(each, hints, lines, faults) for each in parameters]


def _argument(
    parameter: inspect.Parameter, hints: Mapping[str, Any], lines: _Lines, faults: SourceFaults
) -> SignatureArgument:
    name, line = parameter.name, lines.of(parameter.name)
    default = None if parameter.default is parameter.empty else _default(parameter.default)
    if parameter.kind in _UNNAMED:
        return SignatureArgument(str(parameter).partition(":")[0], line, None, named=False)
    if name not in hints:
        return SignatureArgument(name, line, None, default)
    kind = hints[name]
    if parameter.default is None and NoneType not in get_args(kind) and kind is not Any:
        kind = kind | None  # `x: str = None` is what people write
    try:
        return SignatureArgument(name, line, schema_of_type(kind), default)
    except ValueError as error:
        faults.add(line, f"the argument {name}: {error}")
        return SignatureArgument(name, line, {"type": "null"}, default)


def _default(value: Any) -> Default:
    try:
        return Default(to_jsonable_python(value))
    except PydanticSerializationError:
        return Default(text=repr(value))


def _fields(code: Callable[..., Any], lines: _Lines) -> tuple[str, ...]:
    """The fields of the result, where its type names any."""
    return fields_of_type(_hints(code, lines).get("return"))


def _returned(code: Callable[..., Any]) -> str:
    written = getattr(code, "__annotations__", {}).get("return", "")
    if written is None:
        return "nothing"
    return written if isinstance(written, str) else type_name(written)
