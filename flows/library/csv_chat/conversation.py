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
from flows.core.observation import Caution
from flows.core.run import Run
from flows.errors import StepFailed
from flows.library.csv_chat.clarifier import ClarifierOutputs
from flows.library.csv_chat.planner import PlannerOutputs
from flows.library.csv_chat.reply import TurnClarification, TurnReply, joined
from flows.library.csv_chat.session_files import SessionFilesFlow
from flows.library.csv_chat.speech import HearingConfig, HearingFlow, SayingFlow
from flows.library.csv_chat.summary import TaskAnswer
from flows.semantics.request import Request

CLARIFIER: Final = "Clarifier"
PLANNER: Final = "Planner"
ANALYST: Final = "Analyst"
SUMMARY: Final = "Summary"
SAY: Final = "say"
_TAKEN: Final = ("status", "answer", "confidence", "table", "sql", "code", "chart", "citations",
                 "warnings", "figures", "request")  # fmt: skip
FlowStatus = Literal["completed", "needs_clarification", "error"]
_STATUSES: Final[Mapping[str, FlowStatus]] = {
    "answered": "completed", "clarify": "needs_clarification"
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

    needs: ClassVar[Mapping[str, str]] = {"human": "human", "data": "data"}
    Config: ClassVar[type[FlowConfig]] = ConversationConfig
    Inputs: ClassVar[type[Ports]] = ConversationInputs
    Outputs: ClassVar[type[Ports]] = ConversationOutputs

    def __init__(self, config: ConversationConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.clarifier, self.planner = self.subflows[CLARIFIER], self.subflows[PLANNER]
        self.analyst, self.summary = self.subflows[ANALYST], self.subflows[SUMMARY]
        self.hear = HearingFlow(HearingConfig(), Parts("hear", services=parts.services))
        self.say = SayingFlow(AtomicConfig(description="Says what it came to."), Parts(SAY))
        files = AtomicConfig(description="Writes the figures and the code of the turn.")
        self.files = SessionFilesFlow(files, Parts("files", services=parts.services))
        self.subflows |= {each.name: each for each in (self.hear, self.files, self.say)}

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
                told = await self._answer(said, number, turns, run)
                reply = TurnReply.model_validate(
                    (await run.call(self.say, {"reply": told}))["reply"]
                )
                turns.append(reply.remembered)
            said = ""
        status = "completed" if reply is None else _STATUSES.get(reply.status, "error")
        return ConversationOutputs(status=status, turns=len(turns), reply=reply)

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
            read = _settled(ClarifierOutputs.model_validate(found), turns)
            if read.need_clarification == "yes":
                back = TurnClarification(question=read.clarification_question, options=read.options)
                return TurnReply(**about, status="clarify", answer=read.clarification_question,
                                 clarification=back, confidence=read.confidence)  # fmt: skip
            assumed = (Caution(code="assumed", text=read.assumed),) if read.assumed else ()
            if read.reply:
                status = "abstained" if read.declined else "answered"
                return TurnReply.model_validate(
                    {**about, "status": status, "answer": read.reply, "warnings": assumed,
                     "question_read": read.modified_question}
                )  # fmt: skip
            reply = await self._analyse(about, read, run)
        except StepFailed as failure:
            return TurnReply(**about, status="failed", answer=f"That failed: {failure.root}")
        return reply.model_copy(update={"warnings": (*assumed, *reply.warnings)})

    async def _analyse(
        self, about: Mapping[str, Any], read: ClarifierOutputs, run: Run
    ) -> TurnReply:
        """What the tasks of a question come to. Errors: `StepFailed`, of a question of one task; of
        several the one that fails is told."""
        session: str = about["session"]
        asked = {"session_id": session, "final_question": read.modified_question}
        try:
            planned = await run.call(self.planner, {**asked, "request": read.request})
            plan = PlannerOutputs.model_validate(planned)
        except StepFailed as failure:
            run.notice(f"It is taken for one task, since nothing planned it: {failure.root}")
            plan = PlannerOutputs(tasks=(read.modified_question,), requests=(read.request,))
        alone = len(plan.tasks) == 1
        replies = []
        for question, request in zip(plan.tasks, plan.requests, strict=True):
            try:
                outputs = await run.call(self.analyst, {"question": question, "request": request})
            except StepFailed as failure:
                if alone:
                    raise
                told = {"status": "failed", "answer": f"That failed: {failure.root}"}
                replies.append(TurnReply(**about, question_read=question, **told))
                continue
            replies.append(_told(about, read, question, request, outputs))
        reply = replies[0] if alone else joined(about, read.modified_question, replies)
        if reply.status != "answered":
            return reply
        config: ConversationConfig = self.config
        reply, replies = (
            _limited(reply, config.most_figures),
            [_limited(each, config.most_figures) for each in replies],
        )
        tasks = tuple(_answer_of(each) for each in replies)
        kept = await run.call(
            self.files, {"session_id": session, "turn": about["turn"], "tasks": tasks}
        )
        images: Mapping[str, str] = kept["images"]
        summary = ""
        if config.summarize:
            try:
                shown = tuple(
                    each.model_copy(update={"figures": _named(each.figures, images)})
                    for each in tasks
                )
                told = await run.call(
                    self.summary,
                    {"session_id": session, "question": about["said"], "answers": shown},
                )
                summary = told["summary"]
            except StepFailed as failure:
                run.notice(f"There is no summary of this turn: {failure.root}")
        found = {
            "images": tuple(images.values()),
            "summary": summary,
            "tasks": () if alone else plan.tasks,
        }
        return reply.model_copy(update=found)


def _named(figures: Sequence[str], images: Mapping[str, str]) -> tuple[str, ...]:
    """Figures by their files, where they have one."""
    return tuple(images.get(each, each) for each in figures)


def _settled(read: ClarifierOutputs, turns: Sequence[ConversationTurn]) -> ClarifierOutputs:
    """The reading; a question back that was asked just before is not asked again: the likeliest
    of its options is taken, and that is said."""
    last = turns[-1] if turns else None
    if read.need_clarification == "no" or last is None or not last.options or not read.options:
        return read
    if [each.label for each in last.options] != [each.label for each in read.options]:
        return read
    first = read.options[0]
    assumed = f"It was still open, so this is what was likeliest: {first.label}."
    taken = {"need_clarification": "no", "modified_question": first.question or first.label}
    return read.model_copy(update={**taken, "request": first.request, "assumed": assumed})


def _told(
    about: Mapping[str, Any], read: ClarifierOutputs, question: str, request: Request | None,
    outputs: Mapping[str, Any],
) -> TurnReply:  # fmt: skip
    """The turn that an analyst's outputs tell."""
    found = {name: outputs[name] for name in _TAKEN if outputs.get(name) is not None}
    asked = outputs.get("clarification")
    if asked is not None:
        options = [
            {"label": e.label, "question": e.question, "request": e.request} for e in asked.options
        ]
        found["clarification"] = {"question": asked.question, "options": options}
        found["answer"] = found.get("answer") or asked.question
    elif read.confidence is not None and "confidence" in found:
        found["confidence"] = round(min(read.confidence, found["confidence"]), 4)
    known = request if request is not None else found.get("request")
    return TurnReply.model_validate(
        {**about, "status": "failed", **found, "request": known, "question_read": question}
    )


def _limited(reply: TurnReply, most: int) -> TurnReply:
    """A turn with no more figures than it may show; that there are more is said."""
    if len(reply.figures) <= most:
        return reply
    text = f"Only {most} of {len(reply.figures)} figures are shown: most_figures."
    told = Caution(code="figures", text=text)
    return reply.model_copy(
        update={"figures": reply.figures[:most], "warnings": (*reply.warnings, told)}
    )


def _answer_of(reply: TurnReply) -> TaskAnswer:
    """What a task came to, for its summary."""
    return TaskAnswer(
        question=reply.question_read,
        warnings=tuple(each.text for each in reply.warnings),
        **{name: getattr(reply, name) for name in ("status", "answer", "confidence", "request",
                                                   "table", "sql", "code", "figures")},
    )  # fmt: skip
