"""What each task needs of those before it: the rows that its request is about, or its result."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler import result_columns
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.team.abilities import Team
from flows.analysis.team.goals.anaphora import refers
from flows.analysis.team.localization import localized
from flows.analysis.team.statement import columns_of_contrast, is_contrast
from flows.data.tables import Column, Table
from flows.semantics.findings import Task
from flows.semantics.model import SemanticModel
from flows.semantics.query import FieldRef, Query
from flows.semantics.request import Analysis, Chart, Request
from flows.semantics.tree import parts


def source_of(request: Request | None) -> Query | None:
    """The query whose rows or figures a request works on."""
    if isinstance(request, Chart):
        return source_of(request.of) if isinstance(request.of, Analysis) else request.of
    return request.over if isinstance(request, Analysis) else None


def columns_given(request: Request | None, model: SemanticModel) -> tuple[str, ...]:
    """The columns of what a request gives; none where they are not known before it ran."""
    if isinstance(request, Query):
        if is_contrast(request):
            return tuple(columns_of_contrast("duckdb"))
        return tuple(result_columns(request, model))
    return BY_NAME[request.method].needs if isinstance(request, Analysis) else ()


def missing_in(request: Request | None, columns: Sequence[str]) -> list[str]:
    """The fields that a request needs and a table of these columns does not have."""
    if not isinstance(request, Analysis | Chart):
        return []
    data = Table(source="", name="data", dialect="duckdb", rows=0, columns=tuple(
        Column(name=each, type="other", role="text", rows=0, missing=0, distinct=0)
        for each in columns
    ))  # fmt: skip
    named = [e.field for e in parts(localized(request, data)) if isinstance(e, FieldRef)]
    return [each for each in dict.fromkeys(named) if each not in columns]


def dependency_of(
    task: Task, before: Sequence[Task], team: Team, model: SemanticModel, tables: Sequence[Table]
) -> int | None:
    """The nearest earlier task that gives what a task needs; None for one that begins."""
    giving = [each for each in before if each.name in team.giving]
    if not giving or task.name == team.queries:
        return None
    if task.name == team.tells:
        return told_of(task, giving)
    if task.name == team.goals:
        return giving[-1].task_id if refers(task.description, tables) else None
    if task.asked is None:
        rows = [each for each in giving if each.name == team.queries]
        return (rows or giving)[-1].task_id if task.name in _working(team) else None
    fitting = [each for each in reversed(giving) if fits(task.asked, each.asked, model)]
    return fitting[0].task_id if fitting else None


def _working(team: Team) -> tuple[str, ...]:
    return team.computes, team.learns, team.draws


def fits(request: Request, given: Request | None, model: SemanticModel) -> bool:
    """Whether what another task gives is what a request works on."""
    source = source_of(request)
    if source is None or given is None:
        return False
    if source == given:
        return True
    if not isinstance(given, Query) or given.metrics or given.by:
        return False
    computed = isinstance(request, Analysis) and (source.metrics or source.by)
    same = source.dataset == given.dataset and not computed
    return bool(same) and not missing_in(request, columns_given(given, model))


def told_of(task: Task, giving: Sequence[Task]) -> int:
    """The result that insights are of: of the same request, else of a method that the words name,
    else the nearest that computes something, else the nearest at all."""
    if task.asked is not None:
        same = [each for each in giving if each.request == task.asked]
        if same:
            return same[-1].task_id
    named = [each for each in giving if _is_named(each.request, task.description)]
    computing = [each for each in giving if not is_rows(each.request)]
    return (named or computing or list(giving))[-1].task_id


def is_rows(request: Request | None) -> bool:
    """Whether a request brings rows as they are, and nothing computed of them."""
    return isinstance(request, Query) and not (request.metrics or request.by)


def _is_named(request: Request | None, text: str) -> bool:
    phrase = BY_NAME[request.method].cue.phrase("words") if isinstance(request, Analysis) else None
    return phrase is not None and bool(phrase.search(text))
