"""A config with faults, as it may be once they are mended, so that its graph can be checked."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from flows.build.run_config import SIDES
from flows.config.tree import UNKNOWN
from flows.config.validate import field_names, model_at
from flows.core.flow import CompositeFlow
from flows.core.signature import FlowType, Variant
from flows.core.values import Values
from flows.errors import nearest

Location = tuple[int | str, ...]
M = TypeVar("M", bound=BaseModel)
INPUTS: Final = "input_interface"
OUTPUTS: Final = "output_interface"
TELLING: Final = ("goal", "description")  # texts that decide nothing
UNKNOWN_KEY: Final = "extra_forbidden"
LISTS: Final = ("tuple_type", "list_type")
ROUNDS: Final = 4
_DECIDES_NO_KEYS: Final = {bool, int, float, NoneType}


@dataclass
class RepairedConfig:
    """The config of a flow, and what is not known of it: its inputs, with `open_inputs`, and the
    interfaces of its steps that are `unknown`, by the step's number and the side. One that is
    `is_whole` had no faults; `lacks_service` says that something stands for one of its services."""

    config: Any = None
    is_whole: bool = True
    lacks_service: bool = False
    open_inputs: bool = False
    unknown: set[tuple[int, str]] = field(default_factory=set)


def repair(
    flow_type: FlowType, values: Mapping[str, Any], *, is_top: bool
) -> RepairedConfig | None:
    """The config of a flow, of values that do not fit it; None where what is wrong decides which
    keys the flow takes and returns, or how. An unknown key is taken for the one that it resembles,
    else left out, as is a wrong number."""
    work = _Repairing(flow_type, _copied(values), is_top)
    for _ in range(ROUNDS):
        try:
            work.found.config = flow_type.Config.model_validate(work.values)
            return work.found
        except ValidationError as error:
            details = error.errors(include_url=False)
            details.sort(key=lambda each: each["type"] != UNKNOWN_KEY)  # one may be a missing one
            if not all(work.mends(each) for each in details):
                return None
    return None


@dataclass
class _Repairing:
    """The values of a flow's config while its faults are mended one by one."""

    flow_type: FlowType
    values: Values
    is_top: bool
    found: RepairedConfig = field(default_factory=lambda: RepairedConfig(is_whole=False))
    renamed: set[Location] = field(default_factory=set)

    def mends(self, detail: ErrorDetails) -> bool:
        """Whether this fault could be mended; then it is."""
        at = self._known(detail["loc"])
        above = _at(self.values, at[:-1])
        if not at:  # of the keys together
            return False
        if detail["type"] in LISTS and self._wrap(at):
            return True
        if isinstance(above, MutableMapping) and detail["type"] == UNKNOWN_KEY:
            self._rename(at, above)
        elif at in self.renamed and detail["type"] == "missing":
            return True
        elif guessed := next((each for each in self.renamed if each == at[: len(each)]), None):
            self.renamed.remove(guessed)
            _at(self.values, guessed[:-1]).pop(guessed[-1])
        elif isinstance(above, MutableMapping) and at[-1] in TELLING:
            above[at[-1]] = ""
        elif self._leave_interface(at):
            return True
        elif at[0] == INPUTS and is_composite(self.flow_type):
            self.values.pop(INPUTS, None)
            self.found.open_inputs = True
        elif at[0] == OUTPUTS and self.is_top:
            return self.values.pop(OUTPUTS, None) is not None
        elif isinstance(above, MutableMapping) and self._is_number(at):
            return above.pop(at[-1], None) is not None
        else:
            return False
        return True

    def _known(self, at: Location) -> Location:
        """The location of the unknown value that a location leads into, else the same."""
        ends = (at[:end] for end in range(1, len(at)))
        return next((each for each in ends if _at(self.values, each) is UNKNOWN), at)

    def _wrap(self, at: Location) -> bool:
        """Take a text where a list is wanted as a list of that text, once."""
        for end in range(len(at), 0, -1):  # the last parts may name an alternative of a type
            above, value = _at(self.values, at[: end - 1]), _at(self.values, at[:end])
            if isinstance(above, MutableMapping) and isinstance(value, str):
                above[at[end - 1]] = [value]
                return True
        return False

    def _rename(self, at: Location, above: MutableMapping[Any, Any]) -> None:
        owner = model_at(self.flow_type.Config, at[:-1])
        allowed = field_names(owner) if owner else ()
        meant = nearest(str(at[-1]), [each for each in allowed if each not in above])
        value = above.pop(at[-1])
        if meant is not None:
            above[meant] = value
            self.renamed.add((*at[:-1], meant))

    def _leave_interface(self, at: Location) -> bool:
        """Take the interface of a step, in which something is wrong, as unknown."""
        match at:
            case ("topology", int(index), str(side), *_) if side in SIDES:
                self.values["topology"][index].pop(side, None)
                self.found.unknown.add((index, side))
                return True
        return False

    def _is_number(self, at: Location) -> bool:
        """Whether a number or a truth is wanted there, which decides nothing about keys."""
        owner = model_at(self.flow_type.Config, at[:-1])
        info = owner.model_fields.get(str(at[-1])) if owner is not None else None
        return info is not None and _kinds(info.annotation) <= _DECIDES_NO_KEYS


def is_composite(flow_type: FlowType) -> bool:
    kind = flow_type.base if isinstance(flow_type, Variant) else flow_type
    return issubclass(kind, CompositeFlow)


def without_wrong_keys(model: type[M], values: Mapping[str, Any]) -> tuple[M, frozenset[str]]:
    """A model of the values but for the keys that do not fit it, and those keys. Of a mapping of
    names only the names are left out whose values do not fit."""
    kept: Values = _copied(values)
    wrong: set[str] = set()
    try:
        return model.model_validate(kept), frozenset()
    except ValidationError as error:
        for each in error.errors(include_url=False):
            key, *below = each["loc"]
            info = model.model_fields.get(str(key))
            if below and info is not None and get_origin(info.annotation) is dict:
                kept[str(key)].pop(below[0], None)
            else:
                wrong.add(str(key))
    kept = {key: each for key, each in kept.items() if key not in wrong}
    return model.model_validate(kept), frozenset(wrong)


def _kinds(annotation: Any) -> set[Any]:
    if get_origin(annotation) in (Union, UnionType):
        return {kind for each in get_args(annotation) for kind in _kinds(each)}
    return {annotation}


def _at(values: Any, path: Location) -> Any:
    """The value at a location of an error; None where it leads into something else."""
    for part in path:
        if isinstance(values, Mapping):
            values = values.get(part)
        elif isinstance(values, list) and isinstance(part, int) and part < len(values):
            values = values[part]
        else:
            return None
    return values


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, (list, tuple)) else value
