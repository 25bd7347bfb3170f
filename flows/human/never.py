"""Nobody is asked."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from flows.core.human import Answer, Question


class NeverHuman:
    """Answers every question with an empty text, which means: go on."""

    class Config(BaseModel):
        """There is nothing to set."""

        model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, config: NeverHuman.Config) -> None:
        self.config = config

    async def ask(self, question: Question) -> Answer:  # noqa: ARG002 - it is not read
        return Answer(kind="text")

    async def aclose(self) -> None:
        """There is nothing to close."""
