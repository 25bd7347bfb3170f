"""What a run came to, as a reply to the person who asked: a text, a table, files, or a question."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifact
from flows.core.human import Question
from flows.core.observation import Preview
from flows.core.result import OpenQuestion, RunResult
from flows.library.csv_chat.reply import TurnReply

ReplyStatus = Literal["answered", "asked", "unfinished", "failed"]

# The outputs in which flows say what they came to, the most telling one first.
SAID: Final = (
    "answer", "response", "text", "summary", "result", "report", "content", "api_output",
)  # fmt: skip
# Artifacts that are of use outside the run, though no output names them.
_OF_USE: Final = ("figure", "report", "file")


@dataclass(frozen=True, slots=True)
class ReplyOption:
    """Something that a person can choose: what it is called, and the answer that it stands for."""

    label: str
    answer: str


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """A question that the run waits with. `step` is the address that asks it; without `takes_text`
    only what fits the options, or its JSON `schema`, is an answer."""

    id: str
    step: str
    text: str
    options: tuple[ReplyOption, ...] = ()
    takes_text: bool = True
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunReply:
    """A reply. `text` is Markdown, `confidence` in percent, `files` are artifacts of the run,
    `sources` the functions that it rests on.

    With a `question` that is `open_ended` the run waits for whatever the person says next.
    """

    run_id: str
    status: ReplyStatus
    text: str
    confidence: float | None = None
    table: Preview | None = None
    files: tuple[Artifact, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    question: PersonQuestion | None = None
    open_ended: bool = False


def reply_of(result: RunResult, turn: TurnReply | None = None) -> RunReply:
    """The reply of a run that ended or waits; `turn` is what the last turn of a conversation told.

    The files are those that the reply names; where it names none, all that are of use outside.
    """
    asked = question_of(result.questions)
    if turn is not None and result.status == "waiting":
        return _turn_reply(result, turn, asked)
    if asked is not None:
        return RunReply(result.run_id, "asked", asked.text, question=asked)
    if result.status in ("failed", "waiting"):
        return RunReply(result.run_id, "failed", _reason(result))
    return _outputs_reply(result)


def question_of(questions: Sequence[OpenQuestion]) -> PersonQuestion | None:
    """The first question that a run waits with."""
    return person_question(questions[0]) if questions else None


def person_question(asked: OpenQuestion) -> PersonQuestion:
    """An open question as it is put to the person."""
    question = asked.question
    return PersonQuestion(
        question.id, asked.step, _question_text(question), tuple(_options(question)),
        question.takes_text, question.answer_schema,
    )  # fmt: skip


def _question_text(question: Question) -> str:
    """The question itself, without its options as a terminal lists them."""
    for each in _offers(question):
        return str(each["question"])
    return question.text.strip()


def _offers(question: Question) -> Iterable[Mapping[str, Any]]:
    """What the context says of a choice: a `question`, and `options` that are answered by their
    numbers."""
    context = question.context
    for holder in (context, context.get("reply")):
        found = holder.get("clarification") if isinstance(holder, Mapping) else None
        if isinstance(found, Mapping) and found.get("question"):
            yield found
    if isinstance(context.get("question"), str):
        yield context


def _options(question: Question) -> Iterable[ReplyOption]:
    """What can be chosen: what the flow offers, or the values that the schema names. Of a step that
    was carried out a person can say that it goes on, or ends."""
    for offer in _offers(question):
        for number, each in enumerate(offer.get("options") or (), 1):
            label = each.get("label") if isinstance(each, Mapping) else each
            yield ReplyOption(str(label), str(number))
        return
    if "command" in question.context:
        yield from (ReplyOption("Go on", ""), ReplyOption("End here", "q"))
    for value in _allowed(question.answer_schema):
        said = value if isinstance(value, str) else json.dumps(value)
        label = {True: "yes", False: "no"}[value] if isinstance(value, bool) else said
        yield ReplyOption(label, said)


def _allowed(schema: Mapping[str, Any]) -> Iterable[Any]:
    """The values that a schema allows, where it names them."""
    yield from schema.get("enum") or ()
    for each in (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())):
        if isinstance(each, Mapping) and "const" in each:
            yield each["const"]
    if schema.get("type") == "boolean":
        yield from (True, False)


def _turn_reply(result: RunResult, turn: TurnReply, asked: PersonQuestion | None) -> RunReply:
    named = {*turn.figures, *_artifact_of(turn.table)}
    text = turn.answer or (turn.clarification.question if turn.clarification else "")
    status: ReplyStatus = "failed" if turn.status == "failed" else "answered"
    return RunReply(
        result.run_id,
        "asked" if asked is not None and asked.options else status,
        text,
        _percent(turn.confidence),
        turn.table,
        tuple(each for each in result.artifacts if each.name in named),
        tuple(each.text for each in turn.warnings),
        question=asked,
        open_ended=True,
    )


def _outputs_reply(result: RunResult) -> RunReply:
    outputs = result.outputs
    named = set(_named(outputs))
    files = [each for each in result.artifacts if each.name in named]
    files = files or [each for each in result.artifacts if each.what in _OF_USE]
    table = _table(outputs)
    return RunReply(
        result.run_id,
        "answered" if result.status == "finished" else "unfinished",
        _said(result),
        _percent(outputs.get("confidence")),
        table,
        tuple(files),
        tuple(_warnings(outputs)),
        tuple(each for each in outputs.get("functions") or () if isinstance(each, str)),
    )


def _warnings(outputs: Mapping[str, Any]) -> Iterable[str]:
    """What to beware of: warnings, what is lacking, and numbers that stand in no result."""
    for each in outputs.get("warnings") or ():
        yield str(each["text"] if isinstance(each, Mapping) else getattr(each, "text", each))
    if lacks := outputs.get("lacks"):
        yield f"Lacking: {lacks}"
    if uncited := outputs.get("uncited"):
        yield f"In no result: {', '.join(map(str, uncited))}"


def _said(result: RunResult) -> str:
    for name in SAID:
        found = result.outputs.get(name)
        if isinstance(found, str) and found.strip():
            return found.strip()
    only = next(iter(result.outputs.values()), None) if len(result.outputs) == 1 else None
    if isinstance(only, str) and only.strip():
        return only.strip()
    plain = to_jsonable_python(dict(result.outputs), fallback=str)
    if plain and result.status == "finished":
        return f"```\n{json.dumps(plain, indent=2, ensure_ascii=False)}\n```"
    return _reason(result)


def _reason(result: RunResult) -> str:
    return result.reason or f"the run ended {result.status}"


def _named(outputs: Mapping[str, Any]) -> Iterable[str]:
    """The names of the artifacts that the outputs speak of."""
    figures = outputs.get("figures") or ()
    yield from (each for each in figures if isinstance(each, str))
    chart = outputs.get("chart")
    if isinstance(chart, Mapping) and isinstance(chart.get("artifact"), str):
        yield chart["artifact"]
    yield from _artifact_of(_table(outputs))
    observation = outputs.get("artifacts") or ()
    yield from (each for each in observation if isinstance(each, str))


def _table(outputs: Mapping[str, Any]) -> Preview | None:
    """The table among the outputs, as a flow returned it or as it is recorded."""
    table = outputs.get("table")
    if isinstance(table, Mapping):
        try:
            return Preview.model_validate(table)
        except ValidationError:  # an output of that name that is none
            return None
    return table if isinstance(table, Preview) else None


def _artifact_of(table: Preview | None) -> Iterable[str]:
    """The artifact of a table of which the reply shows only the first rows."""
    if table is not None and table.artifact and table.total_rows > len(table.rows):
        yield table.artifact


def _percent(confidence: object) -> float | None:
    """A confidence from 0 to 1, or, as a whole number, from 0 to 100, in percent."""
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        return None
    if not math.isfinite(confidence):
        return None
    scaled = confidence if isinstance(confidence, int) else confidence * 100
    return min(100.0, max(0.0, float(scaled)))
