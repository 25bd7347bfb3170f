"""The work that every contestant does, and the fingerprint of what must come of it.

A ring of five subflows goes round. The shared state has eight keys, most of which pass through
untouched. One step is one subflow called once, and the work inside it is next to nothing: what is
measured is the framework around it. What a step does depends on the benchmark:

count   (step_cost) adds one to `counter`, and appends the old one to `items`, which keeps its
        last 50
think   (durable_step, many_sessions) adds one to `counter`, and leaves a `thought` of 1,000
        characters
next    (fan_out) returns the number after the one that the child was given; the children of one
        call are independent of each other, and there is no ring
say     (journal_growth) adds a message of 500 to 900 characters to a history that is kept whole;
        here the ring is of one subflow

The texts are of fixed words, in an order that only the step's number decides. Standard library
only, because each driver imports it in an environment of its own.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

SUBFLOWS = ("one", "two", "three", "four", "five")
KEPT_ITEMS = 50
THOUGHT_LENGTH = 1000
MESSAGE_LENGTHS = (500, 900)
WAIT_SECONDS = 0.05
_SENTENCE = (
    "the revenue of the northern region grew faster than planned because two large customers "
    "ordered again in March while returns stayed where they were last year so before answering I "
    "should compare units with prices look at the table of orders by month and say how sure I am "
    "that it's not an effect of the new tariff which was introduced in the same week (see p. 12)"
)
_WORDS = _SENTENCE.split()

State = dict[str, Any]


def initial_state() -> State:
    """The eight keys as every run starts with them, fresh each time."""
    return {
        "counter": 0,
        "items": [],
        "goal": "Count to the end of the last round.",
        "thought": "The next subflow knows what to do.",
        "command": "count",
        "command_args": {"by": 1, "keep": KEPT_ITEMS},
        "recalled": ["the first memory", "the second memory", "the third memory"],
        "answer": "",
    }


def advance(counter: int, items: Sequence[int]) -> tuple[int, list[int]]:
    """One subflow's work: the next counter, and a new list of at most `KEPT_ITEMS`."""
    return counter + 1, [*items[-(KEPT_ITEMS - 1) :], counter]


def last_counter(rounds: int) -> int:
    """What the counter says after so many rounds, which is also the number of steps."""
    return rounds * len(SUBFLOWS)


def digest(state: Mapping[str, Any]) -> str:
    """A short fingerprint of a whole state: same keys, same values, same text."""
    text = json.dumps(dict(state), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def expected_digest(rounds: int) -> str:
    """The fingerprint of the right final state, computed by a plain loop."""
    state = initial_state()
    for _ in range(last_counter(rounds)):
        state["counter"], state["items"] = advance(state["counter"], state["items"])
    return digest(state)


@cache
def text_of(number: int, length: int) -> str:
    """Words with full stops, of exactly that many characters; the same for the same number."""
    chance = random.Random(number)
    words: list[str] = []
    size = 0
    while size < length:
        word = chance.choice(_WORDS) + (". " if chance.random() < 0.1 else " ")
        words.append(word)
        size += len(word)
    return "".join(words)[: length - 1] + "."


THOUGHTS = [text_of(number, THOUGHT_LENGTH) for number in range(64)]


def think(counter: int) -> tuple[int, str]:
    """One step of the ring: the next counter, and a new thought."""
    return counter + 1, THOUGHTS[counter % len(THOUGHTS)]


def message(counter: int) -> dict[str, str]:
    """What is said in that step of the chat: a person and an assistant take turns."""
    least, most = MESSAGE_LENGTHS
    length = random.Random(counter).randint(least, most)
    return {"who": "assistant" if counter % 2 else "person", "text": text_of(counter, length)}


def all_sessions(finals: Sequence[State]) -> State:
    """What many sessions came to as one state: their steps together, and each one's fingerprint."""
    return {
        "counter": sum(final["counter"] for final in finals),
        "finals": [digest(final) for final in finals],
    }


def expected_sessions(sessions: int, rounds: int) -> str:
    """The fingerprint of `all_sessions` when each has done so many steps."""
    state = initial_state()
    for _ in range(rounds):
        state["counter"], state["thought"] = think(state["counter"])
    return digest(all_sessions([state] * sessions))


def expected_ring(rounds: int) -> str:
    """The fingerprint of the ring's right final state, computed by a plain loop."""
    state = initial_state()
    for _ in range(last_counter(rounds)):
        state["counter"], state["thought"] = think(state["counter"])
    return digest(state)


def expected_chat(rounds: int) -> str:
    """The fingerprint of the chat's right final state, which `chat_state` makes."""
    return digest(chat_state([message(number) for number in range(rounds)]))


def chat_state(messages: list[dict[str, str]]) -> dict[str, Any]:
    return {"counter": len(messages), "messages": messages}


def fan_state(numbers: Sequence[int]) -> State:
    """What a fan-out came to: how many children there were, and what they returned, in order."""
    return {"counter": len(numbers), "numbers": list(numbers)}


def expected_fan(width: int) -> str:
    """The fingerprint of the right final state of so many children that got 0, 1, 2, ..."""
    return digest(fan_state(range(1, width + 1)))
