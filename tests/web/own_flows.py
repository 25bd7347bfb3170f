"""Run files of flows in a Python file of a user's own, for tests of what serves them."""

from __future__ import annotations

import shutil
from pathlib import Path

TOOLS = Path(__file__).with_name("own_tools.py")
FILES = {
    "louder": "louder",
    "rows": "rows",
    "share": "share",
    "fails": "fails",
    "slow": "Slow",
    "asks": "Asks",
}


def write_flows(folder: Path) -> list[str]:
    """Write the run files into a folder; returns the arguments of the command."""
    shutil.copy(TOOLS, folder / "tools.py")
    for name, target in FILES.items():
        (folder / f"{name}.yaml").write_text(f"_target_: ./tools.py:{target}\n", "utf-8")
    return [*(f"{name}.yaml" for name in FILES), "--trust", "./tools.py"]


def log(folder: Path) -> str:
    """What the slow flow has noted."""
    file = folder / "slow.txt"
    return file.read_text("utf-8") if file.is_file() else ""
