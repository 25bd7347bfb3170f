"""Every question is left for later, and for another process."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from flows.core.human import Answer, Question


class DetachedHuman:
    """Says at once that nobody is there: the run waits, and `flows resume RUN --answer` goes on."""

    class Config(BaseModel):
        """There is nothing to set."""

        model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, config: DetachedHuman.Config) -> None:
        self.config = config

    async def ask(self, question: Question) -> Answer:  # noqa: ARG002 - it is recorded, not shown
        return Answer(kind="nobody")

    async def aclose(self) -> None:
        """There is nothing to close."""
