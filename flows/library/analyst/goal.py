"""A goal: broken down by a manager, worked on by a team, summarized. Also an agent of a team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from pydantic import Field

from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Caution
from flows.core.run import Run
from flows.errors import ConfigError
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs
from flows.library.analyst.team import TeamFlow
from flows.semantics.findings import Finding, OutputType, TaskResult, Told

MANAGER, TEAM, SUMMARIZER = "ManagerAgent", "Team", "SummarizerAgent"


class GoalConfig(AgentConfig):
    """The keys of a goal: its manager, team and summarizer are its subflows."""

    description: str = Field(
        default="Works on a goal that takes several tasks of its own, and sums up what they found.",
        description="what the flow is for, in a sentence",
    )


class GoalOutputs(AgentOutputs):
    """The finding, and what a report says beside it.

    `answered` is answered, partly or unanswered; `understood` how the goal was read.
    """

    summary: Told
    answered: str
    understood: str = ""
    results: tuple[TaskResult, ...] = ()
    changes: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


class GoalFlow(CompositeFlow):
    """Breaks a goal down, has the tasks done, and answers it from what was found.

    As an agent of a team it is a goal within a goal, with a team and a summarizer of its own.
    """

    required: ClassVar[tuple[str, ...]] = (MANAGER, TEAM, SUMMARIZER)
    gives: ClassVar[OutputType] = "goal"
    Config: ClassVar[type[FlowConfig]] = GoalConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = GoalOutputs

    def __init__(self, config: GoalConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.manager = self.subflows[MANAGER]
        team = self.subflows[TEAM]
        if not isinstance(team, TeamFlow):
            raise ConfigError(f"the subflow {TEAM!r} of {self.name} is no team")
        self.team = team
        self.summarizer = self.subflows[SUMMARIZER]

    def most_of(self, below: Mapping[str, float]) -> float:
        return sum(below.values())

    async def run(self, inputs: AgentInputs, run: Run) -> GoalOutputs:
        goal = inputs.task
        known = {"question": goal, "context": inputs.context}
        plan = await run.call(self.manager, {**known, "agents": self.team.described()})
        if not plan["tasks"]:
            return _unplanned(goal, plan["cannot"], plan["understood"])
        done = await run.call(self.team, {**known, "tasks": plan["tasks"]})
        told = await run.call_at_end(self.summarizer, {**known, "results": done["results"]})
        left = _open(plan["left_out"], done["results"])
        answered = told["answered"]
        if left and answered == "answered":
            answered = "partly"
        if not any(map(_has_found, done["results"])) and not inputs.context:
            answered = "unanswered"
        limits = tuple(dict.fromkeys((*left, *told["limits"])))
        if done["stopped"]:
            limits = (f"Not all tasks were done: {done['stopped']}.", *limits)
        changes = (*plan["changes"], *done["changes"])
        summary: Told = told["summary"]
        cautions = {
            each.text: each for result in done["results"] for each in result.finding.cautions
        }
        cautions |= {text: Caution(code=_OPEN, text=text) for text in left}
        finding = Finding(
            output_type="goal", response=summary.text, insights=(summary,),
            parts=done["results"], changes=changes, cautions=tuple(cautions.values()),
        )  # fmt: skip
        return GoalOutputs(
            observation=finding.observation(), finding=finding, summary=summary,
            answered=answered, understood=plan["understood"], results=done["results"],
            changes=changes, limits=tuple(limits),
        )  # fmt: skip


_OPEN: Final = "partly"


def _open(left_out: Sequence[str], results: Sequence[TaskResult]) -> list[str]:
    """What keeps a goal from being answered whole: words that no task stands for, tasks that
    failed or found no rows, goals of which a part stayed open."""
    said = [f"Not understood and left out: {', '.join(left_out)}."] if left_out else []
    for each in results:
        table, about = each.finding.table, each.task.description.rstrip(".")
        if each.status == "failed":
            said.append(f"Not done: {about}.")
        elif table is not None and table.columns and not table.total_rows:
            said.append(f"No rows were found: {about}.")
        said += [one.text for one in each.finding.cautions if one.code == _OPEN]
    return list(dict.fromkeys(said))


def _has_found(each: TaskResult) -> bool:
    table = each.finding.table
    return each.status == "done" and (table is None or bool(table.total_rows))


def _unplanned(goal: str, why: str, understood: str) -> GoalOutputs:
    """The outputs where the manager saw nothing that could be done."""
    text = why or "No task was found that would help to answer it."
    told = Caution(code=_OPEN, text=f"Not answered: {goal.rstrip('.?! ')}.")
    finding = Finding(output_type="goal", response=text, cautions=(told,))
    return GoalOutputs(
        observation=finding.observation(), finding=finding, summary=Told(text=text),
        answered="unanswered", understood=understood,
    )  # fmt: skip
