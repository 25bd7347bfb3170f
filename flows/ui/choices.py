"""What was chosen where a question was asked back, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.semantics.readings import RememberedChoice
from flows.ui.page import Page, shown_path
from flows.ui.terminal_text import one_line

_LONGEST = 300


def show_choices(
    console: Console, choices: Sequence[RememberedChoice], forgotten: Sequence[str], path: Path
) -> None:
    """What was taken back, and each choice that is left: its number, the question, its meaning."""
    page = Page(console)
    for question in forgotten:
        page.flush(page.wrapped(f"Taken back: {one_line(question, _LONGEST)}", flush=True))
    if not choices:
        page.flush(page.wrapped(f"Nothing is remembered in {shown_path(path)}.", flush=True))
        return
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(justify="right")
    grid.add_column(overflow="fold")
    for number, each in enumerate(choices, 1):
        grid.add_row(Text(str(number), style="bold"), Text(one_line(each.question, _LONGEST)))
        grid.add_row("", Text(f"means: {_meaning(each)}", style="dim"))
    page.flush(grid)


def _meaning(choice: RememberedChoice) -> str:
    """In the words of the option that was chosen; of one that a person wrote, as it is written."""
    said = choice.means or choice.request.model_dump_json(exclude_defaults=True)
    return one_line(said.replace("`", ""), _LONGEST)
