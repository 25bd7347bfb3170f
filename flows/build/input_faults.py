"""What is wrong with the inputs that a config gives its flow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flows.config.composition import Composed
from flows.config.edit import INPUTS
from flows.config.faults import Faults
from flows.config.tree import dotted
from flows.config.validate import validate
from flows.core.flow import Flow
from flows.errors import ConfigError

UNKNOWN: Final = "unknown key"


def input_faults(flow: Flow, inputs: Mapping[str, Any], composed: Composed) -> list[ConfigError]:
    """The inputs that the flow does not take, or not with such a value, each with its place. One
    that is missing is none: it can be given later."""
    faults = Faults()
    with faults:
        validate(flow.inputs_type, inputs, composed, (INPUTS,))
    for each in faults.found.values():
        if each.problem.startswith(UNKNOWN) and each.path.count(".") == 1:
            each.problem = each.problem.replace(UNKNOWN, "unknown input", 1)
    if composed.is_unknown((INPUTS,)):
        return []
    missing = {dotted((INPUTS, name)) for name in flow.port_names if name not in inputs}
    return [each for each in faults.found.values() if each.path not in missing]
