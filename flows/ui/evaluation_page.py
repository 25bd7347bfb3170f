"""The report of an evaluation as one HTML page, which needs no network and runs no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from flows.human.terminal_text import plain
from flows.ui.evaluation import RELIABILITY, VERDICTS, bin_cells, percent
from flows.ui.page import duration

_SHOWN = 600
_PLOT = (440, 260)
_MARGIN = 44
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --line: #d9dee4; --bar: #3b6fd4;
  --paper: #ffffff; --good: #1b7f3b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #98a2ad; --line: #333a42;
  --bar: #7fa6f5; --paper: #14171a; --good: #5dc983; --bad: #f2877f; } }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
.soft { color: var(--soft); } .right { color: var(--good); } .wrong { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 13px ui-monospace, monospace; white-space: pre-wrap; }
section { border-top: 1px solid var(--line); margin-top: 1.2rem; padding-top: .6rem; }
section h3 { font-size: 1rem; margin: 0 0 .4rem; } dt { color: var(--soft); }
dd { margin: 0 0 .5rem; }
svg line, svg polyline { stroke: var(--line); fill: none; } svg polyline { stroke: var(--bar);
  stroke-width: 2; } svg circle { fill: var(--bar); }
svg text { fill: var(--soft); font-size: 12px; }
"""


