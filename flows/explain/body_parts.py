"""The bytes of a request in parts, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from flows.explain.containment import Path
from flows.explain.spans import ValueSpan, spans_of

Kind = Literal["prompt", "value", "chat", "config", "form"]


@dataclass(frozen=True, slots=True)
class PartOrigin:
    """Where a part comes from. `text` says it in words.

    prompt   the text of a prompt: `file` and `line`, from 1; `changed` says that the file holds
             another text now
    value    a value that a prompt shows, or that is sent as it is: `variable`, with the `step` and
             `key` that it comes from (`step` is empty for an input of the run)
    chat     what the model was asked or replied before, in `step`
    config   a `key` of the config, or of the flow's own
    form     what the model's kind of request looks like
    """

    kind: Kind
    text: str
    file: str = ""
    line: int = 0
    changed: bool = False
    variable: str = ""
    step: str = ""
    key: str = ""


class Piece(NamedTuple):
    """A part of a message as the model reads it."""

    text: str
    origin: PartOrigin


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A part of the bytes, from `start` to before `end`; `text` are these as UTF-8."""

    start: int
    end: int
    text: str
    origin: PartOrigin


class Mark(NamedTuple):
    """A stretch of the body's text, in characters."""

    start: int
    end: int
    origin: PartOrigin


def parts_of(
    body: bytes,
    messages: Sequence[Sequence[Piece]],
    values: Mapping[Path, PartOrigin],
    form: PartOrigin,
) -> tuple[BodyPart, ...]:
    """The whole body in parts: no byte is left out, and none is in two of them.

    `messages` are the contents of its messages in pieces, `values` the origins of other values by
    their paths in the document; what is neither has the origin `form`.
    """
    if not document_of(body):  # a model of somebody else's may be asked in any form
        return (BodyPart(0, len(body), body.decode(errors="replace"), form),)
    text = body.decode()
    marks: list[Mark] = []
    for span in spans_of(text):
        if marks and span.end <= marks[-1].end:
            continue  # it stands in a value that has an origin already
        match span.path:
            case ("messages", number, "content") if int(number) < len(messages):
                marks += _in_string(text, span, messages[int(number)])
            case path if path in values:
                marks.append(Mark(span.start, span.end, values[path]))
            case _:
                pass
    return tuple(_in_bytes(text, _without_gaps(marks, len(text), form)))


def _in_string(text: str, span: ValueSpan, pieces: Sequence[Piece]) -> list[Mark]:
    """The pieces in the string at the span; none when it does not consist of them."""
    written = text[span.start + 1 : span.end - 1]
    for ascii_only in (False, True):
        escaped = [json.dumps(each.text, ensure_ascii=ascii_only)[1:-1] for each in pieces]
        if "".join(escaped) == written:
            return list(_laid_out(span.start + 1, escaped, pieces))
    return []


def _laid_out(at: int, escaped: Sequence[str], pieces: Sequence[Piece]) -> Iterator[Mark]:
    for part, piece in zip(escaped, pieces, strict=True):
        yield Mark(at, at + len(part), piece.origin)
        at += len(part)


def _without_gaps(marks: Sequence[Mark], length: int, form: PartOrigin) -> Iterator[Mark]:
    """The marks and what is between them; neighbours of one origin become one."""
    at = 0
    held: Mark | None = None
    for mark in (*marks, Mark(length, length, form)):
        for each in (Mark(at, mark.start, form), mark):
            if each.start == each.end:
                continue
            if held is not None and held.origin == each.origin:
                held = Mark(held.start, each.end, held.origin)
                continue
            if held is not None:
                yield held
            held = each
        at = mark.end
    if held is not None:
        yield held


def _in_bytes(text: str, marks: Iterator[Mark]) -> Iterator[BodyPart]:
    at = 0
    for mark in marks:
        part = text[mark.start : mark.end]
        size = len(part.encode())
        yield BodyPart(at, at + size, part, mark.origin)
        at += size


def document_of(body: bytes) -> Mapping[str, Any]:
    """The body as the JSON object that it is; empty for anything else."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
