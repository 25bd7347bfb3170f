"""The reviewer: how well each agent of a phase has done, and what should be done otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from flows.analysis.prediction.work import AgentScore, Reviewing
from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.reply import Reply
from flows.core.run import Run
from flows.data.tables import Table
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.pipeline.agent import NEEDS, PROMPTS, remember
from flows.library.pipeline.state import PhaseState, StateChange

_NOT_SCORED = frozenset({"reviewer", "summarizer"})


class ReviewerConfig(AgentChatConfig):
    """The keys of a reviewer."""

    description: str = "Scores each agent of the phase, with reasons, and suggests what to change."
    system_prompt: str = "reviewer.system.j2"
    human_prompt: str = "reviewer.human.j2"


class ReviewingInputs(Ports):
    """The phase as it stands, typed for rules and in words for a model."""

    given: Reviewing
    title: str
    work: str = ""
    correction: str = ""


class ReviewerReply(Reply):
    """A score for each agent that is asked about."""

    scores: tuple[AgentScore, ...]


class ReviewerFlow(CompositeFlow):
    """Asks a model in the role `phase_review` for a score of each agent before it."""

    role: ClassVar[str] = "reviewer"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = ReviewerConfig
    Inputs: ClassVar[type[Ports]] = PhaseState
    Outputs: ClassVar[type[Ports]] = StateChange

    def __init__(self, config: ReviewerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(
            config, parts, "phase_review", ReviewingInputs, ReviewerReply, prompts=PROMPTS
        )
        self.subflows = {self.chat.name: self.chat}

    def most_of(self, below: Mapping[str, float]) -> float:
        turns: int = self.config.turns
        return turns * below[self.chat.name]

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        agents = tuple(each for each in inputs.agents if each not in _NOT_SCORED)
        given = Reviewing(
            phase=inputs.phase,
            agents=agents,
            task=inputs.task,
            task_problems=inputs.task_problems,
            steps=inputs.steps,
            plan=inputs.plan,
            work=inputs.work,
            train=inputs.profiles.get("train"),
            test=inputs.profiles.get("test"),
            train_before=inputs.before.get("train"),
            made_tools=tuple(each.name for each in inputs.made_tools),
            rules=inputs.rules,
            experience=inputs.experience,
        )

        async def check(reply: ReviewerReply) -> tuple[AgentScore, ...]:
            scored = [each.agent for each in reply.scores]
            if sorted(scored) != sorted(agents):
                raise ReplyProblem(f'"scores" must have one score of each of {", ".join(agents)}')
            return reply.scores

        asked = {"given": given, "title": inputs.title, "work": work_text(inputs)}
        scores = await propose(
            run, self.chat, asked, _read, check, corrections=self.config.turns - 1,
            speaker="The reviewer's reply",
        )  # fmt: skip
        told = "\n".join(
            f"{each.agent}: {each.score:g} of 5. {' '.join(each.reasons)} {each.suggestion}".strip()
            for each in scores
        )
        suggestion = " ".join(each.suggestion for each in scores if each.suggestion)
        memory = remember(self, inputs, self.role, told, history=(told,), suggestion=suggestion)
        return StateChange(memory=memory, scores=scores)


def work_text(state: PhaseState) -> str:
    """What was done, in words: the tables, the plan, each step with what came of it, the tests."""
    lines = [_table_text(each) for each in (*state.before.values(), *state.profiles.values())]
    lines = [*dict.fromkeys(lines), state.plan]
    if state.task is not None:
        lines += [*state.task.reasons.values(), *state.task.doubts]
    for number, each in enumerate(state.work.outcomes, 1):
        lines.append(f"step {number} ({each.status}): {each.step.purpose} {each.error}".strip())
        lines += [f"  made {name}: {table.total_rows} rows, {len(table.columns)} columns"
                  for name, table in each.made.items()]  # fmt: skip
        lines += [f"  figure: {title}" for title in each.figures.values()]
    lines += [
        f"unit test {each.name}: {'passed' if each.passed else f'failed: {each.message}'}"
        for each in state.work.checks
    ]
    return "\n".join(filter(None, lines))


def _table_text(table: Table) -> str:
    return f"{table.name}: {table.rows} rows, {len(table.columns)} columns"


def _read(text: str, finish: Finish) -> ReviewerReply:
    return fit(ReviewerReply, read_object(text, finish))
