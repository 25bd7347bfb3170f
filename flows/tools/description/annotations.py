"""Annotations as they are written: which are tables, and the JSON schema of all others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final

Named = Callable[[str], dict[str, Any] | None]

_FRAME: Final = "DataFrame"
_PLAIN: Final[dict[str, str]] = {
    "int": "integer",
    "float": "number",
    "str": "string",
    "bool": "boolean",
    "None": "null",
}
_FORMATS: Final = {"date": "date", "datetime": "date-time", "time": "time", "UUID": "uuid"}
_ANYTHING: Final = ("Any", "object")
_LISTS: Final = ("list", "List", "tuple", "Tuple", "Sequence", "Iterable", "Collection")
_OBJECTS: Final = ("dict", "Dict", "Mapping")
ALLOWED: Final = (
    "DataFrame, DataFrame | None, list[DataFrame], and plain data: int, float, str, bool, None, "
    "list, tuple, Sequence, dict, Mapping, Literal, Any, and unions of them"
)


def expanded(node: ast.expr, aliases: Mapping[str, ast.expr]) -> ast.expr:
    """The annotation with the module's own names for types written out, and no quotes."""

    class Expansion(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            if name.id not in aliases:
                return name
            others = {key: each for key, each in aliases.items() if key != name.id}
            return expanded(aliases[name.id], others)

        def visit_Subscript(self, found: ast.Subscript) -> ast.expr:
            if _name(found.value) != "Literal":
                self.generic_visit(found)
            return found

        def visit_Constant(self, constant: ast.Constant) -> ast.expr:
            if not isinstance(constant.value, str):
                return constant
            try:
                written = ast.parse(constant.value, mode="eval").body
            except SyntaxError:
                return constant
            return expanded(written, aliases)

    made: ast.expr = Expansion().visit(ast.parse(ast.unparse(node), mode="eval").body)
    return made


def is_frame(node: ast.expr) -> bool:
    """Whether the type is a table, or several: given by the names of variables."""
    options = _options(node)
    if len(options) > 1:
        others = [each for each in options if not _is_none(each)]
        return bool(others) and all(is_frame(each) for each in others)
    if isinstance(node, ast.Subscript) and _name(node.value) in _LISTS:
        return is_frame(_inner(node)[0])
    return _name(node) == _FRAME


def holds_frames(node: ast.expr) -> bool:
    """Whether a table is anywhere in the type."""
    return any(isinstance(each, ast.expr) and _name(each) == _FRAME for each in ast.walk(node))


def schema_of(node: ast.expr, named: Named = lambda _: None) -> dict[str, Any]:
    """The JSON schema of values of the type; a table is the name of its variable. `named` gives
    the schemas of types by names of a module's own.

    Errors: `ValueError` that names the part of the type that no JSON can hold.
    """
    options = _options(node)
    if len(options) > 1:
        return _any_of([schema_of(each, named) for each in options])
    if _name(node) == _FRAME:
        return {"type": "string"}
    if _is_none(node):
        return {"type": "null"}
    if isinstance(node, ast.Subscript):
        return _schema_of_subscript(node, named)
    name = _name(node)
    if isinstance(node, ast.Name) and (known := named(name)) is not None:
        return known
    if name in _PLAIN:
        return {"type": _PLAIN[name]}
    if name in _FORMATS:
        return {"type": "string", "format": _FORMATS[name]}
    if name in _ANYTHING:
        return {}
    if name in _LISTS:
        return {"type": "array"}
    if name in _OBJECTS:
        return {"type": "object"}
    raise ValueError(f"{ast.unparse(node)} is no plain data")


def _schema_of_subscript(node: ast.Subscript, named: Named) -> dict[str, Any]:
    name, inner = _name(node.value), _inner(node)
    if name == "Literal":
        return {"enum": [ast.literal_eval(each) for each in inner]}
    if name in ("Final", "Annotated"):
        return schema_of(inner[0], named)
    if name in _OBJECTS and len(inner) == 2:
        if _name(inner[0]) != "str" and not _is_literal(inner[0]):
            raise ValueError(f"{ast.unparse(node)}: the keys of plain data are texts")
        return {"type": "object", "additionalProperties": schema_of(inner[1], named)}
    if name in _LISTS:
        open_end = isinstance(inner[-1], ast.Constant) and inner[-1].value is ...
        if name in ("tuple", "Tuple") and not open_end:
            kinds = [schema_of(each, named) for each in inner]
            count = len(kinds)
            return {"type": "array", "prefixItems": kinds, "minItems": count, "maxItems": count}
        return {"type": "array", "items": schema_of(inner[0], named)}
    raise ValueError(f"{ast.unparse(node)} is no plain data")


def _any_of(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    if all(list(each) == ["type"] for each in schemas):
        return {"type": [each["type"] for each in schemas]}
    return {"anyOf": schemas}


def _options(node: ast.expr) -> list[ast.expr]:
    """The members of a union; of any other type it alone."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_options(node.left), *_options(node.right)]
    if isinstance(node, ast.Subscript) and _name(node.value) == "Union":
        return [option for each in _inner(node) for option in _options(each)]
    if isinstance(node, ast.Subscript) and _name(node.value) == "Optional":
        return [*_options(_inner(node)[0]), ast.Constant(None)]
    return [node]


def _inner(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and _name(node.value) == "Literal"


def _name(node: ast.expr) -> str:
    """The last name of `a.b.c`, and of a name alone."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
