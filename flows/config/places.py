"""Where the config groups that come with the project lie, and the state of the user."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

RUN_FILE: Final = "flows.yaml"  # what a command without a file takes, here or in a folder above
PACKAGE = Path(__file__).resolve().parent.parent


def state_folder() -> Path | None:
    """Where the user's state is kept; None without a home folder."""
    home = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return base / "analyst-flows"


def demo_file() -> Path | None:
    """The demo: inside the package in a wheel, beside it in a clone."""
    files = (PACKAGE / "demo.yaml", PACKAGE.parent / "demo.yaml")
    return next((each for each in files if each.is_file()), None)


def project_configs() -> Path | None:
    """The folder `configs`: inside the package in a wheel, beside it in a clone."""
    for folder in (PACKAGE / "configs", PACKAGE.parent / "configs"):
        if folder.is_dir():
            return folder
    return None
