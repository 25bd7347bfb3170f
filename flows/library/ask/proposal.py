"""What the analyst proposes: one JSON object, the same for every model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from flows.core.chat import Finish
from flows.core.reply import Reply, ReplySchema
from flows.data.results.charts import ChartSpec
from flows.library.blocks.compile import CompileOutputs
from flows.library.blocks.reading import Prose, ReplyProblem, fit, read_object
from flows.library.blocks.warning import Warned
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Compound, Describe, Prepare, Request

KINDS: Final = ("request", "sql", "code", "text", "clarify", "cannot")
# How a language model may answer: with a request alone, with SQL or code of its own, or as it sees
# fit.
By = Literal["auto", "request", "sql"]
WITHOUT: Final[Mapping[By, frozenset[str]]] = {
    "auto": frozenset(), "request": frozenset({"sql", "code"}), "sql": frozenset({"request"}),
}  # fmt: skip


# What a language model may ask for.
Asked = Annotated[
    Query | Analysis | Chart | Describe | Prepare | Compound, Field(discriminator="kind")
]


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


class Found(Reply):
    """What was tried for the question and found wanting: the SQL or code, and what came of it."""

    tried: str
    kind: Literal["empty", "failed"]
    said: str


class Proposal(Reply):
    """Exactly one of `request`, `sql`, `code`, `text`, `clarify`, `cannot`, and what is said about
    it. `read_as` is the request that `sql`, `code` or `text` was made from; of one with several in
    it, `parts` are the proposals for each.
    """

    request: Asked | None = None
    sql: str | None = None
    code: str | None = None
    text: str | None = None
    clarify: Clarification | None = None
    cannot: str | None = None
    confidence: float = Field(ge=0, le=1)
    explanation: Prose = ""
    words: tuple[Word, ...] = ()
    warnings: tuple[Warned, ...] = ()
    chart: ChartSpec | None = None
    read_as: SkipJsonSchema[Request | None] = None
    parts: SkipJsonSchema[tuple[Proposal, ...]] = ()

    @property
    def tried(self) -> str:
        """What it would run; empty when it runs nothing."""
        return self.sql or self.code or ""


def answering(proposal: Proposal, made: CompileOutputs) -> Proposal:
    """The proposal with what its request was compiled to."""
    warnings = dict.fromkeys((*proposal.warnings, *made.warnings))
    return proposal.model_copy(update={
        "request": None, "read_as": made.request, "sql": made.sql, "code": made.code,
        "text": made.text, "chart": made.chart or proposal.chart, "explanation": made.words,
        "warnings": tuple(warnings),
        "parts": tuple(answering(Proposal(confidence=proposal.confidence), each)
                       for each in made.parts),
    })  # fmt: skip


def schema_by(by: By) -> ReplySchema:
    """The shape of a proposal for a language model that answers so."""
    return ReplySchema.of(Proposal, WITHOUT[by])


def reader_by(by: By) -> Callable[[str, Finish], Proposal]:
    """What reads the proposal of a reply. Errors of the reader: `ReplyProblem` with what is wrong
    and allowed."""

    def read(text: str, finish: Finish) -> Proposal:
        reply = read_object(text, finish)
        allowed = [name for name in KINDS if name not in WITHOUT[by] or reply.get("read_as")]
        given = [name for name in KINDS if not _is_empty(reply.get(name))]
        if len(given) != 1 or given[0] not in allowed:
            said = f"it has {' and '.join(given)}" if given else "it has none"
            allowed = [name for name in KINDS if name not in WITHOUT[by]]
            raise ReplyProblem(f"the object must have exactly one of {', '.join(allowed)}; {said}")
        for name in KINDS:
            if name not in given:
                reply[name] = None
        return fit(Proposal, {**reply, "request": _without_nulls(reply["request"])})

    return read


def _without_nulls(value: Any) -> Any:
    """A request without what is null, which strict endpoints write for what is left out; a constant
    may be null."""
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    if not isinstance(value, dict):
        return value
    constant = value.get("kind") == "constant"
    return {
        name: _without_nulls(each)
        for name, each in value.items()
        if each is not None or (constant and name == "value")
    }


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value == {}
