"""Recorded runs: a table of many, a page of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.records.artifact_state import look_at
from flows.records.record import RunRecord
from flows.ui.artifacts import show_artifacts
from flows.ui.competition import is_competition, show_competition_files
from flows.ui.ending import STYLES, show_outputs
from flows.ui.findings import is_analysis, show_reports
from flows.ui.page import Page, counted, duration, shown_path
from flows.ui.questions import local_time, show_how_to_go_on, show_questions
from flows.ui.spending import limits_used, money, spent
from flows.ui.steps import render_steps
from flows.ui.terminal_text import as_text, one_line

_ID_CHARS = 60
_LEAST = 2
_GAP = 2
_NARROWEST = 8
_ANSWERS = 20
_CHANGE = 200


def show_runs(console: Console, records: Sequence[RunRecord], *, runs: Path, more: bool) -> None:
    """A line for each run; `more` says that there are others."""
    page = Page(console)
    if not records:
        page.flush(
            page.wrapped(
                f"There is no run in {shown_path(runs)}, or none as asked for.", flush=True
            )
        )
        return
    page.flush(_table(records, console.width))
    if more:
        page.flush(page.wrapped("… and older ones: --limit shows more", "dim", flush=True))


def _table(records: Sequence[RunRecord], width: int) -> Table:
    """Columns that are never cut, and what the run is about in the room that is left."""
    cells = [
        (
            Text(one_line(each.place.run_id, _ID_CHARS)),
            Text(each.status, style=STYLES[each.status]),
            Text(local_time(each.place.began), style="dim"),
            Text(duration(each.spent.seconds * 1000), style="dim"),
        )
        for each in records
    ]
    heads = ["run", "status", "started", "took"]
    widest = [
        max(len(head), *(line[place].cell_len for line in cells))
        for place, head in enumerate(heads)
    ]
    while len(heads) > _LEAST and sum(widest[: len(heads)]) + len(heads) * _GAP + _GAP > width:
        heads.pop()
    left = width - sum(widest[: len(heads)]) - len(heads) * _GAP
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head, room in zip(heads, widest, strict=False):
        table.add_column(Text(head, style="bold"), width=room, no_wrap=True)
    if left >= _NARROWEST:
        table.add_column(Text("about", style="bold"), width=left, no_wrap=True)
    for each, line in zip(records, cells, strict=True):
        about = [Text(one_line(_about(each), left))] if left >= _NARROWEST else []
        table.add_row(*line[: len(heads)], *about)
    return table


def _about(record: RunRecord) -> str:
    """What tells one run from the others: why it did not go on, or what it was for."""
    if record.status in ("damaged", "failed"):
        return record.reason
    inputs = " · ".join(as_text(value) for value in record.inputs.values())
    return f"{record.title}: {inputs}" if inputs else record.title


def show_record(console: Console, record: RunRecord, *, steps: bool) -> None:
    """What it came to, what it waits with, what it used, what it did, and how to go on."""
    page = Page(console)
    page.rule(record.title or record.place.run_id, "bold cyan")
    _show_times(page, record)
    if record.status == "damaged":
        console.print()
        return
    for name, value in record.inputs.items():
        page.text(one_line(name, 9).capitalize(), as_text(value), label_style="dim")
    for each in record.answers[-_ANSWERS:]:
        said = "q" if each.answer.kind == "quit" else each.answer.text or "go on"
        page.text("You", said, label_style="bold green")
        page.remark(f"to {one_line(each.step, 120)} · {local_time(each.at)}")
    show_changes(page, record)
    show_outputs(page, record.outputs)
    page.rule(record.status.capitalize(), STYLES[record.status])
    asked = record.questions if record.goes_on or record.status == "running" else ()
    show_questions(page, asked, brief=False)
    if record.reason and not asked:
        page.text("Reason", record.reason)
    _show_spent(page, record)
    _show_steps(page, record, whole=steps)
    folder = record.place.folder
    if is_analysis(record.outputs):
        show_reports(page, folder, record.outputs)
    elif is_competition(record.outputs):
        show_competition_files(page, folder, record.outputs)
    show_artifacts(page, folder, look_at(folder, record.artifacts))
    if record.goes_on:
        show_how_to_go_on(page, record.place.run_id, record.place.folder, asked, look=False)
    console.print()


def show_changes(page: Page, record: RunRecord) -> None:
    """The changes that the person made to the session: what they said, where, and what differs."""
    for each in record.changes:
        page.text("Changed", one_line(each.said, _CHANGE), label_style="bold yellow")
        page.remark(f"at {', '.join(each.asked)} · {local_time(each.row.at)}")
        for found in each.differences:
            one, other = (one_line(as_text(value), _CHANGE) for value in (found.one, found.other))
            page.remark(f"{one_line(found.key, _CHANGE)}: {one} → {other}")


def _show_times(page: Page, record: RunRecord) -> None:
    page.text("Run", record.place.run_id, label_style="dim")
    page.text("Folder", shown_path(record.place.folder), label_style="dim")
    page.text("Status", record.status, style=STYLES[record.status], label_style="dim")
    if record.status == "damaged":
        page.text("Reason", record.reason, style="red")
        return
    times = local_time(record.place.began)
    if record.ended is not None:
        times += f" to {local_time(record.ended)}"
    if record.epochs > 1:
        times += f", resumed {counted(record.epochs - 1, 'time')}"
    page.text("When", times, label_style="dim")


def _show_spent(page: Page, record: RunRecord) -> None:
    used = record.spent
    page.text("Spent", spent(used.usage, used.rounds, used.seconds))
    limits = list(limits_used(record.limits, used.usage, used.rounds, used.seconds))
    lines = [f"{name}: {part} of {allowed}" for name, part, allowed in limits]
    page.text("Limits", "\n".join(lines) or "none")
    if used.under_way:
        page.text("Now", f"{counted(used.under_way, 'model call')} under way")
    if billed := used.usage.possibly_billed:
        text = f"Of {counted(billed, 'model call')} the reply was lost: it may have been billed"
        most = [f"{used.held_tokens:,} tokens"] if used.held_tokens else []
        most += [money(used.held_cost)] if used.held_cost else []
        page.text("Note", f"{text}{', with at most ' * bool(most)}{' and '.join(most)}.")


def _show_steps(page: Page, record: RunRecord, *, whole: bool) -> None:
    if whole and record.steps:
        page.block("Steps", render_steps(record.steps))
        return
    kinds = [step.came_to for step in record.steps]
    parts = [f"{kinds.count(kind):,} {kind}" for kind in dict.fromkeys(kinds)]
    page.text("Steps", ", ".join(parts) or "none", style="")
