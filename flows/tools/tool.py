"""What a tool is to a flow that calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from flows.core.command import CommandArgument
from flows.core.observation import Observation
from flows.errors import ToolError, nearest


@runtime_checkable
class Tool(Protocol):
    """Something that answers a named question about the outside world."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def arguments(self) -> tuple[CommandArgument, ...]: ...

    async def run(self, args: Mapping[str, Any]) -> Observation:
        """`ok` or `empty`. Errors: ToolError, with a reason for people, when it did not work."""
        ...


def check_arguments(
    tool: str, arguments: tuple[CommandArgument, ...], args: Mapping[str, Any]
) -> None:
    """Errors: ToolError that names the unknown or missing argument and those that there are."""
    names = [argument.name for argument in arguments]
    takes = f"it takes {', '.join(names)}" if names else "it takes none"
    for given in args:
        if given not in names:
            meant = nearest(str(given), names)
            hint = f" (did you mean {meant}?)" if meant else ""
            raise ToolError(f"{tool} has no argument {str(given)[:60]!r}{hint}; {takes}")
    missing = [each.name for each in arguments if each.required and each.name not in args]
    if missing:
        raise ToolError(f"{tool} needs {', '.join(missing)}; {takes}")
