"""What is wrong with the source of a function, each fault with its line."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from flows.errors import CheckError, ConfigError, Place


@dataclass
class SourceFaults:
    """What is wrong with a source, each fault with its line."""

    file: str
    found: list[ConfigError] = field(default_factory=list)

    def add(self, node: ast.AST | int, problem: str) -> None:
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        column = 1 if isinstance(node, int) else getattr(node, "col_offset", 0) + 1
        self.found.append(ConfigError(problem, place=Place(self.file, line, column)))

    def check(self) -> None:
        """Errors: `CheckError` with all of them, in the order of their lines."""
        if self.found:
            raise CheckError(sorted(self.found, key=_position))


def _position(fault: ConfigError) -> tuple[int, int]:
    place = fault.place
    return (place.line or 1, place.column or 1) if place is not None else (1, 1)
