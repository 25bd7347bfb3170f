"""The rules for what a question is about: names, rows, trends, shares, comparisons."""

from __future__ import annotations

import re

from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.language.phrasebook import CHANGE_NOUNS, CHANGES
from flows.analysis.language.phrases import Match
from flows.analysis.linking.links import Link
from flows.analysis.reading.draft import Draft, is_numeric
from flows.analysis.reading.generic_nouns import THING
from flows.analysis.reading.grammar import Rule, rule
from flows.data.tables import Column


def _trend(draft: Draft, match: Match) -> str | None:
    if not [c for c in draft.schema.table.columns if c.role == "time"] and not draft.time_column():
        return None
    draft.trend = True
    return " ".join(re.findall(r"[A-Z]\d+", match.group()))


def _share(draft: Draft, match: Match) -> str | None:
    draft.share = True
    counted = match.groupdict().get("t") or ""
    behind = match.string[match.end() :]
    whole = re.match(r" [VQ]\d+ (?:in|of|among|on) (?:all |the )*(?P<t>T\d+)", behind)
    if counted and whole and draft.schema.joined:  # `the share of the genre V in all T`
        draft.counted = draft.table_of(whole["t"])
        return ""
    if counted and counted[0] == "T" and draft.schema.joined:
        draft.counted = draft.table_of(counted)
    elif counted and draft.slots[counted].columns:
        draft.shared = draft.column(counted)
        return ""
    return counted


def _is_code(draft: Draft, column: Column) -> bool:
    """Whether a column says how things are numbered, and not what they are called."""
    return draft.schema.words_by_name[column.name][-1] in ("code", "id", "number", "no", "key")


def _are_of_one(draft: Draft, match: Match) -> bool:
    one, other = (draft.schema.home(draft.column(match[each]).name) for each in ("c1", "c2"))
    return one == other


def _name_of(draft: Draft, match: Match) -> str | None:
    """`the names of the cities`: the cities, where the city is a column of its own."""
    if draft.slots[match["c1"]].text not in ("name", "names", "type", "types", "kind", "kinds"):
        return None
    column = draft.column(match["c2"])
    if draft.schema.joined and not _are_of_one(draft, match):
        return None
    named = column.role in ("category", "text") or (column.role == "id" and column.type == "text")
    named = named and not _is_code(draft, column)
    return match["c2"] if named else None


def _name_before(draft: Draft, match: Match) -> str | None:
    """`the names and average pay of the cities`: the names are those of the cities."""
    if _name_of(draft, match) is None:
        return None
    return f"{match['c2']} {match['mid']}{match['c2']}"


def _where(draft: Draft, _match: Match) -> str | None:
    """`where is ...` asks for the place that the rows have, if they have one."""
    for word in ("location", "address", "place", "city"):
        for column in draft.schema.table.columns:
            if column.role != "id" and word in draft.schema.words_by_name[column.name]:
                return f"what is {_slot_for(draft, column, word)} of "
    return None


def _slot_for(draft: Draft, column: Column, said: str) -> str:
    slot = f"C{len(draft.slots)}"
    reason = "what the question's word asks for"
    draft.slots[slot] = Link("column", 0, 0, said, 0.9, reason, columns=(column.name,))
    return slot


_COMPUTED = "|".join((*AGGREGATIONS, "number", "count", "many", "much"))


def _entity_of(draft: Draft, match: Match) -> str | None:
    """`the positions of the players`: the players are the rows, their column is not asked for."""
    column = draft.column(match["c2"])
    link = draft.slots[match["c2"]]
    label = draft.label(draft.schema.home(column.name))
    if column not in label or link.text.split()[-1] in ("name", "names", "title", "titles"):
        return None
    if match["how"] != "of" and re.search(rf"(?<!\S)(?:{_COMPUTED})(?!\S)", draft.line):
        return None  # `the average price for the products` is one of each
    return f"{match['c1']} of the rows"


def _how(draft: Draft, match: Match) -> str | None:
    """`how old is ...` asks for the column that the adjective speaks of."""
    scaled = draft.scaled(match["adj"])
    if not scaled or (match["adj"] in ("long", "old") and scaled[0].role == "time"):
        return None
    named = [
        slot
        for slot, link in draft.slots.items()
        if slot[0] == "C" and scaled[0].name in link.columns
    ]
    if named and re.search(rf"(?<!\S){named[0]}(?!\S)", draft.line):
        return ""
    slot = _slot_for(draft, scaled[0], match["adj"])
    return f"average {slot}" if match["agg"] else slot


def _compound(draft: Draft, match: Match) -> str | None:
    """`the company names`: the company says whose. Not in `companies founded in`."""
    first = draft.slots[match["c"]].text.split()[0]
    own = draft.schema.words_by_name[draft.column(match["c"]).name]
    if first.endswith("ed") or (first.endswith("ing") and first not in own):
        return None
    return match["c"]


def _with_noun(draft: Draft, match: Match) -> str | None:
    """`the hispanic percentage`, `the amount of ram`: the noun says nothing of a number."""
    if not is_numeric(draft.column(match["c"])):
        return None
    draft.doubt += 0.05
    return match["c"]


def _extremes(draft: Draft, match: Match) -> str | None:
    """`the average and oldest age`: the adjectives stand for maximum and minimum."""
    column = draft.column(match["c"])
    said = []
    for word in match.group().split():
        scaled = draft.scaled(word) if word not in AGGREGATIONS else None
        if scaled and scaled[0] != column:
            return None
        ends = {"maximum": "max", "minimum": "min"}.get(AGGREGATIONS.get(word, ""), word)
        said.append(("max" if scaled[1] else "min") if scaled else ends)
    return " ".join(said)


