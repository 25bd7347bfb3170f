"""The summary: what a turn came to, under the headings of an executive summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.conversation.summary import HEADINGS
from flows.core.chat import Finish
from flows.core.flow import AtomicConfig, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Preview
from flows.core.run import Run
from flows.data.answers.citations import Citation, Traced
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.cite import CiteFlow
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, cut_words
from flows.library.blocks.render import RenderConfig, RenderFlow
from flows.library.csv_chat.agent import OVER_DATA, PROMPTS
from flows.semantics.request import Request


class SummaryConfig(AgentChatConfig):
    """The keys of a summary."""

    description: str = Field(
        default="Summarizes what was found.", description="what the flow is for, in a sentence"
    )
    system_prompt: str = "executive_summary.system.j2"
    human_prompt: str = "executive_summary.human.j2"


class TaskAnswer(BaseModel):
    """A task of a turn with what it came to: as the analyst answered it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str
    status: str
    answer: str = ""
    confidence: float | None = None
    request: Request | None = None
    table: Preview | None = None
    sql: str | None = None
    code: str | None = None
    figures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ExecutiveSummaryInputs(Ports):
    """The question of the turn, and what its tasks came to, in their order."""

    session_id: str = ""
    question: str
    answers: tuple[TaskAnswer, ...]


class _SummarizingInputs(ExecutiveSummaryInputs):
    correction: str = ""


class ExecutiveSummaryOutputs(Ports):
    """The summary in Markdown, and where each of its numbers comes from."""

    summary: str
    citations: tuple[Citation, ...] = ()
    traced: Traced | None = None


class SummaryFlow(CompositeFlow):
    """Asks a model in the role `executive_summary`. A text without one of the headings, a reference
    that names no cell, and a number that no result holds go back to it; of a number that is still
    there the last time, `citations` say that nothing holds it."""

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "semantics": "semantics",
    }  # fmt: skip
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = SummaryConfig
    Inputs: ClassVar[type[Ports]] = ExecutiveSummaryInputs
    Outputs: ClassVar[type[Ports]] = ExecutiveSummaryOutputs

    def __init__(self, config: SummaryConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(
            config,
            parts,
            "executive_summary",
            _SummarizingInputs,
            prompts=PROMPTS,
            context=OVER_DATA,
        )
        self.render = RenderFlow(RenderConfig(), Parts("render"))
        cite = AtomicConfig(description="Finds where the numbers come from.")
        self.cite = CiteFlow(cite, Parts("cite"))
        self.subflows = {each.name: each for each in (self.chat, self.render, self.cite)}

    def most_of(self, below: Mapping[str, float]) -> float:
        turns: int = self.config.turns
        return turns * below[self.chat.name]

    async def run(self, inputs: ExecutiveSummaryInputs, run: Run) -> ExecutiveSummaryOutputs:
        left = self.config.turns

        async def check(text: str) -> ExecutiveSummaryOutputs:
            nonlocal left
            left -= 1
            missing = [each for each in HEADINGS if each not in text]
            if missing:
                raise ReplyProblem(f"these headings are missing: {', '.join(missing)}")
            rendered = await run.call(self.render, {"text": text})
            if rendered["problem"]:
                raise ReplyProblem(rendered["problem"])
            given = {"answer": rendered["text"], "question": inputs.question,
                     "cited": rendered["cited"]}  # fmt: skip
            among = [each.table.artifact for each in inputs.answers
                     if each.table is not None and each.table.artifact]  # fmt: skip
            cited = await run.call(self.cite, {**given, "among": tuple(among)})
            loose = _untraced(cited["answer"], cited["citations"])
            if loose and left:
                raise ReplyProblem(f"no result holds these numbers: {', '.join(loose)}")
            return ExecutiveSummaryOutputs(
                summary=cited["answer"], citations=cited["citations"], traced=cited["traced"]
            )

        config: SummaryConfig = self.config
        return await propose(
            run, self.chat, inputs.__dict__, _read, check, corrections=config.turns - 1,
            speaker="The summary",
        )  # fmt: skip


def _untraced(text: str, citations: Sequence[Citation]) -> list[str]:
    """The numbers of findings, results and recommendations that nothing holds."""
    first, last = text.index(HEADINGS[1]), text.index(HEADINGS[-1])
    found = [each for each in citations if first <= each.start < last and not each.traced]
    return list(dict.fromkeys(each.text for each in found))


def _read(text: str, finish: Finish) -> str:
    """The text of a reply that is whole. Errors: `ReplyProblem`."""
    if problem := cut_words(finish):
        raise ReplyProblem(problem)
    return text.strip()
