"""The report of an evaluation on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.ui.page import Page, duration, shown_path
from flows.ui.terminal_text import one_line

VERDICTS = ("right", "wrong", "clarified", "abstained", "failed")
RELIABILITY = ("confidence", "answers", "right", "mean confidence", "share right")
_STYLES = {"right": "green", "wrong": "bold red", "failed": "red", "invalid": "red"}
_WRONG_SHOWN = 12
_SLOW_SHOWN = 3


def show_evaluation(console: Console, report: Mapping[str, Any], written: Sequence[Path]) -> None:
    """Write the figures, the wrong cases, and where all of it is."""
    page = Page(console)
    title = f"{report['cases']} cases of {report['file']}, answered by {report['model']}"
    page.rule(title)
    page.flush(_counts(report))
    half = report["precision_at_half"]
    told = "fewer than half were answered" if half is None else f"{half:.1%} are right"
    page.text("Sure", f"of the half it was surest of, {told}")
    page.text("Time", _times(report["latency"]))
    for each in report["slowest"][:_SLOW_SHOWN]:
        page.remark(f"{duration(each['seconds'] * 1000)}  {one_line(each['question'], 100)}")
    if report["reliability"]["bins"]:
        page.rule("Reliability")
        page.flush(_reliability(report["reliability"]))
        page.remark(f"calibration error {percent(report['reliability']['error'])}")
    _show_cases(page, "Wrong", [c for c in report["cases_judged"] if c["verdict"] == "wrong"])
    _show_cases(page, "Failed", [c for c in report["cases_judged"] if c["verdict"] == "failed"])
    broken = [c for c in report["cases_judged"] if c["verdict"] == "invalid"]
    _show_cases(page, "Cannot be judged, and not counted", broken)
    if report["lost"]:
        page.text(
            "Lost",
            "right before and not now: " + ", ".join(map(str, report["lost"])),
            style="bold red",
        )
    page.text("Report", " and ".join(shown_path(each) for each in written))


def show_ways(
    console: Console,
    reports: Mapping[str, Mapping[str, Any]],
    differences: Sequence[Mapping[str, Any]],
    written: Sequence[Path],
) -> None:
    """Write the figures of several models or ways beside each other, what each took, what each
    alone has right, and the first cases in which they differ."""
    page = Page(console)
    some = next(iter(reports.values()))
    models = dict.fromkeys(report["model"] for report in reports.values())
    answered = f"answered by {next(iter(models))}" if len(models) == 1 else "compared"
    page.rule(f"{some['cases']} cases of {some['file']}, {answered}")
    table = _figures("by")
    for way, report in reports.items():
        _add_figures(table, way, report)
    page.flush(table)
    for way, report in reports.items():
        page.text(way, f"{_times(report['latency'])} · {_spent(report['usage'])}")
    right = {way: _right(report) for way, report in reports.items()}
    for way, own in right.items():
        others = {each for other, found in right.items() if other != way for each in found}
        alone = [each for each in own if each not in others]
        if alone:
            page.text("Alone", f"right by {way} only: {one_line(', '.join(alone), 300)}")
    if differences:
        page.rule(f"Different: {len(differences)}")
    for case in differences[:_WRONG_SHOWN]:
        verdicts = ", ".join(f"{each} {verdict}" for each, verdict in case["verdicts"].items())
        page.text(one_line(case["id"], 40), one_line(f"{verdicts}: {case['question']}", 200))
    if len(differences) > _WRONG_SHOWN:
        page.remark(f"… {len(differences) - _WRONG_SHOWN} more in the report")
    page.text("Report", " and ".join(shown_path(each) for each in written))


def _spent(usage: Mapping[str, Any]) -> str:
    """The calls and tokens of models, and what they cost where that is known."""
    tokens = (usage["input_tokens"] or 0) + (usage["output_tokens"] or 0)
    said = f"{usage['model_calls']:,} model calls, {tokens:,} tokens"
    return said if usage["cost"] is None else f"{said}, ${usage['cost']:.2f}"


def _right(report: Mapping[str, Any]) -> list[str]:
    return [str(each["id"]) for each in report["cases_judged"] if each["verdict"] == "right"]


def percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _counts(report: Mapping[str, Any]) -> Table:
    table = _figures("")
    for kind, counts in report["by_difficulty"].items():
        _add_figures(table, kind, counts)
    _add_figures(table, "all", report, "bold")
    return table


def _reliability(reliability: Mapping[str, Any]) -> Table:
    """A row for each bin of confidences: what share of its answers is right."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in RELIABILITY:
        table.add_column(name, justify="right" if name != RELIABILITY[0] else "left")
    for each in reliability["bins"]:
        table.add_row(*bin_cells(each))
    return table


def bin_cells(each: Mapping[str, Any]) -> tuple[str, ...]:
    """A bin of the reliability table as the cells of its row."""
    shares = percent(each["confidence"]), percent(each["share"])
    return (
        f"{each['from']:.0%} to {each['to']:.0%}",
        str(each["answers"]),
        str(each["right"]),
        *shares,
    )


def _figures(what: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column(what)
    for name in ("cases", *VERDICTS, "accuracy", "precision"):
        table.add_column(name, justify="right")
    return table


def _add_figures(table: Table, name: str, counts: Mapping[str, Any], style: str = "") -> None:
    cells = [str(counts[each]) for each in ("cases", *VERDICTS)]
    shares = [percent(counts["accuracy"]), percent(counts["precision"])]
    table.add_row(*(Text(each, style=style) for each in (one_line(name, 30), *cells, *shares)))


def _times(latency: Mapping[str, float | None]) -> str:
    said = [
        f"{name} {duration(value * 1000)}" for name, value in latency.items() if value is not None
    ]
    return " · ".join(said)


def _show_cases(page: Page, label: str, cases: Sequence[Mapping[str, Any]]) -> None:
    if not cases:
        return
    page.rule(f"{label}: {len(cases)}", _STYLES["wrong"])
    for each in cases[:_WRONG_SHOWN]:
        page.flush(Text(f"{one_line(each['id'], 40)}  {one_line(each['question'], 160)}"))
        if each["sql"]:
            page.text("got", one_line(each["sql"], 300))
        if each["expected_sql"]:
            page.text("expected", one_line(each["expected_sql"], 300))
        if each["reason"]:
            page.text("reason", one_line(each["reason"], 300))
    if len(cases) > _WRONG_SHOWN:
        page.remark(f"… {len(cases) - _WRONG_SHOWN} more in the report")
