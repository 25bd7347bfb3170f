"""LangGraph: a `Send` for each number to one node, or as many nodes after START.

What the nodes return is put together by a reducer on a key of the state. No checkpointer is
attached and tracing is off, which is LangGraph's default.
"""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, TypedDict

from driver import driver_arguments, measure_async
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from workload import State, fan_state


class FanState(TypedDict):
    given: list[int]
    numbers: Annotated[list[int], operator.add]


class Child(TypedDict):
    number: int


class Returned(TypedDict):
    numbers: list[int]


async def child(state: Child) -> Returned:
    return {"numbers": [state["number"] + 1]}


def send_all(state: FanState) -> list[Send]:
    return [Send("child", {"number": number}) for number in state["given"]]


def compile_send() -> CompiledStateGraph:
    graph = StateGraph(FanState)
    graph.add_node("child", child)
    graph.add_conditional_edges(START, send_all, ["child"])
    graph.add_edge("child", END)
    return graph.compile()


def node_of(number: int) -> Callable[[FanState], Awaitable[Returned]]:
    async def node(state: FanState) -> Returned:
        del state
        return {"numbers": [number + 1]}

    return node


def compile_nodes(width: int) -> CompiledStateGraph:
    graph = StateGraph(FanState)
    for number in range(width):
        graph.add_node(f"n{number:06}", node_of(number))
        graph.add_edge(START, f"n{number:06}")
        graph.add_edge(f"n{number:06}", END)
    return graph.compile()


def build(width: int, *, mode: str) -> Callable[[], Awaitable[State]]:
    graph = compile_send() if mode == "send" else compile_nodes(width)

    async def run() -> State:
        final = await graph.ainvoke({"given": list(range(width)), "numbers": []})
        return fan_state(final["numbers"])

    return run


if __name__ == "__main__":
    arguments = driver_arguments(modes=("send", "nodes"), size="width")
    measure_async(lambda width: build(width, mode=arguments.mode), arguments.width)
