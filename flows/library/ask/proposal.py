"""What the analyst proposes: one JSON object, the same for every model."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from flows.core.chat import Finish
from flows.data.results.charts import ChartSpec
from flows.library.blocks.reading import ReplyProblem, read_object, short
from flows.semantics.request import Request

KINDS: Final = ("sql", "code", "text", "clarify", "cannot")


def _text(value: Any) -> Any:
    return "" if value is None else value


def _listed(value: Any) -> Any:
    return () if value is None else value


Prose = Annotated[str, BeforeValidator(_text)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Word(_Part):
    """How a piece of the question, `start`:`end`, was read."""

    text: str
    start: int
    end: int
    reading: str
    score: float = 1.0
    reason: str = ""


class Warned(_Part):
    """Something to know beside the result; `code` is one word for programs."""

    code: str
    text: str


class Option(_Part):
    """One way to read the question: in few words, and as a question that has only this reading.

    `request` is that reading, typed. `keyword` and `value` are what the glossary learns of the
    choice, when it is about one word.
    """

    label: str = Field(min_length=1)
    question: str = Field(min_length=1)
    request: Request | None = None
    keyword: Prose = ""
    value: Prose = ""


class Clarification(_Part):
    """A question back, with the readings to choose from."""

    question: str = Field(min_length=1)
    options: tuple[Option, ...] = ()


class Found(_Part):
    """What was tried for the question and found wanting: the SQL or code, and what came of it."""

    tried: str
    kind: Literal["empty", "failed"]
    said: str


class Proposal(_Part):
    """Exactly one of `sql`, `code`, `text`, `clarify`, `cannot`, and what is said about it.

    `request` is what the question was read as, where that can be said so.
    """

    sql: str | None = None
    code: str | None = None
    text: str | None = None
    clarify: Clarification | None = None
    cannot: str | None = None
    confidence: float = Field(ge=0, le=1)
    explanation: Prose = ""
    words: Annotated[tuple[Word, ...], BeforeValidator(_listed)] = ()
    warnings: Annotated[tuple[Warned, ...], BeforeValidator(_listed)] = ()
    chart: ChartSpec | None = None
    request: Request | None = None

    @property
    def tried(self) -> str:
        """What it would run; empty when it runs nothing."""
        return self.sql or self.code or ""


def read_proposal(text: str, finish: Finish) -> Proposal:
    """The proposal of a reply. Errors: `ReplyProblem` with what is wrong and allowed."""
    reply = read_object(text, finish)
    given = [name for name in KINDS if not _is_empty(reply.get(name))]
    if len(given) != 1:
        said = f"it has {' and '.join(given)}" if given else "it has none"
        raise ReplyProblem(f"the object must have exactly one of {', '.join(KINDS)}; {said}")
    for name in KINDS:
        if name not in given:
            reply[name] = None
    try:
        return Proposal.model_validate(reply)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(each) for each in first["loc"])
        raise ReplyProblem(
            f'"{where}" does not fit: {first["msg"]} (it is {short(first["input"])})'
        ) from error


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value == {}
