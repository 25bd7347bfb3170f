"""The class of a flow with the keys that are given to it, and making the flow of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from flows.build.own_code import OpenPorts
from flows.build.repair import RepairedConfig
from flows.build.run_config import SIDES, SUBFLOWS
from flows.build.unbuilt import UnbuiltFlow, has_unbuilt, is_about, missing_service
from flows.config.contract import SUPER
from flows.config.faults import Faults
from flows.config.registry import Registered
from flows.config.tree import TARGET
from flows.core.flow import Flow, Parts, Problem
from flows.core.signature import FlowType
from flows.core.values import Values
from flows.errors import CheckError, ConfigError

ABOVE = (SUBFLOWS, "topology", *SIDES)


@dataclass(frozen=True, slots=True)
class FlowKind:
    """The class of a flow, what its `_target_` stands for, and its keys."""

    type: FlowType
    found: Registered
    given: Values

    @property
    def own(self) -> Values:
        """Its keys, but for those that are about the flows below."""
        return {key: each for key, each in self.given.items() if key not in ABOVE}


def make_flow(
    kind: FlowKind,
    repair: RepairedConfig,
    parts: Parts,
    faults: Faults,
    error: Callable[[Problem], ConfigError],
) -> Flow | None:
    """The flow; None for one that cannot be made. What is wrong is kept in the `faults`, but for
    what may only seem so, because a part of it stands for another. `error` says where it is."""
    subflows = dict(parts.subflows)
    wrong = kind.type.wiring(repair.config, subflows)
    for each in wrong:
        if not is_about(each, repair.config, subflows):
            faults.keep(error(each))
    if wrong:
        subflows |= _unknown_steps(wrong, repair.config, subflows)
        if kind.type.wiring(repair.config, subflows):
            return None
    is_sure = repair.is_whole and not any(has_unbuilt(each) for each in subflows.values())
    made = _made(kind, repair, replace(parts, subflows=subflows), faults, error, is_sure=is_sure)
    if made is not None and repair.open_inputs:
        made.set_inputs(OpenPorts)
    return made


def _made(
    kind: FlowKind,
    repair: RepairedConfig,
    parts: Parts,
    faults: Faults,
    error: Callable[[Problem], ConfigError],
    *,
    is_sure: bool,
) -> Flow | None:
    """The flow; None for one that cannot be made. `is_sure` says that what is wrong with it is not
    so because of its repaired config, or of a subflow that stands for another."""
    try:
        made = kind.type(repair.config, parts)
        if not hasattr(made, "name"):
            raise TypeError(f"its __init__ never calls {SUPER}")
        return made
    except ConfigError as wrong:
        for each in wrong.errors if isinstance(wrong, CheckError) else (wrong,):
            if each.place is not None:
                faults.keep(each)
            elif is_sure or each.path:
                where = tuple(each.path.split(".")) if each.path else ()
                faults.keep(error(Problem(each.problem, where, each.allowed, each.meant)))
        lacking = {key: each for key, each in kind.type.needs.items() if key not in parts.services}
        if not (is_sure and lacking):
            return None
    except Exception as wrong:  # what a class finds missing in a part that stands for another
        if is_sure and not repair.lacks_service:
            if kind.type.__module__.partition(".")[0] == "flows":
                raise
            text = f"it cannot be made: {type(wrong).__name__}: {wrong}"
            faults.keep(error(Problem(text, (TARGET,))))
        return None
    standing = {key: missing_service(each) for key, each in lacking.items()}
    more = replace(parts, services={**parts.services, **standing})
    doubtful = replace(repair, lacks_service=True)
    return _made(kind, doubtful, more, faults, error, is_sure=is_sure)


def _unknown_steps(
    wrong: list[Problem], config: Any, subflows: Mapping[str, Flow]
) -> dict[str, Flow]:
    """A flow of which nothing is known for each step that names a flow that there is not."""
    names = [
        config.topology[int(each.where[1])].flow
        for each in wrong
        if each.where[:1] == ("topology",) and each.where[2:] == ("flow",)
    ]
    return {name: UnbuiltFlow(name) for name in names if name not in subflows}
