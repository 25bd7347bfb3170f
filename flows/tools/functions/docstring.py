"""The docstring of a tool's module: what the tool is for, and its lists of names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"(\w+):[ \t]*(.*)")


@dataclass(frozen=True)
class ModuleDocstring:
    """What the docstring of a tool's module declares; `None` for a line that it does not have."""

    purpose: str
    phases: tuple[str, ...] | None
    gives: tuple[str, ...] | None


def read_module_docstring(text: str) -> ModuleDocstring:
    """The purpose, the phases and what it gives. A list of names goes on after a comma."""
    lists: dict[str, list[str]] = {}
    said: list[str] = []
    going_on = ""
    for line in inspect.cleandoc(text).splitlines():
        heading = _HEADING.fullmatch(line)
        name = heading[1].lower() if heading is not None else ""
        if heading is not None and name in ("phases", "gives"):
            lists[name] = [heading[2]]
            going_on = name if heading[2].rstrip().endswith(",") else ""
        elif going_on:
            lists[going_on].append(line)
            going_on = going_on if line.rstrip().endswith(",") else ""
        else:
            said.append(line)
    paragraphs = _paragraphs(said)
    return ModuleDocstring(
        purpose=paragraphs[0] if paragraphs else "",
        phases=_names(lists.get("phases")),
        gives=_names(lists.get("gives")),
    )


def _names(lines: Sequence[str] | None) -> tuple[str, ...] | None:
    if lines is None:
        return None
    return tuple(each.strip() for each in " ".join(lines).split(",") if each.strip())


def _paragraphs(lines: Sequence[str]) -> list[str]:
    pieces = re.split(r"\n\s*\n", "\n".join(lines))
    return [" ".join(each.split()) for each in pieces if each.strip()]
