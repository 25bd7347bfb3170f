"""What the modeller of an AutoGen team asks its model, and how the reply is said to the team."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from flows.core.chat import CUTS, Finish
from flows.core.flow import Parts, Ports
from flows.data.tables import Table
from flows.library.analyst.actions import PROMPTS
from flows.library.analyst.writing import read_code
from flows.library.blocks.chat import ChatConfig, ChatFlow
from flows.library.blocks.reading import ReplyProblem, read_object

WRITE: Final = "python_code_generation"
CORRECT: Final = "python_code_correction"


class ModellerInputs(Ports):
    """The task, what the others of the team have said since the modeller's last turn, and the code
    that they speak of with what is wrong with it."""

    task: str
    question: str = ""
    context: str = ""
    data: Table | None = None
    said: str = ""
    code: str = ""
    error: str = ""
    plan: tuple[str, ...] = ()
    modelling: bool = True
    correction: str = ""


def modeller_flow(config: ChatConfig, parts: Parts) -> ChatFlow:
    """The modeller's part of the chat: its messages are those of the team as it has heard them.

    A model that reads no prose plays the action that writes code, or the one that corrects it. The
    team goes on until it has all, so that each reply stands for those before it.
    """
    parts = replace(parts, prompt_folders=(*parts.prompt_folders, PROMPTS))
    return ChatFlow(config, parts, ModellerInputs, role_of=_action, cumulative=True)


def _action(inputs: ModellerInputs) -> str:
    return CORRECT if inputs.code else WRITE


def message_of(text: str, finish: Finish) -> str:
    """A reply as the team is told it: code is one fenced block.

    A model may also reply as the action does, with one JSON object. Errors: `Cannot`.
    """
    if finish != "stop":
        return f"(My reply {CUTS[finish]}.)"
    if not text.lstrip().startswith("{"):
        return text
    try:
        return f"```python\n{read_code(read_object(text, finish))}\n```"
    except ReplyProblem:
        return text
