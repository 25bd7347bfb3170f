"""The interfaces that the composites of the FlowVerse name by their methods."""

from __future__ import annotations

import json
from typing import ClassVar, Final

from flows.core import keys
from flows.core.dataflow.facts import ANY
from flows.core.transformations import InterfaceContext, required
from flows.core.values import Values
from flows.library.blocks.feedback import QUIT_REASON

FINISH: Final = "finish"
EXIT: Final = "EARLY_EXIT"
UNFINISHED: Final = "The user has chosen to exit before a final answer was generated."


class _Named:
    """An interface with a name and no settings."""

    kind: ClassVar[str] = "interface"

    def names(self, available: frozenset[str]) -> frozenset[str]:
        del available
        return frozenset({ANY})


class DetectFinish(_Named):
    """`ControllerExecutorFlow.detect_finish_or_continue`: the command `finish` ends the flow with
    its answer; another one goes on to the executor."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del context
        command = required(data, "command")
        if command != FINISH:
            return {key: data[key] for key in data if key != "api_output"}
        answer = keys.get(data, "command_args.answer")
        return {
            EXIT: True,
            "answer": "" if answer is keys.MISSING else answer,
            "status": "finished",
        }


class DetectQuit(_Named):
    """`detect_finish_in_human_input`: `q` of the person ends the flow; else it is feedback."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del context
        said = str(required(data, "human_input"))
        if said.strip().lower() == "q":
            return {EXIT: QUIT_REASON, "answer": UNFINISHED, "status": "unfinished"}
        return {"human_feedback": said}


class MemoryQuery(_Named):
    """`AutoGPTFlow.prepare_memory_read_input`: what is recalled is about the goal, and about the
    last round."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del context
        return {"operation": "read", "content": _told(data) or str(data.get("goal", ""))}


class MemoryText(_Named):
    """`AutoGPTFlow.prepare_memory_read_output`: the recalled texts as one, for the prompt."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del context
        found = data.get("retrieved") or ()
        return {"memory": "\n".join(_texts(found))}


class MemoryEntry(_Named):
    """`AutoGPTFlow.prepare_memory_write_input`: the round as a text to remember."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del context
        return {"operation": "write", "content": _told(data)}


class Nothing(_Named):
    """`AutoGPTFlow.prepare_memory_write_output`: a write returns nothing."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del data, context
        return {}


def _told(data: Values) -> str:
    lines = [
        f"{title}: {_text(data[key])}"
        for key, title in (
            ("goal", "Goal"),
            ("command", "Command"),
            ("command_args", "Args"),
            ("observation", "Result"),
            ("human_feedback", "Feedback"),
        )
        if data.get(key) not in (None, "")
    ]
    return "\n".join(lines) if len(lines) > 1 else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _texts(found: object) -> list[str]:
    if isinstance(found, str):
        return [found] if found else []
    return (
        [text for each in found for text in _texts(each)] if isinstance(found, list | tuple) else []
    )
