"""The flow of a conversation: hear, clarify, answer, say, and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from flows.analysis.conversation.turn import ConversationTurn
from flows.core.flow import (
    AtomicConfig,
    CompositeFlow,
    Flow,
    FlowConfig,
    Parts,
    Ports,
    Problem,
    missing_subflows,
)
from flows.core.run import Run
from flows.errors import StepFailed, StepStopped
from flows.library.csv_chat.reply import TurnReply
from flows.library.csv_chat.speech import HearingConfig, HearingFlow, SayingFlow
from flows.library.csv_chat.turn import (
    ANALYST,
    CLARIFIER,
    PLANNER,
    SUMMARY,
    TurnConfig,
    TurnFlow,
)

SAY: Final = "say"
FlowStatus = Literal["completed", "needs_clarification", "error"]
_STATUSES: Final[Mapping[str, FlowStatus]] = {
    "answered": "completed", "partly": "completed", "clarify": "needs_clarification"
}  # fmt: skip


class ConversationConfig(FlowConfig):
    """The keys of a conversation. Its subflows are a `Clarifier`, a `Planner`, an `Analyst` and a
    `Summary`."""

    description: str = Field(
        default="Talks about data.", description="what the flow is for, in a sentence"
    )
    most_figures: int = Field(default=6, ge=0, description="figures that a turn may show")
    summarize: bool = Field(default=True, description="write the executive summary of each turn")
    subflows_config: dict[str, Any] = Field(default={}, description="its agents, by name")


class ConversationInputs(Ports):
    """A first question, which is heard before anything else; without one the person begins."""

    question: str = ""


class ConversationOutputs(Ports):
    """How many turns there were, and what the last one came to."""

    status: FlowStatus = "completed"
    turns: int
    reply: TurnReply | None = None


class ConversationFlow(CompositeFlow):
    """Takes turns with a person until they end it. A turn that fails is said, and the next one can
    be asked; what was answered before can be referred to."""

    needs: ClassVar[Mapping[str, str]] = {
        "human": "human", "data": "data", "glossary": "glossary", "semantics": "semantics",
    }  # fmt: skip
    endless: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = ConversationConfig
    Inputs: ClassVar[type[Ports]] = ConversationInputs
    Outputs: ClassVar[type[Ports]] = ConversationOutputs

    def __init__(self, config: ConversationConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        turn = TurnConfig(most_figures=config.most_figures, summarize=config.summarize)
        self.turn = TurnFlow(turn, Parts("turn", self.subflows, services=parts.services))
        self.hear = HearingFlow(HearingConfig(), Parts("hear", services=parts.services))
        self.say = SayingFlow(AtomicConfig(description="Says what it came to."), Parts(SAY))
        self.subflows = {each.name: each for each in (self.hear, self.turn, self.say)}

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return missing_subflows("a conversation", subflows, (CLARIFIER, PLANNER, ANALYST, SUMMARY))

    async def run(self, inputs: ConversationInputs, run: Run) -> ConversationOutputs:
        turns: list[ConversationTurn] = []
        reply: TurnReply | None = None
        said = inputs.question.strip()
        for number in count(1):
            run.begin_round(number, None)
            if not said:
                heard = await run.call(self.hear, {"reply": reply})
                if heard["ended"]:
                    break
                said = heard["text"].strip()
            if said:
                told = await self._answer(said, len(turns) + 1, turns, run)
                reply = TurnReply.model_validate(
                    (await run.call(self.say, {"reply": told}))["reply"]
                )
                turns.append(reply.remembered)
            said = ""
        status = "completed" if reply is None else _STATUSES.get(reply.status, "error")
        return ConversationOutputs(status=status, turns=len(turns), reply=reply)

    async def _answer(
        self, said: str, number: int, turns: Sequence[ConversationTurn], run: Run
    ) -> TurnReply:
        """What a turn comes to; a step of it that fails is its end, and not the conversation's."""
        about = {"session": run.session.run_id, "turn": number, "said": said}
        try:
            outputs = await run.call(self.turn, {**about, "turns": tuple(turns)})
        except StepFailed as failure:
            stopped = isinstance(failure.root, StepStopped)
            answer = "Stopped." if stopped else f"That failed: {failure.root}"
            return TurnReply(**about, status="failed", answer=answer)
        return TurnReply.model_validate(outputs["reply"])
