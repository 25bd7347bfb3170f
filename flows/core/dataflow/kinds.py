"""The kinds of values that an annotation allows, and whether a port takes a value of a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, ValidationError

from flows.config.tree import UnreadValue
from flows.core.dataflow.facts import KeyFact, Kind, KnownKeys, join_kinds

_SAMPLES: Final[dict[Any, Kind]] = {
    str: Kind("str", "text"),
    int: Kind("int", 7),
    float: Kind("float", 0.5),
    bool: Kind("bool", True),
    bytes: Kind("bytes", b""),
    list: Kind("list", []),
    tuple: Kind("list", ()),
    set: Kind("list", set()),
    frozenset: Kind("list", frozenset()),
    Sequence: Kind("list", []),
    dict: Kind("dict", {}),
    Mapping: Kind("dict", {}),
    NoneType: Kind("null", None),
}
# What pydantic calls an error of a value that is of a wrong kind, beside `..._type`.
_OTHER_KIND: Final = frozenset({"none_required", "is_instance_of"})


def kinds_of(annotation: Any) -> tuple[Kind, ...]:
    """The kinds that an annotation allows; none where that is not known."""
    try:
        return _kinds_of(annotation)
    except TypeError:  # what is annotated with something that has no hash
        return ()


@lru_cache(maxsize=2048)
def _kinds_of(annotation: Any) -> tuple[Kind, ...]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kinds_of(parts[0])
    if origin in (Union, UnionType):
        return join_kinds([kinds_of(each) for each in parts])
    if origin is Literal:
        return tuple(exact_kind(each) for each in parts)
    plain: Any = NoneType if annotation is None else origin or annotation
    if not isinstance(plain, type):
        return ()
    if issubclass(plain, BaseModel):
        return _model(plain)
    found = _SAMPLES.get(plain)
    return () if found is None else (found,)


def _model(kind: type[BaseModel]) -> tuple[Kind, ...]:
    if issubclass(kind, RootModel):
        return ()
    return (Kind(kind.__name__, kind.model_construct(), declared=partial(_fields, kind)),)


@lru_cache(maxsize=512)
def _fields(kind: Any) -> KnownKeys:
    """The keys of a model."""
    facts = {name: KeyFact(kinds_of(info.annotation)) for name, info in kind.model_fields.items()}
    return KnownKeys(facts, kind.model_config.get("extra") == "allow")


def exact_kinds(value: Any) -> tuple[Kind, ...]:
    """The kind of a value that is given in the config; none where a fault keeps a part of it from
    being known."""
    return () if _is_unknown(value) else (exact_kind(value),)


def _is_unknown(value: Any) -> bool:
    return isinstance(value, UnreadValue) or (
        isinstance(value, list | tuple) and any(map(_is_unknown, value))
    )


def exact_kind(value: Any) -> Kind:
    """The kind of a value that is given in the config."""
    if value is None:
        return Kind("null", None, exact=True)
    if isinstance(value, Mapping):
        facts = {str(key): KeyFact(exact_kinds(each)) for key, each in value.items()}
        return Kind("dict", value, exact=True, known=KnownKeys(facts))
    return Kind(repr(value), value, exact=True)


@lru_cache(maxsize=512)
def port_facts(ports: Any) -> Mapping[str, KeyFact]:
    """What the model of a flow's ports says of its keys. They are all there, by their defaults
    too."""
    return {
        name: KeyFact(kinds_of(info.annotation))
        if info.is_required() or info.default is not None or not kinds_of(info.annotation)
        else KeyFact(_with_null(kinds_of(info.annotation)))
        for name, info in ports.model_fields.items()
    }


def _with_null(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    null = _SAMPLES[NoneType]
    return kinds if null in kinds else (*kinds, null)


def misfit(validate: Callable[[Mapping[str, Any]], object], port: str, fact: KeyFact) -> str | None:
    """What a port says of a value of which this is known, if it takes no such value at all."""
    kinds = [each for each in fact.kinds if each.name != "null"] or list(fact.kinds)
    said = None
    for each in kinds:
        said = _refusal(validate, port, each)
        if said is None:
            return None
    return said


def _refusal(validate: Callable[[Mapping[str, Any]], object], port: str, kind: Kind) -> str | None:
    try:
        validate({port: kind.sample})
    except ValidationError as error:
        found = [
            each
            for each in error.errors(include_url=False, include_context=False, include_input=False)
            if each["loc"][:1] == (port,)
        ]
        if found and (kind.exact or all(_is_other_kind(each["type"]) for each in found)):
            return str(found[0]["msg"])
    except Exception:  # noqa: BLE001  a validator of a person's own may fail at a sample
        return None
    return None


def _is_other_kind(error: str) -> bool:
    return error.endswith("_type") or error in _OTHER_KIND
