"""Burr with its SQLite persister: the ring and the chat, with the state saved after each step.

`with_state_persister(SQLitePersister)` is what Burr offers for it; each save is a row with the
whole state, and a commit. The persister's connection is given the write-ahead log and the `PRAGMA
synchronous` that all have here. `--mode chat` appends to a list in the state (`state.append`). The
chat's final state is read back from the file. The terminal action is saved, too: one row more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from burr.core import ApplicationBuilder, Condition, Result, State, action, default
from burr.core.persistence import SQLitePersister
from burr_steps import own_keys, ring_of
from driver import ask, bytes_below, driver_arguments, measure, set_pragmas
from workload import State as PlainState
from workload import chat_state, message, think

RUN_ID = "benchmark"
facts: dict[str, Any] = {}


@action(reads=["counter"], writes=["counter", "thought"])
def think_step(state: State) -> State:
    counter, thought = think(state["counter"])
    return state.update(counter=counter, thought=thought)


@action(reads=["counter", "messages"], writes=["counter", "messages"])
def say(state: State) -> State:
    counter = len(state["messages"])
    return state.append(messages=message(counter)).update(counter=counter + 1)


def chat_of(rounds: int) -> ApplicationBuilder:
    again = Condition.lmda(lambda state: state["counter"] < rounds, ["counter"])
    return (
        ApplicationBuilder()
        .with_actions(chat=say, done=Result("counter"))
        .with_transitions(("chat", "chat", again), ("chat", "done", default))
        .with_state(counter=0, messages=[])
        .with_entrypoint("chat")
    )


def build(rounds: int, *, mode: str, durability: str, folder: Path) -> Callable[[], PlainState]:
    home = Path(tempfile.mkdtemp(dir=folder))
    persister = SQLitePersister.from_values(str(home / "states.sqlite"))
    set_pragmas(persister.connection, durability)
    persister.initialize()
    builder = ring_of(think_step, rounds) if mode == "ring" else chat_of(rounds)
    application = builder.with_identifiers(app_id=RUN_ID).with_state_persister(persister).build()

    def run() -> PlainState:
        _, _, state = application.run(halt_after=["done"])
        final = own_keys(state)
        if mode == "chat":
            final = chat_state(persister.load("", RUN_ID)["state"]["messages"])
        facts.update(ask(persister.connection, persister.table_name))
        persister.connection.close()
        facts.update(bytes_below(home))
        return final

    return run


if __name__ == "__main__":
    arguments = driver_arguments(modes=("ring", "chat"), durable=True)
    with tempfile.TemporaryDirectory() as scratch:
        measure(
            lambda rounds: build(
                rounds,
                mode=arguments.mode,
                durability=arguments.durability,
                folder=Path(scratch),
            ),
            arguments.rounds,
            lambda: facts,
        )
