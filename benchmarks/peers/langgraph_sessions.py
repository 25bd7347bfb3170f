"""LangGraph: many threads of one compiled graph at once, with its asynchronous SQLite saver.

The graph has one node, a coroutine that waits and thinks, and goes round by a conditional edge.
Each session is an `ainvoke` under a thread id of its own; they share one `AsyncSqliteSaver`, which
is what LangGraph offers for it. `durability="sync"`, as each of our steps waits for its row, too.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiosqlite
from driver import driver_arguments, measure_async
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph_steps import RingState
from langgraph_talk import ask_async
from workload import WAIT_SECONDS, State, all_sessions, initial_state, think

facts: dict[str, Any] = {}


async def slow_think(state: RingState) -> dict[str, Any]:
    await asyncio.sleep(WAIT_SECONDS)
    counter, thought = think(state["counter"])
    return {"counter": counter, "thought": thought}


def compile_loop(rounds: int, saver: AsyncSqliteSaver) -> CompiledStateGraph:
    loop = StateGraph(RingState)
    loop.add_node("think", slow_think)
    loop.add_edge(START, "think")
    loop.add_conditional_edges(
        "think", lambda state: "think" if state["counter"] < rounds else END, ["think", END]
    )
    return loop.compile(checkpointer=saver)


def build(
    sessions: int, *, rounds: int, durability: str, folder: Path
) -> Callable[[], Awaitable[State]]:
    path = Path(tempfile.mkdtemp(dir=folder)) / "checkpoints.sqlite"

    async def run() -> State:
        async with aiosqlite.connect(path) as connection:
            await connection.execute(f"PRAGMA synchronous={durability}")
            graph = compile_loop(rounds, AsyncSqliteSaver(connection))

            async def session(number: int) -> State:
                config = {
                    "configurable": {"thread_id": str(number)},
                    "recursion_limit": rounds + 10,
                }
                final: State = await graph.ainvoke(initial_state(), config, durability="sync")
                return final

            final = all_sessions(await asyncio.gather(*(session(n) for n in range(sessions))))
            facts.update(await ask_async(connection, "checkpoints"))
        return final

    return run


if __name__ == "__main__":
    arguments = driver_arguments(durable=True, sessions=True)
    with tempfile.TemporaryDirectory() as scratch:
        measure_async(
            lambda sessions: build(
                sessions,
                rounds=arguments.rounds,
                durability=arguments.durability,
                folder=Path(scratch),
            ),
            arguments.sessions,
            lambda: facts,
        )