def evaluation_page(report: Mapping[str, Any]) -> str:
    """The whole page of a report. Whatever comes from data, questions and models is escaped."""
    title = f"{report['cases']} cases of {report['file']}, answered by {report['model']}"
    judged = report["cases_judged"]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{safe_text(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{safe_text(title)}</h1>",
        *_counts(report),
        *_curve(report),
        *_reliability(report["reliability"]),
        *times(report),
        *lost_cases(report),
    ]
    for verdict, heading in (
        ("wrong", "Wrong"), ("failed", "Failed"), ("invalid", "Cases that cannot be judged"),
        ("clarified", "Asked back"), ("abstained", "Not answered"),
    ):  # fmt: skip
        parts += _cases(heading, [each for each in judged if each["verdict"] == verdict])
    return "\n".join([*parts, "</body></html>", ""])


def _counts(report: Mapping[str, Any]) -> Iterator[str]:
    heads = ("", "cases", *VERDICTS, "accuracy", "precision", "coverage")
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th>{each}</th>" for each in heads)
    yield "</tr></thead><tbody>"
    for kind, counts in (*report["by_difficulty"].items(), ("all", report)):
        numbers = [str(counts[each]) for each in ("cases", *VERDICTS)]
        shares = [percent(counts[each]) for each in ("accuracy", "precision", "coverage")]
        cells = "".join(f'<td class="number">{each}</td>' for each in (*numbers, *shares))
        yield f"<tr><th>{safe_text(kind)}</th>{cells}</tr>"
    yield "</tbody></table></div>"
    if report["invalid"]:
        yield f'<p class="wrong">{report["invalid"]} more cannot be judged.</p>'


def _curve(report: Mapping[str, Any]) -> Iterator[str]:
    """How precise the answers are down to each confidence, by what share of all they are."""
    points = report["curve"]
    half = report["precision_at_half"]
    said = "Fewer than half were answered" if half is None else f"{half:.1%} of them are right"
    yield "<h2>Precision and coverage</h2>"
    yield f"<p>Of the half that it was surest of: {said}.</p>"
    if not points:
        return
    width, height = _PLOT
    spots = [
        (_MARGIN + each["coverage"] * width, 10 + (1 - each["precision"]) * height)
        for each in points
    ]
    yield (
        f'<svg width="{width + _MARGIN + 20}" height="{height + 50}" role="img">'
        "<title>Precision by coverage</title>"
    )
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y, x = 10 + (1 - share) * height, _MARGIN + share * width
        yield f'<line x1="{_MARGIN}" y1="{y:.1f}" x2="{_MARGIN + width}" y2="{y:.1f}"/>'
        yield f'<text x="2" y="{y + 4:.1f}">{share:.0%}</text>'
        yield f'<text x="{x - 12:.1f}" y="{height + 28}">{share:.0%}</text>'
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    yield f'<polyline points="{line}"/>'
    for (x, y), each in zip(spots, points, strict=True):
        told = (
            f"confidence {each['confidence']:.2f} and above: {each['precision']:.1%} of "
            f"{each['coverage']:.1%} are right"
        )
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{safe_text(told)}</title></circle>'
    yield f'<text x="{_MARGIN + width / 2 - 30:.0f}" y="{height + 46}">coverage</text></svg>'


def _reliability(reliability: Mapping[str, Any]) -> Iterator[str]:
    """What share of the answers of each confidence is right."""
    if not reliability["bins"]:
        return
    yield "<h2>Reliability</h2>"
    yield f"<p>Calibration error: {percent(reliability['error'])}.</p>"
    heads = "".join(f"<th>{each}</th>" for each in RELIABILITY)
    yield f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>'
    for each in reliability["bins"]:
        first, *others = bin_cells(each)
        cells = "".join(f'<td class="number">{cell}</td>' for cell in others)
        yield f"<tr><th>{first}</th>{cells}</tr>"
    yield "</tbody></table></div>"


def times(report: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Time</h2>"
    said = [
        f"{name} {duration(value * 1000)}"
        for name, value in report["latency"].items()
        if value is not None
    ]
    yield f"<p>{safe_text(' · '.join(said))}</p><table><tbody>"
    for each in report["slowest"]:
        yield (
            f'<tr><td class="number">{safe_text(duration(each["seconds"] * 1000))}</td>'
            f"<td>{safe_text(each['id'])}</td><td>{safe_text(each['question'])}</td></tr>"
        )
    yield "</tbody></table>"


def lost_cases(report: Mapping[str, Any]) -> Iterator[str]:
    if report["lost"]:
        names = ", ".join(map(str, report["lost"]))
        yield f'<h2 class="wrong">Right before and not now</h2><p>{safe_text(names)}</p>'


def _cases(heading: str, cases: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not cases:
        return
    yield f"<h2>{heading}: {len(cases)}</h2>"
    for each in cases:
        yield f"<section><h3>{safe_text(each['id'])} · {safe_text(each['question'])}</h3>"
        sure = each["confidence"]
        told = [str(each["difficulty"]), duration(each["seconds"] * 1000)]
        told += [f"sure {sure:.0%}"] if sure is not None else []
        yield f'<p class="soft">{safe_text(" · ".join(told))}</p><dl>'
        yield from _details(each)
        yield "</dl></section>"


def _details(each: Mapping[str, Any]) -> Iterator[str]:
    for label, key in (
        ("reason", "reason"), ("read as", "explanation"), ("answer", "answer"), ("SQL", "sql"),
        ("code", "code"), ("expected SQL", "expected_sql"), ("expected answer", "expected_answer"),
    ):  # fmt: skip
        if each[key] not in (None, ""):
            yield f"<dt>{label}</dt><dd><code>{safe_text(each[key], lines=True)}</code></dd>"
    if each["words"]:
        words = "".join(
            f"<tr><td><b>{safe_text(word['text'])}</b></td><td>{safe_text(word['reading'])}</td>"
            f'<td class="number">{word["score"]:.2f}</td><td>{safe_text(word["reason"])}</td></tr>'
            for word in each["words"]
        )
        yield f"<dt>words</dt><dd><table><tbody>{words}</tbody></table></dd>"
    if each["expected_rows"] is not None:
        yield f"<dt>expected, {each['expected_total_rows']} rows</dt><dd>"
        yield _rows((), each["expected_rows"]) + "</dd>"
    if each["columns"]:
        yield f"<dt>got, {each['total_rows']} rows</dt><dd>"
        yield _rows(each["columns"], each["rows"]) + "</dd>"


def _rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th>{safe_text(each)}</th>" for each in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{safe_text(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def safe_text(value: object, *, lines: bool = False) -> str:
    """Anything as one safe text: escaped, without characters that command or turn a text."""
    text = plain("missing" if value is None else str(value))
    text = text.strip() if lines else " ".join(text.split())
    return escape(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…", quote=True)
