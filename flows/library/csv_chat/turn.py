"""The flow of one turn: clarify what is asked, plan it, answer each task, summarize."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, ClassVar, Final

from flows.analysis.conversation.turn import ConversationTurn
from flows.core.flow import AtomicConfig, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Caution
from flows.core.run import Run
from flows.errors import StepFailed
from flows.library.blocks.learn import LearnConfig, LearnFlow
from flows.library.blocks.rewrite import rewriting_flow
from flows.library.csv_chat.clarifier import ClarifierOutputs
from flows.library.csv_chat.planner import PlannerFlow, PlannerOutputs
from flows.library.csv_chat.reply import TurnClarification, TurnReply, joined
from flows.library.csv_chat.session_files import SessionFilesFlow
from flows.library.csv_chat.summary import TaskAnswer
from flows.semantics.request import Request

CLARIFIER: Final = "Clarifier"
PLANNER: Final = "Planner"
ANALYST: Final = "Analyst"
SUMMARY: Final = "Summary"
_TAKEN: Final = ("status", "answer", "confidence", "table", "sql", "code", "chart", "citations",
                 "warnings", "figures", "request")  # fmt: skip


class TurnConfig(FlowConfig):
    """The keys of a turn."""

    description: str = "Reads and answers what was said."
    most_figures: int = 6
    summarize: bool = True


class TurnInputs(Ports):
    """What was said, as which turn of which session, and the turns before it."""

    session: str
    turn: int
    said: str
    turns: tuple[ConversationTurn, ...] = ()


class TurnOutputs(Ports):
    reply: TurnReply


class TurnFlow(CompositeFlow):
    """What a person's words come to. Its subflows are those of the conversation. A person may stop
    it: then it fails with `StepStopped`."""

    needs: ClassVar[Mapping[str, str]] = {
        "data": "data", "glossary": "glossary", "semantics": "semantics",
    }  # fmt: skip
    stoppable: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = TurnConfig
    Inputs: ClassVar[type[Ports]] = TurnInputs
    Outputs: ClassVar[type[Ports]] = TurnOutputs

    def __init__(self, config: TurnConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.clarifier, self.planner = self.subflows[CLARIFIER], self.subflows[PLANNER]
        self.analyst, self.summary = self.subflows[ANALYST], self.subflows[SUMMARY]
        files = AtomicConfig(description="Writes the figures and the code of the turn.")
        self.files = SessionFilesFlow(files, Parts("files", services=parts.services))
        self.subflows |= {self.files.name: self.files}
        self.rewrite = rewriting_flow(parts)
        self.learn: LearnFlow | None = None
        if self.rewrite is not None:
            learn = LearnConfig(description="Remembers what was chosen.")
            self.learn = LearnFlow(learn, Parts("learn", services=parts.services))
            self.subflows |= {each.name: each for each in (self.rewrite, self.learn)}

    def most_of(self, below: Mapping[str, float]) -> float:
        """The analyst once for each task that a plan may have."""
        tasks = self.planner.config.most_tasks if isinstance(self.planner, PlannerFlow) else inf
        analyst = tasks * below[ANALYST] if below[ANALYST] else 0
        return below[CLARIFIER] + below[PLANNER] + analyst + below[SUMMARY]

    def bounds(self) -> Mapping[str, int | None]:
        planner = self.planner
        most = planner.config.most_tasks if isinstance(planner, PlannerFlow) else None
        return {f"{PLANNER}.most_tasks": most}

    async def run(self, inputs: TurnInputs, run: Run) -> TurnOutputs:
        about = {"session": inputs.session, "turn": inputs.turn, "said": inputs.said}
        turns = inputs.turns
        last = next((each for each in reversed(turns) if each.has_answer), None)
        asked = {
            "session_id": inputs.session,
            "original_question": inputs.said,
            "previous_question": last.read or last.text if last is not None else "",
            "previous_summary": last.summary or last.answer if last is not None else "",
            "turns": turns,
        }
        read = await self._clarify(asked, turns, run)
        if read.need_clarification == "yes":
            back = TurnClarification(question=read.clarification_question, options=read.options)
            reply = TurnReply(**about, status="clarify", answer=read.clarification_question,
                              clarification=back, confidence=read.confidence)  # fmt: skip
            return TurnOutputs(reply=reply)
        assumed = (Caution(code="assumed", text=read.assumed),) if read.assumed else ()
        if read.reply:
            status = "abstained" if read.declined else "answered"
            reply = TurnReply.model_validate(
                {**about, "status": status, "answer": read.reply, "warnings": assumed,
                 "question_read": read.modified_question}
            )  # fmt: skip
            return TurnOutputs(reply=reply)
        reply = await self._analyse(about, read, run)
        left = (Caution(code="not_understood", text=read.left_out),) if read.left_out else ()
        told = tuple(dict.fromkeys((*assumed, *left, *reply.warnings)))
        status = "partly" if left and reply.status == "answered" else reply.status
        return TurnOutputs(reply=reply.model_copy(update={"warnings": told, "status": status}))

    async def _clarify(
        self, asked: Mapping[str, Any], turns: Sequence[ConversationTurn], run: Run
    ) -> ClarifierOutputs:
        """What was said means. What was chosen before for the same words, in any conversation, is
        not asked again."""
        if self.rewrite is not None and not (turns and turns[-1].options):
            known = await run.call(self.rewrite, {"question": asked["original_question"]})
            if known["request"] is not None:
                said = known["read_as"][known["question"]]
                return ClarifierOutputs(modified_question=said, request=known["request"],
                                        assumed=f"As you chose before: {said}.")  # fmt: skip
            asked = {**asked, "original_question": known["question"]}
        found = await run.call(self.clarifier, asked)
        read = _settled(ClarifierOutputs.model_validate(found), turns)
        last = turns[-1] if turns else None
        chosen = last is not None and read.request in [each.request for each in last.options]
        alone = not any(each.has_answer for each in turns)  # it says all by itself
        if self.learn is not None and last is not None and chosen and alone and read.request:
            said = next(e.label for e in last.options if e.request == read.request)
            given = {"question": last.text, "request": read.request, "value": said}
            await run.call(self.learn, given)
        return read

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
        if not reply.has_answer:
            return reply
        config: TurnConfig = self.config
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
