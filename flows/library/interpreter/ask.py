"""Asking the person for what a question leaves open, such as an identifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.human import Human, Question
from flows.core.run import Run


class AskPersonConfig(AtomicConfig):
    """The keys of a question to the person."""

    description: str = "Asks the person."


class AskPersonInputs(Ports):
    """The question, the function and its argument that it is about, and what can be answered."""

    question: str = Field(min_length=1)
    function: str = ""
    argument: str = ""
    options: tuple[str, ...] = ()


class AskPersonOutputs(Ports):
    """What was answered; `nobody` says that nobody is there and the run goes on without."""

    answer: str = ""
    nobody: bool = False


class AskPersonFlow(AtomicFlow):
    """Asks once. With options the answer may be the number of one, counted from 1."""

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AskPersonConfig
    Inputs: ClassVar[type[Ports]] = AskPersonInputs
    Outputs: ClassVar[type[Ports]] = AskPersonOutputs

    def __init__(self, config: AskPersonConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        human = parts.services.get("human")
        self.human: Human | None = human if isinstance(human, Human) else None

    async def run(self, inputs: AskPersonInputs, run: Run) -> AskPersonOutputs:
        lines = [inputs.question, *(f"  {n}  {e}" for n, e in enumerate(inputs.options, 1))]
        question = Question(
            id=run.effect_key,
            text="\n".join(lines) + " ",
            context=inputs.model_dump(mode="json", exclude_defaults=True),
        )
        answer = await run.ask_person(self.human, question)
        said = answer.text.strip()
        if answer.kind != "text" or not said:
            return AskPersonOutputs(nobody=True)
        word = said.rstrip(".)")
        if word.isdecimal() and 1 <= int(word) <= len(inputs.options):
            return AskPersonOutputs(answer=inputs.options[int(word) - 1])
        return AskPersonOutputs(answer=said)
