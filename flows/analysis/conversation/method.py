"""A method that is asked for of the last result: `the outliers?`, `and the distribution?`."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.conversation.context import Context
from flows.semantics.query import FieldRef, Query
from flows.semantics.request import REQUEST, Analysis, Chart, Request
from flows.semantics.tree import parts

_ASKED: Final = re.compile(
    r"^\W*(?:(?:and|but|so|ok|now|please|what about|how about|show|give|tell|me|about|are there|is "
    r"there|what are|which are|what is|list|can you|could you|see|look at)\s+)*"
    r"(?:the|those|these|any|its|their|that)?\s*(?P<method>outliers?|anomal(?:y|ies)|"
    r"distributions?|histogram)\s*(?:(?:that )?we (?:found|saw|had)|there|(?:of|in|for) (?:it|that|"
    r"this|them|those|these)|again|now|please|\s)*\W*$",
    re.IGNORECASE,
)
_CALLED: Final = {"o": "outliers", "a": "outliers", "d": "distribution", "h": "distribution"}


def apply_method(text: str, context: Context) -> Request | None:
    """The method that the words name, of the figure and over the rows of the last turn; None where
    they name a figure of their own, or no method."""
    match = _ASKED.match(text)
    over = _rows(context)
    figure = _figure(context)
    if match is None or over is None or figure is None:
        return None
    method = _CALLED[match["method"][0].casefold()]
    made = context.analyst.propose(f"{method} of {figure.field} of {figure.dataset}")
    asked = None if made["request"] is None else REQUEST.validate_python(made["request"])
    of = asked.of if isinstance(asked, Chart) else asked
    if not isinstance(of, Analysis) or of.method != method:
        return None
    found = of.model_copy(update={"over": of.over.model_copy(update={"where": over.where})})
    return found if context.fits(found) else None


def _rows(context: Context) -> Query | None:
    """The query whose rows the last turn was about."""
    asked = context.before[-1].request
    if isinstance(asked, Chart):
        asked = asked.of
    over = asked.over if isinstance(asked, Analysis) else asked
    return over if isinstance(over, Query) else None


def _figure(context: Context) -> FieldRef | None:
    """The measure of the last turn; none where there are several."""
    asked = context.before[-1].request
    named = [] if asked is None else [each for each in parts(asked) if isinstance(each, FieldRef)]
    measures = {
        each: None for each in named
        if (field := context.field(each)) is not None and field.role == "measure"
    }  # fmt: skip
    return next(iter(measures)) if len(measures) == 1 else None
