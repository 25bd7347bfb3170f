"""The summary: what a turn came to, under the headings of an executive summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.conversation.summary import HEADINGS
from flows.core.chat import Finish
from flows.core.flow import AtomicConfig, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Preview
from flows.core.run import Run
from flows.data.answers.citations import Citation, Traced
from flows.library.blocks.cite import CiteFlow
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, cut_words
from flows.library.blocks.render import RenderConfig, RenderFlow
from flows.library.csv_chat.agent import ConversationAgentConfig, agent_chat
from flows.semantics.request import Request


class SummaryConfig(ConversationAgentConfig):
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
    """Asks a model in the role `executive_summary`. A text without one of the headings, and a
    reference that names no cell, go back to it."""

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "semantics": "semantics",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = SummaryConfig
    Inputs: ClassVar[type[Ports]] = ExecutiveSummaryInputs
    Outputs: ClassVar[type[Ports]] = ExecutiveSummaryOutputs

    def __init__(self, config: SummaryConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(config, parts, "executive_summary", _SummarizingInputs)
        self.render = RenderFlow(RenderConfig(), Parts("render"))
        cite = AtomicConfig(description="Finds where the numbers come from.")
        self.cite = CiteFlow(cite, Parts("cite"))
        self.subflows = {each.name: each for each in (self.chat, self.render, self.cite)}

    async def run(self, inputs: ExecutiveSummaryInputs, run: Run) -> ExecutiveSummaryOutputs:
        async def check(text: str) -> ExecutiveSummaryOutputs:
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
            return ExecutiveSummaryOutputs(
                summary=cited["answer"], citations=cited["citations"], traced=cited["traced"]
            )

        config: SummaryConfig = self.config
        return await propose(
            run, self.chat, inputs.__dict__, _read, check, corrections=config.turns - 1,
            speaker="The summary",
        )  # fmt: skip


def _read(text: str, finish: Finish) -> str:
    """The text of a reply that is whole. Errors: `ReplyProblem`."""
    if problem := cut_words(finish):
        raise ReplyProblem(problem)
    return text.strip()
