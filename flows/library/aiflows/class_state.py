"""The `flow_state` of a class for aiflows as JSON, in which sets and tuples are known again."""

from __future__ import annotations

from typing import Any, Final

from pydantic_core import to_jsonable_python

_KINDS: Final = {"set": set, "frozenset": frozenset, "tuple": tuple}
_KIND: Final = "python type"
_ITEMS: Final = "items"


def pack_state(value: Any) -> Any:
    """A value as JSON. Errors: `PydanticSerializationError` for one that has no form in it."""
    if isinstance(value, dict):
        return {str(key): pack_state(each) for key, each in value.items()}
    if isinstance(value, list):
        return [pack_state(each) for each in value]
    kind = type(value).__name__
    if type(value) in _KINDS.values():
        items = [pack_state(each) for each in value]
        # A set has another order in each process, and the same state is the same text.
        return {_KIND: kind, _ITEMS: items if kind == "tuple" else sorted(items, key=repr)}
    return to_jsonable_python(value)


def unpack_state(value: Any) -> Any:
    """The value that was packed."""
    if isinstance(value, list):
        return [unpack_state(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_KIND, _ITEMS} and value[_KIND] in _KINDS:
        return _KINDS[value[_KIND]](unpack_state(each) for each in value[_ITEMS])
    return {key: unpack_state(each) for key, each in value.items()}
