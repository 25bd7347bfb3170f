"""What composing gives: values, and for each of them the place that set it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from flows.config.secret import masked
from flows.config.tree import (
    Path,
    Section,
    dotted,
    is_unknown_at,
    key_place_of,
    leaves,
    place_of,
    plain,
)
from flows.errors import CheckError, ConfigError, Place


@dataclass(frozen=True)
class Composed:
    """The effective config of a run.

    `values` are plain dicts, lists and scalars with interpolations resolved; a `${env:NAME}` is an
    `EnvSecret`, still a name. `sources` are the files that took part, the run file first.
    """

    tree: Section
    file: FilePath
    sources: tuple[FilePath, ...] = field(default=())

    @cached_property
    def values(self) -> dict[str, Any]:
        values: dict[str, Any] = plain(self.tree)
        return values

    def place(self, path: Path) -> Place:
        """Where the effective value at the path was set; for a path that is not there, where the
        mapping that would hold it was."""
        return place_of(self.tree, path)

    def is_unknown(self, path: Path) -> bool:
        """Whether a fault, which is said, keeps the value at the path from being known."""
        return is_unknown_at(self.tree, path)

    def key_place(self, path: Path) -> Place:
        """Where the key at the end of the path was written."""
        return key_place_of(self.tree, path)

    def error(
        self, problem: str, path: Path, allowed: Sequence[str] = (), meant: str | None = None
    ) -> ConfigError:
        """What is wrong with the value at the path."""
        place = self.place(path)
        return ConfigError(problem, place=place, path=dotted(path), allowed=allowed, meant=meant)

    def origins(self) -> list[tuple[str, Any, Place]]:
        """Dotted path, value and place of every leaf; secrets are `***`."""
        return [
            (dotted(path), _shown(path, plain(node)), node.place)
            for path, node in leaves(self.tree)
        ]


def _shown(path: Path, value: Any) -> Any:
    """A value is hidden when its key, or the key of the list or mapping that it is in, says so."""
    for segment in reversed(path):
        value = masked(str(segment), value)
    return value


def raise_all(errors: Sequence[ConfigError]) -> None:
    """Raise nothing, the one error, or all of them together in the order of their places."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise CheckError(sorted(errors, key=_order_of))


def _order_of(error: ConfigError) -> tuple[str, int, int]:
    place = error.place or Place("")
    return (place.origin, place.line or 0, place.column or 0)
