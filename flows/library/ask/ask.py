"""The flow that answers one question: propose, compile, run, tell, render, cite, draw."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from pydantic import Field

from flows.core.chat import CUTS, Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Caution, Observation, Preview
from flows.core.run import Run
from flows.data.answers.citations import Citation
from flows.errors import CodeFailed, QueryFailed, QueryRefused, StepFailed
from flows.library.ask.clarify import ClarifyConfig, ClarifyFlow, ClarifyOutputs
from flows.library.ask.config import AskConfig
from flows.library.ask.fields import with_fields
from flows.library.ask.nearest import NearestOutputs, nearest_flow, offered
from flows.library.ask.outputs import AskOutputs, clarifying, declined, joined
from flows.library.ask.parts import analyst_flow, code_flow, narrator_flow, query_flow
from flows.library.ask.proposal import MOST_PARTS, Option, Proposal, answering, reader_by
from flows.library.ask.readings import same_answer
from flows.library.ask.result_warnings import is_nothing, warnings_of
from flows.library.blocks.chart import ChartConfig, ChartFlow
from flows.library.blocks.cite import CiteFlow
from flows.library.blocks.compile import CompileConfig, CompileFlow, CompileOutputs
from flows.library.blocks.correction import NoUsableReply, propose
from flows.library.blocks.learn import LearnConfig, LearnFlow
from flows.library.blocks.outcome import fault_text
from flows.library.blocks.profile import ProfileFlow
from flows.library.blocks.reading import ReplyProblem, cut_words
from flows.library.blocks.render import RenderConfig, RenderFlow
from flows.library.blocks.rewrite import NAME as GLOSSARY
from flows.library.blocks.rewrite import rewriting_flow
from flows.library.blocks.sql import Found
from flows.semantics.request import Request

# How code says what to beware of.
NO_ROWS = "the query found no rows"
# What a person chose is what is meant; so sure are the rules of what is in one reading only.
CHOSEN = 0.9
# Readings that none of them is likelier than the others are not sure, though they agree.
UNSURE = 0.65


class AskInputs(Ports):
    question: str = Field(min_length=1, description="one question, in words, about the data")
    request: Request | None = Field(
        default=None, description="the question as it was read already; it is answered as it is"
    )


class AskFlow(CompositeFlow):
    """Asks a model in the role `analyst` for a request, SQL, code, a text or a question back;
    compiles a request; runs it; has it told by the role `narrator`, whose numbers are references;
    renders and cites them.

    What does not fit the data goes back to the analyst with the reason. What finds nothing or fails
    is told to the analyst, who may read the question another way.
    """

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "semantics": "semantics", "glossary": "glossary",
        "sandbox": "sandbox", "human": "human", "embedder": "embedder",
    }  # fmt: skip
    bounded_by: ClassVar[tuple[str, ...]] = ("tries", "corrections")
    Config: ClassVar[type[FlowConfig]] = AskConfig
    Inputs: ClassVar[type[Ports]] = AskInputs
    Outputs: ClassVar[type[Ports]] = AskOutputs

    def __init__(self, config: AskConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.analyst = analyst_flow(config, parts)
        self.narrator = narrator_flow(config, parts)
        self.query = query_flow(config, parts)
        self.code = code_flow(config, parts)

        def below(name: str) -> Parts:
            return Parts(name=name, services=parts.services)

        plain: Any = ProfileFlow.Config
        self.profile = ProfileFlow(plain(description="Looks at the tables."), below("profile"))
        self.compile = CompileFlow(CompileConfig(), below("compile"))
        self.clarify = ClarifyFlow(ClarifyConfig(), below("clarify"))
        self.render = RenderFlow(RenderConfig(), below("render"))
        cite: Any = CiteFlow.Config
        self.cite = CiteFlow(cite(description="Finds the origin of each number."), below("cite"))
        self.chart = ChartFlow(ChartConfig(), below("chart"))
        steps = (
            self.analyst, self.compile, self.query, self.code, self.profile, self.narrator,
            self.render, self.cite, self.chart, self.clarify,
        )  # fmt: skip
        self.subflows = {each.name: each for each in steps}
        self.nearest = nearest_flow(parts)
        if self.nearest is not None:
            self.subflows |= {self.nearest.name: self.nearest}
        self.read = reader_by(config.by)
        self.rewrite = rewriting_flow(parts)
        self.learn: LearnFlow | None = None
        if self.rewrite is not None:
            self.learn = LearnFlow(LearnConfig(), below("learn"))
            self.subflows |= {GLOSSARY: self.rewrite, "learn": self.learn}

    def most_of(self, below: Mapping[str, float]) -> float:
        """The analyst proposes, and once more after a person said what is meant; each part of an
        answer is narrated."""
        config: AskConfig = self.config
        each = config.corrections + 1
        narrated = MOST_PARTS * below[self.narrator.name]
        return each * (2 * config.tries * below[self.analyst.name] + narrated)

    async def run(self, inputs: AskInputs, run: Run) -> dict[str, Any]:
        question, read_as, chosen = inputs.question, {}, inputs.request
        if self.rewrite is not None and chosen is None:
            rewritten = await run.call(self.rewrite, {"question": question})
            question, read_as = rewritten["question"], rewritten["read_as"]
            chosen = rewritten["request"]
        outputs = await self._answered(inputs, question, chosen, run)
        told = tuple(Caution(code="glossary", text=_read_as(*each)) for each in read_as.items())
        return {**outputs, "warnings": (*told, *outputs["warnings"])}

    async def _answered(
        self, inputs: AskInputs, question: str, chosen: Request | None, run: Run
    ) -> dict[str, Any]:
        """The outputs for a question in the words of the data, or for the request that was chosen
        for it before."""
        proposal, found = await self._settle_on(question, chosen, run)
        asked = () if proposal.clarify is None else proposal.clarify.options
        same = await same_answer(asked, lambda each: self._settle_on(question, each, run))
        if same is not None:
            sure = min(proposal.confidence, UNSURE)  # that they agree does not make them right
            proposal, found = same[0].model_copy(update={"confidence": sure}), same[1]
        elif proposal.clarify is not None:
            meant = await self._meant(inputs.question, proposal, run)
            if not meant.question:
                return clarifying(proposal)
            question, option = meant.question, meant.option
            chosen = option.request if option is not None else None
            proposal, found = await self._settle_on(question, chosen, run, meant)
            if proposal.clarify is not None:  # one question back is enough
                return clarifying(proposal)
            if option is not None:
                await self._remember(inputs.question, option, proposal, run)
        told = await self._tell(question, proposal, found, run)
        return {**told, "question": question}

    async def _settle_on(
        self, question: str, chosen: Request | None, run: Run, meant: ClarifyOutputs | None = None
    ) -> tuple[Proposal, Observation | None]:
        """As `_settle`; for a request that a person has chosen without asking the analyst."""
        if chosen is None:
            return await self._settle(question, run, meant)
        try:
            proposal = await self._compiled(Proposal(confidence=CHOSEN), chosen, run)
        except ReplyProblem as problem:
            return Proposal(cannot=str(problem), confidence=0.0), None
        return proposal, await self._run(proposal, run)

    async def _settle(
        self, question: str, run: Run, meant: ClarifyOutputs | None = None
    ) -> tuple[Proposal, Observation | None]:
        """The proposal that is held to, with what running it gave, if it runs anything.

        Errors: of the last try, when nothing that the analyst proposed could be run.
        """
        found: list[Found] = []
        failure: StepFailed | CodeFailed | None = None
        empty: tuple[Proposal, Observation] | None = None
        for _ in range(self.config.tries):
            proposal = await self._propose(question, found, run, meant)
            if not proposal.tried:
                if proposal.cannot is not None and empty is not None:
                    return empty
                return proposal, None
            if empty is not None and proposal.tried == empty[0].tried:
                return proposal, empty[1]  # it stands by a reading that finds nothing
            try:
                observation = await self._run(proposal, run)
            except (StepFailed, CodeFailed) as error:
                root = _root(error)
                if not isinstance(root, QueryRefused | QueryFailed | CodeFailed):
                    raise
                failure = error
                found.append(Found(tried=proposal.tried, kind="failed", said=str(root)))
                continue
            if not is_nothing(observation):
                return proposal, observation
            empty = empty or (proposal, observation)
            found.append(Found(tried=proposal.tried, kind="empty", said=NO_ROWS))
        if empty is not None:
            return empty
        assert failure is not None
        raise failure

    async def _propose(
        self, question: str, found: list[Found], run: Run, meant: ClarifyOutputs | None
    ) -> Proposal:
        """The analyst's proposal, a request of it compiled. Errors: `QueryFailed` when no reply of
        it can be used."""
        config: AskConfig = self.config
        limits = {"answer_above": config.answer_above, "ask_above": config.ask_above}
        if meant is not None:
            limits = dict.fromkeys(limits, 0.0)

        async def check(proposal: Proposal) -> Proposal:
            if proposal.request is None:
                return proposal
            return await self._compiled(proposal, proposal.request, run)

        asked = {
            "question": question,
            "found": tuple(found),
            "by": config.by,
            "alone": True,
            **limits,
        }
        return await propose(
            run, self.analyst, {**asked, "alone": True}, self.read, check,
            corrections=config.corrections, otherwise=_no_proposal, speaker="The analyst's reply",
        )  # fmt: skip

    async def _compiled(self, proposal: Proposal, request: Request, run: Run) -> Proposal:
        """The proposal with what answers its request. Errors: `ReplyProblem` where nothing does."""
        made = CompileOutputs.model_validate(await run.call(self.compile, {"request": request}))
        if made.problem:
            raise ReplyProblem(made.problem)
        return answering(proposal, made)

    async def _run(self, proposal: Proposal, run: Run) -> Observation:
        if proposal.sql is not None:
            ran = await run.call(self.query, {"sql": proposal.sql})
        else:
            ran = await run.call(self.code, {"code": proposal.code})
            if ran["fault"] is not None:
                raise CodeFailed(fault_text(ran["fault"]))
        observation = ran["observation"]
        assert isinstance(observation, Observation)
        return observation

    async def _meant(self, asked: str, proposal: Proposal, run: Run) -> ClarifyOutputs:
        """What the person means; empty when nobody is there."""
        given = {"asked": asked, "clarification": proposal.clarify}
        answer = await run.call(self.clarify, {**given, "confidence": proposal.confidence})
        return ClarifyOutputs.model_validate(answer)

    async def _remember(self, asked: str, option: Option, proposal: Proposal, run: Run) -> None:
        """Have the glossary learn what the question means: as a request, where it was read as one;
        else as the question that was chosen."""
        if self.learn is None:
            return
        if proposal.read_as is not None:
            given = {"question": asked, "request": proposal.read_as, "value": option.label}
            await run.call(self.learn, given)
            return
        keyword, value = asked.strip().rstrip("?!. "), option.question
        if len(keyword) <= 120 and len(value) <= 200:  # what a glossary's cells may hold
            await run.call(self.learn, {"keyword": keyword, "value": value})

    async def _tell(
        self, question: str, proposal: Proposal, found: Observation | None, run: Run
    ) -> dict[str, Any]:
        if proposal.cannot is not None:
            return await self._declined(question, proposal, proposal.cannot, run)
        if proposal.confidence < self.config.ask_above:
            sure = f"{proposal.confidence:.2f}"
            return declined(proposal, f"I am not sure enough of an answer ({sure} of 1).")
        if proposal.parts:
            told = [await self._tell_part(each, run) for each in proposal.parts]
            return with_fields(question, joined(proposal, told), told)
        if found is None:
            await run.call(self.profile, {})
            cited = await self._cited(question, proposal.text or "", (), run)
            return AskOutputs.of(proposal, **cited).__dict__
        table = found.table
        warnings = warnings_of(proposal, found)
        text, given, cut = await self._narrate(question, proposal, found, warnings, run)
        warnings = (*warnings, *cut)
        cited = await self._cited(question, text, given, run)
        drawn = await self._draw(question, proposal, table, run)
        figures = (*drawn.pop("figures", ()), *found.figures)
        outputs = AskOutputs.of(
            proposal, table=table, figures=figures, warnings=(*warnings, *drawn.pop("warnings")),
            **cited, **drawn,
        ).__dict__  # fmt: skip
        return with_fields(question, outputs, [outputs])

    async def _declined(
        self, question: str, proposal: Proposal, why: str, run: Run
    ) -> dict[str, Any]:
        """That it cannot be answered, with the names that are nearest to what is not known."""
        from flows.analysis.linking.nearest import unknown_phrases

        unknown = [(each.start, each.end) for each in proposal.words if not each.score]
        phrases = unknown_phrases(question, unknown)
        if self.nearest is None or not phrases:
            return declined(proposal, why)
        asked = await run.call(self.nearest, {"phrases": phrases})
        found = NearestOutputs.model_validate(asked)
        if found.problem:
            told = Caution(code="nearest", text=f"No near names were looked up: {found.problem}")
            proposal = proposal.model_copy(update={"warnings": (*proposal.warnings, told)})
        return declined(proposal, " ".join(filter(None, (why, offered(found.names)))))

    async def _tell_part(self, part: Proposal, run: Run) -> dict[str, Any]:
        """The outputs for one of several requests, asked by itself."""
        try:
            found = await self._run(part, run) if part.tried else None
        except (StepFailed, CodeFailed) as error:
            if not isinstance(failure := _root(error), QueryRefused | QueryFailed | CodeFailed):
                raise
            return declined(part, f"{part.explanation}: {failure}")
        return await self._tell(part.explanation, part, found, run)

    async def _narrate(
        self,
        question: str,
        proposal: Proposal,
        found: Observation,
        warnings: tuple[Caution, ...],
        run: Run,
    ) -> tuple[str, tuple[Citation, ...], tuple[Caution, ...]]:
        """The text with its cells put in, and a warning when it was cut. A reference that names no
        cell goes back, and so does a text that was cut; the last one is used as it is, and the
        verifier looks for its numbers."""
        table = found.table or Preview(columns=(), types=(), rows=(), total_rows=0)
        asked = {
            "question": question, "request": proposal.read_as, "sql": proposal.sql,
            "code": proposal.code,
            "columns": table.columns, "rows": table.rows, "total_rows": table.total_rows,
            "result": table.artifact, "warnings": tuple(each.text for each in warnings),
            "explanation": proposal.explanation, "output": found.text if proposal.code else "",
        }  # fmt: skip
        text = ""
        given: tuple[Citation, ...] = ()
        finish: Finish = "stop"

        async def check(reply: tuple[str, Finish]) -> None:
            nonlocal text, given, finish
            said, finish = reply
            rendered = await run.call(self.render, {"text": said.strip()})
            text, given = rendered["text"], rendered["cited"]
            if problem := cut_words(finish) or rendered["problem"]:
                raise ReplyProblem(problem)

        with suppress(NoUsableReply):  # then the last text is used as it is
            await propose(
                run, self.narrator, asked, lambda *reply: reply, check,
                corrections=self.config.corrections, new_chat=False,
            )  # fmt: skip
        if finish == "stop":
            return text, given, ()
        return text, given, (Caution(code="cut", text=f"The text {CUTS[finish]}."),)

    async def _cited(
        self, question: str, text: str, cited: tuple[Citation, ...], run: Run
    ) -> dict[str, Any]:
        return await run.call(self.cite, {"answer": text, "question": question, "cited": cited})

    async def _draw(
        self, question: str, proposal: Proposal, table: Preview | None, run: Run
    ) -> dict[str, Any]:
        """The chart that was proposed, or the one that fits where charts are wanted."""
        wanted = proposal.chart is not None or self.config.draw
        if not wanted or table is None or table.artifact is None or not table.rows:
            return {"warnings": ()}
        asked = {"result": table.artifact, "chart": proposal.chart, "title": question[:120]}
        drawn = await run.call(self.chart, asked)
        if drawn["problem"]:
            text = f"No chart was drawn: {drawn['problem']}."
            return {"warnings": (Caution(code="no_chart", text=text),)}
        spec = drawn["chart"].model_dump()
        chart = {**spec, "figure": drawn["figure"], "artifact": drawn["artifact"]}
        return {"chart": chart, "figures": (drawn["artifact"],), "warnings": ()}


def _root(error: StepFailed | CodeFailed) -> BaseException:
    return error.root if isinstance(error, StepFailed) else error


def _no_proposal(problems: str) -> QueryFailed:
    return QueryFailed(f"the model gave no usable proposal: {problems}")


def _read_as(keyword: str, value: str) -> str:
    return f"The glossary says that {keyword!r} means {value!r}."
