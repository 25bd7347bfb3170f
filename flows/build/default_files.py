"""The default configs of flows, over which a run file's own entries are laid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from flows.build.names import builtin_registry
from flows.config.class_defaults import (
    ClassDefaults,
    DefaultPart,
    config_beside,
    written_defaults,
)
from flows.config.class_text import ClassText, find_class, lineage
from flows.config.tree import MAKERS
from flows.errors import Place

FOLDER = Path(__file__).parent.parent / "library" / "aiflows" / "defaults"
_COMPOSITES: Final = ("SequentialFlow", "CircularFlow", "BranchingFlow", "CompositeFlow")
# The packages of aiflows by their first parts: relative names in their flows are of these.
_PACKAGE_PARTS: Final = {"aiflows": 2, "flow_modules": 3}


def is_default(place: Place) -> bool:
    """Whether that is a place in one of our own files with defaults."""
    return Path(place.origin).absolute().is_relative_to(FOLDER.absolute())


def default_files(base: Path) -> Callable[[str], ClassDefaults]:
    """What finds the default config of the flow that a `_target_` names: our file for the flows of
    aiflows' FlowVerse; what the text of a class says, of a module in the folder of the run file or
    of an installed one. Where the class reads its config itself, being no composite, that is the
    file beside it alone. Nothing for a flow without one.

    Errors: `ConfigError` for a composite whose class does not say it as a literal.
    """
    registry = builtin_registry()

    def find(target: str) -> ClassDefaults:
        name = registry.canonical("flow", target)
        if registry.is_built_in("flow", name):
            file = FOLDER / f"{name}.yaml"
            parts = (DefaultPart(file),) if file.is_file() else ()
            return ClassDefaults(parts, _package_of(target))
        found = find_class(target, base)
        return _defaults_of(found) if found is not None else ClassDefaults()

    return find


def _defaults_of(found: ClassText) -> ClassDefaults:
    classes = list(lineage(found))
    last = classes[-1].base
    is_composite = last.startswith("aiflows.") and last.rpartition(".")[2] in _COMPOSITES
    parts: list[DefaultPart] = []
    for each in classes if is_composite else classes[:1]:
        content = config_beside(each) or (written_defaults(each) if is_composite else None)
        if content is not None:
            parts.insert(0, DefaultPart(content, each.package))
    return ClassDefaults(tuple(parts), found.package)


def _package_of(target: str) -> str:
    parts = MAKERS.sub("", target).split(".")
    return ".".join(parts[: min(_PACKAGE_PARTS.get(parts[0], 0), len(parts) - 1)])
