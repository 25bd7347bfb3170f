"""The items of `runner_cost.py`: functions that a run file names, and that plain Ray tasks call."""

from __future__ import annotations

import time


def nothing(n: int) -> int:
    """Give the number back."""
    return n


def wait(n: int) -> int:
    """Wait half a second, as for a model."""
    time.sleep(0.5)
    return n


def busy(n: int) -> int:
    """Compute for half a second of processor time."""
    began = time.process_time()
    while time.process_time() - began < 0.5:
        sum(range(1000))
    return n
