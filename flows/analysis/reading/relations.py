"""The rules for what one thing has of another: counts, the most, at least so many, none.

What is counted stands in the phrase (`the most T2`); of whom is searched for before it, since
columns, filters and verbs may stand between (`the names of the T1 in V that have the most T2`).
"""

from __future__ import annotations

import re

from flows.analysis.language.lexicon import AGGREGATIONS, LESS, ORDINALS
from flows.analysis.language.phrases import Match
from flows.analysis.language.vocabulary import COMPARATIVES
from flows.analysis.reading.attachment import counted_by, explains, group_before, is_other
from flows.analysis.reading.conditions import measured
from flows.analysis.reading.draft import Draft, is_numeric
from flows.analysis.reading.grammar import (
    Rule,
    adjective,
    comparison,
    descends,
    rule,
)
from flows.analysis.reading.plan import Field, Having, Measure, Order
from flows.semantics.inference.quantities import adds_up


def _limit(draft: Draft, match: Match) -> None:
    found = match.groupdict()
    draft.limit = 1
    if found.get("n"):
        value = draft.literal(found["n"])
        draft.limit = value if isinstance(value, int) and value > 0 else 1
    elif found.get("o"):
        draft.offset = ORDINALS[found["o"]] - 1


def _most(draft: Draft, match: Match) -> str | None:
    """`the T1 with the most T2`: groups by T1, orders by the number of T2."""
    table = counted_by(draft, match["t2"])
    if draft.limit or table is None or not explains(draft, match):
        return None
    number = match.groupdict().get("number") or match["sup"] in ("most", "fewest", "least")
    if match["t2"][0] == "C" and not number:
        return None
    scaled = _scaled(draft, match, table)
    if scaled:
        draft.order.append(scaled)
        _limit(draft, match)
        return ""
    by = _rows(draft, match, table)
    if not group_before(draft, match, table):
        return None
    draft.order.append(Order(by, match["sup"] not in LESS))
    _limit(draft, match)
    return match.groupdict().get("value") or ""


def _scaled(draft: Draft, match: Match, table: str) -> Order | None:
    """`the country that has the highest tower`: the tower by its height, and not their number."""
    if match["sup"] in ("most", "fewest", "least", "top", "bottom") or match.groupdict().get(
        "number"
    ):
        return None
    for column in draft.schema.columns_of(table):
        scaled = draft.scaled(match["sup"])
        if scaled and scaled[0] == column:
            return Order(Field(column.name), scaled[1])
    return None


def _rows(draft: Draft, match: Match, table: str) -> Measure:
    """The number of rows of what is counted; of different things that rows refer to, those."""
    slot = match["t2"]
    if match.groupdict().get("different") and draft.slots[slot].columns:
        draft.counted = table
        return Measure("count distinct", Field(draft.column(slot).name))
    return draft.rows_of(table)


def _at_least(draft: Draft, match: Match) -> str | None:
    """`T1 with more than 3 T2`: groups by T1, tests the number of T2."""
    found = match.groupdict()
    value = draft.literal(found["n"]) if found["n"] else 1
    table = counted_by(draft, found["t2"])
    if table is None or not isinstance(value, int | float) or _is_of_each(draft, match):
        return None
    if not explains(draft, match):
        return None
    test = comparison(found["cmp"]) if found.get("cmp", "just") != "just" else "="
    if found.get("way"):
        test = ">=" if found["way"] == "more" else "<="
    counted = _rows(draft, match, table)
    if not group_before(draft, match, table):
        return None
    draft.having.append(Having(counted, test, (value,)))
    return found.get("value") or ""


def _is_of_each(draft: Draft, match: Match) -> bool:
    """Whether the things are compared themselves, and not their number: `keepers older than 60`,
    `students under 20`."""
    words = (match.groupdict().get("cmp") or "").split()
    if any(word in COMPARATIVES and word not in _NUMBERED for word in words):
        return True
    counts = re.search(r"(?<!\S)(?:counts?|numbers?)(?!\S)", match.group())
    behind = match.group().endswith(match.groupdict().get("n") or " ")
    return bool(
        words in (["under"], ["over"]) and behind and not counts and measured(draft, "aged")
    )


