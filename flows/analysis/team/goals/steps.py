"""Tasks in the making: each is checked to be one that its agent can do, before it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flows.analysis.compiler import result_columns
from flows.analysis.team.abilities import Team
from flows.analysis.team.drawing import drawing_of
from flows.analysis.team.goals.builder import Restriction, rows
from flows.analysis.team.goals.proposals import proposals
from flows.analysis.team.goals.wide_table import Wide
from flows.analysis.team.localization import specified
from flows.analysis.team.results import profile_of
from flows.analysis.team.statement import statement
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Cast, Expression, FieldRef, Query
from flows.semantics.request import Analysis, Chart, Request


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task without its number: whose it is and what it asks for. A goal of its own has only
    words."""

    name: str
    request: Request | None
    words: str = ""


@dataclass
class Steps:
    """The tasks of one question so far, and the rows that they are about."""

    team: Team
    tables: Sequence[Table]
    model: SemanticModel
    steps: list[PlannedTask] = field(default_factory=list)
    data: Table | None = None

    def extract(
        self, wide: Wide, where: Sequence[Restriction] = (), names: Sequence[str] = ()
    ) -> bool:
        """Begin with rows; without an agent that queries the others take the run's own."""
        self.data = None
        for conditions in (where, ()):
            query = cleaned(rows(wide, names, conditions), self.model)
            if self.query(query):
                self.data = profile_of(query, self.tables, self.model)
                return True
        return False

    def query(self, asked: Query) -> bool:
        """Take a query that can be run."""
        if not self.team.queries:
            return False
        try:
            statement(asked, self.model, self.tables)
        except (ValueError, LookupError):
            return False
        return self._take(self.team.queries, asked)

    def compute(
        self, *asked: Analysis | None, learn: bool = False, over: Query | None = None
    ) -> bool:
        """Take the first of these analyses that can be made of the rows at hand, or of what a
        query gives."""
        agent = (self.team.learns or self.team.computes) if learn else (
            self.team.computes or self.team.learns
        )  # fmt: skip
        if not agent:
            return False
        data = self.data if over is None else profile_of(over, self.tables, self.model)
        for each in filter(None, asked):
            try:
                specified(each, data, self.tables, self.model)
            except ValueError:
                continue
            return self._take(agent, each)
        return False

    def draw(self, *asked: Chart, over: Query | None = None) -> bool:
        """Take the first of these charts that can be drawn of the rows at hand."""
        data = self.data if over is None else profile_of(over, self.tables, self.model)
        if not self.team.draws or data is None:
            return False
        for each in asked:
            try:
                drawing_of(each, data)
            except ValueError:
                continue
            return self._take(self.team.draws, each)
        return False

    def follow(self, asked: Analysis) -> bool:
        """Take what a method proposes to do next, on the same rows: a picture is drawn, and what
        computes is computed. Returns whether something was taken."""
        try:
            specification = specified(asked, self.data, self.tables, self.model)
        except ValueError:
            return False
        taken = [
            self.draw(each) if isinstance(each, Chart) else self.compute(each)
            for each in proposals(asked, specification)
        ]
        return any(taken)

    def tell(self, *methods: str) -> bool:
        """A task of insights on the last analysis by one of these methods, else on the last query
        of figures, else on the last result; where there is one."""
        if not self.team.tells:
            return False
        found = [e.request for e in self.steps if e.name in self.team.giving and e.request]
        of_methods: list[Request] = [
            each for each in found if isinstance(each, Analysis) and each.method in methods
        ]
        asked = of_methods or [each for each in found if not _is_rows(each)] or found
        if not asked:
            return False
        return self._take(self.team.tells, asked[0] if of_methods else asked[-1])

    def tell_of(self, asked: Request) -> bool:
        """A task of insights on what a request gives."""
        return bool(self.team.tells) and self._take(self.team.tells, asked)

    def columns(self, query: Query) -> list[str]:
        """The names of what a query gives."""
        return result_columns(query, self.model)

    def _take(self, agent: str, asked: Request) -> bool:
        step = PlannedTask(agent, asked)
        if step not in self.steps:
            self.steps.append(step)
        return True


def cleaned(query: Query, model: SemanticModel) -> Query:
    """Rows with their numbers as the model means them: plain rows are as they stand in the data,
    where money may be text and -99 stand for no value."""
    dataset = model.dataset(query.dataset)
    if not query.show and dataset is not None:
        every = tuple(FieldRef(dataset=dataset.name, field=each.name) for each in dataset.fields)
        if not any(_is_cleaned(each, model) for each in every):
            return query
        query = query.model_copy(update={"show": every})
    return query.model_copy(update={
        "show": tuple(Cast(of=each) if _is_cleaned(each, model) else each for each in query.show)
    })  # fmt: skip


def _is_cleaned(each: Expression, model: SemanticModel) -> bool:
    dataset = model.dataset(each.dataset) if isinstance(each, FieldRef) else None
    field = dataset.find(each.field) if dataset and isinstance(each, FieldRef) else None
    return field is not None and bool(field.cleaning) and field.type in ("integer", "real")


def _is_rows(asked: Request | None) -> bool:
    return isinstance(asked, Query) and not asked.metrics and not asked.by
