"""What principal components find: how much of the variance each holds."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Component:
    """The share of the variance of a component, and which columns weigh most in it."""

    component: Told
    explained: Told
    cumulative: Told
    needed: Told
    wanted: Told
    heaviest: Told
