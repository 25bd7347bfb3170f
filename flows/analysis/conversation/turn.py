"""The turns of a conversation: what was said, how it was read, and what it came to."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Cell
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Request

TurnStatus = Literal["answered", "partly", "clarify", "abstained", "failed"]
# Of these there is an answer, of the second to a part of what was asked.
TOLD: Final[tuple[TurnStatus, ...]] = ("answered", "partly")


class TurnOption(BaseModel):
    """One of the things that a question back lets a person choose from."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    label: str
    question: str = ""
    request: Request | None = None


class ConversationTurn(BaseModel):
    """One turn: the person's words and what became of them.

    `read` says in words how they were read, `request` what was asked, typed; `columns` and `rows`
    are the first rows of its result, which has `total_rows`; `summary` is its executive summary.
    `options` are those of a question back that is open.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    status: TurnStatus
    read: str = ""
    request: Request | None = None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    total_rows: int = 0
    answer: str = ""
    summary: str = ""
    options: tuple[TurnOption, ...] = Field(default=())

    @property
    def has_answer(self) -> bool:
        return self.status in TOLD

    @property
    def whole(self) -> bool:
        """Whether all rows of its result are here."""
        return self.total_rows <= len(self.rows)

    @property
    def query(self) -> Query | None:
        """The query that the turn asked, also where it was drawn or told by a method."""
        asked = self.request
        if isinstance(asked, Chart):
            asked = asked.of
        if isinstance(asked, Analysis):
            return asked.over if not asked.arguments else None
        return asked if isinstance(asked, Query) else None


class TurnReading(BaseModel):
    """What a person's words mean.

    `kind` says what is to be done: `answer` a question, tell a `text` (a courtesy), ask back with
    `options`, or `decline` with the reason as `text`. `question` is what is asked, said whole;
    `request` the same, typed, where the rules have it. `assumed` says what was taken for granted,
    `left_out` which words nothing stands for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["answer", "text", "clarify", "decline"]
    text: str = ""
    question: str = ""
    request: Request | None = None
    options: tuple[TurnOption, ...] = ()
    confidence: float = 0.0
    follows: bool = False
    assumed: str = ""
    left_out: str = ""

    def as_reply(self) -> dict[str, Any]:
        """What a clarifier replies, as plain data."""
        asks = self.kind == "clarify"
        return {
            "need_clarification": "yes" if asks else "no",
            "clarification_question": self.text if asks else "",
            "options": [each.model_dump(mode="json") for each in self.options],
            "modified_question": self.question,
            "reply": "" if asks else self.text,
            "declined": self.kind == "decline",
            "request": None if self.request is None else self.request.model_dump(mode="json"),
            "confidence": self.confidence,
            "assumed": self.assumed,
            "left_out": self.left_out,
        }
