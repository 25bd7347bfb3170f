"""Counting how often a function is really called, whoever calls it and by whatever name."""

from __future__ import annotations

import inspect
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import FunctionType
from typing import Any

# What a function leads to while its calls are counted, by a number of its own.
DOORS: dict[int, Callable[..., Any]] = {}
DOOR = """
def door(*arguments, **named):
    from tests.analysis.calls import DOORS
    return DOORS[{number}](*arguments, **named)
"""


@contextmanager
def counted(
    function: Callable[..., Any], argument: str, *others: tuple[Callable[..., Any], str]
) -> Iterator[Counter[Any]]:
    """How often the function, or one of the others, is called in this thread with each value of an
    argument; calls that they make of each other are left out."""
    calls: Counter[Any] = Counter()
    thread, depth = threading.get_ident(), 0

    def counting(name: str, each: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(each)

        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal depth
            if threading.get_ident() != thread:
                return each(*arguments, **named)
            if not depth:
                calls[signature.bind(*arguments, **named).arguments[name]] += 1
            depth += 1
            try:
                return each(*arguments, **named)
            finally:
                depth -= 1

        return call

    with ExitStack() as stack:
        for each, name in ((function, argument), *others):
            stack.enter_context(_led_through(each, partial(counting, name)))
        yield calls


@contextmanager
def _led_through(
    function: Callable[..., Any], door: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Iterator[None]:
    """Have all calls of the function, also of those who have imported it, go through the door,
    which is given the function as it is. A profiler would do it without, at twice the time."""
    assert isinstance(function, FunctionType)
    assert function.__closure__ is None
    code = function.__code__
    kept = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
    kept.__kwdefaults__ = function.__kwdefaults__
    kept.__annotations__ = function.__annotations__
    number = id(kept)
    made: dict[str, Any] = {}
    exec(DOOR.format(number=number), made)
    DOORS[number] = door(kept)
    function.__code__ = made["door"].__code__
    try:
        yield
    finally:
        function.__code__ = code
        del DOORS[number]
