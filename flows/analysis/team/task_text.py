"""A task of a task list in plain words: without what it is for, where the data are, and the verb
that only says to do it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.data.tables import Table

_AIMS: Final = (
    r"identify|visuali[sz]e|understand|see|determine|explore|find(?: out)?|assess|evaluate|show|"
    r"investigate|support|inform|reveal|uncover|gain|highlight|quantify|check|examine|know|learn|"
    r"answer|help|spot|observe|illustrate|analy[sz]e|display|compare|discover|detect|measure"
)
# What a task is for, and sentences that only go on about it: they may name the data again.
_MORE: Final = (
    re.compile(
        r"(?<=[.!;])\s+(?:Use|Using|This|These|The (?:result|output|model|analysis|chart|plot)|It|"
        r"Then use|Ensure|Make sure|Save|Include|Return|Provide|Display)\b[^.!;]*[.!;]?",
    ),
    re.compile(
        rf",?\s+(?:(?:in order |so as )?to (?:\w+ly )?(?:better |further |help (?:us )?(?:to )?)?"
        rf"(?:{_AIMS})|that (?:help|explain|show)s?|which (?:help|will)s?)\b[^.?!;]*",
        re.IGNORECASE,
    ),
)
_WHERE: Final = re.compile(
    r"\s+(?:in|from|of|within|across|over|using|on) (?:(?:the|this|our|given|provided|whole|entire|"
    r"available|full|extracted|sqlite|mysql|mariadb|postgres(?:ql)?|duckdb|sql|csv)\s+)*"
    r"(?:database|data ?set|data ?frame|data|db)\b(?!\s+(?:types?|points?))",
    re.IGNORECASE,
)
_DO: Final = re.compile(
    r"^\s*(?:please\s+)?(?:perform|conduct|carry out|run|do|execute|apply|undertake|"
    r"calculate and (?:show|report)|create|prepare|produce|compute|calculate|analy[sz]e|examine|"
    r"explore|investigate|assess|study|review|evaluate|determine|identify)\s+(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)

_QUOTED: Final = re.compile(r"[\"\u201c`]([^\"\u201d`]+)[\"\u201d`]")


def plain_task(text: str, tables: Sequence[Table]) -> str:
    """The task in plain words. What names a table or a column that is named nowhere else stays;
    quotes stay around names and values of the data."""
    names = {_folded(each.name) for table in tables for each in table.columns}
    names |= {_folded(table.name) for table in tables}
    text = " ".join(text.split())
    for pattern in _MORE:
        text = _without(pattern, text, names)
    values = {_folded(each) for t in tables for c in t.columns for each in c.values}
    text = _QUOTED.sub(
        lambda said: said[0] if _folded(said[1]) in names | values else said[1], text
    )
    text = _DO.sub("", _WHERE.sub(" ", text), count=1)
    return re.sub(r"\s+([.,;?!])", r"\1", " ".join(text.split()))


def _without(pattern: re.Pattern[str], text: str, names: set[str]) -> str:
    """The text without what the pattern finds, where that names nothing new."""
    at = 0
    while (found := pattern.search(text, at)) is not None:
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        part, left = f" {_folded(found.group())} ", f" {_folded(rest)} "
        if not found.start() or any(f" {n} " in part and f" {n} " not in left for n in names):
            at = found.end()
        else:
            text, at = rest, found.start()
    return text


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())
