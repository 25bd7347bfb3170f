"""A function's docstring in its parts: what it says, its arguments, what it returns and raises."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from griffe import DocstringSection

_SECTIONS: Final = (
    "args", "arguments", "params", "parameters", "keyword args", "keyword arguments", "raises",
    "errors", "exceptions", "returns", "yields", "warns", "attributes", "example", "examples",
    "note", "notes",
)  # fmt: skip
# Google's "Args:", and "**Args**" with or without a colon; what follows on the line belongs to it.
_HEADING: Final = re.compile(
    rf"^(?:\*\*(?P<bold>{'|'.join(_SECTIONS)}):?\*\*:?|(?P<plain>{'|'.join(_SECTIONS)}):)"
    r"[ \t]*(?P<rest>.*)$",
    re.IGNORECASE,
)
# Those that the parser of the docstrings knows by another word.
_KNOWN_AS: Final = {"errors": "raises", "example": "examples", "note": "notes"}


@dataclass(frozen=True)
class Docstring:
    """The parts. `summary` is the first paragraph, `description` all others before the headings,
    as flowing text; `text` is both as they are written."""

    summary: str = ""
    description: str = ""
    text: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    errors: str = ""
    example: str = ""


def read_docstring(text: str) -> Docstring:
    """The parts of a function's docstring, with headings as Google's style has them."""
    # Griffe takes a tenth of a second to import.
    from griffe import Docstring as Written

    parts: dict[str, list[Any]] = {}
    for section in Written(_with_headings(text)).parse("google", warnings=False):
        kind, value = _part_of(section)
        parts.setdefault(kind, []).append(value)
    said = "\n\n".join(parts.get("text", []))
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", said) if each.strip()]
    return Docstring(
        summary=paragraphs[0] if paragraphs else "",
        description="\n\n".join(paragraphs[1:]),
        text=said,
        arguments={name: text for each in parts.get("parameters", []) for name, text in each},
        returns=" ".join(parts.get("returns", [])),
        errors="\n".join(parts.get("raises", [])),
        example="\n".join(parts.get("examples", [])),
    )


def has_sections(text: str) -> bool:
    """Whether a docstring has a heading such as `Args:`, for which it has to be read."""
    return any(_HEADING.match(line.strip()) for line in text.splitlines())


def _with_headings(text: str) -> str:
    """The docstring with each heading on a line of its own after a blank one, as Griffe wants."""
    return "\n".join(_lines(inspect.cleandoc(text)))


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading is None:
            yield line
            continue
        name = (heading["bold"] or heading["plain"]).lower()
        yield from ("", f"{_KNOWN_AS.get(name, name).capitalize()}:")
        if heading["rest"]:
            yield f"    {heading['rest']}"


def _part_of(section: DocstringSection) -> tuple[str, Any]:
    """The kind of the section, and what it says."""
    kind, value = section.kind.value, section.value
    match kind:
        case "parameters" | "other parameters":
            names = [(each.name.split(","), _flowing(each.description)) for each in value]
            return "parameters", [(name.strip(" *"), text) for some, text in names for name in some]
        case "returns" | "yields":
            return "returns", " ".join(_flowing(_named(each)) for each in value)
        case "raises":
            return "raises", "\n".join(_flowing(_named(each)) for each in value)
        case "examples":
            return kind, _code("\n".join(text for _, text in value))
        case "text":
            return kind, value
        case "admonition":
            return "text", f"{section.title}:\n{value.contents}"
        case _:
            return kind, value


def _named(part: Any) -> str:
    """A value or an error with its type, where one is written before it."""
    return f"{part.annotation}: {part.description}" if part.annotation else str(part.description)


def _flowing(text: str) -> str:
    return " ".join(text.split())


def _code(text: str) -> str:
    prompts = (">>> ", "... ")
    return "\n".join(each[4:] if each.startswith(prompts) else each for each in text.splitlines())
