"""The rule that a sandbox is only off for a run for which that was typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flows.config.composition import Composed
from flows.errors import ConfigError, Place

SANDBOX_MODE: Final = ("sandbox", "mode")
ALLOWED: Final = ("standard", "strict")


def is_off(composed: Composed) -> bool:
    """Whether the config turns the sandbox off; YAML reads a bare `off` as false."""
    return is_off_in(composed.values)


def is_off_in(values: Mapping[str, object]) -> bool:
    """The same of plain values."""
    section = values.get("sandbox")
    mode = section.get("mode") if isinstance(section, Mapping) else None
    return mode == "off" or mode is False


def check_typed(composed: Composed) -> None:
    """Errors: `ConfigError` for a sandbox that a file turns off."""
    place = composed.place(SANDBOX_MODE)
    if is_off(composed) and place.line is not None:
        raise not_typed(place)


def not_typed(place: Place) -> ConfigError:
    return ConfigError(
        "off has to be typed on the command line, for each run: sandbox.mode=off",
        place=place,
        path=".".join(SANDBOX_MODE),
        allowed=ALLOWED,
    )
