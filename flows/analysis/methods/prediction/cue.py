"""What asks for predictions of rows that lack a target, and how the text is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.methods.arguments import Arguments, plots
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.prediction.arguments import Prediction, identifier_of, learned_from
from flows.analysis.methods.supervised import EXPLAINING, is_class
from flows.analysis.reading.reader import Unread
from flows.data.tables import Table

_ASKS: Final = r"(?:predict|estimate|classify|impute)(?:s|ed|ing|ions?)?"
_ROWS: Final = r"(?:rows?|records?|lines?|entries|cases|examples|observations)"
_FILE: Final = r"(?:table|file|data ?set|data ?frame|data|set)"
_NAME: Final = r"[`\"']?(?P<value>[\w.-]+(?: [\w.-]+){0,3}?)[`\"']?"
_END: Final = r"(?=\W*$|[,.;] |[,;]| (?:from|by|using|with|and|based|on|as|into)\b)"
_EACH: Final = r"(?: (?:the|all|all of|each|every|of))*"
# `for the rows of test`, `for each line in the file test.csv`, `for test`
_TABLE: Final = (
    rf"\b(?:(?:for|of|in){_EACH} {_ROWS} (?:of|in|from)|for){_EACH}(?: {_FILE})? {_NAME}"
    rf"(?: {_FILE})?{_END}"
)
# `of the test rows`
_THESE: Final = rf"\b(?:for|of|in){_EACH} {_NAME} {_ROWS}{_END}"
_OF: Final = re.compile(_TABLE, re.IGNORECASE)
_OF_THESE: Final = re.compile(_THESE, re.IGNORECASE)
# `the missing ages`, `the age where it is missing`, `fill in the missing ages by a model`
_LACKING: Final = (
    rf"{_ASKS}{_EACH}(?: its)? (?:missing|unknown|absent|empty)\b|"
    rf"{_ASKS}\b.*\b(?:where|when|if|for which|whose)\b.* (?:is|are) "
    r"(?:missing|unknown|absent|empty|not known)\b|"
    r"(?:fill|impute|replace)\w*\b.*\bmissing\b.*\b(?:by|with|using) (?:the |an? )?(?:\w+ )?"
    r"(?:models?|predictions?|machine learning|boosting)\b"
)
_MISSING: Final = re.compile(_LACKING, re.IGNORECASE)
_HANDED_IN: Final = (
    r"(?:,? *\band )?(?:then )?\b(?:make|write|create|give|save|produce|build|prepare|generate|"
    r"export)\w* (?:me |us )?(?:(?:an?|the|its|these|all|them|it) ?)*(?:"
    r"submissions?(?: files?)?|(?:(?:predictions?|results?) )?(?:(?:in)?to|as|into|in) (?:an? )?"
    r"(?:(?:csv|submission) )?file|files? (?:of|with|for) (?:the |these |its )*(?:predictions?|"
    r"submissions?))(?: called submission(?:\.csv)?)?(?: (?:for|of) (?:it|them|that|this))?"
)
_SUBMISSION: Final = re.compile(rf"\b{_ASKS}\b.*\bsubmission\b", re.IGNORECASE)
# This part of a table's columns is in the table that is learned from.
_SHARED: Final = 2 / 3


def asks_of(text: str, tables: Sequence[Table]) -> bool:
    """Whether a text wants predictions for a table that another one is like but for a column, or
    for the rows of a table that lack a column which it names."""
    if _named(text, tables) is not None:
        return True
    if _SUBMISSION.search(text) and any(_likened(each, tables) for each in tables):
        return True
    said = set(_plain(text).split("_"))
    return bool(_MISSING.search(text)) and any(
        column.missing and _said(column.name, said) for t in tables for column in t.columns
    )


def _named(text: str, tables: Sequence[Table]) -> Table | None:
    """The table whose rows are to be predicted, by its name."""
    found = (match["value"] for each in (_OF, _OF_THESE) for match in each.finditer(text))
    for value in found:
        table = _called(value, tables)
        if table is not None and (_likened(table, tables) or _lacks(text, table)):
            return table
    return None


def _called(name: str, tables: Sequence[Table]) -> Table | None:
    plain = re.sub(r"_(?:csv|parquet|xlsx|json)$", "", _plain(name))
    return next((each for each in tables if _plain(each.name) == plain), None)


def _likened(table: Table, tables: Sequence[Table]) -> list[Table]:
    """The tables that have most columns of this one, and others."""
    own = {each.name for each in table.columns}
    found = []
    for each in tables:
        names = {c.name for c in each.columns}
        shared = own & names
        if each != table and len(shared) >= max(2, _SHARED * len(own)) and names - own:
            found.append(each)
    return found


def _lacks(text: str, table: Table) -> bool:
    said = set(_plain(text).split("_"))
    return any(each.missing and _said(each.name, said) for each in table.columns)


def _said(name: str, said: set[str]) -> bool:
    """Whether the words of a column's name are said, also of more than one."""
    parts = [each for each in _plain(name).split("_") if each]
    return bool(parts) and all({each, f"{each}s", f"{each}es"} & said for each in parts)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "_", text.casefold()).strip("_")


