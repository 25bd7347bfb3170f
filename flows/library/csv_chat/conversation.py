"""The flow of a conversation: hear, clarify, answer, say, and again."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar, Final

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
from flows.errors import StepFailed
from flows.library.csv_chat.clarifier import ClarifierOutputs
from flows.library.csv_chat.reply import TurnClarification, TurnReply
from flows.library.csv_chat.speech import HearingConfig, HearingFlow, SayingFlow

CLARIFIER: Final = "Clarifier"
ANALYST: Final = "Analyst"
SAY: Final = "say"
_TAKEN: Final = ("status", "answer", "confidence", "table", "sql", "code", "chart", "citations",
                 "warnings", "figures", "request")  # fmt: skip


class ConversationConfig(FlowConfig):
    """The keys of a conversation. Its subflows are a `Clarifier` and an `Analyst`."""

    description: str = Field(
        default="Talks about data.", description="what the flow is for, in a sentence"
    )
    subflows_config: dict[str, Any] = Field(default={}, description="its agents, by name")


class ConversationInputs(Ports):
    """A first question, which is heard before anything else; without one the person begins."""

    question: str = ""


class ConversationOutputs(Ports):
    """How many turns there were, and what the last one came to."""

    turns: int
    reply: TurnReply | None = None


class ConversationFlow(CompositeFlow):
    """Takes turns with a person until they end it. A turn that fails is said, and the next one can
    be asked; what was answered before can be referred to."""

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    Config: ClassVar[type[FlowConfig]] = ConversationConfig
    Inputs: ClassVar[type[Ports]] = ConversationInputs
    Outputs: ClassVar[type[Ports]] = ConversationOutputs

    def __init__(self, config: ConversationConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.clarifier, self.analyst = self.subflows[CLARIFIER], self.subflows[ANALYST]
        self.hear = HearingFlow(HearingConfig(), Parts("hear", services=parts.services))
        self.say = SayingFlow(AtomicConfig(description="Says what it came to."), Parts(SAY))
        self.subflows |= {self.hear.name: self.hear, self.say.name: self.say}

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return missing_subflows("a conversation", subflows, (CLARIFIER, ANALYST))

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
                told = await self._answer(said, number, turns, run)
                reply = TurnReply.model_validate(
                    (await run.call(self.say, {"reply": told}))["reply"]
                )
                turns.append(reply.remembered)
            said = ""
        return ConversationOutputs(turns=len(turns), reply=reply)

    async def _answer(
        self, said: str, number: int, turns: list[ConversationTurn], run: Run
    ) -> TurnReply:
        """What a turn comes to; a step of it that fails is its end, and not the conversation's."""
        about = {"session": run.session.run_id, "turn": number, "said": said}
        last = next((each for each in reversed(turns) if each.status == "answered"), None)
        asked = {
            "session_id": run.session.run_id,
            "original_question": said,
            "previous_question": last.read or last.text if last is not None else "",
            "previous_summary": last.answer if last is not None else "",
            "turns": tuple(turns),
        }
        try:
            found = await run.call(self.clarifier, asked)
            read = ClarifierOutputs.model_validate(found)
            if read.need_clarification == "yes":
                back = TurnClarification(question=read.clarification_question, options=read.options)
                return TurnReply(**about, status="clarify", answer=read.clarification_question,
                                 clarification=back, confidence=read.confidence)  # fmt: skip
            if read.reply:
                status = "abstained" if read.declined else "answered"
                return TurnReply.model_validate(
                    {**about, "status": status, "answer": read.reply,
                     "question_read": read.modified_question}
                )  # fmt: skip
            question = {"question": read.modified_question, "request": read.request}
            outputs = await run.call(self.analyst, question)
        except StepFailed as failure:
            return TurnReply(**about, status="failed", answer=f"That failed: {failure.root}")
        return self._told(about, read, outputs)

    def _told(
        self, about: Mapping[str, Any], read: ClarifierOutputs, outputs: Mapping[str, Any]
    ) -> TurnReply:
        """The turn that an analyst's outputs tell."""
        found = {name: outputs[name] for name in _TAKEN if outputs.get(name) is not None}
        asked = outputs.get("clarification")
        if asked is not None:
            options = [
                {"label": e.label, "question": e.question, "request": e.request}
                for e in asked.options
            ]
            found["clarification"] = {"question": asked.question, "options": options}
            found["answer"] = found.get("answer") or asked.question
        elif read.confidence is not None and "confidence" in found:
            found["confidence"] = round(min(read.confidence, found["confidence"]), 4)
        request = read.request if read.request is not None else found.get("request")
        return TurnReply.model_validate(
            {**about, "status": "failed", **found, "request": request,
             "question_read": read.modified_question}
        )  # fmt: skip
