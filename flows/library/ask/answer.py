"""The answer to a question as programs get it: the same keys, whatever became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Caution, Cell
from flows.data.answers.citations import Citation, Traced
from flows.data.results.charts import ChartSpec
from flows.library.ask.proposal import Clarification, Word
from flows.semantics.request import Request

AnswerStatus = Literal["answered", "partly", "clarify", "abstained", "failed"]
NO_CHART: Final = "no_chart"
# What is there only where it is asked how each word was read.
EXPLAINED: Final = ("explanation", "words", "request")


class AnswerChart(ChartSpec):
    """A chart of the result: its columns and title, and what was drawn of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    figure: Mapping[str, Any] = Field(description="plotly's figure")
    artifact: str = Field(description="the name of the run's artifact that shows it")


class QuestionBack(Clarification):
    """The question back; `step` is the address of the step that waits for what is chosen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str | None = None


class AskAnswer(BaseModel):
    """What a question came to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: AnswerStatus = Field(description="what became of the question")
    answer: str | None = Field(
        default=None, description="the answer in words; the question back; or why there is none"
    )
    confidence: float | None = Field(
        default=None, description="from 0 to 1, how likely the question was read as it was meant"
    )
    sql: str | None = Field(default=None, description="the query that gave the result")
    code: str | None = Field(default=None, description="the Python code that gave the result")
    columns: tuple[str, ...] = Field(default=(), description="the names of the result's columns")
    rows: tuple[tuple[Cell, ...], ...] = Field(
        default=(), description="all rows of the result, each with a cell for every column"
    )
    fields: Mapping[str, Cell] = Field(
        default={}, description="the values of the fields that the question names, `@name[...]`"
    )
    chart: AnswerChart | None = Field(default=None, description="what was drawn of the result")
    clarification: QuestionBack | None = Field(
        default=None, description="the question back, with the readings to choose from"
    )
    citations: tuple[Citation, ...] = Field(
        default=(), description="where each number of the answer comes from"
    )
    traced: Traced | None = Field(
        default=None,
        description="how many numbers the answer has, and of how many the origin is known, which "
        "says nothing of how the question was read",
    )
    warnings: tuple[Caution, ...] = Field(default=(), description="what to beware of")
    run_id: str | None = Field(
        default=None, description="the run that it was asked in; none if it was not asked"
    )
    reason: str = Field(default="", description="why the run failed or ended early")
    explanation: str | None = Field(
        default=None, description="how the question was read, in a sentence; none if not wanted"
    )
    words: tuple[Word, ...] | None = Field(
        default=None, description="how each word was read; none if not wanted"
    )

    request: Request | None = Field(
        default=None,
        description="what the question was read as, with the places of the words that its parts "
        "stand for; none if it was not read so, or not wanted",
    )

    @classmethod
    def failure(cls, reason: str, *, run_id: str | None = None, explain: bool = False) -> AskAnswer:
        """A question that came to nothing, and why."""
        text = reason.encode("utf-8", "backslashreplace").decode()  # half a character of a path
        found = cls(status="failed", run_id=run_id, reason=text)
        return found.explained() if explain else found

    def explained(self) -> AskAnswer:
        """The same where it is wanted how each word was read, and nothing was."""
        return self.model_copy(update={"explanation": "", "words": ()})

    def with_warning(self, code: str, text: str) -> AskAnswer:
        """The same with a warning more, unless it has one of that code."""
        if any(each.code == code for each in self.warnings):
            return self
        return self.model_copy(update={"warnings": (*self.warnings, Caution(code=code, text=text))})

    def as_json(self) -> dict[str, Any]:
        """The object that `flows ask --json` prints: plain data, in the order of the fields."""
        left_out = set(EXPLAINED) if self.words is None else set()
        found = self.model_dump(mode="json", exclude={"rows", *left_out})
        if self.clarification is not None and self.clarification.step is None:
            del found["clarification"]["step"]
        rows = [list(row) for row in self.rows]
        return {name: rows if name == "rows" else found[name]
                for name in type(self).model_fields if name not in left_out}  # fmt: skip


KEYS: Final = tuple(name for name in AskAnswer.model_fields if name not in EXPLAINED)
