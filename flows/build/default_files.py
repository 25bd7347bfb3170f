"""The files with the default configs of flows, over which a run file's own entries are laid."""

from __future__ import annotations

from pathlib import Path

from flows.build.names import builtin_registry

FOLDER = Path(__file__).parent.parent / "library" / "aiflows" / "defaults"


def default_file(target: str) -> Path | None:
    """The file with the default config of the flow that a `_target_` names, if it has one."""
    file = FOLDER / f"{builtin_registry().canonical('flow', target)}.yaml"
    return file if file.is_file() else None
