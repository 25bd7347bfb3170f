"""What asks for what is wrong with a table, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.data_quality.arguments import DataQuality
from flows.analysis.methods.method import Cue, MethodRequest, words
from flows.analysis.reading.reader import Unread
from flows.data.tables import Table

_FAULT = r"(?:problems?|errors?|issues?|mistakes?|faults?|flaws?|anomal(?:y|ies))"
_DATA = r"(?:data(?: ?set)?s?|tables?|files?|exports?|extracts?|records?|entries|rows|dumps?|csv)"
# What asks whether the data themselves are sound.
SOUND = (
    r"data quality|quality of (?:the|this|our|my) (?:\w+ )?data|"
    rf"(?:anything|something|what(?:'s| is)?|nothing) (?:\w+ )?(?:wrong|odd|off|broken|strange)"
    rf"(?: \w+)? (?:with|in|about) (?:\w+ ){{0,3}}{_DATA}|"
    rf"{_FAULT} (?:\w+ )?(?:with|in) (?:\w+ ){{0,3}}{_DATA}|"
    rf"(?:clean|dirty|sound|trustworthy|reliable|usable)(?= .*{_DATA})(?= *\??$)|"
    rf"(?:can|could|should) (?:i|we) trust (?:\w+ ){{0,3}}{_DATA}|"
    rf"(?:how|is|are) (?:clean|dirty|reliable) (?:is|are)?(?: \w+){{0,3}} {_DATA}|"
    rf"(?:check|audit|validate|inspect) (?:\w+ ){{0,3}}{_DATA}(?: \w+)? for {_FAULT}"
)


def _read(request: MethodRequest) -> Arguments | Unread:
    named = tuple(c.name for c in request.columns)
    return request.make(DataQuality, {"fields": named, "keys": keys_of(request.table)})


def keys_of(table: Table) -> tuple[str, ...]:
    """The columns of which each should tell rows apart: keys, and those whose names say so."""
    single = [each[0] for each in table.keys if len(each) == 1]
    first = table.columns[:1]
    named = [c.name for c in first if c.role == "id" and 2 * c.distinct > c.rows]
    return tuple(dict.fromkeys((*single, *named)))


CUE = Cue(
    read=_read,
    words=SOUND,
    includes=words("missing_values outliers"),
    around=words(
        """is are there any anything something wrong odd strange with in about this the our my data
        dataset table file export extract problems problem issues errors mistakes that i we should
        know of can trust check for before use quality good clean reliable"""
    ),
)
