"""Flows of a user's own file, as run files beside it name them; copied into a test's folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from flows import AtomicFlow, Ports, Run
from flows.core.flow import Effect, Parts
from flows.core.human import Human, Question


def louder(text: str) -> str:
    """Says it louder."""
    print("this is printed by a flow")
    return text.upper()


def rows(count: int) -> list[dict[str, int]]:
    """Numbers and their squares."""
    return [{"n": number, "square": number * number} for number in range(count)]


def share(whole: float) -> float:
    """None of nothing is not a number."""
    return float("nan") if whole == 0 else 1 / whole


def fails(text: str) -> str:
    """Fails."""
    raise ValueError(f"the machine that reads {text!r} is on fire")


def note(text: str) -> None:
    with Path("slow.txt").open("a") as log:
        log.write(f"{text}\n")


def greeting() -> str:
    """Says something."""
    return "This is a simple text response for testing."


def talk(messages: list[dict[str, str]]) -> str:
    """Repeats a whole conversation."""
    return " | ".join(f"{each['role']}: {each['content']}" for each in messages)


class SlowInputs(Ports):
    seconds: float = 0.0
    why: str = ""


class SlowOutputs(Ports):
    waited: float


class Slow(AtomicFlow):
    """Waits, and notes when it begins and when it is stopped."""

    Inputs: ClassVar[type[Ports]] = SlowInputs
    Outputs: ClassVar[type[Ports]] = SlowOutputs

    async def run(self, inputs: SlowInputs, run: Run) -> SlowOutputs:
        note(f"begun {run.session.run_id}")
        try:
            await asyncio.sleep(inputs.seconds)
        except asyncio.CancelledError:
            note("stopped")
            raise
        return SlowOutputs(waited=inputs.seconds)


class AsksInputs(Ports):
    what: str
    colours: tuple[str, ...] = ()


class AsksOutputs(Ports):
    said: str


class Asks(AtomicFlow):
    """Asks the person, in words or for one of some colours."""

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = AsksInputs
    Outputs: ClassVar[type[Ports]] = AsksOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]

    async def run(self, inputs: AsksInputs, run: Run) -> AsksOutputs:
        schema = {"enum": list(inputs.colours)} if inputs.colours else {"type": "string"}
        question = Question(id=run.effect_key, text=inputs.what, answer_schema=schema)
        answer = await run.ask_person(self.human, question)
        return AsksOutputs(said=answer.text or answer.kind)
