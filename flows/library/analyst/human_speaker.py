"""The person as a member of an AutoGen team: asked what should be different about a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.human import Human, Question
from flows.core.run import Run
from flows.semantics.findings import ModelCard


class HumanSpeakerConfig(AtomicConfig):
    """The keys of the person's part of a team."""

    description: str = "Asks the person what they say to the team."
    request: str = Field(
        default="What should be different? (Enter takes it as it is) ",
        description="what the person is asked, behind what the team has",
    )


class HumanSpeakerInputs(Ports):
    """The task, and the model that the team has learned."""

    task: str
    card: ModelCard


class HumanSpeakerOutputs(Ports):
    """What the person says to the team; nothing where the model is taken as it is."""

    said: str = ""


class HumanSpeakerFlow(AtomicFlow):
    """Waits for what the person says. Enter, `q` and nobody being there take the model as it is."""

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = HumanSpeakerConfig
    Inputs: ClassVar[type[Ports]] = HumanSpeakerInputs
    Outputs: ClassVar[type[Ports]] = HumanSpeakerOutputs

    def __init__(self, config: HumanSpeakerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]

    async def run(self, inputs: HumanSpeakerInputs, run: Run) -> HumanSpeakerOutputs:
        context: dict[str, Any] = {
            "task": inputs.task,
            "model": inputs.card.model_dump(mode="json"),
        }
        text = f"{shown(inputs.card)}\n{self.config.request}"
        question = Question(id=run.effect_key, text=text, context=context)
        answer = await run.ask_person(self.human, question)
        if answer.kind == "nobody":
            run.notice("Nobody is there to speak to the team: it takes the model as it is.")
        return HumanSpeakerOutputs(said=answer.text.strip() if answer.kind == "text" else "")


def shown(card: ModelCard) -> str:
    """A model in one line: what it is, how good it is on rows that were held out, what counts."""
    of = f" of {card.target}" if card.target else ""
    measured = [
        f"{each.name} {each.held_out:.3g}" for each in card.metrics if each.held_out is not None
    ]
    counts = [each.feature for each in card.importances[:3]]
    parts = [f"The team has a model{f' ({card.kind})' if card.kind else ''}{of}"]
    parts += [f"on held-out rows: {', '.join(measured)}"] if measured else []
    parts += [f"what counts most: {', '.join(counts)}"] if counts else []
    return "; ".join(parts) + "."
