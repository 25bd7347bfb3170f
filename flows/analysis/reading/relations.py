"""The rules for what one thing has of another: counts, the most, at least so many, none.

What is counted stands in the phrase (`the most T2`); of whom is searched for before it, since
columns, filters and verbs may stand between (`the names of the T1 in V that have the most T2`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from flows.analysis.language.lexicon import (
    AGGREGATIONS,
    FUNCTION_WORDS,
    LESS,
    ORDINALS,
    WEAK_VERBS,
)
from flows.analysis.plan import Field, Having, Measure, Order
from flows.analysis.reading.draft import Draft, is_numeric
from flows.analysis.reading.grammar import Match, Rule, comparison, descends, rule
from flows.analysis.reading.mentions import ends
from flows.data.tables import Column

# What a verb between two things that a join connects leaves in doubt.
_VERB = 0.05


def _counted(draft: Draft, slot: str) -> str | None:
    """The table whose rows a slot counts: that of its rows, or the one that refers to them."""
    if slot[0] == "T":
        return draft.table_of(slot)
    column = draft.column(slot)
    return None if is_numeric(column) else draft.schema.home(column.name)


def _group(draft: Draft, match: Match, counted: str) -> str | None:
    """Group by what stands next before a phrase, else next behind it, and is not what is counted.

    Gives the slot that was found.
    """
    before = re.findall(r"(?<!\S)[TC]\d+(?!\S)", match.string[: match.start()])
    behind = re.findall(r"(?<!\S)[TC]\d+(?!\S)", match.string[match.end() :])
    said = [s for s in before if not _is_verb(draft, s)]
    found = next((s for s in reversed(said) if _is_other(draft, s, counted)), None)
    found = found or next((s for s in behind if _is_other(draft, s, counted)), None)
    if found:
        _group_by(draft, found, [*before, *behind], counted)
        return found
    own = next((s for s in reversed(before) if s[0] == "C" and _is_kind(draft, s)), None)
    if own:
        draft.groups += [f for f in map(_field, draft.columns(own)) if f not in draft.groups]
    return own


def _is_verb(draft: Draft, slot: str) -> bool:
    """Whether a column was found by a verb: `enrolled` for the date of enrolment."""
    return slot[0] == "C" and draft.slots[slot].text.endswith(("ed", "ing"))


def _field(column: Column) -> Field:
    return Field(column.name)


def _is_other(draft: Draft, slot: str, counted: str) -> bool:
    home = draft.table_of(slot)
    return home != counted and counted not in draft.schema.reached(home)


def _is_kind(draft: Draft, slot: str) -> bool:
    column = draft.column(slot)
    return column.distinct < column.rows and column.type != "real"


def _group_by(draft: Draft, slot: str, slots: list[str], counted: str) -> None:
    """By the rows of a table where those are meant, else by the values of a column."""
    home = draft.table_of(slot)
    if slot[0] == "T" or any(_names_rows(draft, s) for s in slots if draft.table_of(s) == home):
        draft.group_by_rows_of(home)
        return
    for column in draft.columns(slot):
        if Field(column.name) not in draft.groups:
            draft.groups.append(Field(column.name))


def _names_rows(draft: Draft, slot: str) -> bool:
    """Whether a slot is a table, or a column that names its rows or tells them apart."""
    if slot[0] == "T":
        return True
    home, columns = draft.table_of(slot), draft.columns(slot)
    names = {each.name for each in (*draft.label(home),)} | set(draft.schema.key(home))
    return any(c.name in names or c.distinct == c.rows > 1 for c in columns)


def _explains(draft: Draft, match: Match) -> bool:
    """Weigh the words between two things; False where they deny that they belong together."""
    words = (match.groupdict().get("do") or "").split()
    if {"not", "no", "never", "without", "each", "every", "than"} & set(words):
        return False
    known = FUNCTION_WORDS | WEAK_VERBS
    draft.doubt += sum(_VERB for word in words if word not in known)
    return True


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
    table = _counted(draft, match["t2"])
    if draft.limit or table is None or not _explains(draft, match):
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
    if not _group(draft, match, table):
        return None
    draft.order.append(Order(by, match["sup"] not in LESS))
    _limit(draft, match)
    return match.groupdict().get("value") or ""


def _scaled(draft: Draft, match: Match, table: str) -> Order | None:
    """`the country that has the highest tower`: the tower by its height, and not their number."""
    if match["sup"] in ("most", "fewest", "least", "top", "bottom") or match.groupdict().get("number"):
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
        return Measure("count_distinct", Field(draft.column(slot).name))
    return draft.rows_of(table)


def _at_least(draft: Draft, match: Match) -> str | None:
    """`T1 with more than 3 T2`: groups by T1, tests the number of T2."""
    found = match.groupdict()
    value = draft.literal(found["n"]) if found["n"] else 1
    table = _counted(draft, found["t2"])
    if table is None or not isinstance(value, int | float) or not _explains(draft, match):
        return None
    test = comparison(found["cmp"]) if found.get("cmp", "just") != "just" else "="
    if found.get("way"):
        test = ">=" if found["way"] == "more" else "<="
    counted = _rows(draft, match, table)
    if not _group(draft, match, table):
        return None
    draft.having.append(Having(counted, test, (value,)))
    return found.get("value") or ""


def _measure_of_many(draft: Draft, match: Match) -> Measure | None:
    """An aggregate of a column of which each of the things before it has many."""
    column = draft.column(match["c"])
    if not is_numeric(column):
        return None
    table = draft.schema.home(column.name)
    measure = Measure(AGGREGATIONS[match["agg"]], Field(column.name))
    return measure if _group(draft, match, table) else None


def _best_measure(draft: Draft, match: Match) -> str | None:
    """`the T1 whose T2 have the highest average C2`: groups by T1, orders by the aggregate."""
    if draft.limit or not _explains(draft, match):
        return None
    measure = _measure_of_many(draft, match)
    if measure is None:
        return None
    draft.order.append(Order(measure, descends(match["sup"], draft) is not False))
    _limit(draft, match)
    return ""


def _tested_measure(draft: Draft, match: Match) -> str | None:
    """`T1 with an average C2 above 3`: groups by T1, tests the aggregate."""
    if not _explains(draft, match):
        return None
    value = draft.literal(match["n"])
    measure = _measure_of_many(draft, match)
    if measure is None:
        return None
    draft.having.append(Having(measure, comparison(match["cmp"]), (value,)))
    return ""


_AGGREGATED = re.compile(
    r"(?P<agg>(?:average|mean|total|sum of|lowest|highest|maximum|minimum) (?:of )?(?:the |its |"
    r"their |all )*)(?P<t>T\d+)(?!\S)"
)


def read_one_measures(draft: Draft) -> None:
    """`the average T`, where the rows of a table hold one number: `the lowest rating`."""
    draft.line = _AGGREGATED.sub(lambda match: _one_measure(draft, match), draft.line)


def _one_measure(draft: Draft, match: Match) -> str:
    table = draft.table_of(match["t"])
    columns = draft.schema.columns_of(table)
    keys = {c for e in draft.schema.edges for c in ends(draft, e)}
    numbers = [c for c in columns if is_numeric(c) and c.role == "measure" and c.name not in keys]
    if len(numbers) != 1:
        return match.group()
    slot = f"C{len(draft.slots)}"
    draft.slots[slot] = replace(draft.slots[match["t"]], kind="column", columns=(numbers[0].name,))
    draft.doubt += 0.1
    return f"{match['agg']}{slot}"


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
# A verb and the small words around it.
_DOES = r"(?P<do>(?:[a-z]+ ){0,4}?)"
_SUP = (
    r"(?P<sup>most|fewest|least|largest|highest|greatest|smallest|lowest|maximum|minimum|biggest)"
)
_NUMBER = (
    r"(?P<number>(?:(?:total )?(?:number|amount|count|numbers|quantity) of |number )?)"
    r"(?P<different>(?:different |distinct |unique )?)(?:the )?"
)
_NOT = r"(?:not|never|n't)"
_T2 = r"(?P<t2>[TC]\d+)"
_VALUE = r"(?P<value>(?:V\d+ )?)"
_MANY = r"(?:<N>|one|single|1)"
_TIED = r"(?: (?:associated|assigned|related|linked)(?: (?:with|to) (?:it|them))?)?"

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
        "most for each",
        rf"(?<=\d ){_WHO}{_DOES}(?:the )?(?:top )?(?:(?P<o><ORD>) )?(?:<N> )?(?P<sup><SUP>) "
        r"(?P<agg>average|mean|total|sum) (?:of )?<DET>(?:T\d+ )?<C>(?: of (?:their |its |all |the )*T\d+)?",
        _best_measure,
    ),
    rule(
        "test of each",
        rf"(?<=\d ){_WHO}{_DOES}(?:the |an |a )*(?P<agg>average|mean|total|sum) (?:of )?<DET>(?:T\d+ )?<C> "
        r"(?:of (?:their |its |all |the )*T\d+ )?<BE>(?P<cmp><CMP>) <N>",
        _tested_measure,
    ),
    rule(
        "most",
        rf"(?<=\d ){_WHO}{_DOES}(?:the )?(?:top )?(?:(?P<o><ORD>) )?(?:<N> )?{_SUP} {_NUMBER}{_VALUE}{_T2}"
        + _TIED,
        _most,
    ),
    rule(
        "most",
        rf"(?:by |with |in |the )*(?:top )?(?:(?P<o><ORD>) )?(?:<N> )?{_SUP} {_NUMBER}{_VALUE}{_T2}{_TIED}",
        _most,
    ),
    rule(
        "most",
        rf"(?<=\d ){_WHO}{_DOES}(?:the )?(?P<sup>top|bottom) <N> (?:most |highest |largest )?"
        rf"{_NUMBER}{_T2}{_TIED}",
        _most,
    ),
    rule(
        "at least",
        rf"(?<=\d ){_WHO}{_DOES}(?:the )?(?P<cmp><CMP>|just) <DET>{_MANY} "
        rf"(?P<different>(?:different |distinct )?)(?:kinds? of |types? of )?{_VALUE}{_T2}{_TIED}(?! C)",
        _at_least,
    ),
    rule(
        "at least",
        rf"(?<=\d ){_WHO}{_DOES}<N> or (?P<way>more|fewer|less) "
        rf"(?P<different>(?:different |distinct )?){_T2}{_TIED}",
        _at_least,
    ),
)
