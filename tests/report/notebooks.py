"""Running the cells of a notebook in a process of its own, which knows nothing of this package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_RUN = """
import json, sys, traceback
book = json.load(open(sys.argv[1], encoding="utf-8"))
scope = {"__name__": "__main__"}
for cell in book["cells"]:
    if cell["cell_type"] != "code":
        continue
    try:
        exec(compile(cell["source"], cell["id"], "exec"), scope)
    except Exception:
        if "raises-exception" not in cell["metadata"].get("tags", ()):
            raise
        traceback.print_exc()
assert not [name for name in sys.modules if name.partition(".")[0] == "flows"]
"""


def run_notebook(notebook: Path, folder: Path, seconds: float = 400.0) -> str:
    """Run it in the folder; returns what it said on standard error, where cells that may fail are
    told of."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", _RUN, str(notebook)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr
