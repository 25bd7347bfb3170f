"""The analyst: a business question in, a cited answer and its report out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.documents import Passage
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem, missing_subflows
from flows.core.observation import Caution
from flows.core.run import Run
from flows.core.values import Values
from flows.data.answers.citations import Citation, Traced
from flows.errors import CommandError, LimitReached, RecallError, StepFailed, StopAsked
from flows.library.analyst.goal import GoalFlow
from flows.library.blocks.rewrite import NAME as GLOSSARY
from flows.library.blocks.rewrite import rewriting_flow
from flows.report.report import Answered
from flows.semantics.findings import TaskResult, Told

DOCUMENTS, RESEARCH, GOAL, REPORT = "RAGAgent", "Research", "Goal", "Report"
_MOST_CONTEXT: Final = 8_000


class AnalystConfig(FlowConfig):
    """The keys of an analyst. Its subflows: a `Goal`, a `Report`, and perhaps a `RAGAgent` for the
    run's documents and a `Research` (a search tool) for what stands outside of the data."""

    description: str = "Answers a business question over data and documents."
    subflows_config: dict[str, Any] = Field(default={}, description="the flows below, by name")


class AnalystInputs(Ports):
    question: str = Field(min_length=1, description="a business question, in words")


class AnalystOutputs(Ports):
    """The answer with the origin of its numbers, and all that it rests on.

    `status` says whether the question is answered; `report` is the name of the report's artifact,
    `files` are its files in the run's folder by their kind (html, md, ipynb, json).
    """

    status: Answered
    answer: str
    summary: Told
    citations: tuple[Citation, ...] = ()
    traced: Traced | None = None
    understood: tuple[str, ...] = ()
    insights: tuple[Told, ...] = ()
    results: tuple[TaskResult, ...] = ()
    changes: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    cautions: tuple[Caution, ...] = ()
    limits: tuple[str, ...] = ()
    report: str = ""
    files: dict[str, str] = Field(default={})


