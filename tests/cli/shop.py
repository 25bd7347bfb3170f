"""A small shop whose takings have a known driver, and a paper about it."""

from __future__ import annotations

from pathlib import Path

ASKED = "What drives the revenue?"


def shop(folder: Path) -> None:
    """`shop.csv`, in which revenue rises by 10 with each hour, and `papers`."""
    lines = ["branch,hours,visitors,revenue"]
    for day in range(60):
        hours, visitors = 4 + day % 9, 20 + (day * 37) % 50
        lines.append(f"{'ABC'[day % 3]},{hours},{visitors},{hours * 10 + (day * 7) % 5}")
    (folder / "shop.csv").write_text("\n".join(lines) + "\n")
    papers = folder / "papers"
    papers.mkdir()
    (papers / "hours.md").write_text(
        "# Opening hours\n\nThe branches of the shop open for between four and twelve hours. "
        "Longer hours were tried first in branch A.\n"
    )
