"""Commands that a run file adds to the loop's own: found by their descriptions and arguments."""

from __future__ import annotations

import json
from typing import Final

from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.choice import question_for
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.telling import tell
from flows.analysis.loop.commands import Commands
from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.loop.own_choice import OwnChoice, choose
from flows.analysis.loop.step import LoopStep
from flows.core.observation import Observation

_TOLD: Final = 0.35  # the least score of a value that is told alone


def own_step(part: GoalPart, progress: Progress, commands: Commands) -> LoopStep | None:
    """The call of a command of the run file's own, where one fits what a part asks; else None.

    Where one fits and an argument is missing, the person is asked by the command for that, or the
    part's `why` says what is missing.
    """
    forced = commands.named(part.forced) if part.forced else None
    offered = [forced] if forced in commands.own else list(commands.own)
    known = [each for each in offered if each is not None]
    choice = choose(known, part.text, part.given, forced=forced is not None)
    if choice is None:
        return None
    command = choice.command
    if choice.filling.missing:
        return _asking(part, choice, commands)
    part.kind = "command"
    arguments = dict(choice.filling.arguments)
    if progress.was_called(command.name, arguments):
        return None
    words = ", ".join(choice.match.words) or command.name
    return LoopStep(
        part, command, arguments, f'"{part.text}" is what {command.name} is for.',
        f"It speaks of {words}.",
    )  # fmt: skip


def takes_values(part: GoalPart, commands: Commands) -> bool:
    """Whether a command of the run file's own fits a part and takes a value that it gives."""
    choice = choose(commands.own, part.text, part.given)
    return choice is not None and choice.is_complete and bool(choice.filling.used)


def belong_together(first: str, then: str, both: str, commands: Commands) -> bool:
    """Whether two sentences say together what a command of the run file's own needs, and better
    than each alone: "Dinner was 120 dollars. Which tip is usual?"."""
    if not commands.own:
        return False
    whole, one, other = (choose(commands.own, each, {}) for each in (both, first, then))
    if whole is None or not whole.is_complete or not whole.filling.used:
        return False
    if min(start for start, _ in whole.filling.used) >= len(first):
        return False  # the second says it all
    if other is not None and other.is_complete and other.command == whole.command:
        return False  # the same of something else
    complete = [each for each in (one, other) if each is not None and each.is_complete]
    return all(each.score < whole.score for each in complete)


def _asking(part: GoalPart, choice: OwnChoice, commands: Commands) -> LoopStep | None:
    """The question to the person for the first argument that is missing."""
    argument = choice.filling.missing[0]
    question = question_for(choice.match.function, argument)
    part.lacking = argument.name
    names = ", ".join(each.name for each in choice.filling.missing)
    part.why = f"{choice.command.name} would tell it and needs {names}: {question}"
    person = commands.person
    if person is None or argument.name in part.given:
        return None
    part.kind = "command"
    return LoopStep(
        part, person, {"question": question}, f"{choice.command.name} fits, and needs {names}.",
        "Nothing that was said gives it.",
    )  # fmt: skip


def take_answer(progress: Progress, commands: Commands) -> None:
    """Give a person's answer to the part that it was asked for, which is open again then."""
    part, person = progress.last, commands.person
    if part is None or person is None or not part.lacking or part.command != person.name:
        return
    if part.status == "done" and part.result is not None:
        part.given[part.lacking] = _said(part.result)
        part.status, part.result, part.lacking, part.why = "open", None, "", ""


def take_missing(progress: Progress, text: str) -> bool:
    """Take a person's remark as the argument that a part lacks, if one lacks any."""
    part = next((each for each in progress.parts if each.lacking and each.status == "failed"), None)
    if part is None or len(text.split()) > 6:
        return False
    part.given[part.lacking] = text
    progress.remarks.append(f'I take "{text}" as the {part.lacking}.')
    part.status, part.lacking, part.why = "open", "", ""
    return True


def _said(result: Observation) -> str:
    try:
        found = json.loads(result.text)
    except ValueError:
        return result.text.strip()
    return str(found.get("answer", "")) if isinstance(found, dict) else str(found)


def told(part: GoalPart) -> str:
    """What a command of the run file's own said to a part: the value that was asked for, or its
    text."""
    if part.result is None:
        return ""
    result = CallResult(number=1, name=part.command, kind="ok", text=part.result.text)
    found = tell(wanted_of(part.text), result)
    return found.text if found is not None and found.score >= _TOLD else part.result.text
