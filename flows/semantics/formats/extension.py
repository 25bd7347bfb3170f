"""What a model says and Apache Ossie has no key for: in `custom_extensions`, under our name."""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from flows.config.tree import Node, child, plain, planted
from flows.errors import ConfigError
from flows.semantics.formats.keys import Keys
from flows.semantics.formats.yaml_text import InlineList
from flows.semantics.model import Dataset, Part

VENDOR: Final = "ANALYST_FLOWS"
T = TypeVar("T", bound=Part)


def extension_of(part: T, core: T) -> list[dict[str, Any]]:
    """The extension of a part: what it has otherwise than the format's own keys say."""
    data = {
        name: plain_value(getattr(part, name))
        for name in type(part).model_fields
        if name in extended(type(part)) and getattr(part, name) != getattr(core, name)
    }
    return [{"vendor_name": VENDOR, "data": data}] if data else []


def with_extension(core: T, keys: Keys) -> T:
    """The part with what our extension in the file says. Raises ConfigError with its place."""
    data = extension_data(keys, type(core))
    if data is None:
        return core
    said = {name: _checked(type(core), name, node) for name, node in nodes(data).items()}
    said_before = set(core.model_fields_set)
    part = core.model_copy(update=said)
    part.model_fields_set.intersection_update(said_before | set(said))
    return part


def extension_data(keys: Keys, model: type[Part]) -> Keys | None:
    """The keys of our extension; None where the file has none of ours."""
    for item in keys.items("custom_extensions"):
        each = Keys(item, "a custom extension", ("vendor_name", "data"))
        node = each.node("data")
        if each.text("vendor_name", required=True) != VENDOR or node is None:
            continue
        return Keys(_opened(node), f"our extension of {keys.what}", extended(model))
    return None


def extended(model: type[Part]) -> list[str]:
    """The attributes that may stand in an extension."""
    others = {"name", "datasets", "relationships", "metrics", "least", "most"}
    others |= {"fields"} if issubclass(model, Dataset) else set()
    return [name for name in model.model_fields if name not in others]


def nodes(keys: Keys) -> dict[str, Node]:
    return {key: entry.node for key, entry in keys.section.entries.items()}


def plain_value(value: Any) -> Any:
    """The value as mappings, lists and scalars, without what is as by default."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        return {
            name: plain_value(getattr(value, name))
            for name in fields
            if name == "kind" or (name != "spans" and getattr(value, name) != fields[name].default)
        }
    if isinstance(value, tuple):
        items = [plain_value(each) for each in value]
        return (
            InlineList(items) if not any(isinstance(each, dict | list) for each in items) else items
        )
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _opened(node: Node) -> Node:
    """The data; earlier versions of the format have them as a text of JSON."""
    text = plain(node)
    if not isinstance(text, str):
        return node
    try:
        return planted(json.loads(text), node.place)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"`data` is no JSON: {error}", place=node.place) from error


@cache
def _adapter(model: type[Part], name: str) -> TypeAdapter[Any]:
    info = model.model_fields[name]
    rules = [*info.metadata]
    if info.discriminator:
        rules.append(Field(discriminator=info.discriminator))
    annotation: Any = info.annotation
    return TypeAdapter(Annotated[(annotation, *rules)] if rules else annotation)


def _checked(model: type[Part], name: str, node: Node) -> Any:
    try:
        return _adapter(model, name).validate_python(_tupled(plain(node)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = _deepest(node, first["loc"]).place
        raise ConfigError(f"{name!r}: {first['msg']}", place=place) from error


def _deepest(node: Node, path: tuple[int | str, ...]) -> Node:
    """The node at the path; kinds of a union stand in it too, and in no file."""
    for segment in path:
        node = child(node, segment) or node
    return node


def _tupled(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tupled(each) for each in value)
    if isinstance(value, dict):
        return {key: _tupled(each) for key, each in value.items()}
    return value
