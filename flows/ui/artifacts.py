"""The artifacts of a run: what they are, where they come from, and whether they are whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from flows.records.artifact_state import KeptArtifact, first_line, read_from
from flows.ui.page import Page, counted, shown_path
from flows.ui.terminal_text import one_line

_MOST: Final = 60
_LINE: Final = 120
_MARKS: Final = {"missing": "missing", "changed": "changed after it was written"}
_UNITS: Final = ("bytes", "kB", "MB", "GB")


def show_artifacts(page: Page, folder: Path, kept: Sequence[KeptArtifact]) -> None:
    """A few lines for each artifact; those whose files are not as they were are marked."""
    if not kept:
        return
    lost = sum(each.state != "whole" for each in kept)
    lines: list[RenderableType] = []
    if lost:
        are = "is" if lost == 1 else "are"
        lines.append(Text(f"{counted(lost, 'artifact')} {are} not as written", style="bold red"))
    for each in kept[:_MOST]:
        lines += _lines(page, folder, each)
    if len(kept) > _MOST:
        lines.append(page.wrapped(f"… {len(kept) - _MOST} more", "dim"))
    page.block("Artifacts", Group(*lines))


def _lines(page: Page, folder: Path, kept: KeptArtifact) -> list[RenderableType]:
    artifact = kept.artifact
    head = Text.assemble(
        (one_line(artifact.name, 60), "bold"),
        f"  {artifact.what} · {size(kept.bytes)} · by {one_line(artifact.step, 80) or 'the flow'}",
    )
    paths = Text("\n").join(
        Text.assemble(
            f"  {shown_path(folder / file.path)}",
            (f"  {_MARKS[state]}", "bold red") if state != "whole" else "",
        )
        for file, state in zip(artifact.files, kept.states, strict=True)
    )
    made = first_line(artifact.origin) or artifact.description
    lines: list[RenderableType] = [head, paths, page.wrapped(f"  {one_line(made, _LINE)}", "dim")]
    if sources := read_from(artifact.origin):
        lines.append(page.wrapped(f"  from {one_line(', '.join(sources), _LINE)}", "dim"))
    return lines


def size(count: int) -> str:
    """A number of bytes as a person says it."""
    scaled, unit = float(count), 0
    while scaled >= 1000 and unit < len(_UNITS) - 1:
        scaled, unit = scaled / 1000, unit + 1
    return f"{count:,} {_UNITS[0]}" if unit == 0 else f"{scaled:.1f} {_UNITS[unit]}"
