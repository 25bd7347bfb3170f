"""Burr: an application of five function actions in a ring, run until a terminal action.

Each action declares what it reads and writes and returns `state.update(...)`. The transition out
of the fifth action has the only condition, given as a function (`Condition.lmda`), which is
cheaper than the `expr(...)` of Burr's own counter example because that compiles its text each
time. The terminal action is a `Result` as in that example; it runs once, so it adds one step to
rounds x 5. No tracker, persister or hook is attached, which is Burr's default.
"""

from __future__ import annotations

from collections.abc import Callable

from burr.core import ApplicationBuilder, Condition, Result, State, action, default
from driver import driver_arguments, measure
from workload import State as PlainState
from workload import advance, initial_state, last_counter


@action(reads=["counter", "items"], writes=["counter", "items"])
def count(state: State) -> State:
    counter, items = advance(state["counter"], state["items"])
    return state.update(counter=counter, items=items)


def ring_of(step: Callable[[State], State], rounds: int) -> ApplicationBuilder:
    """The application but for what is attached to it, and for `build`."""
    last = last_counter(rounds)
    again = Condition.lmda(lambda state: state["counter"] < last, ["counter"])
    return (
        ApplicationBuilder()
        .with_actions(one=step, two=step, three=step, four=step, five=step, done=Result("counter"))
        .with_transitions(
            ("one", "two"),
            ("two", "three"),
            ("three", "four"),
            ("four", "five"),
            ("five", "one", again),
            ("five", "done", default),
        )
        .with_state(**initial_state())
        .with_entrypoint("one")
    )


def own_keys(state: State) -> PlainState:
    """The state without the counters that Burr keeps in it, `__SEQUENCE_ID` and another."""
    return {key: value for key, value in state.get_all().items() if key[:2] != "__"}


def build(rounds: int) -> Callable[[], PlainState]:
    application = ring_of(count, rounds).build()

    def run() -> PlainState:
        _, _, state = application.run(halt_after=["done"])
        return own_keys(state)

    return run


if __name__ == "__main__":
    measure(build, driver_arguments().rounds)
