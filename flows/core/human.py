"""The protocol of asking a person."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

AnswerKind = Literal["text", "quit", "nobody"]


class Question(BaseModel):
    """What a person is asked. `id` is the same each time the same step asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str


class Answer(BaseModel):
    """What came back: text (empty for a plain Enter), the wish to quit, or nobody was there.

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
