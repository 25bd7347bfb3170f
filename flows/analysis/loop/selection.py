"""The choice of the next call: for which part of a goal, by which command, asking what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.language.lexicon import OPERATION_WORDS
from flows.analysis.language.words import tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.schema import schema_of
from flows.analysis.loop.agents import agent_of, asks_analysis
from flows.analysis.loop.assignment import agent_step, analysis, by_agent, draw, from_documents
from flows.analysis.loop.commands import (
    CommandOption,
    Commands,
    asks_outside,
    asks_search,
    asks_who,
    search_term,
)
from flows.analysis.loop.decision import short, why_unread
from flows.analysis.loop.goal import GoalPart, Progress, same_words
from flows.analysis.loop.overview import asks_about_tables, asks_profile, profiled_tables
from flows.analysis.loop.own_commands import own_step, takes_values
from flows.analysis.loop.reference import refer
from flows.analysis.loop.step import LoopStep
from flows.analysis.methods.analyses import dataset_of
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.parser.exact import words
from flows.analysis.reading.reader import Unread, read
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart


@dataclass
class Selection:
    """Chooses calls over one set of tables and commands."""

    tables: tuple[Table, ...]
    commands: Commands
    model: SemanticModel

    def understand(self, part: GoalPart) -> Unread | None:
        """Read a part: what it asks of the tables, or why it asks nothing of them. What is known
        of it is not read again."""
        if part.request is not None:
            return None
        reading = read(part.text, self.tables, self.model)
        if isinstance(reading, Unread):
            return reading
        part.request, part.how = reading.query, reading.explanation
        return None

    def next_step(self, progress: Progress) -> LoopStep | None:
        """The next call that was not made yet; on the way, settle what nothing can answer."""
        retry = None if progress.human else self._retry(progress)
        if retry is not None:
            return retry
        while (part := progress.next_open()) is not None:
            known = part.settled
            step = self._settled(part, progress, "") if known else self._step_for(part, progress)
            if step is not None and not progress.was_called(step.command.name, step.arguments):
                return step
            if step is not None:
                _reuse(part, step, progress)
            if part.status == "open":
                part.status = "failed"
        return self._again(progress) if progress.unread else None

    def _again(self, progress: Progress) -> LoopStep | None:
        """The last answer once more, for a person who said what cannot be read: they see it and can
        say it in other words. None where nothing was answered yet."""
        part = progress.last_answered()
        if part is None or part.request is None:
            return None
        return self._settled(part, progress, "I show the last answer again, unchanged. ")

    def _retry(self, progress: Progress) -> LoopStep | None:
        """After an error: the same part once more, another way, if there is one."""
        part = progress.last
        if part is None or part.status != "failed" or part.tries != 1:
            return None
        if part.kind == "question":
            return self._in_other_words(part, progress)
        if part.kind == "agent":
            return self._by_hand(part, progress)
        if part.kind == "documents":
            return self._outside_of_documents(part, progress)
        if part.kind == "search":
            for command in self.commands.searches(part.text):
                arguments = {command.term or "": part.asked}
                if command.name != part.command and not progress.was_called(
                    command.name, arguments
                ):
                    return LoopStep(
                        part,
                        command,
                        arguments,
                        f"{part.command} did not help, so I try {command.name}.",
                        f"It said: {short(part.why)}",
                    )
        return None

    def _in_other_words(self, part: GoalPart, progress: Progress) -> LoopStep | None:
        command, request = self.commands.question, part.request
        if command is None or not isinstance(request, Query | Analysis):
            return None
        arguments = {"question": words(request, self.model)}
        if progress.was_called(command.name, arguments):
            return None
        thought = f"{part.command} answered with an error, so I ask the same in other words."
        return LoopStep(
            part, command, arguments, thought, f"The error was: {short(part.why)}", request
        )

    def _by_hand(self, part: GoalPart, progress: Progress) -> LoopStep | None:
        """After an agent could not do it: the same in Python, if the words say what to compute."""
        command, study = self.commands.study, read_study(part.text, self.tables, self.model)
        if command is None or not isinstance(study, Study):
            return None
        arguments, why = {"task": part.text}, f"It said: {short(part.why)}"
        part.kind, part.request = "study", study.request
        step = LoopStep(part, command, arguments, f"{part.command} could not do it.", why)
        return None if progress.was_called(command.name, arguments) else step

    def _outside_of_documents(self, part: GoalPart, progress: Progress) -> LoopStep | None:
        """After the documents said nothing: a search, if it reads like general knowledge."""
        if not asks_outside(part.text) or self._is_about_tables(part.text):
            return None
        step = self._search(part, part.text, self.commands.searches(part.text), "")
        known = step is None or progress.was_called(step.command.name, step.arguments)
        return None if known else step

    def _step_for(self, part: GoalPart, progress: Progress) -> LoopStep | None:
        forced = self.commands.named(part.forced) if part.forced else None
        if forced is not None and self.commands.is_agent(forced):
            part.kind = "agent"
            thought = f"You want {forced.name} for it."
            return LoopStep(part, forced, {"task": part.text}, thought, "You named the command.")
        why = part.why
        if forced is None and (step := agent_step(part, progress, self.commands)) is not None:
            return step
        if part.why != why:  # it is for an agent, and why that one cannot do it is said
            return None
        profiled = forced is None and self.commands.profile and asks_profile(part.text)
        if forced in (None, self.commands.study) and not profiled and not asks_search(part.text):
            step = self._study(part)
            if step is not None or forced is not None:
                return step
        text, said = refer(part, progress)
        if text is None:
            if (step := own_step(part, progress, self.commands)) or part.lacking:
                return step
            part.why = said
            return None
        if part.settled:
            return self._settled(part, progress, said)
        if forced in self.commands.own:
            return own_step(part, progress, self.commands)
        if forced is not None and forced.term:
            return self._search(part, text, [forced], said)
        if forced is None and asks_search(part.text):
            return self._search(part, text, self.commands.searches(text), said)
        if forced is not None and forced == self.commands.profile:
            return self._profile(part, forced)
        if forced is None and self.commands.profile and asks_profile(part.text):
            return self._profile(part, self.commands.profile)
        if (forced is not None and forced == self.commands.describe) or (
            forced is None and asks_about_tables(part.text, self.tables)
        ):
            own = (
                own_step(part, progress, self.commands)
                if takes_values(part, self.commands)
                else None
            )
            return own or self._describe(part)
        if text != part.text:  # no request about what it refers to could be made
            if (step := own_step(part, progress, self.commands)) or part.lacking:
                return step
            return self._outside(part, text, Unread("no table answers it"), said)
        unread = self.understand(part)
        if unread is not None:
            return self._without_query(part, progress, unread, said)
        return self._asked(part, part.text, said)

    def _settled(self, part: GoalPart, progress: Progress, said: str) -> LoopStep | None:
        """The call for a part whose request is known, whatever its text."""
        if isinstance(part.request, Chart):
            how = f"{said}It is a picture of what was asked before."
            return draw(part, part.request, progress, self.commands, how)
        return self._asked(part, words(part.request, self.model) if part.request else "", said)

    def _asked(self, part: GoalPart, text: str, said: str) -> LoopStep | None:
        """The question of a part, with the request that it was read as."""
        command, request = self.commands.question, part.request
        if command is None:
            part.why = "there is no command that asks the tables"
            return None
        assert isinstance(request, Query | Analysis)  # what was understood
        part.kind = "question"
        thought = f'"{part.text}" can be answered from the table {dataset_of(request)}.'
        reasoning = f"{said}I read it {'as' if part.settled else ''} {part.how}."
        return LoopStep(
            part, command, {"question": text}, thought, " ".join(reasoning.split()), request
        )

    def _without_query(
        self, part: GoalPart, progress: Progress, unread: Unread, said: str
    ) -> LoopStep | None:
        """The call for what no query answers, if there is one."""
        study = read_study(part.text, self.tables, self.model) if self.commands.study else None
        broad = asks_analysis(part.text) and self._is_about_tables(part.text)
        if broad and (step := analysis(part, self.commands, part.text)):
            return step
        if (step := own_step(part, progress, self.commands)) or part.lacking:
            return step  # where an argument is missing, the part's `why` says so
        if isinstance(study, Unread):  # it asks for a study, and says why it is none
            part.unread, part.why = True, why_unread(study)
            return None
        return self._outside(part, part.text, unread, said)

    def _study(self, part: GoalPart) -> LoopStep | None:
        """Python for what SQL is not enough for; None for what is no such request, or unread."""
        command = self.commands.study
        study = read_study(part.text, self.tables, self.model)
        if not isinstance(study, Study):
            if isinstance(study, Unread) and command is not None:
                part.why = why_unread(study)
            return None
        how, request = f"I read it {study.explanation}.", study.request
        agent = agent_of(study, part.text)
        if agent is not None:
            part.how = words(request, self.model)
            if step := by_agent(part, self.commands, agent, part.text, how, request):
                return step
        if command is None:
            return None
        part.kind, part.request = "study", request
        thought = f'"{part.text}" needs more than one query over the table {study.table.name}.'
        return LoopStep(part, command, {"task": part.text}, thought, how, part.request)

    def _profile(self, part: GoalPart, command: CommandOption) -> LoopStep:
        part.kind = "profile"
        named = profiled_tables(part.text, self.tables)
        one = named[0].name if len(named) == 1 and len(self.tables) > 1 else ""
        arguments = {name: one for name in command.arguments if name == "table" and one}
        thought = f'"{part.text}" asks how the data is, in full.'
        return LoopStep(part, command, arguments, thought, "A profile says it of each column.")

    def _describe(self, part: GoalPart) -> LoopStep | None:
        command = self.commands.describe
        if command is None:
            part.why = "there is no command that describes the data"
            return None
        part.kind = "describe"
        arguments = {name: "" for name in command.arguments if name == "question"}
        return LoopStep(
            part,
            command,
            arguments,
            f'"{part.text}" asks what the data holds.',
            f"The command {command.name} gives the overview of the sources.",
        )

    def _outside(self, part: GoalPart, text: str, unread: Unread, said: str) -> LoopStep | None:
        """What no table answers is searched for, if it reads like general knowledge."""
        part.unread, part.why = True, why_unread(unread)
        why = f'No table answers "{part.text}", so I ask the documents.'
        if part.tries == 0 and (step := from_documents(part, self.commands, text, why)):
            return step
        if not self._is_general(text) or self._is_about_tables(text):
            return None
        step = self._search(part, text, self.commands.searches(text), said)
        if step is None:
            part.why += ", and there is no command that searches outside of them"
        return step

    def _is_general(self, text: str) -> bool:
        """Whether a question reads like one of general knowledge. Without a table the bar is
        lower, and without a command for tables either there is nothing but a search."""
        if asks_outside(text) or self.tables:
            return asks_outside(text)
        return self.commands.question is None or asks_who(text)

    def _is_about_tables(self, text: str) -> bool:
        """Whether a question is about the tables after all, although it could not be read."""
        tokens = tokenize(text)
        ranks = any(t.lower in OPERATION_WORDS for t in tokens)
        for table in self.tables:
            links = link(tokens, schema_of(table), prefer_table=False)
            named = sum(each.kind in ("column", "table") and each.score >= 0.6 for each in links)
            if named >= 2 or (named and ranks):
                return True
        return False

    def _search(
        self, part: GoalPart, text: str, found: Sequence[CommandOption], said: str
    ) -> LoopStep | None:
        part.kind = "search"
        term = search_term(text)
        if not found or not term:
            part.why = part.why or "there is no command that searches outside the data"
            return None
        command = found[0]
        thought = f'"{part.text}" needs knowledge that the tables do not hold.'
        return LoopStep(
            part,
            command,
            {command.term or "": term},
            thought,
            f'{said}I search for "{term}" with {command.name}.',
        )


def _reuse(part: GoalPart, step: LoopStep, progress: Progress) -> None:
    """The same call was made for another part: its result serves both."""
    asked = next((str(value) for value in step.arguments.values()), "")
    for other in progress.parts:
        if (
            other is not part
            and other.command == step.command.name
            and same_words(other.asked) == same_words(asked)
            and other.status == "done"
        ):
            part.result, part.shared = other.result, other.shared or other.id
            # One overview serves several questions about the tables, each with its own answer.
            part.status = "done" if part.kind == "describe" else "replaced"
            return
    part.why = part.why or "the same was asked before, without success"
