"""The arguments of a function, as its JSON schema and its words tell of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flows.analysis.functions.forms import SLUG, described_forms
from flows.analysis.functions.terms import identifier_terms, terms

_QUOTED: Final = re.compile(
    r"(?<!\w)['\"`\u2018\u201c]([^'\"`\u2018\u2019\u201c\u201d]{1,60})['\"`\u2019\u201d](?!\w)"
)
_CODE: Final = re.compile(r"(?<![\w/-])[A-Z][A-Za-z]*[-_]?\d[\w-]*(?:/[\w-]+)*(?![\w/-])")
_LISTED: Final = re.compile(
    r"(?:\be\.g\.?,?|\bi\.e\.?,?|\bsuch as|\blike|\bfor example,?)\s+([A-Za-z0-9][\w ,./-]*)",
    re.IGNORECASE,
)
_VARIED: Final = re.compile(r"\b(?:letters?|alphanumeric|characters)\b", re.IGNORECASE)
# Capitals that are given for instance: "two letters, as NO".
_INSTANCE: Final = re.compile(r"(?:,|\(|^)\s*as (?:in )?([A-Z]{2,5})\b")
# Abbreviations to choose from, as in "EUR, USD or GBP".
_CHOICE: Final = re.compile(r"\b[A-Z]{2,5}(?:, ?[A-Z]{2,5})*,? or [A-Z]{2,5}\b")


@dataclass(frozen=True, slots=True)
class FunctionArgument:
    """An argument of a function.

    `type` is that of the JSON schema, `item_type` that of a list's items, "" where none is named.
    `options` are the only values allowed; `examples` values that the schema or the description
    gives for instance. `pattern` is a regular expression, `format` the schema's (`date`, ...).
    `is_varied` tells whether the letters of its identifiers differ, and name no kind.
    `properties` is the schema of an object whose properties are named, else empty.
    """

    name: str
    type: str
    description: str = ""
    required: bool = False
    options: tuple[Any, ...] = ()
    examples: tuple[str, ...] = ()
    pattern: str = ""
    format: str = ""
    item_type: str = ""
    is_varied: bool = False
    properties: Mapping[str, Any] = field(default_factory=dict)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of its name."""
        return identifier_terms(self.name)

    @property
    def described(self) -> tuple[str, ...]:
        """The terms of its description."""
        return terms(self.description)

    @property
    def is_list(self) -> bool:
        return self.type == "array"

    @property
    def value_type(self) -> str:
        """The type of one value: that of the items where it is a list."""
        return (self.item_type or "string") if self.is_list else self.type


def arguments_of(parameters: Mapping[str, Any], about: str = "") -> tuple[FunctionArgument, ...]:
    """The arguments of a JSON schema of an object, those that are required first. `about` is the
    function's description: where it gives identifiers for instance, they are those of its keys."""
    required = frozenset(parameters.get("required") or ())
    properties = parameters.get("properties") or {}
    found = [_argument(name, schema, name in required) for name, schema in properties.items()]
    keys = tuple(dict.fromkeys(_CODE.findall(about)))
    found = [
        replace(each, examples=keys)
        if each.name.casefold() in ("key", "keys") and not each.examples
        else each
        for each in found
    ]
    return tuple(sorted(found, key=lambda each: not each.required))


def lend_examples(
    arguments: Sequence[FunctionArgument], lenders: Mapping[str, FunctionArgument]
) -> tuple[FunctionArgument, ...]:
    """The arguments, those without examples with the examples of an argument of the same name, or
    of the one that their description names first: `home: slug` takes what `slug` takes."""
    found: list[FunctionArgument] = []
    for each in arguments:
        named = (each.name, next(iter(re.findall(r"[a-z_]+", each.description.casefold())), ""))
        lender = next((lenders[name] for name in named if name in lenders), None)
        open_ = not each.examples and not each.options and not each.format and not each.pattern
        if lender is None or not open_ or each.value_type != lender.value_type:
            found.append(each)
            continue
        found.append(replace(each, examples=lender.examples, is_varied=lender.is_varied))
    return tuple(found)


def lenders_of(schemas: Iterable[Mapping[str, Any]]) -> dict[str, FunctionArgument]:
    """The arguments by their names that say what their identifiers look like."""
    found: dict[str, FunctionArgument] = {}
    for schema in schemas:
        for each in arguments_of(schema):
            formed = any(re.search(r"\d", e) or SLUG.match(e) or e.isupper() for e in each.examples)
            if formed and each.value_type == "string":
                found.setdefault(each.name, each)
    return found


def _argument(name: str, given: Any, required: bool) -> FunctionArgument:
    schema: Mapping[str, Any] = _plain(given) if isinstance(given, Mapping) else {}
    items = schema.get("items")
    inner = _plain(items) if isinstance(items, Mapping) else {}
    description = str(schema.get("description") or "")
    listed = [*(schema.get("examples") or ()), *(inner.get("examples") or ())]
    if "example" in schema:
        listed.append(schema["example"])
    return FunctionArgument(
        name=name,
        type=_type(schema),
        description=description,
        required=required,
        options=tuple(schema.get("enum") or inner.get("enum") or ()),
        examples=tuple(dict.fromkeys([*map(str, listed), *examples_in(description)])),
        pattern=str(schema.get("pattern") or inner.get("pattern") or ""),
        format=str(schema.get("format") or inner.get("format") or ""),
        item_type=_type(inner) if inner else "",
        properties=schema if schema.get("properties") else {},
        is_varied=_VARIED.search(description) is not None,
    )


def _plain(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema without the choice of null: the one that is left stands for the whole."""
    for key in ("anyOf", "oneOf"):
        choices = [
            each for each in schema.get(key) or ()
            if isinstance(each, Mapping) and each.get("type") != "null"
        ]  # fmt: skip
        if choices:
            return {**schema, **choices[0]}
    return schema


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    if kind is None and schema.get("enum"):
        return "string"
    return str(kind) if kind else ("object" if schema.get("properties") else "string")


def examples_in(description: str) -> tuple[str, ...]:
    """The values that a description gives for instance: what it quotes, and what looks like an
    identifier."""
    listed = [
        each.strip(" .)'\"") for match in _LISTED.finditer(description)
        for each in re.split(r",|\bor\b|\band\b", match[1])
        if 0 < len(each.split()) <= 3
    ]  # fmt: skip
    chosen = [
        each
        for match in _CHOICE.finditer(description)
        for each in re.split(r"\W+or\W+|, ?", match[0])
    ]
    named = [*_QUOTED.findall(description), *_CODE.findall(description)]
    found = [*named, *_INSTANCE.findall(description), *chosen, *listed]
    found = found or list(described_forms(description))
    return tuple(dict.fromkeys(each for each in found if each not in ("etc", "")))
