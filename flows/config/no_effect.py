"""The mark of a key that files may hold and that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class NoEffect:
    """Stands beside the type of a key that is taken, so that a file of another program loads, and
    does nothing; `why` says what holds in its place."""

    why: str


def keys_without_effect(config: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """The keys of a config that do nothing, each with the reason."""
    for key, field in config.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, NoEffect):
                yield key, mark.why
