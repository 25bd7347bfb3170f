"""The rules for groups and for tests of whole groups."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.language.phrases import Match
from flows.analysis.language.verbs import is_verb
from flows.analysis.language.vocabulary import COMPARATIVES, MEASURING
from flows.analysis.reading.conditions import measured
from flows.analysis.reading.draft import Draft, is_numeric
from flows.analysis.reading.generic_nouns import THING, is_plural_noun
from flows.analysis.reading.grammar import Rule, comparison, rule
from flows.analysis.reading.plan import COUNT, Field, Having, Measure
from flows.data.tables import Column

_MEASURED = re.compile(
    r"(?<!\S)(?:average|mean|median|total|sum|count|numbers? of|how many|maximum|minimum|max|min|"
    r"lowest"
    r"|highest|largest|smallest|biggest)(?!\S)"
)


def _group(draft: Draft, match: Match) -> str | None:
    for slot in re.findall(
        r"[CT]\d+", match["groups"] if "groups" in match.re.groupindex else match.group()
    ):
        if slot[0] == "T" and draft.schema.joined and _MEASURED.search(draft.line):
            if _is_measured_itself(draft, match, draft.table_of(slot)):
                return str(slot)
            draft.group_by_rows_of(draft.table_of(slot))
            continue
        named = draft.columns(slot) if draft.slots[slot].columns else draft.label()
        if not named or (slot[0] == "T" and not _MEASURED.search(draft.line)):
            return slot if slot[0] == "T" else None
        if _is_each_row(draft, match, slot, named):
            return ""
        for column in named:
            if column.type == "real" and column.role != "category":
                return None
            field = Field(column.name)
            if field not in draft.groups:
                draft.groups.append(field)
    return ""


_ONE_BY_ONE = re.compile(r"(?<!\S)(?:each|every|per|different|distinct|various)(?!\S)")


def _is_measured_itself(draft: Draft, match: Match, table: str) -> bool:
    """`the average price of all products`: of all of them together, where the price is one of each
    product."""
    if _ONE_BY_ONE.search(match.group()):
        return False
    return any(draft.schema.home(draft.column(slot).name) == table
               for slot in _MEASURE.findall(match.string[: match.start()]))  # fmt: skip


_MEASURE = re.compile(
    r"(?<!\S)(?:average|mean|median|total|sum|maximum|minimum|max|min|numbers? of|how many)"
    r"(?: (?:of|the|number))* (C\d+)(?!\S)"
)


def _is_each_row(draft: Draft, match: Match, slot: str, named: Sequence[Column]) -> bool:
    """`the average size of all parks`: of all of them, and not of each, which has only one."""
    words = match.string.replace(match.group(), " ")
    counts = re.search(r"(?<!\S)(?:count|numbers? of|how many|number)(?!\S)", words)
    if draft.schema.joined or counts or not _MEASURED.search(words):
        return False
    every = re.search(r"(?<!\S)(?:all|across)(?!\S)", match.group()) or slot[0] == "T"
    alone = all(each.distinct == each.rows > 1 for each in named)
    if alone and every:
        draft.doubt += 0.15
        draft.note(f"{draft.slots[slot].text} are taken together, for each is one row")
    return bool(alone and every)


def _group_by_date(draft: Draft, match: Match) -> str | None:
    """`per month`: a part of the dates; months of several years are kept apart."""
    if re.search(r"C\d", match.string[match.end() :][:3]):
        return None
    dates = [c for c in draft.schema.table.columns if c.type in ("date", "timestamp")]
    if len(dates) != 1:
        return None
    name, years = dates[0].name, {str(dates[0].minimum)[:4], str(dates[0].maximum)[:4]}
    if match["part"].startswith("year") or len(years) > 1:
        draft.groups.append(Field(name, "year"))
    if match["part"].startswith("month"):
        draft.groups.append(Field(name, "month of year"))
    return ""


def _group_if_measured(draft: Draft, match: Match) -> str | None:
    """`... by C` groups only where something is aggregated."""
    entity = match.groupdict().get("entity")
    said = _MEASURED.search(draft.line) or _is_measure_by(draft, match)
    if not said or (entity and not draft.slots[entity].columns and not draft.schema.joined):
        return None
    return _group(draft, match)


def _is_measure_by(draft: Draft, match: Match) -> bool:
    """`revenue ... by region`: a measure before it, and no verb that `by` belongs to."""
    before = match.string[: match.start()].split()
    if not match.group().startswith("by ") or not before or is_verb(before[-1]):
        return False
    slots = [each for each in before if re.fullmatch(r"C\d+", each)]
    return any(draft.column(each).role == "measure" for each in slots)


def _having_count(draft: Draft, match: Match) -> str | None:
    value = draft.literal(match["n"])
    if (
        not isinstance(value, int | float)
        or _is_measured(draft, match)
        or _is_of_rows(draft, match)
    ):
        return None
    test = comparison(match["cmp"]) if match.groupdict().get("cmp") else "="
    if match.groupdict().get("way"):
        test = ">=" if match["way"] == "more" else "<="
    if not re.search(r"C\d+", draft.line.replace(match.group(), "")):
        return None
    counted = counted_things(draft, match)
    if counted is None:
        return None
    draft.having.append(Having(counted, test, (value,)))
    return match.groupdict().get("which") or ""


def _is_measured(draft: Draft, match: Match) -> bool:
    """Whether a verb before the number speaks of a column: `can hold more than two people`."""
    words = [*match.string[: match.start()].split()[-1:], *match.group().split()]
    return any(word in MEASURING and measured(draft, word) for word in words)


def _is_of_rows(draft: Draft, match: Match) -> bool:
    """Whether an adjective compares a column of the rows: `captains younger than 50`."""
    words = (match.groupdict().get("cmp") or "").split()
    if any(draft.scaled(word) for word in words if word in COMPARATIVES):
        return True
    people = words in (["under"], ["over"]) and re.search(r"(?<!\S)number of T\d", match.group())
    return bool(people and measured(draft, "aged"))


def counted_things(draft: Draft, match: Match) -> Measure | None:
    """What `at least two THINGS` counts in a group: rows, or the different values of a column."""
    found = match.groupdict()
    if found.get("ct"):
        column = draft.column(found["ct"])
        if is_numeric(column) or column.role in ("time", "measure"):
            return None
        if column in draft.label() or column.distinct == column.rows - column.missing:
            return COUNT
        draft.doubt += 0.15
        return Measure("count distinct", Field(column.name))
    if found.get("thing"):
        if not is_plural_noun(found["thing"]):
            return None
        draft.doubt += 0.25
        draft.note(f"{found['thing']} are taken for the rows")
    return COUNT


def _having_measure(draft: Draft, match: Match) -> str | None:
    aggregation = AGGREGATIONS[match["agg"]]
    measure = Measure(aggregation, Field(draft.column(match["c"]).name))
    draft.having.append(Having(measure, comparison(match["cmp"]), (draft.literal(match["n"]),)))
    return ""


HAVINGS: tuple[Rule, ...] = (
    rule(
        "having",
        r"(?:that |which |who |whose )*(?:with|whose|has|have|had|having|where|is|and)"
        r"* ?(?:the |an |a )*(?P<agg>average|mean|median|total|sum|maximum|minimum) "
        r"(?:of )?(?:the )?<C> <BE>(?P<cmp><CMP>) <N>",
        _having_measure,
    ),
    rule(
        "having",
        r"(?:that |which |who |whose |where |there |for |and |each )*(?:with|has|have|"
        r"had|having|of|by|in|is|are|was|were|contains?|owns?|owned|appears?|shared?|"
        r"used|use|associated|corresponding|held|hold|been|\w+ed|to|include|includes)"
        r"* ?(?:by |in |with |to |on |for |from |the |there |made |at |did |do |does )*"
        r"(?P<cmp><CMP>) <DET><N> (?:different |distinct |corresponding |separate |other )?"
        r"(?P<which>V\d+(?= ?$| [?.]| [a-z]))?"
        rf"(?:(?<=\d)|times?|T\d+|(?P<ct>C\d+)|(?P<thing>{THING}))(?! C)",
        _having_count,
    ),
    rule(
        "having",
        r"(?:that |which |who |whose )*(?:with|has|have|had|having|\w+ed|in|by|for|is|"
        r"are|there)* ?<N> or (?P<way>more|fewer|less) (?:different |corresponding )"
        rf"?(?:times?|T\d+|(?P<ct>C\d+)|(?P<thing>{THING}))(?! C)",
        _having_count,
    ),
    rule(
        "having",
        r"(?:the )?(?:number|count) of T\d+ <BE>(?P<cmp><CMP>) <N>(?! [CT])",
        _having_count,
    ),
)


_EACH = (
    r"(?:each|every|different|all the different|all different|the different|various|each of the|"
    r"each different|each distinct|a given|all possible|all)"
)


GROUPS: tuple[Rule, ...] = (
    rule(
        "group",
        r"(?:for each|for every|in each|in every|each|every|per|by) (?P<part>years?|months?)",
        _group_by_date,
    ),
    rule(
        "group",
        r"(?:and )?(?:for|of|in|from|by|to|with|at|within|per|across|on|under|that "
        r"have|having|have|has|between|belonging to|among)? ?(?:each|every|a given|"
        r"each of the|each different|each distinct|each unique|per|each individual|any "
        r"given)(?: of)?(?: the| T\d+)?(?: kind of| type of)? (?P<groups>(?:<C>|T\d+)"
        r"(?: ,? ?(?:and|by) (?:each |per )?C\d+)?)",
        _group,
    ),
    rule(
        "group",
        r"(?:grouped|group|broken down|split|breakdown|separated|aggregated|classified|"
        r"organized|categorized)(?: them| the results?| result| T\d+)? (?:by|into|per) "
        r"(?:the |each |their )*(?P<groups><C>(?: ,? ?and C\d+)?)",
        _group,
    ),
    rule(
        "group",
        r"(?<!number )(?<!numbers )(?<!count )(?:for|of|in|from|with|across|under|"
        r"among|within|by|to|that have) (?:different|all the different|all different|"
        r"the different|various|distinct|all the|all) (?P<groups>(?:<C>|"
        r"(?P<entity>T\d+))(?:(?: ,| and)+ C\d+)?)",
        _group_if_measured,
    ),
    rule(
        "group",
        r"(?:by|across|per|for every) (?:the |their )*(?P<groups><C>(?: and C\d+)?)",
        _group_if_measured,
    ),
)
