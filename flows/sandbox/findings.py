"""What the probe found on this machine before, believed while the machine is the same."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pydantic import ValidationError

from flows.core.sandbox import Mode, ProbeFinding
from flows.sandbox import record

_KIND: Final = "probe"
# Code for which this one is open could write the record itself, and say that nothing is.
_WRITING: Final = "write a file"


def read(mode: Mode, layers: Collection[str]) -> ProbeFinding | None:
    """The finding that was kept for these layers, None when the probe has to run."""
    if mode == "off":
        return None
    text = record.read(_KIND, _key(mode, layers))
    try:
        return None if text is None else ProbeFinding.model_validate_json(text)
    except ValidationError:
        return None


def write(found: ProbeFinding, layers: Collection[str]) -> None:
    """Keep a finding, unless code that runs behind these walls could write one too."""
    if found.mode != "off" and _WRITING not in (*found.through, *found.blind):
        record.write(_KIND, _key(found.mode, layers), found.model_dump_json())


def forget() -> None:
    """Have the probe run anew, whatever it found before."""
    record.forget(_KIND)


def _key(mode: Mode, layers: Collection[str]) -> dict[str, object]:
    return {**record.machine(), "mode": mode, "layers": sorted(layers)}
