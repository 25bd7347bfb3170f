"""The verdicts on analyses as one HTML page, which needs no network and runs no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flows.ui.analyses import VERDICTS, title_of
from flows.ui.evaluation import percent
from flows.ui.evaluation_page import POLICY, STYLE, lost_cases, safe_text, times
from flows.ui.page import duration

_HEADINGS = (
    ("wrong", "Wrong"), ("failed", "Failed"), ("partly", "Partly right"),
    ("invalid", "Cases that cannot be judged"), ("right", "Right"),
)  # fmt: skip


def analyses_page(report: Mapping[str, Any]) -> str:
    """The whole page of a report. Whatever comes from data, questions and models is escaped."""
    title = safe_text(title_of(report))
    judged = report["cases_judged"]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{STYLE}</style></head><body>",
        f"<h1>{title}</h1>",
        *_counts(report),
        *times(report),
        *lost_cases(report),
    ]
    for verdict, heading in _HEADINGS:
        parts += _cases(heading, [each for each in judged if each["verdict"] == verdict])
    return "\n".join([*parts, "</body></html>", ""])


def _counts(report: Mapping[str, Any]) -> Iterator[str]:
    heads = ("", "cases", *VERDICTS, "right", "findings", "numbers", "traced")
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th>{each}</th>" for each in heads)
    yield "</tr></thead><tbody>"
    for kind, counts in (*report["by_difficulty"].items(), ("all", report)):
        numbers = [str(counts[each]) for each in ("cases", *VERDICTS)]
        numbers += [percent(counts["accuracy"]), percent(counts["found_share"])]
        numbers += [str(counts["numbers"]), percent(counts["traced_share"])]
        cells = "".join(f'<td class="number">{each}</td>' for each in numbers)
        yield f"<tr><th>{safe_text(kind)}</th>{cells}</tr>"
    yield "</tbody></table></div>"
    if report["invalid"]:
        yield f'<p class="wrong">{report["invalid"]} more cannot be judged.</p>'


def _cases(heading: str, cases: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not cases:
        return
    yield f"<h2>{heading}: {len(cases)}</h2>"
    for each in cases:
        yield f"<section><h3>{safe_text(each['id'])} · {safe_text(each['question'])}</h3>"
        told = (each["difficulty"], duration(each["seconds"] * 1000), each["run_id"])
        yield f'<p class="soft">{safe_text(" · ".join(map(str, filter(None, told))))}</p>'
        if each["reason"]:
            yield f'<p class="wrong">{safe_text(each["reason"])}</p>'
        if each["summary"]:
            yield f"<p>{safe_text(each['summary'], lines=True)}</p>"
        yield from _findings(each["findings"])
        yield "</section>"


def _findings(findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not findings:
        return
    yield "<table><tbody>"
    for each in findings:
        expected = ", ".join(f"{name} {value}" for name, value in each["expected"].items())
        mark = (
            '<td class="wrong">missing</td>' if each["missing"] else '<td class="right">found</td>'
        )
        yield f"<tr>{mark}<td><code>{safe_text(expected)}</code></td>"
        yield f"<td>{safe_text(each['missing'])}</td></tr>"
    yield "</tbody></table>"
