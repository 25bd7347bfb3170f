"""The loop of an interpreter: decide, call, revise, until it can answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from flows.analysis.functions.decision import FinalAnswer
from flows.core.flow import AtomicConfig, CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem
from flows.core.run import Run
from flows.errors import LimitReached
from flows.library.blocks.reading import ReplyProblem
from flows.library.interpreter.builtin import REVISE
from flows.library.interpreter.confidence import AnswerEvidence, calibrate
from flows.library.interpreter.config import (
    CallRecord,
    InterpreterConfig,
    InterpreterInputs,
    InterpreterOutputs,
    ResponseStatus,
)
from flows.library.interpreter.decide import DecideOutputs, DecideState
from flows.library.interpreter.log import LogConfig, LogFlow
from flows.library.interpreter.reading import PLAN_ONLY, ReplyStep, read_step
from flows.library.interpreter.response_table import LoggedFunction
from flows.library.interpreter.results import ResultSummary, ToolResult
from flows.library.interpreter.stack import Stack
from flows.library.interpreter.start import StartConfig, StartFlow
from flows.library.interpreter.steps import (
    TAKEN,
    decide_flow,
    flows_of,
    make_toolbox,
    part,
    summarize_flow,
)
from flows.library.interpreter.summarize import SummarizeState, due_results
from flows.library.interpreter.toolbox import CallProgress, News, carry_out, revise
from flows.library.interpreter.verify import VerifyFlow, VerifyOutputs
from flows.library.interpreter.waves import ResolveFlow, carry_out_plan

_LAST: Final = (
    "No more calls are made ({why}). Reply now with the JSON object of the answer, as good as what "
    "you know allows, and say in it what is lacking."
)


@dataclass
class _Chat:
    """Where the exchange with the model stands: what it has to be told next, how often it may still
    be corrected, whether a plan was sent back already, and what came of planned calls."""

    corrections: int
    news: News = field(default_factory=News)
    correction: str = ""
    said: str = ""
    refused: str = ""
    sent_back: bool = False
    planned: dict[str, tuple[ToolResult, ...]] = field(default_factory=dict)


class InterpreterFlow(CompositeFlow):
    """Answers a question with functions. Each turn the model calls functions of its stack, searches
    for others, asks the person, or answers; each call is a step of the run.

    An answer is checked against the results that it cites. At a limit the model is asked once more,
    to answer with what there is.
    """

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "human": "human", "functions": "functions", "memory": "memory",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = InterpreterConfig
    Inputs: ClassVar[type[Ports]] = InterpreterInputs
    Outputs: ClassVar[type[Ports]] = InterpreterOutputs

    def __init__(self, config: InterpreterConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        own = {name: flow for name, flow in self.subflows.items() if not flow.lacks}
        self.start = StartFlow(StartConfig(about=config.about), part("start", parts))
        self.decide = decide_flow(config, parts)
        self.summarize = summarize_flow(config, parts)
        self.tools = make_toolbox(config, parts, own)
        self.verify = VerifyFlow(
            AtomicConfig(description="Checks the answer."), part("verify", parts)
        )
        self.resolve = ResolveFlow(
            AtomicConfig(description="Fills the arguments of planned calls."),
            part("resolve", parts),
        )
        made: list[Flow] = [
            self.start, self.decide, self.summarize, self.verify, self.resolve,
            *flows_of(self.tools),
        ]  # fmt: skip
        self.log: LogFlow | None = None
        if config.log is not None:
            self.log = LogFlow(LogConfig(table=config.log), part("log", parts))
            made.append(self.log)
        self.subflows |= {each.name: each for each in made}

    @property
    def _revises(self) -> bool:
        """Whether it may search for functions."""
        return self.tools.revise.given.find(REVISE) is not None

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return [
            Problem(f"the name {name!r} is taken by a step of the flow", ("subflows_config", name))
            for name in subflows
            if name in TAKEN
        ]

    def can_finalize(self) -> bool:
        return True

    def most_calls(self, below: Mapping[str, float]) -> float | None:
        config: InterpreterConfig = self.config
        decisions = below.get("decide", 1.0) * (config.max_turns + config.corrections)
        return decisions + below.get("summarize", 1.0) * config.max_summaries

    async def run(self, inputs: InterpreterInputs, run: Run) -> InterpreterOutputs:
        config: InterpreterConfig = self.config
        progress = CallProgress(
            channel=inputs.channel,
            calls_left=config.max_calls,
            searches_left=config.max_searches if self._revises else 0,
        )
        chat = _Chat(config.corrections)
        try:
            return await self._answer(inputs, progress, chat, run)
        except LimitReached as limit:
            if not run.begin_final():
                raise
            run.notice(f"{str(limit).capitalize()}; a last answer is asked for.")
            why = _LAST.format(why=str(limit))
            answer = (await self._step(inputs, progress, chat, why, run)).answer
            run.stop_unfinished(str(limit))
            return await self._finish(answer or _nothing(str(limit)), inputs, progress, run)

    async def _answer(
        self, inputs: InterpreterInputs, progress: CallProgress, chat: _Chat, run: Run
    ) -> InterpreterOutputs:
        config: InterpreterConfig = self.config
        started = await run.call(self.start, {})
        progress.about, progress.today = started["about"], started["today"]
        await self._load(inputs.question, progress, run)
        most = config.max_turns + config.corrections
        for turn in range(1, most + 1):
            if run.begin_round(turn, most):
                await asyncio.sleep(0)
            progress.turn = turn
            why = f"the limit of {config.max_turns} turns" if turn >= config.max_turns else ""
            step = await self._step(inputs, progress, chat, why and _LAST.format(why=why), run)
            if step.calls and not why:
                chat.news = await carry_out(step.calls, self.tools, progress, run)
            elif step.plan and not why:
                outcome = await carry_out_plan(
                    step.plan, chat.planned, self.resolve, self.tools, progress, run
                )
                chat.news, chat.correction = outcome.news, outcome.note
                chat.planned |= outcome.done
                progress.plan += outcome.steps
            elif step.answer is not None:
                verified = await self._verify(step.answer, inputs, progress, run)
                if not self._sent_back(verified, chat, run):
                    return await self._finish(step.answer, inputs, progress, run, verified)
        run.stop_unfinished(f"{self.name} used up its {config.max_turns} turns")
        answer = _nothing(f"no answer came of {config.max_turns} turns")
        return await self._finish(answer, inputs, progress, run)

    async def _load(self, question: str, progress: CallProgress, run: Run) -> None:
        """Load the functions that the config names, and those that the question finds."""
        config: InterpreterConfig = self.config
        if self.tools.revise.store is None or not (config.load or config.search_first):
            return
        asked = {
            "load": config.load,
            "questions": (question,) if config.search_first else (),
            "limit": config.search_first or 1,
        }
        outputs = await revise(asked, self.tools, progress, run)
        if outputs["problem"]:
            run.notice(f"No functions are loaded at the start: {outputs['problem']}")

    async def _step(
        self, inputs: InterpreterInputs, progress: CallProgress, chat: _Chat, last: str, run: Run
    ) -> ReplyStep:
        """Ask for a decision and read it. A reply that cannot be used gives an empty step, and is
        corrected with the next one."""
        summaries = () if last else await self._summaries(inputs.question, progress, chat, run)
        stack: Stack = run.state_of(self.tools.revise)
        news = chat.news
        payload = {
            "question": inputs.question,
            "context": inputs.context,
            "about": progress.about,
            "today": progress.today,
            "stack": stack.descriptions,
            "results": news.results,
            "searches": news.searches,
            "answers": news.answers,
            "summaries": summaries,
            "correction": chat.correction,
            "last": last,
            "calls_left": progress.calls_left,
            "searches_left": progress.searches_left,
            "person": not progress.nobody,
        }
        reply = DecideOutputs.model_validate(await run.call(self.decide, payload))
        chat.news, chat.correction = News(), ""
        names = [each.name for each in stack.entries]
        try:
            step = read_step(reply, progress.turn, names, tuple(chat.planned))
        except ReplyProblem as problem:
            return self._unusable(str(problem), reply, chat, run)
        if not step.plan_only:
            chat.said = reply.text
            return step
        if chat.sent_back:
            lacks = "the model stated a plan and did not carry it out"
            return ReplyStep(answer=FinalAnswer(answer=step.strategy, confidence=0, lacks=lacks))
        chat.sent_back = True
        chat.correction = PLAN_ONLY
        run.notice("The model stated a plan and did not carry it out; it is sent back.")
        return ReplyStep()

    async def _summaries(
        self, question: str, progress: CallProgress, chat: _Chat, run: Run
    ) -> tuple[ResultSummary, ...]:
        """Summaries of older results, where the messages come near their budget."""
        config: InterpreterConfig = self.config
        state: SummarizeState = run.state_of(self.summarize)
        if state.times >= config.max_summaries:
            return ()
        so_far: DecideState = run.state_of(self.decide)
        due = due_results(so_far, chat.news.results, config.context_tokens, state.tried)
        if not due:
            return ()
        outputs = await run.call(self.summarize, {"question": question, "results": due})
        made: tuple[ResultSummary, ...] = outputs["summaries"]
        progress.summaries += made
        return made

    def _unusable(self, problem: str, reply: DecideOutputs, chat: _Chat, run: Run) -> ReplyStep:
        """Send a reply back that cannot be used; what it says is the answer at the end of that."""
        run.notice(f"The model's reply cannot be used: {problem}")
        if chat.corrections > 0 and reply.text != chat.said:
            chat.corrections -= 1
            chat.correction = f"Your last reply could not be used: {problem}"
            chat.said = reply.text
            return ReplyStep()
        return ReplyStep(answer=_nothing(f"the model gave no reply that can be used: {problem}"))

    async def _verify(
        self, answer: FinalAnswer, inputs: InterpreterInputs, progress: CallProgress, run: Run
    ) -> VerifyOutputs:
        payload = {
            "question": " ".join((*inputs.context, inputs.question)),
            "answer": answer.answer,
            "citations": answer.citations,
            "results": tuple(progress.results),
            "said": tuple(each.answer for each in progress.answers),
            "summaries": tuple(progress.summaries),
        }
        return VerifyOutputs.model_validate(await run.call(self.verify, payload))

    def _sent_back(self, verified: VerifyOutputs, chat: _Chat, run: Run) -> bool:
        """Whether an answer goes back to the model, for values that no result holds. One that was
        given again as it was is taken as it is."""
        faults = list(verified.problems)
        if verified.uncited:
            faults.append(f"no result holds {', '.join(verified.uncited)}")
        if not faults or chat.corrections <= 0 or chat.said == chat.refused:
            return False
        chat.corrections -= 1
        chat.refused = chat.said
        told = "; ".join(faults)
        chat.correction = (
            f"Your answer cannot be told as it is: {told}. Give it again with values and citations "
            "that hold, or call functions for what is missing."
        )
        run.notice(f"The answer is sent back: {told}")
        return True

    async def _finish(
        self,
        answer: FinalAnswer,
        inputs: InterpreterInputs,
        progress: CallProgress,
        run: Run,
        verified: VerifyOutputs | None = None,
    ) -> InterpreterOutputs:
        """The response, which is logged."""
        if verified is None:
            verified = await self._verify(answer, inputs, progress, run)
        cited = dict.fromkeys(each.call for each in verified.citations)
        evidence = AnswerEvidence(
            cited=len(verified.citations),
            uncited=len(verified.uncited),
            refuted=len(verified.problems),
            lacks=bool(answer.lacks),
        )
        outputs = InterpreterOutputs(
            status=_status(answer, verified),
            answer=answer.answer,
            confidence=calibrate(answer.confidence, evidence),
            model_confidence=answer.confidence,
            functions=tuple(dict.fromkeys(progress.used[number] for number in cited)),
            citations=verified.citations,
            uncited=verified.uncited,
            strategy=answer.strategy,
            lacks=answer.lacks,
            calls=_records(progress),
            plan=tuple(progress.plan),
            turns=progress.turn,
        )
        if self.log is not None:
            await run.call(self.log, _logged(self.name, inputs, outputs))
        if self.tools.sessions is not None:
            await run.call(self.tools.sessions, _session(inputs, outputs))
        return outputs


def _nothing(why: str) -> FinalAnswer:
    """The answer where the model gave none."""
    return FinalAnswer(answer=f"There is no answer: {why}.", confidence=0, lacks=why)


def _status(answer: FinalAnswer, verified: VerifyOutputs) -> ResponseStatus:
    if not answer.lacks:
        return "answered"
    return "partly" if verified.citations else "abstained"


def _records(progress: CallProgress) -> tuple[CallRecord, ...]:
    return tuple(
        CallRecord(
            number=each.number,
            function=progress.used[each.number],
            arguments=each.arguments,
            kind=each.kind,
            artifact=each.artifact,
        )
        for each in progress.results
    )


def _session(inputs: InterpreterInputs, outputs: InterpreterOutputs) -> dict[str, object]:
    """A question and what it came to, as it is kept."""
    same = ("answer", "confidence", "functions", "lacks")
    return {
        **{name: getattr(outputs, name) for name in same},
        "operation": "keep",
        "question": inputs.question,
        "user": inputs.user,
        "channel": inputs.channel,
    }


def _logged(flow: str, inputs: InterpreterInputs, outputs: InterpreterOutputs) -> dict[str, object]:
    """A response as the table of responses has it."""
    kinds: dict[str, Counter[str]] = {}
    for each in outputs.calls:
        kinds.setdefault(each.function, Counter())[each.kind] += 1
    functions = tuple(
        LoggedFunction(
            function=name,
            calls=count.total(),
            errors=count["error"],
            empty=count["empty"],
            used=name in outputs.functions,
        )
        for name, count in kinds.items()
    )
    same = ("status", "answer", "confidence", "model_confidence", "strategy", "lacks", "turns")
    return {
        **{name: getattr(outputs, name) for name in same},
        "flow": flow,
        "question": inputs.question,
        "user": inputs.user,
        "channel": inputs.channel,
        "citations": len(outputs.citations),
        "uncited": len(outputs.uncited),
        "functions": functions,
    }
