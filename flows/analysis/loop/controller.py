"""The controller's decision: the next command toward a goal, from what exists and what happened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.analysis.language.lexicon import OPERATION_WORDS
from flows.analysis.language.words import tokenize
from flows.analysis.linking.link import link
from flows.analysis.linking.schema import schema_of
from flows.analysis.loop.agenda import Note, kept, note_of, number, read_note, take_note
from flows.analysis.loop.agents import agent_of, asks_analysis, asks_insights
from flows.analysis.loop.assign import agent_step, analysis, by_agent, from_documents
from flows.analysis.loop.commands import (
    Command,
    Commands,
    asks_outside,
    asks_overview,
    asks_search,
    search_term,
)
from flows.analysis.loop.compose import compose
from flows.analysis.loop.decision import (
    Decision,
    criticism,
    plan_lines,
    short,
    why_unread,
    with_remarks,
)
from flows.analysis.loop.feedback import take_feedback
from flows.analysis.loop.goal import (
    Kind,
    Part,
    Progress,
    call_key,
    observation_of,
    observe,
    same_words,
)
from flows.analysis.loop.overview import asks_about_tables, asks_profile, profiled_tables
from flows.analysis.loop.refer import resolved
from flows.analysis.loop.split import split_goal
from flows.analysis.loop.step import Step
from flows.analysis.methods.ask import ask_study
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.requests.analyses import analysis_of, dataset_of, request_of
from flows.analysis.telling.wording import plan_words
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Analysis


@dataclass
class Controller:
    """Plays the controller over one set of tables and commands."""

    tables: tuple[Table, ...]
    commands: Commands
    model: SemanticModel

    def decide(
        self, inputs: Mapping[str, Any], turns: Sequence[tuple[Mapping[str, Any], str]]
    ) -> Decision:
        """The next decision. `turns` are the earlier inputs with the replies given to them."""
        progress = Progress([], self.tables, self.model)
        commands, goal = self.commands, str(inputs.get("goal", ""))
        notes = [read_note(reply) for _, reply in turns]
        goals = [note.goal for note in notes if note is not None and note.goal]
        holds = goals[-1:] == [goal]
        for (earlier, reply), note in zip(turns, notes, strict=True):
            self.commands = Commands.of(earlier["commands"]) if "commands" in earlier else commands
            if not (holds and self._remember(progress, earlier, reply, note)):
                self._begin(progress, inputs)
                self._hear(progress, earlier)
                self._replay(progress, reply)
                number(progress)
        self.commands = commands
        self._begin(progress, inputs)
        before = kept(progress) if holds else {}
        self._hear(progress, inputs)
        step = None if progress.stop else self._next_step(progress)
        correction = str(inputs.get("correction") or "")
        decision = (
            self._finish(progress, correction)
            if step is None
            else _decision(progress, step, correction)
        )
        if step is not None:
            self._mark(progress, step)
        return replace(decision, agenda=note_of(progress, goal, before))

    def _begin(self, progress: Progress, inputs: Mapping[str, Any]) -> None:
        """Split the goal into its parts, where nothing has done so."""
        if not progress.parts:
            progress.parts = [Part(text) for text in split_goal(str(inputs.get("goal", "")))]
            self._join_fragments(progress)
            number(progress)

    def _remember(
        self, progress: Progress, earlier: Mapping[str, Any], reply: str, note: Note | None
    ) -> bool:
        """Go by the note in an earlier reply; False where there is none, or not all before it."""
        said = _command_of(reply)
        if note is None or said is None:
            return False
        observe(progress, observation_of(earlier.get("observation")))
        return take_note(progress, note, *said)

    def _hear(self, progress: Progress, inputs: Mapping[str, Any]) -> None:
        observe(progress, observation_of(inputs.get("observation")))
        progress.remarks.clear()
        progress.human = False
        take_feedback(progress, str(inputs.get("human_feedback") or ""), self.commands)

    def _replay(self, progress: Progress, reply: str) -> None:
        """Mark what an earlier reply asked, so that the next observation belongs to its part."""
        said = _command_of(reply)
        if said is None:
            return
        name, arguments = said
        step = self._next_step(progress)
        progress.calls.add(call_key(name, arguments))
        if step is not None and step.command.name == name and step.arguments == arguments:
            self._mark(progress, step)
            return
        # Another model, or a window of the history: the call stands for a part of its own.
        text = next((str(value) for value in arguments.values() if value), name)
        command = self.commands.named(name)
        if command is None or command == self.commands.finish:
            return
        part = next((p for p in progress.parts if p.status == "open" and p.text == text), None)
        if part is None:
            part = Part(text, origin="an earlier step")
            progress.insert_after_last(part)
        part.kind = self._kind_of(command)
        part.status, part.command, part.asked = "asked", name, text
        progress.last = part

    def _kind_of(self, command: Command) -> Kind:
        """What a part is that a command was chosen for."""
        kinds: tuple[tuple[Command | None, Kind], ...] = (
            (self.commands.question, "question"),
            (self.commands.study, "study"),
            (self.commands.profile, "profile"),
        )
        known = next((kind for each, kind in kinds if each == command), None)
        if known is None and self.commands.is_agent(command):
            return "documents" if command == self.commands.documents else "agent"
        return known or ("search" if command.term else "describe")

    def _mark(self, progress: Progress, step: Step) -> None:
        part = step.part
        part.status, part.command, part.tries = "asked", step.command.name, part.tries + 1
        part.asked = next((str(value) for value in step.arguments.values()), "")
        progress.last = part

    def _join_fragments(self, progress: Progress) -> None:
        """A part that is no question by itself goes on with the one before it."""
        joined: list[Part] = []
        for part in progress.parts:
            self._understand(part)
            last = joined[-1] if joined else None
            if last is not None and not last.request and not self._stands_alone(part):
                both = Part(f"{last.text.rstrip('?.!')}. {part.text}")
                self._understand(both)
                if both.request is not None:
                    joined[-1] = both
                    continue
            joined.append(part)
        progress.parts = joined

    def _stands_alone(self, part: Part) -> bool:
        known = part.request is not None
        return known or self._is_study(part.text) or _has_own_purpose(part.text)

    def _understand(self, part: Part, text: str = "") -> Unread | None:
        """Read a part, or the text that stands for it: what it asks of the tables, or why it asks
        nothing of them. What is known of it is not read again."""
        if part.request is not None:
            return None
        reading = self._read(text or part.text)
        if isinstance(reading, Unread):
            return reading
        part.request, part.how = request_of(reading.plan, self.model), reading.explanation
        return None

    def _is_study(self, text: str) -> bool:
        return self.commands.study is not None and ask_study(text) is not None

    def _read(self, text: str) -> Reading | Unread:
        return read(text, self.tables)

    # --- choosing ------------------------------------------------------------------------------

    def _next_step(self, progress: Progress) -> Step | None:
        """The next call that was not made yet; on the way, settle what nothing can answer."""
        retry = None if progress.human else self._retry(progress)
        if retry is not None:
            return retry
        while (part := progress.next_open()) is not None:
            step = self._step_for(part, progress)
            if step is not None and not progress.was_called(step.command.name, step.arguments):
                return step
            if step is not None:
                _reuse(part, step, progress)
            if part.status == "open":
                part.status = "failed"
        return None

    def _retry(self, progress: Progress) -> Step | None:
        """After an error: the same part once more, another way, if there is one."""
        part = progress.last
        if part is None or part.status != "failed" or part.tries != 1:
            return None
        if part.kind == "question":
            reading = self._read(part.asked)
            command = self.commands.question
            if isinstance(reading, Unread) or command is None:
                return None
            again = plan_words(reading.plan)
            second = self._read(again)
            if isinstance(second, Unread) or second.plan.filters != reading.plan.filters:
                return None
            step = Step(
                part,
                command,
                {"question": again},
                f"{part.command} answered with an error, so I ask the same in other words.",
                f"The error was: {short(part.why)}",
            )
            return None if progress.was_called(command.name, step.arguments) else step
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
                    return Step(
                        part,
                        command,
                        arguments,
                        f"{part.command} did not help, so I try {command.name}.",
                        f"It said: {short(part.why)}",
                    )
        return None

    def _agent(self, part: Part, progress: Progress) -> Step | None:
        return agent_step(part, progress, self.commands)

    def _by_hand(self, part: Part, progress: Progress) -> Step | None:
        """After an agent could not do it: the same in Python, if the words say what to compute."""
        command, study = self.commands.study, read_study(part.text, self.tables)
        if command is None or not isinstance(study, Study):
            return None
        arguments, why = {"task": part.text}, f"It said: {short(part.why)}"
        part.kind, part.request = "study", analysis_of(study, self.model)
        step = Step(part, command, arguments, f"{part.command} could not do it.", why)
        return None if progress.was_called(command.name, arguments) else step

    def _outside_of_documents(self, part: Part, progress: Progress) -> Step | None:
        """After the documents said nothing: a search, if it reads like general knowledge."""
        if not asks_outside(part.text) or self._is_about_tables(part.text):
            return None
        step = self._search(part, part.text, self.commands.searches(part.text), "")
        known = step is None or progress.was_called(step.command.name, step.arguments)
        return None if known else step

    def _step_for(self, part: Part, progress: Progress) -> Step | None:
        forced = self.commands.named(part.forced) if part.forced else None
        if forced is not None and self.commands.is_agent(forced):
            part.kind = "agent"
            thought = f"You want {forced.name} for it."
            return Step(part, forced, {"task": part.text}, thought, "You named the command.")
        why = part.why
        if forced is None and (step := self._agent(part, progress)) is not None:
            return step
        if part.why != why:  # it is for an agent, and why that one cannot do it is said
            return None
        profiled = forced is None and self.commands.profile and asks_profile(part.text)
        if forced in (None, self.commands.study) and not profiled and not asks_search(part.text):
            step = self._study(part, part.text, "")
            if step is not None or forced is not None:
                return step
        text, said = resolved(part, progress)
        if text is None:
            part.why = said
            return None
        if forced is not None and forced.term:
            return self._search(part, text, [forced], said)
        if forced is None and asks_search(text):
            return self._search(part, text, self.commands.searches(text), said)
        if forced is not None and forced == self.commands.profile:
            return self._profile(part, forced)
        if forced is None and self.commands.profile and asks_profile(text):
            return self._profile(part, self.commands.profile)
        if forced is None and text != part.text and (step := self._study(part, text, said)):
            return step
        if (forced is not None and forced == self.commands.describe) or (
            forced is None and asks_about_tables(text, self.tables)
        ):
            return self._describe(part)
        if text != part.text:
            part.request = None
        unread = self._understand(part, text)
        if unread is not None:
            return self._without_query(part, text, unread, said)
        command, request = self.commands.question, part.request
        if command is None:
            part.why = "there is no command that asks the tables"
            return None
        assert isinstance(request, Query | Analysis)  # what was understood
        part.kind = "question"
        thought = f'"{part.text}" can be answered from the table {dataset_of(request)}.'
        reasoning = f"{said}I read it {part.how}."
        return Step(part, command, {"question": text}, thought, reasoning, request)

    def _without_query(self, part: Part, text: str, unread: Unread, said: str) -> Step | None:
        """The call for what no query answers, if there is one."""
        study = read_study(text, self.tables) if self.commands.study else None
        broad = asks_analysis(text) and self._is_about_tables(text)
        if broad and (step := analysis(part, self.commands, text)):
            return step
        if isinstance(study, Unread):  # it asks for a study, and says why it is none
            part.unread, part.why = True, why_unread(study)
            return None
        return self._outside(part, text, unread, said)

    def _study(self, part: Part, text: str, said: str) -> Step | None:
        """Python for what SQL is not enough for; None for what is no such request, or unread."""
        command = self.commands.study
        study = read_study(text, self.tables)
        if not isinstance(study, Study):
            if isinstance(study, Unread) and command is not None:
                part.why = why_unread(study)
            return None
        how = f"{said}I read it {study.explanation}."
        agent = agent_of(study, text)
        if agent is not None and (step := by_agent(part, self.commands, agent, text, how)):
            return step
        if command is None:
            return None
        part.kind, part.request = "study", analysis_of(study, self.model)
        thought = f'"{part.text}" needs more than one query over the table {study.table.name}.'
        return Step(part, command, {"task": text}, thought, how, part.request)

    def _profile(self, part: Part, command: Command) -> Step:
        part.kind = "profile"
        named = profiled_tables(part.text, self.tables)
        one = named[0].name if len(named) == 1 and len(self.tables) > 1 else ""
        arguments = {name: one for name in command.arguments if name == "table" and one}
        thought = f'"{part.text}" asks how the data is, in full.'
        return Step(part, command, arguments, thought, "A profile says it of each column.")

    def _describe(self, part: Part) -> Step | None:
        command = self.commands.describe
        if command is None:
            part.why = "there is no command that describes the data"
            return None
        part.kind = "describe"
        arguments = {name: "" for name in command.arguments if name == "question"}
        return Step(
            part,
            command,
            arguments,
            f'"{part.text}" asks what the data holds.',
            f"The command {command.name} gives the overview of the sources.",
        )

    def _outside(self, part: Part, text: str, unread: Unread, said: str) -> Step | None:
        """What no table answers is searched for, if it reads like general knowledge."""
        part.unread, part.why = True, why_unread(unread)
        why = f'No table answers "{part.text}", so I ask the documents.'
        if part.tries == 0 and (step := from_documents(part, self.commands, text, why)):
            return step
        if not asks_outside(text) or self._is_about_tables(text):
            return None
        step = self._search(part, text, self.commands.searches(text), said)
        if step is None:
            part.why += ", and there is no command that searches outside of them"
        return step

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

    def _search(self, part: Part, text: str, found: Sequence[Command], said: str) -> Step | None:
        part.kind = "search"
        term = search_term(text)
        if not found or not term:
            part.why = part.why or "there is no command that searches outside the data"
            return None
        command = found[0]
        thought = f'"{part.text}" needs knowledge that the tables do not hold.'
        return Step(
            part,
            command,
            {command.term or "": term},
            thought,
            f'{said}I search for "{term}" with {command.name}.',
        )

    # --- ending --------------------------------------------------------------------------------

    def _finish(self, progress: Progress, correction: str) -> Decision:
        command = self.commands.finish
        argument = _answer_argument(command)
        said = compose(progress)
        # A finish command of another shape may not know references.
        cited = argument == "answer"
        answer = compose(progress, cited=cited)
        left = [part for part in progress.parts if part.status not in ("done", "replaced")]
        thought = (
            "You asked me to stop, so I give what there is."
            if progress.stop
            else "Every part is dealt with."
        )
        if left and not progress.stop:
            thought = (
                f"Nothing that I can still do would answer the {len(left)} parts that are left."
                if len(left) > 1
                else f'Nothing that I can still do would answer "{left[0].text}".'
            )
        return Decision(
            thought=with_remarks(progress, thought),
            reasoning="The answer is put together from the cells and texts that the commands "
                      "gave back.",
            plan=plan_lines(progress, None), criticism=criticism(progress, correction),
            speak=said,
            command=command.name if command else "finish",
            command_args={argument: answer},
        )  # fmt: skip


def _answer_argument(command: Command | None) -> str:
    if command is None or "answer" in command.arguments or not command.arguments:
        return "answer"
    return command.arguments[0]


def _has_own_purpose(text: str) -> bool:
    own = asks_insights(text) is not None or asks_analysis(text)
    return own or asks_search(text) or asks_overview(text) or asks_outside(text)


def _reuse(part: Part, step: Step, progress: Progress) -> None:
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


def _command_of(reply: str) -> tuple[str, dict[str, Any]] | None:
    try:
        said = json.loads(reply)
    except json.JSONDecodeError:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("command"), str):
        return None
    arguments = said.get("command_args")
    return said["command"], dict(arguments) if isinstance(arguments, dict) else {}


def _decision(progress: Progress, step: Step, correction: str) -> Decision:
    asked = next((str(value) for value in step.arguments.values() if value), step.command.name)
    speak = (
        f"{step.command.name}: {asked}"
        if asked != step.command.name
        else f"I call {step.command.name}."
    )
    return Decision(
        thought=with_remarks(progress, step.thought), reasoning=step.reasoning,
        plan=plan_lines(progress, step.part), criticism=criticism(progress, correction),
        speak=with_remarks(progress, speak), command=step.command.name,
        command_args=step.arguments, request=step.request,
    )  # fmt: skip
