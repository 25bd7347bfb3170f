"""Arguments of a call, checked against the JSON schema of the function that is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from flows.core.function_description import FunctionDescription
from flows.errors import ToolError, nearest
from flows.tools.schema import arguments_of_schema
from flows.tools.sources.patterns import without_slow_patterns
from flows.tools.text import cap, plain

if TYPE_CHECKING:
    from jsonschema import ValidationError

_MOST_SHOWN: Final = 120


def check_call(described: FunctionDescription, arguments: Mapping[str, Any]) -> None:
    """Errors: `ToolError` that names the argument that is unknown, missing or wrong, what the
    function takes, and that a missing one can be asked for."""
    known: Mapping[str, Any] = described.parameters.get("properties") or {}
    takes = _takes(described)
    for given in arguments:
        if given not in known and not described.parameters.get("additionalProperties"):
            meant = nearest(str(given), known)
            hint = f" (did you mean {meant!r}?)" if meant else ""
            text = f"{described.name} has no argument {_shown(given)}{hint}; {takes}"
            raise ToolError(text)
    required = described.parameters.get("required") or ()
    missing = [name for name in required if name not in arguments]
    if missing:
        raise ToolError(f"{described.name} needs {_wanted(described, missing)}; {takes}")
    if fault := _fault(described, arguments):
        raise ToolError(f"{described.name}: {fault}; {takes}")


def missing_arguments(
    described: FunctionDescription, arguments: Mapping[str, Any]
) -> tuple[str, ...]:
    """The names of the arguments that the function needs and was not given."""
    required = described.parameters.get("required") or ()
    return tuple(str(name) for name in required if name not in arguments)


def _fault(described: FunctionDescription, arguments: Mapping[str, Any]) -> str:
    """What is wrong in the arguments; "" for nothing."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    schema = without_slow_patterns(described.parameters)
    # An empty registry: a reference to another document is an error, and is never fetched.
    validator = Draft202012Validator(schema, registry=Registry())
    try:
        worst = best_match(validator.iter_errors(dict(arguments)))
    except Unresolvable as error:
        raise ToolError(f"{described.name}: its schema refers to nothing: {error}") from error
    except RecursionError as error:
        raise ToolError(f"{described.name}: its schema contains itself without an end") from error
    return "" if worst is None else _told(worst)


def _told(error: ValidationError) -> str:
    at = ".".join(str(step) for step in error.absolute_path)
    what = plain(cap(str(error.message), 300))
    if error.validator == "enum" and isinstance(error.instance, str):
        meant = nearest(error.instance, [str(each) for each in error.validator_value])
        what += f" (did you mean {meant!r}?)" if meant else ""
    return f"argument {at!r}: {what}" if at else what


def _takes(described: FunctionDescription) -> str:
    names = [
        each.name if each.required else f"{each.name} (optional)"
        for each in arguments_of_schema(described.parameters)
    ]
    return f"it takes {', '.join(names)}" if names else "it takes no arguments"


def _wanted(described: FunctionDescription, missing: list[str]) -> str:
    return " and ".join(_in_words(described, missing))


def _in_words(described: FunctionDescription, names: list[str]) -> Iterator[str]:
    for each in arguments_of_schema(described.parameters):
        if each.name in names:
            more = f": {cap(each.description, _MOST_SHOWN)}" if each.description else ""
            yield f"{each.name} ({each.type}{more})"


def _shown(name: object) -> str:
    return repr(plain(str(name))[:60])
