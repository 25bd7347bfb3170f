"""Giving a part of a goal to an agent of the team, with the result that it builds on."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.language.words import tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.schema import schema_of
from flows.analysis.loop.agents import Agent, asks_analysis, asks_insights, draws_result, is_result
from flows.analysis.loop.commands import CommandOption, Commands, asks_documents, asks_search
from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.loop.picture import chart_of, chart_of_ranking, chart_words, drawing_task
from flows.analysis.loop.reference import query_of, settle
from flows.analysis.loop.step import LoopStep
from flows.analysis.parser.exact import words
from flows.analysis.reading.reader import Reading, read
from flows.data.tables import Table
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart

_SURE = 0.6


def agent_step(part: GoalPart, progress: Progress, commands: Commands) -> LoopStep | None:
    """The call of an agent, if the words of the part ask for what one does; else None.

    Insights about something that no command has found yet put the question for it before the part.
    """
    if asks_documents(part.text) and not asks_search(part.text):
        why = f'"{part.text}" asks what the documents say.'
        if step := from_documents(part, commands, part.text, why):
            return step
    style = draws_result(part.text)
    if style is not None:
        return draw_result(part, progress, commands, style)
    topic = asks_insights(part.text)
    if topic is not None:
        return _insights(part, progress, commands, topic)
    if asks_analysis(part.text) and names_column(part.text, progress.tables):
        return analysis(part, commands, part.text)
    return None


def analysis(part: GoalPart, commands: Commands, text: str) -> LoopStep | None:
    """A team of its own for what takes several tasks."""
    command = commands.agent("analyse")
    if command is None:
        return None
    part.kind = "agent"
    return LoopStep(
        part, command, {"task": text},
        f'"{part.text}" takes more than one step.',
        "A team breaks it down, and sums up what its agents find.",
    )  # fmt: skip


def from_documents(part: GoalPart, commands: Commands, text: str, why: str) -> LoopStep | None:
    """A look into the run's documents, if it has any."""
    command = commands.documents
    if command is None:
        return None
    part.kind = "documents"
    return LoopStep(
        part, command, {"task": text}, why, f"{command.name} finds the passages for it."
    )


def by_agent(
    part: GoalPart,
    commands: Commands,
    agent: Agent,
    text: str,
    how: str,
    request: Analysis | Chart | None = None,
) -> LoopStep | None:
    """One task for one agent, over the tables."""
    command = commands.agent(agent)
    if command is None:
        return None
    part.kind, part.request = "agent", request
    thought = f'"{part.text}" is work for {command.name}.'
    return LoopStep(part, command, {"task": text}, thought, how, request)


def names_column(text: str, tables: Sequence[Table]) -> bool:
    """Whether a text names a column of the tables."""
    tokens = tokenize(text)
    for table in tables:
        links = link(tokens, schema_of(table), prefer_table=False)
        if any(each.kind == "column" and each.score >= _SURE for each in links):
            return True
    return False


def draw_result(
    part: GoalPart, progress: Progress, commands: Commands, style: str
) -> LoopStep | None:
    """The result before, as a chart: of its columns, or of the groups of which it names one."""
    command, before = commands.agent("chart"), progress.last_table(part)
    if command is None or before is None:
        return None
    table = before.result.table if before.result is not None else None
    assert table is not None  # `last_table` looks for these alone
    query = query_of(before)
    if (chart := chart_of(table, query, style)) is not None:
        part.request, part.how = chart, chart_words(chart, table)
        return _on_result(part, command, before, drawing_task(part.how), chart)
    every = chart_of_ranking(query, style) if query is not None else None
    if every is not None:
        return draw(part, every, progress, commands, "The result is only the first of them; all of "
                                                     "them are drawn.")  # fmt: skip
    part.why = "there is nothing to draw in the result before it"
    return None


def draw(
    part: GoalPart, chart: Chart, progress: Progress, commands: Commands, how: str
) -> LoopStep | None:
    """The chart of a request, over the tables."""
    before = progress.last_table(part)
    if before is not None and before.request == chart.of and part.settled:
        part.settled = False
        return draw_result(part, progress, commands, chart.type)
    command = commands.agent("chart") or commands.study
    if command is None:
        part.why = "there is no command that draws"
        return None
    part.kind = "agent" if commands.is_agent(command) else "study"
    part.request, part.how = chart, words(chart, progress.model)
    thought = f'"{part.text}" is work for {command.name}.'
    return LoopStep(part, command, {"task": drawing_task(part.how)}, thought, how, chart)


def _insights(
    part: GoalPart, progress: Progress, commands: Commands, topic: str
) -> LoopStep | None:
    """Insights about the result before, about what a question finds first, or about it all."""
    command, before = commands.agent("insights"), progress.last_table(part)
    if command is None:
        return analysis(part, commands, part.text)
    if topic and is_result(topic) and before is None and progress.parts[0] is not part:
        part.why = "there is no result before it"
        return None
    found = part.prepared and progress.parts[progress.parts.index(part) - 1] is before
    if before is not None and (is_result(topic) or found):
        return _on_result(part, command, before, f"{part.text.rstrip('.!')}: {before.asked}")
    request = None if part.prepared else _asked_by(topic, progress)
    if request is None or commands.question is None:
        return analysis(part, commands, part.text) or by_agent(
            part, commands, "insights", part.text, "It looks at the tables as they are."
        )
    part.prepared = True
    first = GoalPart("", origin=part.origin, kind="question")
    settle(first, request, progress.model)
    first.text = first.how
    progress.insert_before(part, first)
    return LoopStep(
        first, commands.question, {"question": first.text},
        f'"{part.text}" needs the figures first.', "A query gives the table that it is told of.",
        request,
    )  # fmt: skip


def _asked_by(topic: str, progress: Progress) -> Query | Analysis | None:
    """What a topic asks of the tables, if they answer it."""
    reading = read(topic, progress.tables, progress.model) if topic else None
    return reading.query if isinstance(reading, Reading) else None


def _on_result(
    part: GoalPart,
    command: CommandOption,
    before: GoalPart,
    task: str,
    request: Chart | None = None,
) -> LoopStep:
    """The call of an agent that works on the table that another part has found."""
    table = before.result.table if before.result is not None else None
    assert table is not None  # `last_table` looks for these alone
    part.kind = "agent"
    return LoopStep(
        part, command, {"task": task, "data": table.artifact},
        f'"{part.text}" builds on the result {table.artifact}.',
        f"{command.name} is given that result to work on.", request,
    )  # fmt: skip
