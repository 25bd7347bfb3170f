"""The summarizer: the report of a phase, whose numbers are those of its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from flows.analysis.prediction.work import Summarizing
from flows.core.flow import AtomicConfig, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.cite import CiteFlow
from flows.library.blocks.render import RenderConfig, RenderFlow
from flows.library.pipeline.agent import NEEDS, PROMPTS, remember
from flows.library.pipeline.reviewer import work_text
from flows.library.pipeline.state import PhaseState, StateChange


class PhaseSummarizerConfig(AgentChatConfig):
    """The keys of a summarizer."""

    description: str = "Writes the report of the phase."
    system_prompt: str = "summarizer.system.j2"
    human_prompt: str = "summarizer.human.j2"


class SummarizingInputs(Ports):
    """The phase when it is done, typed for rules and in words for a model. `references` are the
    tables that the report may cite, by the names of their artifacts."""

    given: Summarizing
    work: str = ""
    references: str = ""
    correction: str = ""


class SummarizerFlow(CompositeFlow):
    """Asks a model in the role `phase_summary` for a report in Markdown; a number in it that is a
    reference to a cell is put in, and one that nothing holds is said."""

    role: ClassVar[str] = "summarizer"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    Config: ClassVar[type[FlowConfig]] = PhaseSummarizerConfig
    Inputs: ClassVar[type[Ports]] = PhaseState
    Outputs: ClassVar[type[Ports]] = StateChange

    def __init__(self, config: PhaseSummarizerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(config, parts, "phase_summary", SummarizingInputs, prompts=PROMPTS)
        self.render = RenderFlow(RenderConfig(), Parts("render"))
        cite = AtomicConfig(description="Finds where the numbers come from.")
        self.cite = CiteFlow(cite, Parts("cite"))
        self.subflows = {each.name: each for each in (self.chat, self.render, self.cite)}

    def most_of(self, below: Mapping[str, float]) -> float:
        return below[self.chat.name]

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        given = Summarizing(
            phase=inputs.phase,
            title=inputs.title,
            task=inputs.task,
            steps=inputs.steps,
            work=inputs.work,
            changes=inputs.changes,
            scores=inputs.scores,
            train=inputs.profiles.get("train"),
            test=inputs.profiles.get("test"),
            made_tools=tuple(each.name for each in inputs.made_tools),
            questions=inputs.questions,
        )
        asked = {"given": given, "work": work_text(inputs), "references": _references(inputs)}
        run.reset(self.chat)
        reply = await run.call(self.chat, asked)
        rendered = await run.call(self.render, {"text": reply["api_output"]})
        if rendered["problem"]:
            run.notice(f"A reference of the report names no cell: {rendered['problem']}")
        known = " ".join(filter(None, (inputs.background, inputs.plan, work_text(inputs))))
        cited = await run.call(self.cite, {
            "answer": rendered["text"], "question": known, "cited": rendered["cited"],
        })  # fmt: skip
        report: str = cited["answer"]
        invented = [each.text for each in cited["citations"] if not each.traced]
        if invented:
            run.notice(f"Nothing that was found holds {', '.join(dict.fromkeys(invented))}.")
        return StateChange(memory=remember(self, inputs, self.role, report), report=report)


def _references(state: PhaseState) -> str:
    """The tables that may be cited, with their columns and first rows."""
    lines = []
    for outcome in state.work.outcomes:
        for name, table in outcome.made.items():
            if table.artifact is None:
                continue
            lines.append(f"{table.artifact} ({name}, {table.total_rows} rows): columns "
                         f"{', '.join(table.columns[:40])}")  # fmt: skip
            lines += [f"  [{place}] {row}" for place, row in enumerate(table.rows[:5])]
    return "\n".join(lines)
