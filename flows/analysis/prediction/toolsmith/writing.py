"""Writing the text of a tool from its template."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from flows.analysis.prediction.toolsmith.draft import ToolDraft

_FOLDER: Final = Path(__file__).parent / "templates"


def write_tool(
    template: str, verb: str, columns: tuple[str, ...], why: str, values: dict[str, object]
) -> ToolDraft:
    """The draft of a tool that is named by its verb and its columns."""
    name = tool_name(verb, columns)
    source = (
        _templates()
        .get_template(f"{template}.py.j2")
        .render(name=name, mark=f"_{name}", columns=list(columns), why=why, **values)
    )
    return ToolDraft(name=name, source=source, why=why, template=template, columns=columns)


def tool_name(verb: str, columns: tuple[str, ...]) -> str:
    """A name for a function that is made of letters, digits and underscores, at most 60."""
    words = [verb]
    for column in columns[:2]:
        word = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column).lower())
        words.append(word.strip("_")[:20].strip("_") or f"c{sum(map(ord, column)) % 1000}")
    return "_".join(words)[:60].strip("_")


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    made.filters["python"] = _python
    made.filters["plain"] = _plain
    return made


def _python(value: object) -> str:
    """A text, number, or list of them, as Python writes it; texts in double quotes."""
    return json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    """A name for a document: on one line, without marks that would end it."""
    return re.sub(r"\s+", " ", re.sub(r'[\\"]', " ", text)).strip()
