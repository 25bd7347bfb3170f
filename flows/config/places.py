"""Where the config groups that come with the project lie."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def project_configs() -> Path | None:
    """The folder `configs`: inside the package in a wheel, beside it in a clone."""
    for folder in (PACKAGE / "configs", PACKAGE.parent / "configs"):
        if folder.is_dir():
            return folder
    return None
