"""What callers send."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from flows.core.values import Values


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StartRequest(_Sent):
    """A run: its inputs, and the session that it belongs to, which is the caller's own name."""

    inputs: Values = {}
    session: str = Field(default="", max_length=200)


class AnswerRequest(_Sent):
    """An answer to a question. `q` ends the run where any text is an answer; what begins with a
    colon is a command to the session. `step` says whose question is meant, where several wait."""

    text: str = Field(max_length=1_000_000)
    step: str | None = None


class ForkRequest(_Sent):
    """A new run from the step at the address `at`; `settings` are overrides of the recorded config,
    as `Executor.sql.max_rows=50`."""

    at: str
    settings: tuple[str, ...] = ()


class ReplayRequest(_Sent):
    """A recorded run again from its journal alone; `settings` show what a change would reach."""

    settings: tuple[str, ...] = ()
