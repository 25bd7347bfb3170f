"""Tasks in the making: each is checked to be one that its agent can do, before it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.analysis.team import coding
from flows.analysis.team.queries.origin import extraction
from flows.analysis.team.queries.wide import Wide
from flows.data.tables import Table

SQL: Final = "DataProcessorSQLAgent"
PYTHON: Final = "PythonDataAgent"
MODEL: Final = "PythonModellingAgent"
PLOT: Final = "PlotlyVisualizerAgent"
INSIGHTS: Final = "InsightsGeneratorAgent"
RAG: Final = "RAGAgent"
GOAL: Final = "GoalAgent"

# Who does the work of an agent that is not there.
_INSTEAD: Final = {MODEL: (PYTHON,), PYTHON: (MODEL,)}


@dataclass(frozen=True, slots=True)
class Step:
    """A task without its number. `of` tells tasks about the same thing apart from others."""

    name: str
    description: str


@dataclass
class Steps:
    """The tasks of one question so far, and the table that they are about."""

    agents: Sequence[str]
    tables: Sequence[Table]
    steps: list[Step] = field(default_factory=list)
    data: Table | None = None
    skipped: list[str] = field(default_factory=list)

    def extract(self, wide: Wide, where: str = "", names: Sequence[str] = ()) -> bool:
        """Begin with a table; without an agent for SQL the others take the run's own."""
        if SQL not in self.agents:
            self.data = None
            return False
        kept = [each for each in dict.fromkeys(names) if each in wide.home]
        for text in (extraction(wide, where, kept), extraction(wide, "", kept)):
            if can_do(SQL, text, self.tables, None):
                self.steps.append(Step(SQL, text))
                columns = tuple(wide.of(each) for each in kept) or wide.table.columns
                self.data = wide.table.model_copy(update={"columns": columns})
                return True
            self.skipped.append(text)
        return False

    def add(self, name: str, *texts: str) -> bool:
        """Take the first of these descriptions that the agent can do, over the table at hand."""
        return self.over(self.data, name, *texts)

    def over(self, data: Table | None, name: str, *texts: str) -> bool:
        """The same over another table; None for the run's own."""
        agent = self._agent(name)
        if agent is None:
            return False
        for text in texts:
            if can_do(agent, text, self.tables, data):
                if not any(each.description == text for each in self.steps):
                    self.steps.append(Step(agent, text))
                return True
        self.skipped.extend(texts[:1])
        return False

    def insights(self, text: str) -> bool:
        """A task of insights, where there is something to have them of."""
        if INSIGHTS not in self.agents or not any(
            s.name in (SQL, PYTHON, MODEL) for s in self.steps
        ):
            return False
        self.steps.append(Step(INSIGHTS, text))
        return True

    def _agent(self, name: str) -> str | None:
        there = (name, *_INSTEAD.get(name, ()))
        return next((each for each in there if each in self.agents), None)


def can_do(agent: str, text: str, tables: Sequence[Table], data: Table | None) -> bool:
    """Whether the rules of an agent can read a task."""
    if agent == SQL:
        return bool(coding.sql({"task": text}, tables).get("sql"))
    given = {"task": text, "modelling": agent == MODEL, "data": data, "plan": ()}
    if agent == PLOT:
        return data is not None and bool(coding.chart(given, tables).get("code"))
    if agent in (PYTHON, MODEL):
        return bool(coding.code(given, tables).get("code"))
    return True
