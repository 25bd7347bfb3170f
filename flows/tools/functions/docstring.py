"""A docstring of a tool in its parts: what it says, its arguments, what it returns and raises."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

# How the parts may be headed, each with the part that it is.
_HEADINGS: Final = {
    "args": "args",
    "arguments": "args",
    "parameters": "args",
    "returns": "returns",
    "yields": "returns",
    "raises": "raises",
    "errors": "raises",
    "example": "example",
    "examples": "example",
    "note": "note",
    "notes": "note",
}
_HEADING: Final = re.compile(r"(\w+):[ \t]*(.*)")
_ARGUMENT: Final = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True)
class Docstring:
    """The parts. `summary` is the first paragraph, `description` all others before the headings."""

    summary: str = ""
    description: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    errors: str = ""
    example: str = ""


@dataclass(frozen=True)
class ModuleDocstring:
    """What the docstring of a tool's module declares; `None` for a line that it does not have."""

    purpose: str
    phases: tuple[str, ...] | None
    gives: tuple[str, ...] | None


def read_docstring(text: str) -> Docstring:
    """The parts of a function's docstring, with headings as Google's style has them."""
    parts: dict[str, list[str]] = {"": []}
    part = ""
    for line in inspect.cleandoc(text).splitlines():
        heading = _HEADING.fullmatch(line)
        if heading is not None and heading[1].lower() in _HEADINGS:
            part = _HEADINGS[heading[1].lower()]
            parts.setdefault(part, []).extend([f"    {heading[2]}"] if heading[2] else [])
        else:
            parts[part].append(line)
    paragraphs = _paragraphs(parts[""])
    return Docstring(
        summary=paragraphs[0] if paragraphs else "",
        description="\n\n".join(paragraphs[1:]),
        arguments=_arguments(parts.get("args", ())),
        returns=_flowing(parts.get("returns", ())),
        errors="\n".join(_items(parts.get("raises", ()))),
        example=_code(parts.get("example", ())),
    )


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


def _flowing(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


def _items(lines: Sequence[str]) -> list[str]:
    """Each line of the least indentation, with those that go on from it."""
    kept = [each for each in lines if each.strip()]
    if not kept:
        return []
    least = min(len(each) - len(each.lstrip()) for each in kept)
    items: list[str] = []
    for line in kept:
        if items and len(line) - len(line.lstrip()) > least:
            items[-1] += f" {line.strip()}"
        else:
            items.append(line.strip())
    return items


def _arguments(lines: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    for item in _items(lines):
        argument = _ARGUMENT.fullmatch(item)
        if argument is not None:
            names = [each.strip(" *") for each in argument[1].split(",")]
            found.update(dict.fromkeys(names, argument[2]))
        else:
            found.update({name: f"{found[name]} {item}".strip() for name in names})
    return found


def _code(lines: Sequence[str]) -> str:
    text = inspect.cleandoc("\n" + "\n".join(lines))
    prompts = (">>> ", "... ")
    return "\n".join(each[4:] if each.startswith(prompts) else each for each in text.splitlines())