def _both_ends(draft: Draft, match: Match) -> str | None:
    """`the ages of the oldest and youngest students`: the most and the least of a column."""
    column, said = draft.column(match["c"]), []
    for word in (match["one"], match["other"]):
        scaled = draft.scaled(word)
        if not scaled or scaled[0] != column:
            return None
        said.append(f"{'max' if scaled[1] else 'min'} {match['c']}")
    return " and ".join(said) + " of"


_NOUN = (
    r"(?:percentages?|percents?|ratios?|proportions?|scores?|sizes?|amounts?|values?|"
    r"counts?|figures?|levels?)"
)


def _aggregate_of(draft: Draft, match: Match) -> str | None:
    """`the total revenue`, where both words name a column called total: it is added up."""
    word = draft.slots[match["c1"]].text
    if word not in AGGREGATIONS or draft.column(match["c1"]) != draft.column(match["c2"]):
        return None
    return f"{word} {match['c2']}"


NAMES: tuple[Rule, ...] = (
    rule("aggregate", r"<C1> (?:T\d+ )?<C2>", _aggregate_of, trace=False),
    rule("compound", r"T\d+ <C>", _compound, trace=False),
    rule("noun", rf"<C> {_NOUN}(?! (?:than|of))", _with_noun, trace=False),
    rule(
        "noun",
        r"(?:(?<=total )|(?<=average )|(?<=least )|(?<=most )|(?<=the ))"
        r"(?:amounts?|levels?|percentages?|proportions?) of (?:the )?<C>",
        _with_noun,
        trace=False,
    ),
    rule(
        "extremes",
        r"(?:(?:<AGG>|<EST>)(?: ,| and)+ (?:the )?)+(?:<AGG>|<EST>) <C>",
        _extremes,
        trace=False,
    ),
    rule(
        "extremes",
        r"<C> (?:of|for) (?:the )?(?P<one><EST>) and (?:the )?(?P<other><EST>)(?= T\d)",
        _both_ends,
        trace=False,
    ),
    rule(
        "how",
        r"how (?P<adj>old|tall|long|heavy|expensive|large|big|fast|deep|wide|costly)(?! T)"
        rf"(?P<agg> (?:is|are|was|were) (?:the |an )?(?:average|mean|typical)(?: T\d+| {THING}))?",
        _how,
    ),
    rule(
        "name",
        r"<C1> of (?:the |all |every |each |different |distinct )*<C2>",
        _name_of,
        trace=False,
    ),
    rule("name", r"<C2> <C1>", _name_of, trace=False),
    rule(
        "name",
        r"<C1> (?P<mid>and (?:the )?(?:number|<AGG> C\d+)(?: of)?(?: T\d+)? (?:of|for|in) "
        r"(?:the |all |every |each |different |distinct )*)<C2>",
        _name_before,
        trace=False,
    ),
    rule("where", r"where (?:is|are|was|were) (?=(?:the )?[VTQ]\d)", _where, trace=False),
    rule(
        "name",
        r"names? of (?:the |all |every |each |different |distinct )*<C2>",
        lambda draft, match: None if _is_code(draft, draft.column(match["c2"])) else match["c2"],
        trace=False,
    ),
    rule(
        "rows",
        r"<C1> (?P<how>of|for|among) (?:the |all |these |those |every )*<C2>",
        _entity_of,
        trace=False,
    ),
)


def _compared(draft: Draft, _match: Match) -> str | None:
    draft.compare = True
    return ""


def _trend_words(draft: Draft, match: Match) -> str | None:
    if draft.time_column() is None:
        return None
    draft.trend = True
    inner = re.sub(r"^how (?:much )?(?:did|do|does|has|have|is|was|were)|\w+$", " ", match.group())
    return inner.strip()


def _over_time(draft: Draft, match: Match) -> str | None:
    """`over the years`, where years name a column."""
    if draft.column(match["c"]) != draft.time_column():
        return None
    draft.trend = True
    return ""


TRENDS: tuple[Rule, ...] = (
    rule("trend", r"(?:over|across|through) (?:the |all )*<C>", _over_time),
    rule(
        "comparison of groups",
        r"(?:compare|comparing|(?:what is )?(?:the )?differences? (?:of|"
        r"in|between)(?= .* (?:and|between) ))",
        _compared,
    ),
    rule(
        "share",
        r"(?:what|which)? ?(?:is |are |was )*(?:the )?(?:share|percentage|percent|"
        r"proportion|fraction) of (?:the |all )*(?P<t>[TC]\d+)?",
        _share,
    ),
    rule(
        "trend",
        r"how (?:much )?(?:did|do|does|has|have|is|was|were) .*?(?P<c>C\d+).*? "
        rf"(?:{CHANGES.pattern()})",
        _trend_words,
    ),
    rule(
        "trend",
        rf"(?:the )?(?:{CHANGE_NOUNS.pattern()}) (?:of|in|for|over|to)(?: the)?",
        _trend,
    ),
    rule(
        "trend",
        rf"(?:the )?<C> (?:growth|{CHANGE_NOUNS.pattern(None)})",
        _trend,
    ),
    rule(
        "trend",
        r"over (?:the )?(?:time|years|months|days|decades|period)|through the years|"
        r"with time|across (?:the )?years|year by year|year over year|over all years",
        _trend,
    ),
)
