"""The rules for what one thing has of another: counts, the most, at least so many, none."""

from __future__ import annotations

from flows.analysis.language.lexicon import LESS, ORDINALS
from flows.analysis.plan import Having, Order
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Match, Rule, comparison, rule


def _are_two(draft: Draft, match: Match) -> bool:
    return draft.table_of(match["t1"]) != draft.table_of(match["t2"])


def _most(draft: Draft, match: Match) -> str | None:
    """`the T1 with the most T2`: groups by T1, orders by the number of T2."""
    if not _are_two(draft, match):
        return None
    counted = draft.rows_of(draft.table_of(match["t2"]))
    draft.group_by_rows_of(draft.table_of(match["t1"]))
    draft.order.append(Order(counted, match["sup"] not in LESS))
    found = match.groupdict()
    draft.limit = 1
    if found.get("n"):
        value = draft.literal(found["n"])
        draft.limit = value if isinstance(value, int) and value > 0 else 1
    elif found.get("o"):
        draft.offset = ORDINALS[found["o"]] - 1
    return match["t1"]


def _at_least(draft: Draft, match: Match) -> str | None:
    """`T1 with more than 3 T2`: groups by T1, tests the number of T2."""
    value = draft.literal(match["n"])
    if not _are_two(draft, match) or not isinstance(value, int | float):
        return None
    found = match.groupdict()
    test = comparison(found["cmp"]) if found.get("cmp") else "="
    if found.get("way"):
        test = ">=" if found["way"] == "more" else "<="
    counted = draft.rows_of(draft.table_of(match["t2"]))
    draft.group_by_rows_of(draft.table_of(match["t1"]))
    draft.having.append(Having(counted, test, (value,)))
    return match["t1"]


def _none(draft: Draft, match: Match) -> str | None:
    """`T1 without T2`: rows to which none belongs."""
    if not _are_two(draft, match):
        return None
    draft.absent.append((draft.table_of(match["t1"]), draft.table_of(match["t2"])))
    return match["t1"]


_WHO = r"(?:(?:that|which|who|whose|where) )*"
_DO = (
    r"(?:(?:has|have|had|with|having|is|are|was|were|been|being|do|does|did|in|on|by|for|to|of|at|"
    r"contains?|includes?|\w+ed|\w+ing|\w+s|own|hold|made|held|take|took|taken|teach|taught|write|"
    r"wrote|written|run|won|win|play|get|got|sell|sold|buy|bought|use|order|offer|produce|give|"
    r"gave|given|make|lead|led|work|serve|belong|employ|own|receive|attend|enroll|visit) )*"
)
_SUP = (
    r"(?P<sup>most|fewest|least|largest|highest|greatest|smallest|lowest|maximum|minimum|biggest)"
)
_NUMBER = r"(?:(?:number|amount|count|numbers|total number) of )?(?:different |distinct )?"
_NOT = r"(?:not|never|n't)"

RELATIONS: tuple[Rule, ...] = (
    rule(
        "none",
        rf"<T1> {_WHO}(?:(?:do|does|did|have|has|had|are|is|were|was|could|can) )*{_NOT} "
        rf"(?:yet )?{_DO}(?:(?:any|a|an|the|single|one) )*<T2>(?: (?:yet|at all))?",
        _none,
    ),
    rule(
        "none",
        rf"<T1> {_WHO}{_DO}(?:without|no|zero|lack|lacks|lacking|missing)"
        r"(?: (?:any|a|an|the))* <T2>",
        _none,
    ),
    rule(
        "most",
        rf"<T1> {_WHO}{_DO}(?:the )?(?:top )?(?:(?P<o><ORD>) )?(?:<N> )?{_SUP} {_NUMBER}<T2>",
        _most,
    ),
    rule(
        "most",
        rf"<T1> {_WHO}(?:\w+ )?{_DO}(?:the )?(?:(?P<o><ORD>) )?(?:<N> )?{_SUP} {_NUMBER}<T2>",
        _most,
    ),
    rule(
        "at least",
        rf"<T1> {_WHO}(?:\w+ )??{_DO}(?:the )?(?P<cmp><CMP>) <DET><N> "
        r"(?:different |distinct )?<T2>",
        _at_least,
    ),
    rule(
        "at least",
        rf"<T1> {_WHO}(?:\w+ )??{_DO}<N> or (?P<way>more|fewer|less) (?:different )?<T2>",
        _at_least,
    ),
)
