"""Counting how often a function is really called, from the outside, without replacing it."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def counted(
    function: Callable[..., Any], argument: str, *others: tuple[Callable[..., Any], str]
) -> Iterator[Counter[Any]]:
    """How often the function, or one of the others, is called with each value of an argument, in
    this thread and those that begin now; calls that they make of each other are left out."""
    calls: Counter[Any] = Counter()
    codes = {each.__code__: name for each, name in ((function, argument), *others)}
    inside = threading.local()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        name = codes.get(frame.f_code)
        if name is None or event not in ("call", "return"):
            return
        depth = getattr(inside, "depth", 0)
        if event == "call" and not depth:
            calls[frame.f_locals[name]] += 1
        inside.depth = depth + (1 if event == "call" else -1)

    before = sys.getprofile()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
