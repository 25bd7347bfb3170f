"""What the modeller of an AutoGen team asks its model, and how the reply is said to the team."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from flows.core.chat import CUTS, ChatRequest, Finish
from flows.core.flow import Parts, Ports
from flows.data.tables import Table
from flows.library.analyst.actions import PROMPTS
from flows.library.analyst.writing import read_code
from flows.library.blocks.chat import ChatConfig, ChatFlow, ChatOutputs, ChatState
from flows.library.blocks.reading import ReplyProblem, read_object
from flows.semantics.model import SemanticModel

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


class ModellerFlow(ChatFlow):
    """The modeller's part of the chat: its messages are those of the team as it has heard them.

    A model that reads no prose plays the action that writes code, or the one that corrects it.
    """

    def __init__(self, config: ChatConfig, parts: Parts) -> None:
        folders = (*parts.prompt_folders, PROMPTS)
        super().__init__(config, replace(parts, prompt_folders=folders), ModellerInputs)

    def shortfall(self, before: str, inputs: Any, outputs: ChatOutputs) -> str:
        """As of a chat; the team goes on until it has all, so that each reply stands for those
        before it."""
        del before
        return super().shortfall("", inputs, outputs)

    def request(
        self,
        state: ChatState,
        inputs: Any,
        tables: tuple[Table, ...] = (),
        meaning: SemanticModel | None = None,
    ) -> ChatRequest:
        asked = super().request(state, inputs, tables, meaning)
        return replace(asked, role=CORRECT) if inputs.code else asked


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
