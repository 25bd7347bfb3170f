"""Nobody is asked."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from flows.core.human import Answer, Question


class NeverHuman:
    """Answers with an empty text: go on. A question that it does not answer waits for a person."""

    class Config(BaseModel):
        """There is nothing to set."""

        model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, config: NeverHuman.Config) -> None:
        self.config = config

    async def ask(self, question: Question) -> Answer:
        return Answer(kind="text" if question.takes_text else "nobody")

    async def aclose(self) -> None:
        """There is nothing to close."""
