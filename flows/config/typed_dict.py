"""The one typed dictionary that pydantic cannot read, and what to write in its place."""

from __future__ import annotations

from typing import Final

# How pydantic's error is called for a `typing.TypedDict` before Python 3.12.
_CODE: Final = "typed-dict-version"
_WRITE: Final = (
    "typing.TypedDict can be read from Python 3.12 on; on this one write "
    "`from typing_extensions import TypedDict`"
)


def typed_dict_problem(error: BaseException) -> str:
    """What to write where the error is about a `typing.TypedDict`; "" for any other error."""
    return _WRITE if getattr(error, "code", None) == _CODE else ""
