"""Asking the person what they think of the last step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.human import Human, Question
from flows.core.observation import Observation
from flows.core.run import Run
from flows.data.meaning.glossary import Glossary
from flows.data.meaning.meanings import Meaning, read_teaching
from flows.errors import SourceError
from flows.library.blocks.learn import learn

QUIT_REASON = "the person ended the run"


class FeedbackConfig(AtomicConfig):
    """The keys of a human feedback flow."""

    description: str = "Asks the person for feedback."
    human: Service | None = Field(default=None, description="its own person; the run's without it")
    request: str = Field(
        default="Your feedback (Enter goes on, q quits): ", description="what the person is asked"
    )


class FeedbackInputs(Ports):
    """What the person is asked about, as far as the flow around knows it."""

    goal: str = ""
    command: str = ""
    command_args: dict[str, Any] = Field(default={})
    observation: Observation | None = None


class FeedbackOutputs(Ports):
    """The feedback, empty for none. `EARLY_EXIT` is the reason when the person ends the run."""

    human_feedback: str = ""
    EARLY_EXIT: str = ""
    nobody: bool = False


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a person was found to be away, and the run goes on without."""

    nobody: bool = False


class HumanFeedbackFlow(AtomicFlow):
    """Asks the person, once a call. Text is feedback, `q` ends the run. A sentence such as
    `by Omega I mean OMEGA (brand)` is learned by the run's glossary.

    When nobody is there, the run waits (`Waiting`), or goes on unattended if the person's way of
    being reached says so, and then nobody is asked again.
    """

    needs: ClassVar[Mapping[str, str]] = {"human": "human", "glossary": "glossary"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = FeedbackConfig
    Inputs: ClassVar[type[Ports]] = FeedbackInputs
    Outputs: ClassVar[type[Ports]] = FeedbackOutputs

    def __init__(self, config: FeedbackConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]
        taught = parts.services.get("glossary")
        self.glossary = taught if isinstance(taught, Glossary) else None

    def initial_state(self) -> Presence:
        return Presence()

    def apply(self, state: Presence, inputs: Any, outputs: FeedbackOutputs) -> Presence:
        del inputs
        return Presence(state.nobody or outputs.nobody)

    async def run(self, inputs: FeedbackInputs, run: Run) -> FeedbackOutputs:
        presence: Presence = run.state
        if presence.nobody:
            return FeedbackOutputs(nobody=True)
        context = inputs.model_dump(mode="json", exclude_defaults=True)
        question = Question(id=run.effect_key, text=self.config.request, context=context)
        answer = await run.ask_person(self.human, question)
        if answer.kind == "quit":
            return FeedbackOutputs(EARLY_EXIT=QUIT_REASON)
        if answer.kind == "nobody":
            run.notice("Nobody is there to answer: the run goes on unattended.")
            return FeedbackOutputs(nobody=True)
        if (meaning := read_teaching(answer.text)) is not None:
            await self._learn(meaning, run)
        return FeedbackOutputs(human_feedback=answer.text)

    async def _learn(self, meaning: Meaning, run: Run) -> None:
        if self.glossary is None:
            run.notice("Not remembered: this run has no glossary; glossary=FILE.csv gives it one.")
            return
        try:
            run.notice(str(await learn(self.glossary, meaning)))
        except SourceError as error:
            run.notice(f"Not remembered: {error}")