def _read(request: MethodRequest) -> Arguments | Unread:
    """The target, the table whose rows lack it, and the columns to learn it from."""
    table = request.table
    if not request.target:
        return Unread("it does not say which column is to be predicted")
    if request.tests:
        return Unread("it chooses rows by their values, and predictions are of all rows")
    other = _other(request)
    if isinstance(other, Unread):
        return other
    rows = table if other is None else other
    target, identifier = request.of(request.target), identifier_of(rows)
    able = learned_from(table, target.name, other)
    named = [each for each in _fields(request) if each in able]
    if not able:
        return Unread(f"{table.name} has no other column to learn {target.name} from")
    request.draft.note(
        f"for the rows of {rows.name}" if other else f"for the rows that lack {target.name}"
    )
    return request.make(
        Prediction,
        {
            "target": target.name,
            "fields": tuple(dict.fromkeys(named)),
            "rows": other.name if other else "",
            "identifier": identifier,
            "classes": not plots(target) or is_class(target),
            "file": "file" in request.settings,
        },
    )


def _fields(request: MethodRequest) -> Iterator[str]:
    """The columns that are named to learn from."""
    yield from (each.name for each in request.columns if each.name != request.target)
    if request.group and request.group != request.target:
        yield request.group


def _other(request: MethodRequest) -> Table | Unread | None:
    """The table whose rows are predicted; None for the rows of its own that lack the target."""
    own, value = request.table, request.settings.get("rows", "")
    if value:
        found = _called(value, request.tables)
        if found is None:
            return Unread(f"there is no table {value!r}")
        return None if found == own else found
    if request.of(request.target).missing and _MISSING.search(request.text):
        return None
    fitting = [
        each for each in request.tables
        if own in _likened(each, request.tables)
        and request.target not in {c.name for c in each.columns}
    ]  # fmt: skip
    if len(fitting) == 1:
        return fitting[0]
    return Unread("it does not say for which rows")


CUE = Cue(
    read=_read,
    hint=rf"{_ASKS}\b.*\bfor\b|{_ASKS}\b.*\b{_ROWS}\b|{_ASKS}\b.*\bsubmission\b|{_LACKING}",
    includes=words("missing_values regression predictive_model forecast"),
    settings=(
        setting("file", _HANDED_IN),
        setting("file", r"(?:,? *\band )?\b(?:as|into|for|with) (?:an? |the )?submission"
                        r"(?: file)?"),
        setting("rows", _TABLE),
        setting("rows", _THESE),
        setting("how", r"\b(?:by|with|using) (?:the |an? )?(?:\w+ )?(?:models?|predictions?|"
                       r"machine learning|boosting)\b"),
        setting("lack", r"\b(?:for all|for the|where|when|if|for which|whose)\b[^,.;]* (?:is|are) "
                        r"(?:missing|unknown|absent|empty|not known)\b"),
        setting("lack", r"\b(?:missing|unknown|absent|empty)(?= )"),
    ),
    around=EXPLAINING | words(
        """fill fills filling filled in impute replace classify classified make write model models
        missing unknown lack lacks lacking entry entries values value rows row file table
        submission predictions best learned learning machine use using"""
    ),
    explains=True,
    accepts=asks_of,
)  # fmt: skip
