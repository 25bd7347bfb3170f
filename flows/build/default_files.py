"""The files with the default configs of flows, over which a run file's own entries are laid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.build.names import builtin_registry
from flows.config.modules import module_beside
from flows.config.registry import DOTTED
from flows.config.tree import MAKERS
from flows.errors import Place

FOLDER = Path(__file__).parent.parent / "library" / "aiflows" / "defaults"


def is_default(place: Place) -> bool:
    """Whether that is a place in one of our own files with defaults."""
    return Path(place.origin).absolute().is_relative_to(FOLDER.absolute())


def default_files(base: Path) -> Callable[[str], Path | None]:
    """What finds the file with the default config of the flow that a `_target_` names: ours for
    the flows of aiflows' FlowVerse, `CLASS.yaml` beside the module of a class, or in its package,
    in the folder of the run file. None for a flow without one."""
    registry = builtin_registry()

    def find(target: str) -> Path | None:
        name = registry.canonical("flow", target)
        if registry.is_built_in("flow", name):
            file = FOLDER / f"{name}.yaml"
            return file if file.is_file() else None
        module, _, kind = MAKERS.sub("", target).rpartition(".")
        source = module_beside(module.partition(".")[0], base) if DOTTED.fullmatch(target) else None
        if source is None:
            return None
        path = base.joinpath(*module.split("."))  # of a module, or of the package that names it
        files = (path / f"{kind}.yaml", path.with_name(f"{kind}.yaml"))
        return next((each for each in files if each.is_file()), None)

    return find
