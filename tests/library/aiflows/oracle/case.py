"""A case: a file, what it is given, and in what aiflows and ours differ, if they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

INTERFACE: Final = "aiflows.interfaces.KeyInterface"
KINDS: Final = "aiflows.data_transformations"
BASE: Final = "aiflows.base_flows"
MAKER: Final = "instantiate_from_default_config"
REFUSED: Final = "refused"
FRESH: Final = "the early exit of a composite's last call does not end the next one"

Tree = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """`about` is what the case is a case of, in words. `inputs` is the sample.

    `differs` says in words what ours does otherwise, and `here` is what then comes out, or
    `REFUSED`. With `compat: aiflows-0.1` both are the same, unless `always` is set.
    """

    about: str
    file: Tree
    inputs: Mapping[str, Any]
    answers: tuple[str, ...] = ()
    differs: str = ""
    here: Any = None
    always: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.about.replace(" ", "_")


def flow(name: str, **keys: Any) -> Tree:
    """A subflow of a class in `scripted.py`, or of a dotted path."""
    target = name if "." in name else f"scripted.{name}"
    ports: Tree = (
        {"input_interface": [], "output_interface": None} if name in ("Echo", "Give") else {}
    )
    return {
        "_target_": f"{target}.{MAKER}",
        "name": "Called",
        "description": "Is called.",
        **ports,
        **keys,
    }


def give(*gives: Mapping[str, Any], **keys: Any) -> Tree:
    return flow("Give", gives=list(gives), **keys)


def keys(**given: Any) -> Tree:
    """A `KeyInterface`; transformations are those of `change`."""
    return {"_target_": INTERFACE, **given}


def change(name: str, **given: Any) -> Tree:
    """An interface of one transformation."""
    return keys(additional_transformations=[kind(name, **given)])


def kind(name: str, **given: Any) -> Tree:
    return {"_target_": name if "." in name else f"{KINDS}.{name}", **given}


def step(flow_name: str, source: Tree | None = None, sink: Tree | None = None, **more: Any) -> Tree:
    sides = {"input_interface": source, "output_interface": sink}
    return {
        "goal": f"call {flow_name}",
        "flow": flow_name,
        **{side: each for side, each in sides.items() if each is not None},
        **more,
    }


def composite(
    class_name: str, subflows: Mapping[str, Tree], topology: Sequence[Tree], **more: Any
) -> Tree:
    """A composite of aiflows, whole; its state is what it returns, unless `output_interface`."""
    return {
        "_target_": f"{BASE}.{class_name}.{MAKER}",
        "name": "Case",
        "description": "A case.",
        "input_interface": [],
        "output_interface": None,
        "subflows_config": dict(subflows),
        "topology": list(topology),
        **more,
    }


def sequence(subflows: Mapping[str, Tree], topology: Sequence[Tree], **more: Any) -> Tree:
    return composite("SequentialFlow", subflows, topology, **more)


def circle(subflows: Mapping[str, Tree], topology: Sequence[Tree], **more: Any) -> Tree:
    return composite("CircularFlow", subflows, topology, **more)


def shown(source: Tree, **more: Any) -> Tree:
    """What a flow is given through this interface, under `seen`."""
    once = [step("echo", source)]
    return sequence({"echo": flow("Echo")}, once, output_interface=["seen"], **more)


def taken(sink: Tree | None, *gives: Mapping[str, Any]) -> Tree:
    """What becomes of that which a flow returns, through this interface."""
    source = keys(keys_to_select=["a"])
    return sequence({"give": give(*gives)}, [step("give", source, sink)])
