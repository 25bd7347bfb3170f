"""A task of a task list in plainer words: without what it is for, or says twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from flows.data.tables import Table

_AIMS: Final = (
    r"identify|visuali[sz]e|understand|see|determine|explore|find(?: out)?|assess|evaluate|show|"
    r"investigate|support|inform|reveal|uncover|gain|highlight|quantify|check|examine|know|learn|"
    r"answer|help|spot|observe|illustrate|analy[sz]e|display|compare|discover|detect|measure"
)
_PURPOSE: Final = re.compile(
    rf",?\s+(?:(?:in order |so as )?to (?:\w+ly )?(?:better |further |help (?:us )?(?:to )?)?"
    rf"(?:{_AIMS})|that (?:help|explain|show)s?|which (?:help|will)s?)\b[^.?!;]*",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(
    r"\s+(?:in|from|of|within|across|over|using|on) (?:(?:the|this|our|given|provided|whole|entire|"
    r"available|full|extracted|sqlite|mysql|mariadb|postgres(?:ql)?|duckdb|sql|csv)\s+)*"
    r"(?:database|data ?set|data ?frame|data|db)\b(?!\s+(?:types?|points?))",
    re.IGNORECASE,
)
_FOLLOWING: Final = re.compile(
    r"(?<=[.!;])\s+(?:Use|Using|This|These|The (?:result|output|model|analysis|chart|plot)|It|Then "
    r"use|Ensure|Make sure|Save|Include|Return|Provide|Display)\b[^.!;]*[.!;]?",
)
_DO: Final = re.compile(
    r"^\s*(?:please\s+)?(?:perform|conduct|carry out|run|do|execute|apply|undertake|"
    r"calculate and (?:show|report)|create|prepare|produce|compute|calculate|analy[sz]e|examine|"
    r"explore|investigate|assess|study|review|evaluate|determine|identify)\s+(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"\u201c`]([^\"\u201d`]+)[\"\u201d`]|(?<![\w'])'([^'\n]+)'(?!\w)")
# `Location 22`, which may be a value as it stands.
_NUMBERED: Final = re.compile(r"(?<![\"'\w-])[^\W\d_]{2,}[ -]\d+(?![\"'\w])")


def plainly(task: str, tables: Sequence[Table]) -> str:
    """The task without its purpose, where it is, and sentences that only go on about it.

    What names a column that is named nowhere else stays. Quotes stay around names of tables and
    columns, and around values of the data; around other words they say nothing.
    """
    known = _names(tables)
    text = " ".join(task.split())
    for pattern in (_FOLLOWING, _PURPOSE):
        text = _without(pattern, text, known)
    text = _WHERE.sub(" ", text)
    text = _unquoted(text, tables, known)
    return re.sub(r"\s+([.,;?!])", r"\1", " ".join(text.split()))


def undone(text: str) -> str:
    """The text without the verb that only says to do it: `Perform a correlation analysis`."""
    return _DO.sub("", text, count=1)


def quoted(text: str) -> list[str]:
    """What stands in quotes."""
    return [one or other for one, other in _QUOTED.findall(text)]


def _without(pattern: re.Pattern[str], text: str, known: Iterable[str]) -> str:
    """The text without what the pattern finds, where that names nothing new."""
    at = 0
    while (found := pattern.search(text, at)) is not None:
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        part, left = _folded(found.group()), _folded(rest)
        if not found.start() or any(_has(part, each) and not _has(left, each) for each in known):
            at = found.end()
        else:
            text, at = rest, found.start()
    return text


def _unquoted(text: str, tables: Sequence[Table], known: frozenset[str]) -> str:
    values = {v.casefold() for t in tables for c in t.columns for v in c.values}

    def plain(match: re.Match[str]) -> str:
        inner = match[1] or match[2]
        if _folded(inner) in known:
            return f'"{inner}"'
        return match.group() if inner.casefold() in values else inner

    def marked(match: re.Match[str]) -> str:
        return f'"{match.group()}"' if match.group().casefold() in values else match.group()

    return _NUMBERED.sub(marked, _QUOTED.sub(plain, text))


def _names(tables: Sequence[Table]) -> frozenset[str]:
    """The names of tables and columns, as text that is folded has them."""
    columns = {_folded(column.name) for table in tables for column in table.columns}
    return frozenset(columns | {_folded(table.name) for table in tables})


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


def _has(text: str, name: str) -> bool:
    return f" {name} " in f" {text} "
