"""All attacks, by category."""

from __future__ import annotations

from collections import Counter

from tests.sandbox import (
    attacks_files,
    attacks_kernel,
    attacks_limits,
    attacks_network,
    attacks_processes,
    attacks_results,
)

ATTACKS = (
    *attacks_files.ATTACKS,
    *attacks_network.ATTACKS,
    *attacks_processes.ATTACKS,
    *attacks_kernel.ATTACKS,
    *attacks_limits.ATTACKS,
    *attacks_results.ATTACKS,
)

# What only the care of whoever reads the results stops. It is taken in every mode, so these do not
# succeed with the sandbox off.
ON_THE_HOST = frozenset({"floods", "results", "the next execution"})


def by_category() -> dict[str, int]:
    """How many attacks there are of each category, in their order."""
    return dict(Counter(each.category for each in ATTACKS))
