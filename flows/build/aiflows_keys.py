"""Keys that files of aiflows may hold though nothing reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from flows.config.aiflows_names import legacy_names
from flows.config.places import project_configs
from flows.config.read import read_run_file
from flows.config.tree import TARGET
from flows.config.validate import field_names
from flows.core.flow import Problem
from flows.core.topology import TopologyItem
from flows.core.values import Values
from flows.errors import ConfigError, nearest
from flows.library.aiflows.keys import AiflowsKeys

_TOPOLOGY: Final = "topology"


def legacy_doubts(path: Path) -> list[ConfigError]:
    """A warning for each name of an older release of aiflows that a run file is written with."""
    tree = read_run_file(path, project_configs()).tree
    found = []
    for each in legacy_names(tree):
        text = f"a name of an older aiflows, read as {each.now}"
        found.append(ConfigError(text, place=each.place, path=each.name))
        found[-1].warning = True
    return found


def unknown_keys(flow_type: Any, given: Mapping[str, Any]) -> list[str]:
    """The keys of a flow of aiflows that it does not know; none for one that takes any key."""
    config = flow_type.Config
    if not issubclass(config, AiflowsKeys) or config.model_config.get("extra") == "allow":
        return []
    known = {*config.model_fields, *field_names(config), *flow_type.needs, TARGET}
    return [key for key in given if key not in known]


def without_unknown_keys(flow_type: Any, given: Mapping[str, Any]) -> tuple[Values, list[Problem]]:
    """The keys of a flow in a file of aiflows that it knows, and its steps with those that steps
    have; and a warning for each other one."""
    if not issubclass(flow_type.Config, AiflowsKeys):
        return dict(given), []
    unknown = unknown_keys(flow_type, given)
    found = [_warning((key,), field_names(flow_type.Config)) for key in unknown]
    kept = {key: each for key, each in given.items() if key not in unknown}
    steps = kept.get(_TOPOLOGY)
    if isinstance(steps, list):
        of_steps = field_names(TopologyItem)
        found += [_warning((_TOPOLOGY, *where), of_steps) for where in _unknown_of(steps, of_steps)]
        kept[_TOPOLOGY] = [
            {key: each for key, each in step.items() if key in of_steps}
            if isinstance(step, Mapping) else step
            for step in steps
        ]  # fmt: skip
    return kept, found


def _unknown_of(steps: list[Any], known: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for number, step in enumerate(steps):
        if isinstance(step, Mapping):
            yield from ((number, key) for key in step if key not in known)


def _warning(where: tuple[str | int, ...], known: tuple[str, ...]) -> Problem:
    key = str(where[-1])
    text = f"unknown key {key!r}: aiflows takes it, and nothing reads it"
    return Problem(text, where, known, nearest(key, known), warning=True)
