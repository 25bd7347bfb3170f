"""Comparisons whose column stands inside of them or is only implied by the verb."""

from __future__ import annotations

from flows.analysis.language.phrases import Match
from flows.analysis.reading.conditions import add, is_negated, marker
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Rule, comparison, rule
from flows.analysis.reading.plan import Comparison
from flows.core.observation import Cell
from flows.data.tables import Column

_LESSER = frozenset(["less", "lower", "smaller", "fewer", "shorter", "younger", "earlier"])
# What it costs to read `never` of each row by itself, and not of all that belong together.
_NEVER = 0.4
# The columns that a verb speaks of when it says how much.
_VERBS = {
    "cost": ("price", "cost", "fee", "rate"),
    "earn": ("salary", "wage", "pay", "payment", "income", "earnings"),
    "weigh": ("weight", "mass"),
    "last": ("duration", "length", "time", "minute", "hour"),
    "cover": ("distance", "area"),
    "take": ("duration", "hour", "time", "minute"),
    "pay": ("payment", "amount", "price"),
    "score": ("score", "point"),
}


def _column_inside(draft: Draft, match: Match) -> str | None:
    """`a higher C than N`."""
    test: Comparison = "<" if match["er"] in _LESSER else ">"
    return (
        marker(draft)
        if add(draft, draft.column(match["c"]), test, [_value(draft, match)])
        else None
    )


def _as_as(draft: Draft, match: Match) -> str | None:
    """`at least as long as N`: the adjective names the column."""
    scaled = draft.scaled(match["adj"])
    column = draft.column(match["c"]) if match["c"] else scaled[0] if scaled else None
    if column is None:
        return None
    upward = scaled[1] if scaled else True
    test: Comparison = ">=" if upward else "<="
    return marker(draft) if add(draft, column, test, [_value(draft, match)]) else None


def _reaches(draft: Draft, match: Match) -> str | None:
    """`C reached N`: it was so much or more."""
    if match["not"] == "never":
        draft.doubt += _NEVER
    column, value = draft.column(match["c"]), [_value(draft, match)]
    return marker(draft) if add(draft, column, ">=", value, is_negated(match)) else None


def _by_verb(draft: Draft, match: Match) -> str | None:
    """`that cost more than N`: the verb names the column."""
    verb = next(each for each in _VERBS if match["verb"].startswith(each[:4]))
    column = _spoken_of(draft, verb)
    if column is None:
        return None
    draft.note(f"{match['verb']} is read as a matter of {column.name}")
    test = comparison(match["cmp"]) if match["cmp"] else "<" if match["er"] == "shorter" else ">"
    return marker(draft) if add(draft, column, test, [_value(draft, match)]) else None


def _value(draft: Draft, match: Match) -> Cell:
    return draft.literal(match["n"])


def _spoken_of(draft: Draft, verb: str) -> Column | None:
    for word in _VERBS[verb]:
        for column, parts in zip(
            draft.schema.table.columns, draft.schema.column_words, strict=True
        ):
            if column.type in ("integer", "real") and column.role != "id" and word in parts:
                return column
    return None


_WHO = r"(?:(?:that|which|who|whose|with|has|have|had|having|is|are|a|an|the|can|of) )*"

COMPARED: tuple[Rule, ...] = (
    rule(
        "comparison",
        r"<C> (?:(?:that|which|has|have|had|ever) )*(?:(?P<not>not|never) )?"
        r"(?:reach(?:es|ed|ing)?|hits?) <DET><N>",
        _reaches,
    ),
    rule(
        "comparison",
        rf"{_WHO}(?P<er>more|greater|higher|larger|bigger|longer|older|later|less|lower|smaller|"
        rf"fewer|shorter|younger|earlier) (?:number of |amount of )?<C> than <DET><N>",
        _column_inside,
    ),
    rule(
        "comparison",
        rf"{_WHO}(?:<C> )?(?:(?:at least|lasted|is|are|was|were) )*as (?P<adj>\w+) as <DET><N>",
        _as_as,
    ),
    rule(
        "comparison",
        r"(?:(?:that|which|who|can|have|has|had|do|does|did|would) )*"
        r"(?P<verb>costs?|costing|earn(?:s|ed|ing)?|weigh(?:s|ed|ing)?|last(?:s|ed|ing)|"
        r"cover(?:s|ed|ing)?|tak(?:e|es|en|ing)|pays?|paying|scor(?:e|es|ed|ing)) "
        r"(?:(?:a|an|for) )*(?:(?P<cmp><CMP>)|(?P<er>longer|shorter) than) <DET><N>",
        _by_verb,
    ),
)