_NUMBERED = frozenset(
    ["more", "fewer", "less", "greater", "larger", "bigger", "higher", "lower", "smaller"]
)


def _measure_of_many(draft: Draft, match: Match) -> Measure | None:
    """An aggregate of a column of which each of the things before it has many."""
    column = draft.column(match["c"])
    if not is_numeric(column):
        return None
    table = draft.schema.home(column.name)
    measure = Measure(AGGREGATIONS[match["agg"]], Field(column.name))
    return measure if group_before(draft, match, table) else None


def _best_measure(draft: Draft, match: Match) -> str | None:
    """`the T1 whose T2 have the highest average C2`: groups by T1, orders by the aggregate."""
    if draft.limit or not explains(draft, match):
        return None
    measure = _measure_of_many(draft, match)
    if measure is None:
        return None
    draft.order.append(Order(measure, descends(match["sup"], draft) is not False))
    _limit(draft, match)
    return ""


def _most_total(draft: Draft, match: Match) -> str | None:
    """`the T1 with the most C2`, where C2 adds up and each T1 has many: by the sum of them."""
    column = draft.column(match["c"])
    if draft.limit or not is_numeric(column) or not adds_up(column) or column.role != "measure":
        return None
    table, before = draft.schema.home(column.name), match.string[: match.start()]
    others = [slot for slot in re.findall(r"(?<!\S)[TC]\d+(?!\S)", before)
              if is_other(draft, slot, table)]  # fmt: skip
    if not others or not explains(draft, match) or not group_before(draft, match, table):
        return None
    draft.order.append(Order(Measure("sum", Field(column.name)), match["sup"] not in LESS))
    _limit(draft, match)
    return ""


def _top_rows(draft: Draft, match: Match) -> str | None:
    """`the top 5 T1 by number of T2`: groups by T1, orders by the number of T2."""
    table, group = counted_by(draft, match["t2"]), draft.table_of(match["t1"])
    if draft.limit or table is None or table == group or match["t2"][0] == "C":
        return None
    draft.order.append(Order(_rows(draft, match, table), match["sup"] != "bottom"))
    draft.group_by_rows_of(group)
    _limit(draft, match)
    return match["t1"]


def _best_scale(draft: Draft, match: Match) -> str | None:
    """`the T1 with the longest average T2`: groups by T1, orders by the aggregate of its scale."""
    word, turned = adjective(match["est"])
    scaled = draft.scaled(word)
    table = draft.table_of(match["t2"])
    if draft.limit or scaled is None or draft.schema.home(scaled[0].name) != table:
        return None
    if not group_before(draft, match, table):
        return None
    measure = Measure(AGGREGATIONS[match["agg"]], Field(scaled[0].name))
    draft.order.append(Order(measure, scaled[1] != turned))
    _limit(draft, match)
    return ""


def _tested_measure(draft: Draft, match: Match) -> str | None:
    """`T1 with an average C2 above 3`: groups by T1, tests the aggregate."""
    if not explains(draft, match):
        return None
    value = draft.literal(match["n"])
    measure = _measure_of_many(draft, match)
    if measure is None:
        return None
    draft.having.append(Having(measure, comparison(match["cmp"]), (value,)))
    return ""


def _none(draft: Draft, match: Match) -> str | None:
    """`T1 without T2`: rows to which none belongs."""
    if draft.table_of(match["t1"]) == draft.table_of(match["t2"]):
        return None
    draft.absent.append((draft.table_of(match["t1"]), draft.table_of(match["t2"])))
    return match["t1"]


