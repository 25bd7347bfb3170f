"""What an ask flow gives: the answer with all that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import Field

from flows.core.flow import Ports
from flows.core.observation import Caution, Cell, Preview
from flows.data.answers.citations import Citation, Traced
from flows.library.ask.proposal import Clarification, Proposal, Word
from flows.semantics.request import Request

Status = Literal["answered", "partly", "clarify", "abstained"]
# Of these there is an answer.
TOLD: Final = ("answered", "partly")
# What a warning says by which a part of the question, or all of it, stays without an answer.
_LEFT_OUT: Final = frozenset(["not_understood", "constraint", "partly", "empty"])


class AskOutputs(Ports):
    """The answer, or the question back, or why there is neither. It is answered `partly` where
    words of the question are left out of it or nothing was found, which a warning says.

    `table` are the first rows of the result, whose `artifact` holds all; `chart` is what was drawn
    with plotly's `figure` of it and its `artifact`; `figures` are all artifacts that are pictures.
    `request` is what the question was read as; `question` is the text that it was read from, in
    the words of the data. `fields` are the named fields of the form that the question asks for.
    """

    status: Status
    answer: str
    confidence: float
    sql: str | None = None
    code: str | None = None
    table: Preview | None = None
    chart: dict[str, Any] | None = None
    figures: tuple[str, ...] = ()
    clarification: Clarification | None = None
    citations: tuple[Citation, ...] = ()
    traced: Traced | None = None
    warnings: tuple[Caution, ...] = ()
    explanation: str = ""
    words: tuple[Word, ...] = Field(default=())
    request: Request | None = None
    question: str = ""
    fields: Mapping[str, Cell] = Field(default={})

    @classmethod
    def of(cls, proposal: Proposal, **found: Any) -> AskOutputs:
        """An answer: the proposal that was run, and what was found."""
        given = {
            "confidence": proposal.confidence, "sql": proposal.sql,
            "code": proposal.code, "explanation": proposal.explanation, "words": proposal.words,
            "warnings": proposal.warnings, "request": proposal.read_as,
        }  # fmt: skip
        made = cls.model_validate({"status": "answered", **given, **found})
        left_out = any(each.code in _LEFT_OUT for each in made.warnings)
        if made.status != "answered" or not left_out:
            return made
        return made.model_copy(update={"status": "partly"})


def clarifying(proposal: Proposal) -> dict[str, Any]:
    """The question back, that nobody has answered."""
    asked = proposal.clarify
    assert asked is not None
    outputs = AskOutputs(
        status="clarify",
        answer=asked.question,
        confidence=proposal.confidence,
        clarification=asked,
        explanation=proposal.explanation,
        words=proposal.words,
        warnings=proposal.warnings,
    )
    return dict(outputs.__dict__)


def declined(proposal: Proposal, why: str) -> dict[str, Any]:
    """That it cannot be answered, and what was and was not understood."""
    outputs = AskOutputs(
        status="abstained",
        answer=why,
        confidence=proposal.confidence,
        explanation=proposal.explanation,
        words=proposal.words,
        warnings=proposal.warnings,
    )
    return dict(outputs.__dict__)


def joined(proposal: Proposal, told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answers to several requests as one: a paragraph for each, with what they rest on. The
    table and the chart are those of the last that has one."""
    each_told = [AskOutputs.model_validate(each) for each in told]
    citations: list[Citation] = []
    answer = ""
    for each in each_told:
        start = len(answer) + 1 if answer else 0
        answer = f"{answer}\n{each.answer}" if answer else each.answer
        moved = {"start": start, "end": start}
        citations += [
            one.model_copy(update={name: getattr(one, name) + by for name, by in moved.items()})
            for one in each.citations
        ]
    answered = any(each.status in TOLD for each in each_told)
    warnings = [*proposal.warnings, *(one for each in each_told for one in each.warnings)]
    if answered:
        warnings += [_unanswered(each) for each in each_told if each.status not in TOLD]
    outputs = AskOutputs.of(
        proposal,
        status="answered" if answered else "abstained",
        answer=answer,
        citations=tuple(citations),
        traced=Traced.of(citations),
        sql=";\n".join(each.sql for each in each_told if each.sql) or None,
        code="\n\n".join(each.code for each in each_told if each.code) or None,
        table=next((each.table for each in reversed(each_told) if each.table), None),
        chart=next((each.chart for each in reversed(each_told) if each.chart), None),
        figures=tuple(one for each in each_told for one in each.figures),
        warnings=tuple(dict.fromkeys(warnings)),
    )
    return dict(outputs.__dict__)


def _unanswered(part: AskOutputs) -> Caution:
    asked = part.explanation.rstrip(".")
    return Caution(code="partly", text=f"Not answered: {asked}." if asked else part.answer)
