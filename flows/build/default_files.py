"""The default configs of flows, over which a run file's own entries are laid."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from flows.build.names import builtin_registry
from flows.config.class_defaults import class_text, written_defaults
from flows.config.modules import module_beside
from flows.config.read import read
from flows.config.registry import DOTTED
from flows.config.tree import MAKERS, SUBFLOWS, Section
from flows.errors import Place

FOLDER = Path(__file__).parent.parent / "library" / "aiflows" / "defaults"
_MOST_BASES = 20


def is_default(place: Place) -> bool:
    """Whether that is a place in one of our own files with defaults."""
    return Path(place.origin).absolute().is_relative_to(FOLDER.absolute())


def default_files(base: Path) -> Callable[[str], tuple[Path | Section, ...]]:
    """What finds the default config of the flow that a `_target_` names, each part laid over the
    one before it: our file for the flows of aiflows' FlowVerse; `CLASS.yaml` beside the module of a
    class, or in its package, in the folder of the run file. A composite has those of the class that
    it subclasses too, and what the class itself says where it has no file. Nothing for a flow
    without one."""
    registry = builtin_registry()

    def find(target: str) -> tuple[Path | Section, ...]:
        name = registry.canonical("flow", target)
        if registry.is_built_in("flow", name):
            file = FOLDER / f"{name}.yaml"
            return (file,) if file.is_file() else ()
        module, _, kind = MAKERS.sub("", target).rpartition(".")
        source = module_beside(module.partition(".")[0], base) if DOTTED.fullmatch(target) else None
        if source is None:
            return ()
        parts = list(_parts(base, module, kind))[::-1]
        if any(_tree_of(each).get(SUBFLOWS) is not None for each in parts):
            return tuple(parts)
        return tuple(each for each in parts[-1:] if each == _file_of(base, module, kind))

    return find


def _parts(base: Path, module: str, kind: str) -> Iterator[Path | Section]:
    """The default config of a class, then of the one that it subclasses, and so on."""
    for _ in range(_MOST_BASES):
        file, source = _file_of(base, module, kind), _source_of(base, module)
        written = class_text(source, kind)
        if file is not None:
            yield file
        elif written is not None and (said := written_defaults(source, written)) is not None:
            yield said
        if written is None or not (written.bases and isinstance(written.bases[0], ast.Name)):
            return
        kind = written.bases[0].id
        if class_text(source, kind) is None:  # one of another module has its own files there
            return


def _tree_of(part: Path | Section) -> Section:
    return part if isinstance(part, Section) else read(part).tree


def _file_of(base: Path, module: str, kind: str) -> Path | None:
    path = base.joinpath(*module.split("."))  # of a module, or of the package that names it
    files = (path / f"{kind}.yaml", path.with_name(f"{kind}.yaml"))
    return next((each for each in files if each.is_file()), None)


def _source_of(base: Path, module: str) -> Path:
    path = base.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")
