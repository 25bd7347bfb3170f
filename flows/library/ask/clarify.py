"""Asking the person which reading of the question is meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.human import Human, Question
from flows.core.run import Run
from flows.library.ask.proposal import Clarification, Option


class ClarifyConfig(AtomicConfig):
    """The keys of a clarifying flow."""

    description: str = "Asks what is meant."


class ClarifyInputs(Ports):
    """`asked` is the question that can be read in several ways."""

    asked: str
    clarification: Clarification
    confidence: float = 0.0


class ClarifyOutputs(Ports):
    """The question as the person means it, and the option that was chosen, if it was one of them.

    Both are empty when nobody is there and the run goes on without.
    """

    question: str = ""
    option: Option | None = None


class ClarifyFlow(AtomicFlow):
    """Asks for the number of a reading, or the question in other words.

    When nobody is there the run waits, or goes on without an answer if the person's way of being
    reached says so.
    """

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = ClarifyConfig
    Inputs: ClassVar[type[Ports]] = ClarifyInputs
    Outputs: ClassVar[type[Ports]] = ClarifyOutputs

    def __init__(self, config: ClarifyConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        human = parts.services.get("human")
        self.human: Human | None = human if isinstance(human, Human) else None

    async def run(self, inputs: ClarifyInputs, run: Run) -> ClarifyOutputs:
        options = inputs.clarification.options
        question = Question(
            id=run.effect_key, text=asking(inputs.clarification), context=context_of(inputs)
        )
        answer = await run.ask_person(self.human, question)
        if answer.kind != "text" or not answer.text.strip():
            return ClarifyOutputs()
        said = answer.text.strip()
        chosen = chosen_option(said, options)
        if chosen is None:
            return ClarifyOutputs(question=said)
        return ClarifyOutputs(question=chosen.question, option=chosen)


def asking(clarification: Clarification) -> str:
    """The question back in lines, with its options numbered from 1."""
    lines = [f"  {n}  {each.label}" for n, each in enumerate(clarification.options, 1)]
    ask = "A number, or the question in other words: " if lines else "In other words: "
    return "\n".join([clarification.question, *lines, ask])


def context_of(inputs: ClarifyInputs) -> dict[str, Any]:
    return inputs.model_dump(mode="json")


def chosen_option(said: str, options: tuple[Option, ...]) -> Option | None:
    """The option that an answer names: by its number, or by its label."""
    word = said.strip().rstrip(".)")
    if word.isdecimal() and 1 <= int(word) <= len(options):
        return options[int(word) - 1]
    folded = said.casefold()
    return next((each for each in options if each.label.casefold() == folded), None)
