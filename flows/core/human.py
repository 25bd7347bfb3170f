"""The protocol of asking a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

AnswerKind = Literal["text", "quit", "nobody", "command"]


class Question(BaseModel):
    """What a person is asked. `id` is the same each time the same step asks.

    `context` is what they may want to know to answer, as plain data; `answer_schema` the JSON
    schema of the answer, of which a text is the simplest. `reply` is what came of the command that
    the person gave instead of an answer, to be shown above the text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    context: Mapping[str, Any] = Field(default={})
    answer_schema: Mapping[str, Any] = Field(default={"type": "string"})
    reply: str = Field(default="", exclude=True)

    @property
    def takes_text(self) -> bool:
        """Whether any text answers it, the empty one too; else there is no going on without."""
        return self.answer_schema.get("type") == "string"


class Answer(BaseModel):
    """What came back: text (empty for a plain Enter), the wish to quit, nobody was there, or a
    command to the session that asks (`text` without its colon).

    `go_on` is what a `nobody` means: True goes on unattended, False waits for a person.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: AnswerKind
    text: str = ""
    go_on: bool = False


@runtime_checkable
class Human(Protocol):
    """A way to reach a person. Raises KeyboardInterrupt for Ctrl-C, and nothing else."""

    async def ask(self, question: Question) -> Answer: ...

    async def aclose(self) -> None: ...
