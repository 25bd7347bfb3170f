"""How big a config may be. Checked before a value is built from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfigLimits:
    """`nodes` counts keys' values and list items, each alias with all that it stands for;
    `text` is the number of characters that interpolation may write in all."""

    bytes: int = 256 * 1024
    depth: int = 48
    aliases: int = 100
    nodes: int = 20_000
    text: int = 1024 * 1024
    files: int = 100
    references: int = 24


DEFAULT_LIMITS = ConfigLimits()
