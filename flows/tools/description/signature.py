"""A function's description from its arguments and docstring; what is unclear is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.core.flow import Effect
from flows.core.function_description import FunctionDescription
from flows.errors import nearest
from flows.tools.description.docstring import Docstring
from flows.tools.description.faults import SourceFaults

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,127}")


@dataclass(frozen=True, slots=True)
class Default:
    """The value of an argument that is left out. `text` is the code of one that is no JSON."""

    value: Any = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SignatureArgument:
    """An argument of a signature: its line, and its JSON schema, None if it has no type."""

    name: str
    line: int
    schema: Mapping[str, Any] | None
    default: Default | None = None
    named: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function is called, where it stands, and what it takes and gives; `fields` are JSON
    pointers to the values of its result, where its type names them."""

    name: str
    line: int
    arguments: Sequence[SignatureArgument]
    returns: str = ""
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SignatureOrigin:
    """What the description of a function says beside what the function itself does."""

    namespace: str = "default"
    function_class: str = "python"
    source: str = ""
    effect: Effect | None = None


def describe_signature(
    signature: Signature, said: Docstring, origin: SignatureOrigin, faults: SourceFaults
) -> FunctionDescription | None:
    """The description; None where something is unclear, which is added to the faults."""
    before = len(faults.found)
    _check(signature, said, faults)
    if len(faults.found) > before:
        return None
    returns = f"{signature.returns}: {said.returns}" if said.returns else signature.returns
    return FunctionDescription(
        name=signature.name,
        description=said.text,
        parameters=_parameters(signature.arguments, said.arguments),
        returns=returns if signature.returns else said.returns,
        fields=signature.fields,
        namespace=origin.namespace,
        function_class=origin.function_class,
        source=origin.source,
        effect=origin.effect or "once",
        changing=origin.effect in ("idempotent", "once"),
    )


def _parameters(arguments: Sequence[SignatureArgument], said: Mapping[str, str]) -> dict[str, Any]:
    definitions: dict[str, Any] = {}
    properties = {}
    for each in arguments:
        schema = dict(each.schema or {})
        definitions |= schema.pop("$defs", {})
        properties[each.name] = _property(schema, each.default, said[each.name])
    found: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [each.name for each in arguments if each.default is None],
        "additionalProperties": False,
    }
    return {**found, "$defs": definitions} if definitions else found


def _property(schema: dict[str, Any], default: Default | None, said: str) -> dict[str, Any]:
    if default is None:
        return {**schema, "description": said}
    if default.text:
        return {**schema, "description": f"{said} (default: {default.text})"}
    return {**schema, "description": said, "default": default.value}


def _check(signature: Signature, said: Docstring, faults: SourceFaults) -> None:
    name = signature.name
    if not _NAME.fullmatch(name):
        faults.add(
            signature.line, f"{name!r} is no name of a function: letters, digits, _, . and -"
        )
    if not said.text:
        faults.add(signature.line, f"{name} has no docstring that says what it does")
    for each in signature.arguments:
        _check_argument(each, said, faults)
    names = [each.name for each in signature.arguments]
    for unknown in (each for each in said.arguments if each not in names):
        meant = nearest(unknown, names)
        hint = f"; did you mean: {meant}" if meant else f"; it takes: {', '.join(names) or 'none'}"
        faults.add(signature.line, f"the docstring describes {unknown!r}, no argument{hint}")


def _check_argument(argument: SignatureArgument, said: Docstring, faults: SourceFaults) -> None:
    name = argument.name
    if not argument.named:
        problem = "an argument is given by its name, and these have none of their own"
        faults.add(argument.line, f"{name}: {problem}")
        return
    if name in ("self", "cls") and argument.schema is None:
        problem = "it is a method of no object: describe the bound method, as in store.search"
        faults.add(argument.line, f"the argument {name}: {problem}")
        return
    if argument.schema is None:
        faults.add(argument.line, f"the argument {name} has no type")
    elif not argument.schema:
        faults.add(argument.line, f"the argument {name}: its type allows anything; name the type")
    if said.text and not said.arguments.get(name):
        faults.add(argument.line, f"the docstring's Args do not say what {name} is")
