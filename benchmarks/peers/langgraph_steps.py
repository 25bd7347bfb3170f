"""LangGraph: a compiled `StateGraph` of five nodes in a ring over a `TypedDict` state.

Nodes return the two keys that they change. A conditional edge out of the fifth node goes back to
the first or to `END`; `recursion_limit` is set just above the number of steps. No checkpointer is
attached and tracing is off, which is LangGraph's default. `--mode sync` runs plain functions by
`invoke`, `--mode async` runs coroutine functions by `ainvoke`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, TypedDict

from driver import driver_arguments, measure, measure_async
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from workload import SUBFLOWS, State, advance, initial_state, last_counter


class RingState(TypedDict):
    counter: int
    items: list[int]
    goal: str
    thought: str
    command: str
    command_args: dict[str, int]
    recalled: list[str]
    answer: str


class Counted(TypedDict):
    counter: int
    items: list[int]


def count(state: RingState) -> Counted:
    counter, items = advance(state["counter"], state["items"])
    return {"counter": counter, "items": items}


async def count_async(state: RingState) -> Counted:
    counter, items = advance(state["counter"], state["items"])
    return {"counter": counter, "items": items}


def compile_ring(
    node: Callable[[Any], Any], last: int, saver: BaseCheckpointSaver | None = None
) -> CompiledStateGraph:
    def where_next(state: RingState) -> str:
        return SUBFLOWS[0] if state["counter"] < last else END

    ring = StateGraph(RingState)
    for name in SUBFLOWS:
        ring.add_node(name, node)
    ring.add_edge(START, SUBFLOWS[0])
    for name, following in pairwise(SUBFLOWS):
        ring.add_edge(name, following)
    ring.add_conditional_edges(SUBFLOWS[-1], where_next, [SUBFLOWS[0], END])
    return ring.compile(checkpointer=saver)


def build(rounds: int) -> Callable[[], State]:
    last = last_counter(rounds)
    ring = compile_ring(count, last)
    return lambda: ring.invoke(initial_state(), {"recursion_limit": last + 10})


def build_async(rounds: int) -> Callable[[], Awaitable[State]]:
    last = last_counter(rounds)
    ring = compile_ring(count_async, last)
    return lambda: ring.ainvoke(initial_state(), {"recursion_limit": last + 10})


if __name__ == "__main__":
    arguments = driver_arguments(modes=("sync", "async"))
    if arguments.mode == "sync":
        measure(build, arguments.rounds)
    else:
        measure_async(build_async, arguments.rounds)
