"""Ports that are declared in a config: names, or names with types."""

from __future__ import annotations

from typing import Any, Final
from warnings import catch_warnings, filterwarnings

from pydantic import create_model

from flows.core.flow import Ports
from flows.errors import nearest

PortsSpec = tuple[str, ...] | dict[str, str]

TYPES: Final[dict[str, Any]] = {
    "any": Any,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list[Any],
    "dict": dict[str, Any],
}


def check_ports(spec: PortsSpec) -> PortsSpec:
    """The spec as it is. Errors: `ValueError` for an unknown type, an empty or repeated name."""
    names = list(spec)
    for name in names:
        if not name or names.count(name) > 1:
            raise ValueError(f"port {name!r} is empty or named twice")
        if name.startswith("_") or (name.startswith("model_") and hasattr(Ports, name)):
            raise ValueError(f"port {name!r} has a name that models keep for themselves")
    for name, kind in spec.items() if isinstance(spec, dict) else ():
        bare = kind.removesuffix("?")
        if bare not in TYPES:
            meant = nearest(bare, TYPES)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise ValueError(
                f"port {name!r} has an unknown type {kind!r}{hint} "
                f"(types: {', '.join(TYPES)}, with ? for optional)"
            )
    return spec


def ports_model(title: str, spec: PortsSpec) -> type[Ports]:
    """A model with these ports; one whose type ends in `?` may be left out and is then None."""
    fields: dict[str, Any] = {}
    for name, kind in (spec if isinstance(spec, dict) else dict.fromkeys(spec, "any")).items():
        bare = TYPES[kind.removesuffix("?")]
        fields[name] = (
            (bare | None, None)
            if kind.endswith("?") and bare is not Any
            else (bare, None if kind.endswith("?") else ...)
        )
    with catch_warnings():
        # `schema`, `json` and `copy` are good names for ports; only the model's old methods suffer.
        filterwarnings("ignore", message=".* shadows an attribute in parent", category=UserWarning)
        model: type[Ports] = create_model(f"{title}Inputs", __base__=Ports, **fields)
    return model
