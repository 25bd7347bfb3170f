"""The controller's decision: the next command toward a goal, from what exists and what happened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.analysis.language.sentences import split_goal
from flows.analysis.loop.agenda import Note, kept, note_of, number, read_note, take_note
from flows.analysis.loop.agents import asks_analysis, asks_insights
from flows.analysis.loop.commands import (
    CommandOption,
    Commands,
    asks_outside,
    asks_overview,
    asks_search,
)
from flows.analysis.loop.composition import compose
from flows.analysis.loop.decision import Decision, criticism, plan_lines, with_remarks
from flows.analysis.loop.feedback import take_feedback
from flows.analysis.loop.goal import (
    GoalPart,
    Kind,
    Progress,
    call_key,
    observation_of,
    observe,
    same_words,
)
from flows.analysis.loop.own_commands import belong_together, take_answer
from flows.analysis.loop.selection import Selection
from flows.analysis.loop.step import LoopStep
from flows.analysis.methods.detection import ask_study
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Analysis, Chart


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
        selection = Selection(self.tables, self.commands, self.model)
        step = None if progress.stop else selection.next_step(progress)
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
            progress.parts = [GoalPart(text) for text in split_goal(str(inputs.get("goal", "")))]
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
        take_answer(progress, self.commands)
        progress.remarks.clear()
        progress.human = progress.unread = False
        take_feedback(progress, str(inputs.get("human_feedback") or ""), self.commands)

    def _replay(self, progress: Progress, reply: str) -> None:
        """Mark what an earlier reply asked, so that the next observation belongs to its part."""
        said = _command_of(reply)
        if said is None:
            return
        name, arguments = said
        progress.calls.add(call_key(name, arguments))
        command = self.commands.named(name)
        if command is None or command == self.commands.finish:
            return
        text = next((str(value) for value in arguments.values() if value), name)
        part = next(
            (p for p in progress.parts
             if p.status == "open" and same_words(text) in (same_words(p.text), p.how)), None
        )  # fmt: skip
        if part is None:
            part = GoalPart(text, origin="an earlier step")
            progress.insert_after_last(part)
        part.kind, part.request = self._kind_of(command), part.request or _request_of(reply)
        part.status, part.command, part.asked, part.tries = "asked", name, text, part.tries + 1
        progress.last = part

    def _kind_of(self, command: CommandOption) -> Kind:
        """What a part is that a command was chosen for."""
        kinds: tuple[tuple[CommandOption | None, Kind], ...] = (
            (self.commands.question, "question"),
            (self.commands.study, "study"),
            (self.commands.profile, "profile"),
        )
        known = next((kind for each, kind in kinds if each == command), None)
        if known is None and self.commands.is_agent(command):
            return "documents" if command == self.commands.documents else "agent"
        if known is None and command in self.commands.own:
            return "command"
        return known or ("search" if command.term else "describe")

    def _mark(self, progress: Progress, step: LoopStep) -> None:
        part = step.part
        part.status, part.command, part.tries = "asked", step.command.name, part.tries + 1
        part.asked = next((str(value) for value in step.arguments.values()), "")
        progress.last = part

    def _join_fragments(self, progress: Progress) -> None:
        """A part that is no question by itself goes on with the one before it."""
        joined: list[GoalPart] = []
        selection = Selection(self.tables, self.commands, self.model)
        for part in progress.parts:
            selection.understand(part)
            last = joined[-1] if joined else None
            if last is not None and not last.request and not self._stands_alone(part):
                both = GoalPart(f"{last.text.rstrip('?.!')}. {part.text}")
                selection.understand(both)
                if both.request is not None or belong_together(
                    last.text, part.text, both.text, self.commands
                ):
                    joined[-1] = both
                    continue
            joined.append(part)
        progress.parts = joined

    def _stands_alone(self, part: GoalPart) -> bool:
        known = part.request is not None
        return known or self._is_study(part.text) or _has_own_purpose(part.text)

    def _is_study(self, text: str) -> bool:
        return self.commands.study is not None and ask_study(text) is not None

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


def _answer_argument(command: CommandOption | None) -> str:
    if command is None or "answer" in command.arguments or not command.arguments:
        return "answer"
    return command.arguments[0]


def _has_own_purpose(text: str) -> bool:
    own = asks_insights(text) is not None or asks_analysis(text)
    return own or asks_search(text) or asks_overview(text) or asks_outside(text)


def _request_of(reply: str) -> Query | Analysis | Chart | None:
    """What an earlier reply's text was read as, where it says so."""
    given = json.loads(reply).get("request")
    found = None if given is None else REQUEST.validate_python(given)
    return found if isinstance(found, Query | Analysis | Chart) else None


def _command_of(reply: str) -> tuple[str, dict[str, Any]] | None:
    try:
        said = json.loads(reply)
    except json.JSONDecodeError:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("command"), str):
        return None
    arguments = said.get("command_args")
    return said["command"], dict(arguments) if isinstance(arguments, dict) else {}


def _decision(progress: Progress, step: LoopStep, correction: str) -> Decision:
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
