"""What one turn of a conversation came to, as programs and screens get it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.conversation.turn import ConversationTurn, TurnOption, TurnStatus
from flows.core.observation import Caution, Preview
from flows.data.answers.citations import Citation
from flows.semantics.request import Request

# Rows of a result that later turns can refer to.
_KEPT_ROWS = 50


class TurnClarification(BaseModel):
    """A question back with what can be chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    options: tuple[TurnOption, ...] = ()


class TurnReply(BaseModel):
    """A turn that is over. `question_read` says in words how it was read, `table` holds the first
    rows of the result and names the artifact that holds all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session: str
    turn: int
    said: str
    status: TurnStatus
    question_read: str = ""
    answer: str = ""
    confidence: float | None = None
    table: Preview | None = None
    sql: str | None = None
    code: str | None = None
    chart: dict[str, Any] | None = None
    clarification: TurnClarification | None = None
    citations: tuple[Citation, ...] = ()
    warnings: tuple[Caution, ...] = ()
    figures: tuple[str, ...] = ()
    request: Request | None = Field(default=None)

    @property
    def remembered(self) -> ConversationTurn:
        """What later turns know of it."""
        table = self.table
        return ConversationTurn(
            text=self.said,
            status=self.status,
            read=self.question_read,
            request=self.request,
            columns=table.columns if table is not None else (),
            rows=table.rows[:_KEPT_ROWS] if table is not None else (),
            answer=self.answer,
            options=self.clarification.options if self.clarification is not None else (),
        )

    def as_json(self) -> dict[str, Any]:
        """The turn as plain data: the columns and the first rows stand for the table."""
        found = self.model_dump(mode="json", exclude={"table", "request", "clarification"})
        table, asked = self.table, self.clarification
        found["columns"] = list(table.columns) if table is not None else []
        found["rows"] = [list(row) for row in table.rows] if table is not None else []
        found["clarification"] = None if asked is None else {
            "question": asked.question, "options": [each.label for each in asked.options]
        }  # fmt: skip
        return found
