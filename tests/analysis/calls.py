"""Counting how often a function is really called, from the outside, without replacing it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def counted(
    function: Callable[..., Any], argument: str, *others: tuple[Callable[..., Any], str]
) -> Iterator[Counter[Any]]:
    """How often the function, or one of the others, is called in this thread with each value of an
    argument; calls that they make of each other are left out."""
    calls: Counter[Any] = Counter()
    codes = {each.__code__: name for each, name in ((function, argument), *others)}
    depth = 0

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth
        name = codes.get(frame.f_code)
        if name is None or event not in ("call", "return"):
            return
        if event == "call" and not depth:
            calls[frame.f_locals[name]] += 1
        depth += 1 if event == "call" else -1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(before)
