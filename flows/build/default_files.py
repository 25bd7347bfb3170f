"""The files with the default configs of flows, over which a run file's own entries are laid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.build.names import builtin_registry
from flows.config.registry import DOTTED, MAKERS

FOLDER = Path(__file__).parent.parent / "library" / "aiflows" / "defaults"


def default_files(base: Path) -> Callable[[str], Path | None]:
    """What finds the file with the default config of the flow that a `_target_` names: ours for
    the flows of aiflows' FlowVerse, `CLASS.yaml` beside the module of a class in the folder of the
    run file. None for a flow without one; a built-in name is no module."""
    registry = builtin_registry()

    def find(target: str) -> Path | None:
        known = registry.canonical("flow", target)
        file = FOLDER / f"{known}.yaml"
        if file.is_file():
            return file
        if ("flow", known) in registry.table:
            return None
        module, _, name = MAKERS.sub("", target).rpartition(".")
        if not module or not DOTTED.fullmatch(target):
            return None
        beside = base.joinpath(*module.split(".")).with_name(f"{name}.yaml")
        return beside if beside.is_file() else None

    return find
