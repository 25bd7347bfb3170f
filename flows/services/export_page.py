"""The page of an exported run: plain HTML that opens offline and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from pydantic import ValidationError

from flows.core.result import iso_time
from flows.data.answers.citations import Citation
from flows.records.record import RunRecord
from flows.services.export_content import ExportedArtifact

_MOST_CITED: Final = 2000
_STYLE: Final = (
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}"
    "pre{background:#f4f4f4;padding:.7em;overflow:auto;white-space:pre-wrap}"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;"
    "vertical-align:top}mark{background:#fdd}.answer{white-space:pre-wrap}small{color:#555;"
    "overflow-wrap:anywhere}img{max-width:100%}"
)
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:"


def page_of(
    record: RunRecord, artifacts: Sequence[ExportedArtifact], report: str = "", problem: str = ""
) -> str:
    """The question, the answer with the origin of its numbers, and each artifact with its own.
    The answers of a conversation are in a `report` beside it, or there is a `problem` with that."""
    title = escape(record.title or record.place.run_id)
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            f"<h1>{title}</h1>",
            f"<p>Run {escape(record.place.run_id)}: {escape(record.status)}, begun "
            f"{iso_time(record.place.began)}.</p>",
            *_reason(record),
            *_inputs(record.inputs),
            *(_answers(report, problem) if report or problem else _answer(record, artifacts)),
            *_artifacts(artifacts),
            "</body>\n</html>\n",
        ]
    )


def _reason(record: RunRecord) -> Iterator[str]:
    if record.reason and not record.questions:
        yield f"<p>{escape(record.reason)}</p>"
    for each in record.questions if record.status == "waiting" else ():
        yield f"<p>It waits for an answer to: {escape(each.question.text)}</p>"


def _inputs(inputs: Mapping[str, Any]) -> Iterator[str]:
    if inputs:
        yield "<h2>The question</h2>"
    for name, value in inputs.items():
        yield f'<p class="answer"><b>{escape(str(name))}</b>: {escape(str(value))}</p>'


def _answer(record: RunRecord, artifacts: Sequence[ExportedArtifact]) -> Iterator[str]:
    answer = record.outputs.get("answer")
    yield "<h2>The answer</h2>"
    if not isinstance(answer, str):
        yield "<p>There is no answer yet.</p>"
        return
    cited = list(_citations(record.outputs.get("citations"), answer))
    yield f'<div class="answer">{_marked(answer, cited)}</div>'
    if not cited:
        return
    known = sum(each.traced for each in cited)
    yield "<h2>Where the numbers come from</h2>"
    yield f"<p>{known} of {len(cited)} traced to their source.</p>"
    yield "<table>\n<tr><th></th><th>number</th><th>origin</th></tr>"
    names = {each.artifact.name: each for each in artifacts}
    for number, each in enumerate(cited[:_MOST_CITED], 1):
        origin = _origin(each, names)
        yield (
            f'<tr id="c{number}"><td>{number}</td><td>{escape(each.text)}</td>'
            f"<td>{origin}</td></tr>"
        )
    yield "</table>"


def _answers(report: str, problem: str) -> Iterator[str]:
    """Where the answers of a conversation are."""
    yield "<h2>The answers</h2>"
    if problem:
        yield f"<p>There is no report of them: {escape(problem)}</p>"
    else:
        link = f'<a href="{escape(report)}">{escape(report)}</a>'
        yield f"<p>They are in {link}, with the cell and the query of each number.</p>"


def _citations(given: object, answer: str) -> Iterator[Citation]:
    """The citations that fit the answer, in its order; another version's may not."""
    last = 0
    for each in given if isinstance(given, (list, tuple)) else ():
        try:
            citation = Citation.model_validate(each)
        except ValidationError:
            continue
        fits = last <= citation.start and answer[citation.start : citation.end] == citation.text
        if fits:
            last = citation.end
            yield citation


def _marked(answer: str, cited: Sequence[Citation]) -> str:
    """The answer with a link at each number; what has no source is marked."""
    parts: list[str] = []
    position = 0
    for number, each in enumerate(cited[:_MOST_CITED], 1):
        text = escape(each.text)
        shown = text if each.traced else f"<mark>{text}</mark>"
        link = f'{shown}<sup><a href="#c{number}">{number}</a></sup>'
        parts += [escape(answer[position : each.start]), link]
        position = each.end
    return "".join(parts) + escape(answer[position:])


def _origin(citation: Citation, names: Mapping[str, ExportedArtifact]) -> str:
    """Where a number comes from, in words."""
    if not citation.traced:
        return "<mark>no source was found</mark>"
    if citation.origin in ("question", "query"):
        given = {"question": "given in the question", "query": "written in the query"}
        return given[citation.origin]
    exported = names.get(citation.result or "")
    name = exported.name if exported else citation.result or ""
    link = f'<a href="#a-{escape(name)}">{escape(name)}</a>'
    if citation.origin == "rows":
        return f"{link}: the number of its rows, {escape(str(citation.value))}"
    column = escape(citation.column or "")
    if citation.origin == "derived":
        return f"{link}, {column}: {escape(citation.formula or '')}"
    row = "" if citation.row is None else f"row {citation.row + 1}, "
    return f"{link}, {row}{column}: {escape(str(citation.value))}"


def _artifacts(artifacts: Sequence[ExportedArtifact]) -> Iterator[str]:
    yield "<h2>What was made</h2>"
    if not artifacts:
        yield "<p>Nothing was kept.</p>"
    for each in artifacts:
        yield f'<h3 id="a-{escape(each.name)}">{escape(each.name)}</h3>'
        yield f"<p>{escape(each.artifact.description[:300])}</p>\n<ul>"
        for file in each.files:
            digest = f"{file.file.bytes:,} bytes, SHA-256 {escape(file.file.sha256)}"
            if file.state == "whole":
                path = escape(file.path)
                image = f'<br><img src="{path}" alt="">' if file.file.kind == "png" else ""
                yield f'<li><a href="{path}">{path}</a> <small>{digest}</small>{image}</li>'
            else:
                yield (
                    f"<li><mark>{escape(file.file.kind)}: {file.state}, so it is not here</mark> "
                    f"<small>{digest}</small></li>"
                )
        yield "</ul>"
        yield from _made_of(each)


def _made_of(each: ExportedArtifact) -> Iterator[str]:
    made = "" if each.made is None else f", {iso_time(each.made)}"
    yield f"<p><small>made by {escape(each.artifact.step or 'the flow')}{made}</small></p>"
    origin = each.artifact.origin
    if origin is None:
        return
    for text in (origin.query, origin.code):
        if text:
            yield f"<pre>{escape(text)}</pre>"
    made_of = {**origin.inputs, **origin.artifacts}
    if made_of:
        yield "<ul>"
        for name, digest in made_of.items():
            yield f"<li>from {escape(name)} <small>SHA-256 {escape(digest)}</small></li>"
        yield "</ul>"