_WHO = r"(?:(?:and|that|which|who|whose|where) )*"
_DO = (
    r"(?:(?:has|have|had|with|having|is|are|was|were|been|being|do|does|did|in|on|by|for|to|of|at|"
    r"contains?|includes?|\w+ed|\w+ing|\w+s|own|hold|made|held|take|took|taken|teach|taught|write|"
    r"wrote|written|run|won|win|play|get|got|sell|sold|buy|bought|use|order|offer|produce|give|"
    r"gave|given|make|lead|led|work|serve|belong|employ|own|receive|attend|enroll|visit) )*"
)
_NOT = r"(?:not|never|n't)"
# What leads from a thing to what it has: a verb and the small words around it.
_LEAD = rf"(?<=\d ){_WHO}(?P<do>(?:[a-z]+ ){{0,4}}?)"
_LIMIT = r"(?:the )?(?:top )?(?:(?P<o><ORD>) )?(?:<N> )?"
_SUP = (
    r"(?P<sup>most|fewest|least|largest|highest|greatest|smallest|lowest|maximum|minimum|biggest)"
)
_AGG = r"(?P<agg>average|mean|total|sum) (?:of )?<DET>(?:T\d+ )?<C>"
_OF_IT = r"(?: of (?:their |its |all |the )*T\d+)?"
_NUMBER = (
    r"(?P<number>(?:(?:total )?(?:number|amount|count|numbers|quantity) of |number )?)"
    r"(?P<different>(?:different |distinct |unique )?)(?:(?:kinds?|types?) of )?(?:the )?"
)
_DIFFERENT = r"(?P<different>(?:different |distinct )?)(?:corresponding )?(?:(?:kind|type)s? of )?"
_MANY = r"(?:<N>|one|single|1)"
# What is counted, with what narrows it and what only ties it: `two English songs assigned to it`.
_COUNTED = (
    r"(?P<value>(?:V\d+ )?)(?P<t2>[TC]\d+)"
    r"(?: (?:associated|assigned|related|linked)(?: (?:with|to) (?:it|them))?)?"
)

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
    rule("most for each", rf"{_LEAD}{_LIMIT}(?P<sup><SUP>) {_AGG}{_OF_IT}", _best_measure),
    rule(
        "test of each",
        rf"{_LEAD}(?:the |an |a )*{_AGG}{_OF_IT} <BE>(?P<cmp><CMP>) <N>",
        _tested_measure,
    ),
    rule("most", rf"{_LEAD}{_LIMIT}{_SUP} {_NUMBER}{_COUNTED}", _most),
    rule("most", rf"(?:by |with |in |the )*{_LIMIT}{_SUP} {_NUMBER}{_COUNTED}", _most),
    rule("most in all", rf"{_LEAD}{_LIMIT}(?P<sup>most|fewest|least) (?:total )?<C>", _most_total),
    rule(
        "top",
        rf"(?:the )?(?P<sup>top|bottom) <N> <T1> (?:by|with|in|for|having|based on|in terms of|"
        rf"according to|ranked by|sorted by|ordered by)(?: the| their| most| highest| largest)* "
        rf"{_NUMBER}{_COUNTED}",
        _top_rows,
    ),
    rule(
        "most for each",
        rf"{_LEAD}{_LIMIT}(?P<est><EST>) (?P<agg>average|mean|total|median) (?P<t2>T\d+)",
        _best_scale,
    ),
    rule(
        "most",
        rf"{_LEAD}(?:the )?(?P<sup>top|bottom) <N> (?:most |highest |largest )?{_NUMBER}{_COUNTED}",
        _most,
    ),
    rule(
        "at least",
        rf"{_LEAD}(?:the )?(?P<cmp><CMP>|just) <DET>{_MANY} {_DIFFERENT}{_COUNTED}(?! C)",
        _at_least,
    ),
    rule(
        "at least",
        rf"{_LEAD}(?P<t2>T\d+)(?P<different>) (?:counts? |numbers? )?<BE>(?P<cmp><CMP>) "
        r"<N>(?! [CT])",
        _at_least,
    ),
    rule(
        "at least",
        rf"{_LEAD}<N> or (?P<way>more|fewer|less) {_DIFFERENT}{_COUNTED}",
        _at_least,
    ),
)
