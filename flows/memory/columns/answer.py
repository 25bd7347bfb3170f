"""The answer of a columnar store to a question in words."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Caution, Observation, Preview
from flows.semantics.request import Request

AnswerStatus = Literal["answered", "partly", "empty", "unclear", "refused"]


class StoreAnswer(BaseModel):
    """What a store answers: `partly` where words of the question are left out, which a warning
    says, `empty` where no record fits, `unclear` with the questions to choose from as `options`,
    `refused` with the reason as its text.

    `confidence` is from 0 to 1, how likely the question was read as it was meant. `request` is what
    it was read as, `table` the rows that were found, with the SQL that found them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str
    status: AnswerStatus
    text: str
    confidence: float = Field(ge=0, le=1)
    table: Preview | None = None
    request: Request | None = None
    explanation: str = ""
    warnings: tuple[Caution, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is an answer, of the whole question or of a part."""
        return self.status in ("answered", "partly")

    def observation(self) -> Observation:
        """The answer as what a function gives back: JSON with the `answer` in a sentence, the
        `rows` that it rests on, how the question was `read_as` and with which `confidence`."""
        if self.found:
            text = json.dumps(self._told(), ensure_ascii=False)
            return Observation(kind="ok", text=text, table=self.table, cautions=self.warnings)
        if self.status == "empty":
            return Observation(
                kind="empty", text=self.text, table=self.table, cautions=self.warnings
            )
        asked = [f'"{each}"' for each in self.options]
        more = f"\nAsk one of these instead: {' or '.join(asked)}" if asked else ""
        return Observation(kind="error", text=self.text + more)

    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = {"answer": self.text, "confidence": round(self.confidence, 2)}
        if self.table is not None:
            names = self.table.columns
            told["rows"] = [dict(zip(names, row, strict=True)) for row in self.table.rows]
            told["sql"] = self.table.sql
        told["read_as"] = self.explanation
        if self.warnings:
            told["notes"] = [each.text for each in self.warnings]
        return told
