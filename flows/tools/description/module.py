"""The functions of a Python file, described by its text: nothing of it is run."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from flows.core.function_description import FunctionDescription
from flows.errors import ConfigError, Place
from flows.tools.description.annotations import expanded, schema_of
from flows.tools.description.docstring import read_docstring
from flows.tools.description.faults import SourceFaults
from flows.tools.description.result_fields import field_paths
from flows.tools.description.signature import (
    Default,
    Signature,
    SignatureArgument,
    SignatureOrigin,
    describe_signature,
)

if TYPE_CHECKING:
    from griffe import Class, Function, Module, Parameter

_LONGEST: Final = 2_000_000
_UNNAMED: Final = ("positional-only", "variadic positional", "variadic keyword")
_TYPED: Final = ("BaseModel", "TypedDict", "NamedTuple")
_ENUMS: Final = ("Enum", "StrEnum", "IntEnum")
_DEEPEST: Final = 8


def read_functions(
    path: Path, namespace: str = "default"
) -> Iterator[FunctionDescription | ConfigError]:
    """The public functions at the top of a Python file; of an unclear one, what is wrong, with
    its line. A module with `__all__` gives the functions that it names.

    Types may be plain data, and the enumerations, dataclasses and models of the file itself.
    Errors: `ConfigError` for a file that cannot be read, or that is no Python.
    """
    module = _visit(path)
    types = _Types(module)
    origin = SignatureOrigin(namespace, source=f"python:{path}")
    for function in module.functions.values():
        if function.is_alias or not function.is_public or function.name.startswith("_"):
            continue
        faults = SourceFaults(str(path))
        signature = Signature(
            name=function.name,
            line=function.lineno or 1,
            arguments=[_argument(each, function, types, faults) for each in function.parameters],
            returns=str(function.returns or ""),
            fields=types.fields_of(str(function.returns or "")),
        )
        said = read_docstring(function.docstring.value if function.docstring else "")
        described = describe_signature(signature, said, origin, faults)
        if described is not None and not faults.found:
            yield described
        yield from sorted(faults.found, key=lambda each: each.place.line or 1 if each.place else 1)


def _visit(path: Path) -> Module:
    # Griffe takes a tenth of a second to import.
    import griffe

    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    if len(text) > _LONGEST:
        raise ConfigError(f"{path} has {len(text):,} characters; {_LONGEST:,} fit")
    try:
        return griffe.visit(path.stem, filepath=path, code=text)
    except (SyntaxError, ValueError, RecursionError) as error:
        at = (error.lineno or 1, error.offset or 1) if isinstance(error, SyntaxError) else (1, 1)
        told = error.msg if isinstance(error, SyntaxError) else str(error) or "nested too deeply"
        raise ConfigError(f"this is no Python: {told}", place=Place(str(path), *at)) from error


def _argument(
    parameter: Parameter, function: Function, types: _Types, faults: SourceFaults
) -> SignatureArgument:
    line = _line(parameter, function)
    if parameter.kind is not None and parameter.kind.value in _UNNAMED:
        return SignatureArgument(parameter.name, line, None, named=False)
    default = None if parameter.default is None else _default(str(parameter.default))
    if parameter.annotation is None:
        return SignatureArgument(parameter.name, line, None, default)
    try:
        schema = types.schema_of(str(parameter.annotation))
    except (ValueError, SyntaxError, RecursionError) as error:
        faults.add(line, f"the argument {parameter.name}: {error}")
        return SignatureArgument(parameter.name, line, {"type": "null"}, default)
    if parameter.default is not None and str(parameter.default) == "None":
        schema = _or_null(schema)
    return SignatureArgument(parameter.name, line, schema, default)


def _line(parameter: Parameter, function: Function) -> int:
    """The line of an argument; that of its function where Griffe does not know it."""
    found = getattr(parameter.annotation, "lineno", None)
    if isinstance(found, int):
        return found
    text = "\n".join(function.lines)
    try:
        definition = ast.parse(textwrap.dedent(text)).body[0]
    except (SyntaxError, IndexError):
        return function.lineno or 1
    for each in ast.walk(definition):
        if isinstance(each, ast.arg) and each.arg == parameter.name.lstrip("*"):
            return (function.lineno or 1) + each.lineno - 1
    return function.lineno or 1


def _default(text: str) -> Default:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return Default(text=text)
    return Default(value) if _is_json(value) else Default(text=text)


def _is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(each) for key, each in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a value that may be left out as None, as `x: str = None` means."""
    kinds = schema.get("type")
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return schema
    options = schema.get("anyOf")
    if isinstance(options, list):
        return schema if {"type": "null"} in options else {"anyOf": [*options, {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema


class _Types:
    """The names for types that a module has, and their schemas."""

    def __init__(self, module: Module) -> None:
        self._classes = {name: each for name, each in module.classes.items() if not each.is_alias}
        self._aliases = _aliases(module)
        self._depth = 0

    def schema_of(self, annotation: str) -> dict[str, Any]:
        """Errors: `ValueError` for a type that no JSON can hold, or that the file does not say."""
        node = expanded(ast.parse(annotation, mode="eval").body, self._aliases)
        return schema_of(node, self._named)

    def fields_of(self, annotation: str) -> tuple[str, ...]:
        """The fields of the values of a type; none where it names none, or is no type of JSON."""
        try:
            return field_paths(self.schema_of(annotation)) if annotation else ()
        except (ValueError, SyntaxError, RecursionError):
            return ()

    def _named(self, name: str) -> dict[str, Any] | None:
        found = self._classes.get(name)
        if found is None:
            return None
        bases = {str(each).rpartition(".")[2] for each in found.bases}
        if bases.intersection(_ENUMS):
            return _enumeration(found)
        decorators = {str(each.value).partition("(")[0] for each in found.decorators}
        is_record = bases.intersection(_TYPED) or any("dataclass" in each for each in decorators)
        return self._record(found) if is_record else None

    def _record(self, found: Class) -> dict[str, Any]:
        if self._depth >= _DEEPEST:
            raise ValueError(f"{found.name} holds itself, or is nested too deeply")
        self._depth += 1
        try:
            fields = {
                name: each
                for name, each in found.attributes.items()
                if each.annotation is not None and not name.startswith("_")
            }
            properties = {
                name: self.schema_of(str(each.annotation)) for name, each in fields.items()
            }
        finally:
            self._depth -= 1
        needed = [name for name, each in fields.items() if each.value is None]
        return {"type": "object", "properties": properties, "required": needed}


def _aliases(module: Module) -> Mapping[str, ast.expr]:
    """The module's own names for types, as in `Kind = Literal["a", "b"]`."""
    found = {}
    for name, each in module.attributes.items():
        if each.is_alias or each.value is None:
            continue
        try:
            found[name] = ast.parse(str(each.value), mode="eval").body
        except SyntaxError:
            continue
    return found


def _enumeration(found: Class) -> dict[str, Any]:
    values = []
    for name, each in found.attributes.items():
        if name.startswith("_") or each.value is None:
            continue
        try:
            values.append(ast.literal_eval(str(each.value)))
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{found.name}.{name} has a value that is not written out") from error
    return {"enum": values}
