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
from workload import State as PlainState
from workload import advance, driver_arguments, initial_state, last_counter, measure


@action(reads=["counter", "items"], writes=["counter", "items"])
def count(state: State) -> State:
    counter, items = advance(state["counter"], state["items"])
    return state.update(counter=counter, items=items)


def build(rounds: int) -> Callable[[], PlainState]:
    last = last_counter(rounds)
    again = Condition.lmda(lambda state: state["counter"] < last, ["counter"])
    application = (
        ApplicationBuilder()
        .with_actions(
            one=count, two=count, three=count, four=count, five=count, done=Result("counter")
        )
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
        .build()
    )

    def run() -> PlainState:
        _, _, state = application.run(halt_after=["done"])
        # Burr keeps two counters of its own (`__SEQUENCE_ID`, `__PRIOR_STEP`) in the state.
        return {key: value for key, value in state.get_all().items() if key[:2] != "__"}

    return run


if __name__ == "__main__":
    measure(build, driver_arguments().rounds)
