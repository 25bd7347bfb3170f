"""What an attack is: a small program, and how the host sees whether it got through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flows.core.sandbox import Execution
from tests.sandbox.world import World

# Behind every attack: W says where things are, THROUGH is what an attack prints of itself.
PRELUDE = """
import ctypes, os, sys
W = {world!r}
_c = ctypes.CDLL(None, use_errno=True)
_c.syscall.restype = ctypes.c_long
def call(name, *given):
    words = [a if isinstance(a, (bytes, ctypes._SimpleCData, ctypes.Array)) else ctypes.c_long(a)
             for a in given]
    done = _c.syscall(ctypes.c_long(W["calls"][name]), *words)
    if done < 0:
        raise OSError(ctypes.get_errno(), f"{{name}}: {{os.strerror(ctypes.get_errno())}}")
    return done
def claim(fact=True):
    if fact:
        print(W["mark"])
"""


@dataclass(frozen=True)
class Outcome:
    """What came of an attack: the executions of its programs, in their order."""

    executions: tuple[Execution, ...]
    world: World
    error: BaseException | None = None

    @property
    def last(self) -> Execution:
        return self.executions[-1]

    @property
    def text(self) -> str:
        """All that came back, in one text."""
        return "".join(f"{told_of(each)}{shown(each)}" for each in self.executions)


def told_of(execution: Execution) -> dict[str, Any]:
    """An execution as plain data."""
    return execution.model_dump()


def shown(execution: Execution) -> str:
    """The bytes that came back, as text."""
    made = [each.content for each in (*execution.files, *execution.models)]
    made += [each.png for each in execution.figures if each.png is not None]
    made += [each.parquet for each in execution.tables]
    return "".join(each.decode("latin-1") for each in made)


Won = Callable[[Outcome], bool]


@dataclass(frozen=True)
class Attack:
    """`code` is run first, `then` after it in a fresh process.

    `won` says whether it got through. A `session` is one that lives on; without, each is fresh.
    """

    name: str
    category: str
    won: Won
    code: str
    then: str | None = None
    session: str | None = None
    seconds: float | None = None

    @property
    def haunts(self) -> bool:
        """Whether it gives what it leaves a name to find it by."""
        return "haunt()" in self.code


def leaked(outcome: Outcome) -> bool:
    """What nobody may read came back."""
    return outcome.world.secret in outcome.text


def claimed(outcome: Outcome) -> bool:
    """The last program saw for itself that it could."""
    return outcome.world.mark in outcome.last.stdout


def changed(outcome: Outcome) -> bool:
    """Something of the user's is not as it was."""
    return outcome.world.is_changed()


def reached(outcome: Outcome) -> bool:
    """A server of the user's heard from it."""
    return outcome.world.is_reached()


def killed(outcome: Outcome) -> bool:
    """A process of the user's is gone, stopped, or was made another one."""
    return outcome.world.is_victim_hurt()


def stayed(outcome: Outcome) -> bool:
    """Something of it is still running."""
    return outcome.world.is_haunted()


def broke(outcome: Outcome) -> bool:
    """The sandbox, not the code, came to an end."""
    return outcome.error is not None


def late(outcome: Outcome) -> bool:
    """It ran on for seconds past its limit."""
    return any(each.seconds > 6.0 for each in outcome.executions)


def either(*found: Won) -> Won:
    def won(outcome: Outcome) -> bool:
        return any(each(outcome) for each in found)

    return won
