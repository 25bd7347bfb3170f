"""What each task needs of those before it: columns, or what another one has found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.language.words import root
from flows.analysis.methods.catalog import BY_NAME as BY_KIND
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.team.goals.entries import Entry
from flows.analysis.team.goals.referring import refers
from flows.analysis.team.goals.steps import GOAL, INSIGHTS, MODEL, PLOT, PYTHON, RAG, SQL
from flows.analysis.team.queries.planned import result_of
from flows.analysis.team.queries.wording import names_in
from flows.data.tables import Table

# What a task is about, by words that also tell which result insights are of.
_TOPICS: Final[tuple[tuple[str, str], ...]] = (
    ("correlation", r"correlat\w*|heat ?map"),
    ("forecast", r"forecast\w*|predict what|next (?:\w+ )?(?:day|week|month|quarter|year)s?"),
    ("growth", r"growth|grow\w*|trend\w*|develop\w*|chang\w*|over time"),
    ("comparison", r"compar\w*|sets? .* apart|other rows|for each"),
    ("test", r"\btest\w*|significan\w*|differ\w*"),
    ("outliers", r"outlier\w*|anomal\w*|unusual"),
    ("clusters", r"cluster\w*|segment\w*"),
    ("summary", r"summary statistics|notable|spread|descri\w* statistics"),
    ("model", r"\bmodel\w*|regression|classif\w*|importan\w*|key drivers"),
    ("ranking", r"highest first|best and worst|rank\w*|for each"),
)
_BASED: Final = re.compile(
    r"\bbased on (?:the )?(?P<what>[^.?!]*?)(?=\W*$|[.?!;,]|"
    r" (?:generate|give|provide|derive|describe|explain|tell|write|draw|to)\b)",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\b(?:result|output|data|table) of task (?P<n>\d+)\b", re.IGNORECASE)
_ALL: Final = re.compile(r"\ball (?:the |other )*(?:numeric\w*|columns|features|data)", re.I)


@dataclass(frozen=True)
class Made:
    """What a task gives: the columns of its table (empty: not known), and whether rows of the data
    stand in it or what was computed of them."""

    columns: frozenset[str]
    table: Table | None
    raw: bool


def assigned(tasks: Sequence[Entry], tables: Sequence[Table]) -> list[Entry]:
    """The tasks with the dependency of each."""
    found: list[Entry] = []
    for task in tasks:
        found.append(
            task.model_copy(update={"data_dependency": dependency_of(task, found, tables)})
        )
    return found


def dependency_of(task: Entry, before: Sequence[Entry], tables: Sequence[Table]) -> int | None:
    """The nearest earlier task that gives what a task needs; None for one that begins."""
    giving = [each for each in before if gives_data(each)]
    if task.name in (SQL, RAG) or not giving:
        return None
    if named := _NUMBERED.search(task.description):
        wanted = int(named["n"])
        if any(each.task_id == wanted for each in giving):
            return wanted
    if task.name == INSIGHTS:
        return _told_of(task, giving)
    if task.name == GOAL:
        return giving[-1].task_id if refers(task.description, tables) else None
    fitting = [each for each in reversed(giving) if fits(task, each, tables)]
    if fitting:
        return fitting[0].task_id
    return None


def gives_data(task: Entry) -> bool:
    """Whether another task can work on what a task gives."""
    return task.name in (SQL, PYTHON, MODEL) or task.name not in (PLOT, INSIGHTS, RAG)


def made_by(task: Entry, tables: Sequence[Table]) -> Made:
    """What is known of a task's result before it runs."""
    if task.name == SQL:
        table = result_of(task.description, tables)
        names = frozenset(c.name for c in table.columns) if table else frozenset(
            names_in(task.description)
        )  # fmt: skip
        return Made(names, table, _is_raw(task.description))
    study = read_study(task.description, tables)
    needs = BY_KIND[study.kind].needs if isinstance(study, Study) else ()
    return Made(frozenset(needs), None, raw=False)


def _is_raw(text: str) -> bool:
    """Whether a query brings rows as they are, and not groups of them."""
    return bool(re.match(r"\s*(?:extract|select|fetch|load|get|retrieve)\b", text, re.IGNORECASE))


def fits(task: Entry, source: Entry, tables: Sequence[Table]) -> bool:
    """Whether the result of a task has the columns that another one names."""
    made = made_by(source, tables)
    named = column_names(task.description, tables, made.columns)
    wants_all = bool(_ALL.search(task.description))
    if wants_all and not made.raw:
        return False
    if made.table is None and source.name == SQL and not made.columns:
        return True  # nobody knows what it gives
    if named:
        return named <= made.columns
    if source.name in (PYTHON, MODEL):
        return task.name == PLOT and bool(
            topics_of(task.description) & topics_of(source.description)
        )
    return True


def column_names(
    text: str, tables: Sequence[Table], more: frozenset[str] = frozenset()
) -> frozenset[str]:
    """The columns that a description names: those of the data, or of a result."""
    known = {column.name for table in tables for column in table.columns} | more
    names = names_in(text)
    return frozenset(each for each in names if each in known or _like_a_name(each, tables))


def _like_a_name(name: str, tables: Sequence[Table]) -> bool:
    """Whether quoted text is a column's name, and neither a table nor a value."""
    values = {v.casefold() for t in tables for c in t.columns if c.type == "text" for v in c.values}
    return (
        re.fullmatch(r"[^\W\d]\w*", name) is not None
        and name not in {each.name for each in tables}
        and name.casefold() not in values
    )


def topics_of(text: str) -> frozenset[str]:
    """What a description is about."""
    return frozenset(
        topic for topic, pattern in _TOPICS if re.search(rf"\b(?:{pattern})", text, re.IGNORECASE)
    )


def _told_of(task: Entry, giving: Sequence[Entry]) -> int:
    """The result that insights are of: the nearest that is about the same, else the nearest that
    computes something, else the nearest at all."""
    based = _BASED.search(task.description)
    for text in filter(None, (based and based["what"], task.description)):
        wanted = topics_of(text)
        scored = [(_shared(task, each, wanted), n) for n, each in enumerate(giving)]
        best = max(scored)
        if best[0] >= 1:
            return giving[best[1]].task_id
    computing = [each for each in giving if each.name != SQL or not _is_raw(each.description)]
    return (computing or list(giving))[-1].task_id


def _shared(task: Entry, source: Entry, wanted: frozenset[str]) -> float:
    """How much a result has to do with insights: the topic first, then the words."""
    if source.name == SQL and _is_raw(source.description):
        return 0.0
    topics = len(wanted & topics_of(source.description))
    words = _roots(task.description) & _roots(source.description)
    names = set(names_in(task.description)) & set(names_in(source.description))
    return topics + 0.02 * len(words) + 0.1 * len(names)


def _roots(text: str) -> frozenset[str]:
    return frozenset(root(word) for word in re.findall(r"[a-z]{4,}", text.casefold()))
