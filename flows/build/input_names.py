"""The inputs of flows by the names of their classes, so that a command line can give them short."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from flows.build.default_files import default_files
from flows.build.names import builtin_registry
from flows.build.own_code import outlined_inputs
from flows.build.run_config import KNOWN
from flows.config.compose import compose
from flows.config.composition import Composed
from flows.config.edit import INPUTS, TEXT_TYPES, declared_types
from flows.config.outline import Outline
from flows.config.own_modules import names_file
from flows.config.tree import TARGET
from flows.core.flow import Flow
from flows.errors import ConfigError, UsageError

TEXT = "str"


def inputs_of(folder: Path) -> Callable[[str], Mapping[str, str]]:
    """What gives the inputs that the flow of a `_target_` has by its class, with their types:
    `str`, or `value` for any other. Those of a file in the folder are read from its text. None of
    any other name that is not built in, and none that is called like a key.
    """

    def find(target: str) -> Mapping[str, str]:
        if names_file(target):
            return _own_inputs(target, folder)
        found = _class_of(target)
        if found is None:
            return {}
        keys = found.Config.model_fields
        return {
            name: TEXT if info.annotation is str else "value"
            for name, info in found.Inputs.model_fields.items()
            if name not in keys
        }

    return find


def override_of(name: str, composed: Composed, folder: Path) -> str:
    """How an input is given on a command line: short where the file declares it or the class of the
    flow has it, else with its whole path."""
    target = str(composed.values.get(TARGET, ""))
    short = {*declared_types(composed.tree), *inputs_of(folder)(target)}
    return name if name in short else f"+{INPUTS}.{name}"


def _own_inputs(target: str, folder: Path) -> Mapping[str, str]:
    """None where the file is wrong, which building it tells."""
    try:
        outline = builtin_registry((), folder, lambda *_: False).resolve("flow", target)
    except ConfigError:
        return {}
    return outlined_inputs(outline) if isinstance(outline, Outline) else {}


def main_input(path: Path, overrides: Sequence[str] = ()) -> str:
    """The one text that a run of the file needs, by the name of its input: a goal, a question.

    Errors: `UsageError` where there is none, or more than one; `ConfigError`.
    """
    composed = compose(
        path,
        overrides,
        known=KNOWN,
        default_files=default_files(path.parent),
        inputs_of=inputs_of(path.parent),
    )
    values = composed.values
    needed = _needed(values, composed.tree, path.parent)
    missing = [name for name in needed if name not in (values.get(INPUTS) or {})]
    found = missing or needed
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"{path} takes no text; give its inputs as NAME=VALUE")
    raise UsageError(f'{path} takes several texts; say which, as {found[0]}="..."')


def _needed(values: Mapping[str, Any], tree: Any, folder: Path) -> list[str]:
    """The texts that have to be given: those that the file declares, or those of the class."""
    declared = declared_types(tree)
    if declared:
        return [name for name, kind in declared.items() if kind.strip().lower() in TEXT_TYPES]
    target = str(values.get(TARGET, ""))
    if names_file(target):
        return [name for name, kind in _own_inputs(target, folder).items() if kind == TEXT]
    found = _class_of(target)
    if found is None:
        return []
    fields = found.Inputs.model_fields
    return [name for name, info in fields.items() if info.is_required() and info.annotation is str]


@cache
def _class_of(target: str) -> type[Flow] | None:
    """The class of a built-in flow; None for any other name."""
    try:
        found = builtin_registry().resolve("flow", target)
    except ConfigError:
        return None
    return found if isinstance(found, type) and issubclass(found, Flow) else None
