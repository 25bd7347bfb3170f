"""What every benchmark prints and writes: a plain table, and JSON with the machine it ran on."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results"


def spread(values: Sequence[float]) -> dict[str, float]:
    """The median of the samples with the least and the greatest."""
    return {"median": median(values), "min": min(values), "max": max(values)}


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in plain text: the first column to the left, all others to the right."""
    lines = [headers, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]

    def row(cells: Sequence[str]) -> str:
        first, *others = cells
        padded = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        return "  ".join([first.ljust(widths[0]), *padded]).rstrip()

    return "\n".join([row(headers), row(["-" * width for width in widths]), *map(row, rows)])


def number(value: float) -> str:
    """A figure with as many places as can be read at a glance: 1,234 or 12.34."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def cells_of(figures: Mapping[str, float]) -> list[str]:
    """A spread as two cells: the median, and least..greatest."""
    return [number(figures["median"]), f"{number(figures['min'])}..{number(figures['max'])}"]


def machine() -> dict[str, Any]:
    """The machine and its load at this moment, for whoever reads the numbers later."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }


def write(payload: Mapping[str, Any], benchmark: str, target: Path | None) -> Path:
    """Write the results to `target`, or to `results/<benchmark>.json`; returns where."""
    path = target or RESULTS / f"{benchmark}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(dict(payload), indent=2) + "\n")
    print(f"\nwritten: {path}", file=sys.stderr)
    return path
