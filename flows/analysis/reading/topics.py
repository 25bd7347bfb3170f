"""The rules for what a question is about: names, rows, trends, shares, comparisons."""

from __future__ import annotations

import re

from flows.analysis.plan import Field
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Match, Rule, rule


def _trend(draft: Draft, match: Match) -> str | None:
    if not [c for c in draft.schema.table.columns if c.role == "time"] and not draft.time_column():
        return None
    draft.trend = True
    return " ".join(re.findall(r"[A-Z]\d+", match.group()))


def _share(draft: Draft, match: Match) -> str | None:
    draft.share = True
    counted = match.groupdict().get("t") or ""
    if counted and draft.slots[counted].columns:
        draft.shared = draft.column(counted)
        return ""
    return counted


def _name_of(draft: Draft, match: Match) -> str | None:
    """`the names of the cities`: the cities, where the city is a column of its own."""
    if draft.slots[match["c1"]].text not in ("name", "names", "type", "types", "kind", "kinds"):
        return None
    return match["c2"] if draft.column(match["c2"]).role in ("category", "text") else None


def _entity_of(draft: Draft, match: Match) -> str | None:
    """`the positions of the players`: the players are the rows, their column is not asked for."""
    column = draft.column(match["c2"])
    link = draft.slots[match["c2"]]
    label = draft.label()
    if column not in label or link.text.split()[-1] in ("name", "names", "title", "titles"):
        return None
    return f"{match['c1']} of the rows"


def _how(draft: Draft, match: Match) -> str | None:
    """`how old is ...` asks for the column that the adjective speaks of."""
    scaled = draft.scaled(match["adj"])
    if not scaled or (match["adj"] in ("long", "old") and scaled[0].role == "time"):
        return None
    draft.select.append(Field(scaled[0].name))
    return ""


NAMES: tuple[Rule, ...] = (
    rule(
        "how",
        r"how (?P<adj>old|tall|long|heavy|expensive|large|big|fast|deep|wide|costly)(?! "
        r"T)",
        _how,
    ),
    rule("name", r"<C1> of (?:the |all |every |each |different |distinct )*<C2>", _name_of),
    rule("name", r"<C2> <C1>", _name_of),
    rule(
        "name",
        r"names? of (?:the |all |every |each |different |distinct )*<C2>",
        lambda _, match: match["c2"],
    ),
    rule("rows", r"<C1> of (?:the |all |these |those )*<C2>", _entity_of),
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
        r"(?:change|changed|changing|evolve|evolved|develop|developed|grow|grown|"
        r"increase|increased|decrease|decreased|vary|varied|decline|declined|fall|"
        r"fallen|rise|risen|progress|progressed)",
        _trend_words,
    ),
    rule(
        "trend",
        r"(?:the )?(?:trend|trends|change|changes|growth|evolution|development|"
        r"increase|decrease|decline|rise|fall|progress|progression) (?:of|in|for|over|"
        r"to)(?: the)?",
        _trend,
    ),
    rule(
        "trend",
        r"(?:the )?<C> (?:trend|trends|change|changes|growth|evolution|development)",
        _trend,
    ),
    rule(
        "trend",
        r"over (?:the )?(?:time|years|months|days|decades|period)|through the years|"
        r"with time|across (?:the )?years|year by year|year over year|over all years",
        _trend,
    ),
)