@dataclass
class _Draft:
    """What is told so far of a question; a summary and whether it is answered come last."""

    question: str
    summary: Told | None = None
    answered: Answered | None = None
    understood: tuple[str, ...] = ()
    results: tuple[TaskResult, ...] = ()
    changes: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    cautions: tuple[Caution, ...] = ()
    limits: tuple[str, ...] = ()

    def report_inputs(self) -> Values:
        """The inputs of a report: all of it that is known."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def outputs(self, report: Mapping[str, Any]) -> AnalystOutputs:
        """The outputs of an analyst; `report` are those of the report, nothing without one."""
        summary = self.summary
        assert summary is not None  # whatever ends the work has said why
        return AnalystOutputs(
            status=self.answered or "unanswered",
            answer=summary.text,
            summary=summary,
            citations=summary.citations,
            traced=summary.traced,
            understood=self.understood,
            insights=tuple(each for result in self.results for each in result.finding.insights),
            results=self.results,
            changes=self.changes,
            passages=self.passages,
            cautions=tuple(dict.fromkeys(self.cautions)),
            limits=self.limits,
            report=report.get("report", ""),
            files=report.get("files", {}),
        )


class AnalystFlow(CompositeFlow):
    """Reads the question with the glossary, asks the documents, then has a team work on it, and
    reports. What the documents answer is not asked of the data."""

    needs: ClassVar[Mapping[str, str]] = {
        "glossary": "glossary", "data": "data", "documents": "documents",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = AnalystConfig
    Inputs: ClassVar[type[Ports]] = AnalystInputs
    Outputs: ClassVar[type[Ports]] = AnalystOutputs

    def __init__(self, config: AnalystConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.goal, self.report = self.subflows[GOAL], self.subflows[REPORT]
        self.documents = self.subflows.get(DOCUMENTS)
        if parts.services.get("documents") is None and self.documents is not None:
            self.documents = None
            del self.subflows[DOCUMENTS]
        self.research = self.subflows.get(RESEARCH)
        self.rewrite = rewriting_flow(parts)
        if self.rewrite is not None:
            self.subflows[GLOSSARY] = self.rewrite

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        problems = missing_subflows("an analyst", subflows, (GOAL, REPORT))
        goal, research = subflows.get(GOAL), subflows.get(RESEARCH)
        if goal is not None and not isinstance(goal, GoalFlow):
            problems.append(Problem(f"{GOAL} must be an analyst.goal", ("subflows_config", GOAL)))
        if research is not None and len(_required(research)) != 1:
            text = f"{RESEARCH} must be a flow with one required input, the words to search for"
            problems.append(Problem(text, ("subflows_config", RESEARCH), _required(research)))
        return problems

    def most_of(self, below: Mapping[str, float]) -> float:
        return sum(below.values())

    def can_finalize(self) -> bool:
        return True

    async def run(self, inputs: AnalystInputs, run: Run) -> AnalystOutputs:
        told = _Draft(inputs.question)
        try:
            await self._found_out(inputs.question, told, run)
        except StopAsked as asked:  # before there was anything to sum up
            run.take_stop()
            run.stop_unfinished(str(asked))
            text = f"{str(asked).capitalize()}, before any task was done."
            told.summary, told.answered = Told(text=text), "unanswered"
        return await self._reported(told, run)

    async def _found_out(self, asked: str, told: _Draft, run: Run) -> None:
        question = await self._rewritten(asked, told, run)
        read = await self._read(question, told, run)
        if told.answered is None:
            web = await self._searched(question, told, run)
            context = "\n\n".join(filter(None, [read, web]))[:_MOST_CONTEXT]
            await self._worked(question, context, told, run)

    async def _rewritten(self, question: str, told: _Draft, run: Run) -> str:
        if self.rewrite is None:
            return question
        found = await run.call(self.rewrite, {"question": question})
        told.understood += tuple(
            f"The glossary says that {keyword!r} means {value!r}."
            for keyword, value in found["read_as"].items()
        )
        return str(found["question"])

    async def _read(self, question: str, told: _Draft, run: Run) -> str:
        """What the documents say that helps; the answer itself where they hold it."""
        if self.documents is None:
            return ""
        try:
            found = await run.call(self.documents, {"task": question})
        except StepFailed as failure:
            if not isinstance(failure.root, CommandError | RecallError):
                raise
            _warn(told, "documents", f"The documents could not be asked: {failure.root}")
            return ""
        finding = found["finding"]
        told.passages = found["passages"]
        told.cautions += finding.cautions
        if not found["enough"]:
            return str(found["context"])
        told.understood += ("The documents answer it.",)
        told.summary, told.answered = finding.insights[0], "answered"
        return ""

    async def _searched(self, question: str, told: _Draft, run: Run) -> str:
        """What a search tool finds outside of the data."""
        if self.research is None:
            return ""
        [name] = _required(self.research)
        try:
            found = (await run.call(self.research, {name: question}))["observation"]
        except StepFailed as failure:
            if not isinstance(failure.root, CommandError):
                raise
            _warn(told, "research", f"Nothing was found outside of the data: {failure.root}")
            return ""
        if found.kind != "ok":
            _warn(told, "research", f"Nothing was found outside of the data: {found.text}")
            return ""
        return f"From a search outside of the data, which nobody has checked:\n{found.text}"

    async def _worked(self, question: str, context: str, told: _Draft, run: Run) -> None:
        try:
            found = await run.call(self.goal, {"task": question, "context": context})
        except StopAsked:
            raise
        except LimitReached as limit:
            if not run.begin_final():
                told.summary = told.summary or Told(text=f"{str(limit).capitalize()}.")
                limit.outputs = dict(told.outputs({}))
                raise
            run.stop_unfinished(str(limit))
            text = f"{str(limit).capitalize()}; the tasks were not all done."
            told.summary, told.answered = Told(text=text), "unanswered"
            return
        said = (found["understood"],) if found["understood"] else ()
        told.summary, told.answered = found["summary"], found["answered"]
        told.understood += said
        told.results, told.changes, told.limits = (
            found[name] for name in ("results", "changes", "limits")
        )
        told.cautions += found["finding"].cautions

    async def _reported(self, told: _Draft, run: Run) -> AnalystOutputs:
        return told.outputs(await run.call_at_end(self.report, told.report_inputs()))


def _required(flow: Flow) -> tuple[str, ...]:
    return tuple(name for name, required in flow.input_ports.items() if required)


def _warn(told: _Draft, code: str, text: str) -> None:
    told.cautions += (Caution(code=code, text=text),)
