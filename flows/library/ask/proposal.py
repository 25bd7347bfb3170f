"""What the analyst proposes: one JSON object, the same for every model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from flows.core.chat import Finish
from flows.core.reply import Reply, ReplySchema
from flows.data.results.charts import ChartSpec
from flows.library.blocks.compile import CompileOutputs
from flows.library.blocks.reading import ReplyProblem, fit, read_object, without_nulls
from flows.library.blocks.sql import By, SqlReply, without
from flows.semantics.request import Asked, Request

MOST_PARTS: Final = 8  # of a question: each is run and told by itself
KINDS: Final = ("request", "sql", "code", "text", "clarify", "cannot")


class Word(Reply):
    """How a piece of the question, `start`:`end`, was read."""

    text: str
    start: int
    end: int
    reading: str
    score: float = 1.0
    reason: str = ""


class Option(Reply):
    """One way to read the question: in few words, and as a question that has only this reading.

    `request` is that reading, typed.
    """

    label: str = Field(min_length=1)
    question: str = Field(min_length=1)
    request: SkipJsonSchema[Request | None] = None


class Clarification(Reply):
    """A question back, with the readings to choose from."""

    question: str = Field(min_length=1)
    options: tuple[Option, ...] = ()


class Proposal(SqlReply):
    """Exactly one of `request`, `sql`, `code`, `text`, `clarify`, `cannot`, and what is said about
    it. `read_as` is the request that `sql`, `code` or `text` was made from; of one with several in
    it, `parts` are the proposals for each.
    """

    request: Annotated[Asked | None, BeforeValidator(without_nulls)] = None  # type: ignore[assignment]
    code: str | None = None
    text: str | None = None
    clarify: Clarification | None = None
    confidence: float = Field(ge=0, le=1)
    words: tuple[Word, ...] = ()
    chart: ChartSpec | None = None
    read_as: SkipJsonSchema[Request | None] = None
    parts: SkipJsonSchema[tuple[Proposal, ...]] = ()

    @property
    def tried(self) -> str:
        """What it would run; empty when it runs nothing."""
        return self.sql or self.code or ""


def answering(proposal: Proposal, made: CompileOutputs) -> Proposal:
    """The proposal with what its request was compiled to. Errors: `ReplyProblem` for one that asks
    too many things at once."""
    if (parts := _leaves_of(made)) > MOST_PARTS:
        raise ReplyProblem(f"the request asks {parts} things at once; {MOST_PARTS} are allowed")
    warnings = dict.fromkeys((*proposal.warnings, *made.warnings))
    return proposal.model_copy(update={
        "request": None, "read_as": made.request, "sql": made.sql, "code": made.code,
        "text": made.text, "chart": made.chart or proposal.chart, "explanation": made.words,
        "warnings": tuple(warnings),
        "parts": tuple(answering(Proposal(confidence=proposal.confidence), each)
                       for each in made.parts),
    })  # fmt: skip


def _leaves_of(made: CompileOutputs) -> int:
    """How many requests a request was compiled to that are answered each by itself."""
    return sum(map(_leaves_of, made.parts)) if made.parts else 1


def schema_by(by: By) -> ReplySchema:
    """The shape of a proposal for a language model that answers so."""
    return ReplySchema.of(Proposal, without(by))


def reader_by(by: By) -> Callable[[str, Finish], Proposal]:
    """What reads the proposal of a reply. Errors of the reader: `ReplyProblem` with what is wrong
    and allowed."""

    def read(text: str, finish: Finish) -> Proposal:
        reply = read_object(text, finish)
        allowed = [name for name in KINDS if name not in without(by) or reply.get("read_as")]
        given = [name for name in KINDS if not _is_empty(reply.get(name))]
        if len(given) != 1 or given[0] not in allowed:
            said = f"it has {' and '.join(given)}" if given else "it has none"
            allowed = [name for name in KINDS if name not in without(by)]
            raise ReplyProblem(f"the object must have exactly one of {', '.join(allowed)}; {said}")
        for name in KINDS:
            if name not in given:
                reply[name] = None
        return fit(Proposal, reply)

    return read


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value == {}
