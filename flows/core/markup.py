"""The HTML by which results show themselves in a notebook. Everything given is escaped."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

_ROWS: Final = 20
_CHARS: Final = 4000


def paragraph(text: str) -> str:
    """A text with its line breaks, cut after 4,000 characters."""
    cut = text if len(text) <= _CHARS else f"{text[:_CHARS]} …"
    return f'<p style="white-space: pre-wrap">{html.escape(cut)}</p>'


def note(text: str) -> str:
    """A smaller line beside a result."""
    return f"<p><small>{html.escape(text)}</small></p>"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], total: int) -> str:
    """The first twenty of so many rows."""
    head = "".join(f"<th>{html.escape(str(each))}</th>" for each in columns)
    shown = rows[:_ROWS]
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown)
    more = note(f"{len(shown)} of {total:,} rows") if total > len(shown) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"


def outputs(given: Mapping[str, Any]) -> str:
    """A flow's outputs as plain data: texts and tables as such, the others folded away as JSON;
    those that are empty are left out."""
    shown, folded = [], {}
    for name, each in given.items():
        head = f"<b>{html.escape(name)}</b>"
        if isinstance(each, str) and each:
            shown.append(head + paragraph(each))
        elif isinstance(each, Mapping) and {"columns", "rows", "total_rows"} <= each.keys():
            shown.append(head + table(each["columns"], each["rows"], each["total_rows"]))
        elif each not in (None, "", [], {}):
            folded[name] = each
    if folded:
        names = html.escape(", ".join(folded))
        text = paragraph(json.dumps(folded, ensure_ascii=False, indent=2))
        shown.append(f"<details><summary>{names}</summary>{text}</details>")
    return "".join(shown)


def _cell(given: Any) -> str:
    return f"<td>{'' if given is None else html.escape(str(given))}</td>"
