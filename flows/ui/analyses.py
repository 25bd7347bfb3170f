"""The verdicts on analyses on a terminal: each when it is there, and the figures at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.ui.evaluation import percent
from flows.ui.page import Page, duration, shown_path
from flows.ui.terminal_text import one_line

if TYPE_CHECKING:
    from flows.evaluation.analyses import AnalysisJudged

VERDICTS = ("right", "partly", "wrong", "failed")
_STYLES = {"right": "green", "partly": "yellow", "wrong": "bold red", "failed": "red",
           "invalid": "red"}  # fmt: skip
_LONGEST_ID = 24


def show_verdict(console: Console, judged: AnalysisJudged) -> None:
    """One line of what came out, and under it what was expected and is not there."""
    each = judged.as_json()
    line = Text.assemble(
        (f"{each['verdict']:8}", _STYLES[each["verdict"]]),
        f"{judged.found:>2}/{len(each['findings']) or '-':<2} ",
        f"{duration(each['seconds'] * 1000):>8}  ",
        (f"{one_line(each['id'], _LONGEST_ID):{_LONGEST_ID}}  ", "bold"),
        one_line(each["question"], 160),
    )
    console.print(line, soft_wrap=True)
    reasons = [finding["missing"] for finding in each["findings"] if finding["missing"]]
    for reason in (*reasons, *([each["reason"]] if each["reason"] else [])):
        console.print(Text(f"{'':12}{one_line(reason, 400)}", style="dim"), soft_wrap=True)


def show_analyses(console: Console, report: Mapping[str, Any], written: Sequence[Path]) -> None:
    """Write the figures, and where all of it is."""
    page = Page(console)
    page.rule(title_of(report))
    page.flush(_counts(report))
    numbers, share = report["numbers"], percent(report["traced_share"])
    page.text("Numbers", f"{numbers} were told, of {share or 'none'} the origin is known")
    said = [f"{name} {duration(value * 1000)}" for name, value in report["latency"].items()
            if value is not None]  # fmt: skip
    page.text("Time", " · ".join(said) or "none")
    if report["invalid"]:
        page.text("Invalid", f"{report['invalid']} cases cannot be judged, and are not counted")
    if report["lost"]:
        names = ", ".join(map(str, report["lost"]))
        page.text("Lost", f"right before and not now: {names}", style="bold red")
    page.text("Report", " and ".join(shown_path(each) for each in written))


def title_of(report: Mapping[str, Any]) -> str:
    """What was asked of whom, and whether it was broken off."""
    count = f"{report['cases']} analyses of {report['file']}, by {report['model']}"
    return f"{count} (stopped before the end)" if report["stopped"] else count


def _counts(report: Mapping[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("", "cases", *VERDICTS, "right", "findings"):
        table.add_column(name, justify="left" if not name else "right")
    for kind, counts in (*report["by_difficulty"].items(), ("all", report)):
        cells = [str(counts[each]) for each in ("cases", *VERDICTS)]
        shares = [percent(counts["accuracy"]), percent(counts["found_share"])]
        style = "bold" if kind == "all" else ""
        table.add_row(*(Text(each, style=style) for each in (one_line(kind, 30), *cells, *shares)))
    return table
