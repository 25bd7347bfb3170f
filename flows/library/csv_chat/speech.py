"""Hearing what a person says next, and saying what a turn came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.human import Human, Question
from flows.core.run import Run
from flows.library.csv_chat.reply import TurnReply


class HearingConfig(AtomicConfig):
    """The keys of a flow that hears what a person says."""

    description: str = "Hears what the person says."
    prompt: str = Field(default="> ", description="what stands before the place to write")


class HearingInputs(Ports):
    """The turn before, for whoever has to show it to be answered."""

    reply: TurnReply | None = None


class HearingOutputs(Ports):
    """What was said; nothing more is where the conversation has `ended`."""

    text: str = ""
    ended: bool = False


class HearingFlow(AtomicFlow):
    """Waits for the person's next words. A run whose person is away waits for them; the end of the
    input, and `q`, end the conversation."""

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = HearingConfig
    Inputs: ClassVar[type[Ports]] = HearingInputs
    Outputs: ClassVar[type[Ports]] = HearingOutputs

    def __init__(self, config: HearingConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]

    async def run(self, inputs: HearingInputs, run: Run) -> HearingOutputs:
        before = inputs.reply
        context: dict[str, Any] = {} if before is None else {"reply": before.as_json()}
        question = Question(id=run.effect_key, text=self.config.prompt, context=context)
        answer = await run.ask_person(self.human, question)
        if answer.kind != "text":
            return HearingOutputs(ended=True)
        return HearingOutputs(text=answer.text)


class SayingInputs(Ports):
    """What a turn came to."""

    reply: TurnReply


class SayingOutputs(Ports):
    reply: TurnReply


class SayingFlow(AtomicFlow):
    """Says what a turn came to: whoever shows the conversation is told by this step."""

    effect: Effect = "pure"
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = SayingInputs
    Outputs: ClassVar[type[Ports]] = SayingOutputs

    async def run(self, inputs: SayingInputs, run: Run) -> SayingOutputs:
        del run
        return SayingOutputs(reply=inputs.reply)
