"""What the controller says with its decision: thoughts, the plan, criticism, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.reading.reader import Unread
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Analysis, Chart


@dataclass(frozen=True, slots=True)
class Decision:
    """What the controller says and does; `reply` is its JSON object. The `agenda` is its note of
    the goal's parts for its next decision, `request` what the command's text was read as."""

    thought: str
    reasoning: str
    plan: str
    criticism: str
    speak: str
    command: str
    command_args: Mapping[str, Any]
    agenda: Mapping[str, Any] = field(default_factory=dict)
    request: Query | Analysis | Chart | None = None

    def reply(self) -> dict[str, Any]:
        request = None if self.request is None else REQUEST.dump_python(self.request, mode="json")
        return {
            "thought": self.thought, "reasoning": self.reasoning, "plan": self.plan,
            "criticism": self.criticism, "speak": self.speak, "command": self.command,
            "command_args": dict(self.command_args), "agenda": dict(self.agenda),
            "request": request,
        }  # fmt: skip


def why_unread(unread: Unread) -> str:
    """What was not understood, in a person's words."""
    words = ", ".join(f'"{word}"' for word in unread.not_understood)
    why = f"I did not understand {words}" if words else unread.reason
    understood = [each for each in unread.understood if each.count('"') == 2]
    return f"{why} (I did read {'; '.join(understood)})" if understood and words else why


def with_remarks(progress: Progress, text: str) -> str:
    return " ".join([*progress.remarks, text])


def plan_lines(progress: Progress, now: GoalPart | None) -> str:
    marks = {
        "done": "done",
        "failed": "not answered",
        "replaced": "settled",
        "asked": "asked",
        "open": "later",
    }
    lines = [
        f"- {'now' if part is now else marks[part.status]}: {part.text}" for part in progress.parts
    ]
    if now is not None:
        lines.append("- then: finish with the answer")
    return "\n".join(lines)


def criticism(progress: Progress, correction: str) -> str:
    failed = [part for part in progress.parts if part.status == "failed"]
    said = [f"My last reply was not accepted: {short(correction)}"] if correction else []
    said += [f'"{part.text}" is not answered: {short(part.why)}' for part in failed if part.why]
    return (
        " ".join(said)
        or "I read words by rules; a reading that you did not mean can be corrected by feedback."
    )


def short(text: str, limit: int = 300) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= limit else text[: limit - 3] + "..."
