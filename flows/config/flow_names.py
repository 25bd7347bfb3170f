"""Which flows a config is made of, and what a file that takes it over may say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from flows.config.definitions import Schema, reference
from flows.config.tree import DEFAULTS, MAKERS, SUBFLOWS, TARGET, Section

_NO_TARGET: Final[Schema] = {"not": {"required": [TARGET]}}


@dataclass(frozen=True, slots=True)
class FlowNames:
    """The registered name of a flow, and those of the flows below it, by their keys."""

    target: str
    subflows: Mapping[str, FlowNames]

    @classmethod
    def of(cls, tree: Section) -> FlowNames:
        """Those of a composed config."""
        held = tree.get(SUBFLOWS)
        entries = held.entries if isinstance(held, Section) else {}
        below = {key: each.node for key, each in entries.items()}
        return cls(
            MAKERS.sub("", tree.target or ""),
            {key: cls.of(each) for key, each in below.items() if isinstance(each, Section)},
        )


class TakenFlows:
    """Schemas of what a file says that takes a config over by its defaults list: its flow and its
    subflows have the targets that they have there.

    `cases` are those of the targets: in `definitions` stand their keys, to which they refer then.
    `services` are the kinds of services: to choose one of them changes no flow.
    """

    def __init__(self, cases: Iterable[Schema], services: Iterable[str]) -> None:
        self._cases = {name: each for each in cases for name in _names(each)}
        self._choice = rf"^(override )?/?({'|'.join((*services, 'prices', 'runner'))})$"
        self.definitions: dict[str, Schema] = {}

    def case(self, name: str, flow: FlowNames) -> Schema:
        """If the defaults list has the name, the keys of the file are those of the flow. Those of
        its subflows only where the list chooses no other flows."""
        named = {"properties": {DEFAULTS: {"contains": {"const": name}}}, "required": [DEFAULTS]}
        plain = {"anyOf": [{"type": "string"}, {"propertyNames": {"pattern": self._choice}}]}
        same = {"properties": {DEFAULTS: {"items": plain}}}
        below = {"if": same, "then": self._subflows(flow)}
        return {
            "if": {"allOf": [named, _NO_TARGET]},
            "then": {"allOf": [self._keys(flow.target), *([below] if flow.subflows else [])]},
        }

    def _subflows(self, flow: FlowNames) -> Schema:
        each = {key: self._subflow(one) for key, one in flow.subflows.items()}
        return {"properties": {SUBFLOWS: {"properties": each}}}

    def _subflow(self, flow: FlowNames) -> Schema:
        """A subflow that names no target of its own, as a definition that is written once."""
        keys = [self._keys(flow.target), *([self._subflows(flow)] if flow.subflows else [])]
        made = {"if": _NO_TARGET, "then": keys[0] if len(keys) == 1 else {"allOf": keys}}
        same = (key for key, each in self.definitions.items() if each == made)
        name = next(same, f"taken {flow.target} {len(self.definitions)}")
        self.definitions[name] = made
        return reference(name)

    def _keys(self, target: str) -> Schema:
        case = self._cases.get(target)
        if case is None:
            return {}
        name = f"keys of {_names(case)[0]}"
        if name not in self.definitions:
            self.definitions[name] = case["then"]
            case["then"] = reference(name)
        return reference(name)


def _names(case: Schema) -> list[str]:
    """The targets that a case is about."""
    found: list[str] = case["if"]["properties"][TARGET]["enum"]
    return found
