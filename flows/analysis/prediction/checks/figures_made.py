"""The phase has drawn figures.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def figures_made(figures: int, rules: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """At least as many figures were drawn as the rulebook asks for.

    Args:
        figures: how many figures the steps of the phase have drawn.
        rules: the rulebook; `least_figures` is the number that is asked for, 1 without it.
    Returns:
        None if there are enough, else what is wrong.
    Example:
        figures_made(3, {"least_figures": 2})
    """
    least = int((rules or {}).get("least_figures", 1))
    if figures >= least:
        return None
    return {
        "message": f"{figures} figures were drawn, and at least {least} are asked for",
        "advice": "draw the target, the columns that matter most and how they go together, with "
        "the plotting tools of the phase",
    }


def test_a_phase_without_figures_fails() -> None:
    wrong = figures_made(0)
    assert wrong is not None
    assert "0 figures" in wrong["message"]
    assert figures_made(1) is None


def test_property_more_figures_never_fail() -> None:
    for least in range(5):
        told = [figures_made(count, {"least_figures": least}) is None for count in range(8)]
        assert told == sorted(told)
        assert sum(told) == 8 - least
