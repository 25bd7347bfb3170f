"""LangGraph with its SQLite saver: the ring and the chat, with a checkpoint after each step.

`durability="sync"` has each checkpoint written before the next step begins; LangGraph's default
(`async`) writes it meanwhile. The saver makes the file a write-ahead log; `PRAGMA synchronous` is
set on its connection. `--mode ring` is `SqliteSaver` and plain functions, `ring-async` is
`AsyncSqliteSaver` and coroutines. `--mode chat` keeps the history as its tutorials do, in a list
with `operator.add`; `chat-delta` in a `DeltaChannel` (in beta), which saves the whole list at
every hundredth step only. The chat's final state is read back from the file.
"""

from __future__ import annotations

import operator
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

import aiosqlite
from driver import (
    ANSWERS,
    ASKED,
    ask,
    bytes_below,
    driver_arguments,
    measure,
    measure_async,
    set_pragmas,
)
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph_steps import RingState, compile_ring
from workload import State, chat_state, initial_state, last_counter, message, think

TABLE = "checkpoints"
facts: dict[str, Any] = {}


class Thought(TypedDict):
    counter: int
    thought: str


def think_step(state: RingState) -> Thought:
    counter, thought = think(state["counter"])
    return {"counter": counter, "thought": thought}


async def think_step_async(state: RingState) -> Thought:
    return think_step(state)


def all_of(messages: list[dict[str, str]], written: list[list[dict[str, str]]]) -> Any:
    return [*messages, *(each for batch in written for each in batch)]


class ChatState(TypedDict):
    counter: int
    history: Annotated[list[dict[str, str]], operator.add]


class DeltaChatState(TypedDict):
    counter: int
    history: Annotated[list[dict[str, str]], DeltaChannel(all_of)]


def say(state: ChatState) -> dict[str, Any]:
    counter = len(state["history"])
    return {"counter": counter + 1, "history": [message(counter)]}


def compile_chat(kind: type, rounds: int, saver: SqliteSaver) -> CompiledStateGraph:
    chat = StateGraph(kind)
    chat.add_node("chat", say, input_schema=kind)
    chat.add_edge(START, "chat")
    chat.add_conditional_edges(
        "chat", lambda state: "chat" if state["counter"] < rounds else END, ["chat", END]
    )
    return chat.compile(checkpointer=saver)


def config_of(steps: int) -> dict[str, Any]:
    return {"configurable": {"thread_id": "benchmark"}, "recursion_limit": steps + 10}


def build(rounds: int, *, mode: str, durability: str, folder: Path) -> Callable[[], State]:
    home = Path(tempfile.mkdtemp(dir=folder))
    connection = sqlite3.connect(home / "checkpoints.sqlite", check_same_thread=False)
    set_pragmas(connection, durability)
    saver = SqliteSaver(connection)
    saver.setup()
    ring = mode == "ring"
    steps = last_counter(rounds) if ring else rounds
    if ring:
        graph = compile_ring(think_step, steps, saver)
    else:
        graph = compile_chat(ChatState if mode == "chat" else DeltaChatState, steps, saver)
    config = config_of(steps)
    start = initial_state() if ring else {"counter": 0, "history": []}

    def run() -> State:
        final = graph.invoke(start, config, durability="sync")
        if not ring:
            final = chat_state(graph.get_state(config).values["history"])
        facts.update(ask(connection, TABLE))
        connection.close()
        facts.update(bytes_below(home))
        return final

    return run


async def ask_async(connection: aiosqlite.Connection, table: str) -> dict[str, Any]:
    """As `ask`, of the connection in the thread that aiosqlite gives it."""
    found = {}
    for asked, answer in zip(ASKED, ANSWERS, strict=True):
        async with connection.execute(asked.format(table=table)) as cursor:
            (found[answer],) = await cursor.fetchone()
    return found


def build_async(rounds: int, *, durability: str, folder: Path) -> Callable[[], Awaitable[State]]:
    path = Path(tempfile.mkdtemp(dir=folder)) / "checkpoints.sqlite"
    steps = last_counter(rounds)

    async def run() -> State:
        async with aiosqlite.connect(path) as connection:
            await connection.execute(f"PRAGMA synchronous={durability}")
            saver = AsyncSqliteSaver(connection)
            graph = compile_ring(think_step_async, steps, saver)
            final = await graph.ainvoke(initial_state(), config_of(steps), durability="sync")
            facts.update(await ask_async(connection, TABLE))
        return final

    return run


if __name__ == "__main__":
    arguments = driver_arguments(modes=("ring", "ring-async", "chat", "chat-delta"), durable=True)
    durability = arguments.durability
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if arguments.mode == "ring-async":
            measure_async(
                lambda rounds: build_async(rounds, durability=durability, folder=folder),
                arguments.rounds,
                lambda: facts,
            )
        else:
            measure(
                lambda rounds: build(
                    rounds, mode=arguments.mode, durability=durability, folder=folder
                ),
                arguments.rounds,
                lambda: facts,
            )
