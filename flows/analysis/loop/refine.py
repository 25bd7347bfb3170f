"""What a person's remark does to a question: another value, year, aggregate, group or limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flows.analysis.compile import compile_plan
from flows.analysis.language.lexicon import AGGREGATIONS, FUNCTION_WORDS, LESS, MORE, ORDINALS
from flows.analysis.language.vocabulary import OPPOSITES
from flows.analysis.language.words import Token, tokenize
from flows.analysis.linking.link import link
from flows.analysis.linking.links import Link
from flows.analysis.linking.schema import schema_of
from flows.analysis.loop.revise import asks_for_more, revise
from flows.analysis.plan import Plan
from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.telling.wording import plan_words
from flows.data.tables import Column, Table

_ADDS = re.compile(r"^\s*(?:and|also|what about|how about|plus|add|as well)\b", re.IGNORECASE)
_CHANGES = re.compile(
    r"\b(?:instead|only|just|use|rather|change|restrict|limit|make it|without|not|exclude|except|"
    r"top|by|meant|mean)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:(?:and|also|but|please|now|what about|how about|plus|as well|add|show(?: me)?|tell me|"
    r"give me|then|no|nope|sorry|actually|i (?:meant?|want(?:ed)?|said)|can you|could you|make it|"
    r"let me see|which (?:one|ones|of them)? ?(?:is|are|was|were|has|have|had)|"
    r"the same|same|ok|okay|yes)\b[\s,:]*)+",
    re.IGNORECASE,
)
_AGGREGATES = frozenset(w for w in AGGREGATIONS if w not in MORE and w not in LESS) | {
    "minimum",
    "maximum",
}


@dataclass(frozen=True, slots=True)
class Refined:
    """A question changed by a remark. `replaces` says that it takes the old one's place."""

    question: str
    replaces: bool
    how: str


def refine(question: str, remark: str, tables: Sequence[Table]) -> Refined | None:
    """The question as the remark changes it, if the result can be read; None if it cannot."""
    before = read(question, tables)
    if isinstance(before, Unread):
        return None
    replaces = bool(_CHANGES.search(remark)) or not _ADDS.search(remark)
    short = _FILLER.sub("", remark.strip()).strip(" ?.!")
    if asks_for_more(remark):
        short = remark.strip()
    if not short or not _is_fragment(short):
        return None
    revised = revise(short, before)
    text = revised and _said(revised[0], tables)
    if revised and text and revised[0] != before.plan:
        return Refined(text, replaces, revised[1])
    for change in (_direction, _limit, _aggregation, _grouping, _filter, _column):
        made = change(question, short, before)
        if made is None:
            continue
        text, how = made
        after = read(text, tables)
        if isinstance(after, Reading) and after.plan != before.plan:
            return Refined(text, replaces, how)
    return None


def _said(plan: Plan, tables: Sequence[Table]) -> str | None:
    """A plan as a question, if it is read back as this plan."""
    text = plan_words(plan)
    for said in (text.replace(f" of `{plan.table}`", ""), text):
        after = read(said, tables)
        if isinstance(after, Reading) and _but_for_distinct(after.plan, plan):
            return said
    return None


def _but_for_distinct(one: Plan, other: Plan) -> bool:
    return compile_plan(replace(one, distinct=False)) == compile_plan(
        replace(other, distinct=False)
    )


def _is_fragment(remark: str) -> bool:
    """A remark of a few words about one thing; whole questions are read for themselves."""
    words = [t for t in tokenize(remark) if t.kind != "mark"]
    known = {t.lower for t in words if t.lower in FUNCTION_WORDS}
    return len(words) - len(known) <= 6 and not re.match(
        r"(?i)(?:which|how many|how did|who|when)\b", remark
    )


Change = tuple[str, str]


def _direction(question: str, remark: str, before: Reading) -> Change | None:
    """`the lowest instead`, `second highest`: the other end, or another place, of the same list."""
    end = next((t for t in tokenize(remark) if t.lower in _ENDS or t.lower in ORDINALS), None)
    turned = re.search(r"(?i)\b(?:reverse|opposite|other way)", remark)
    old = next((t for t in reversed(tokenize(question)) if t.lower in _ENDS), None)
    if old is None and not before.plan.groups:
        old = next((t for t in tokenize(question) if t.lower in _AGGREGATES), None)
    others = [each for each, _ in _links(remark, before.table) if each.kind != "literal"]
    if old is None or others or (end is None and not turned):
        return None
    asked = next((t.lower for t in tokenize(remark) if t.lower in _ENDS), old.lower)
    if turned:
        asked = OPPOSITES.get(old.lower, asked)
    place = next((t.lower for t in tokenize(remark) if t.lower in ORDINALS), "")
    before_it = re.search(rf"(?i)\b(?:{'|'.join(ORDINALS)})\s+$", question[: old.start])
    start = before_it.start() if before_it and place else old.start
    for new in dict.fromkeys((_fitting(old.lower, asked), asked)):
        text = f"{place} {new}".strip()
        changed = _replace(question, start, old.end, text)
        if isinstance(read(changed, (before.table,)), Reading):
            return changed, f"the {text} instead of the {old.text}"
    return None


_ENDS = frozenset(OPPOSITES)


def _fitting(old: str, new: str) -> str:
    """The superlative of the question's own kind that says what the remark's says."""
    if old in OPPOSITES and (new in MORE or new in LESS):
        for word in (old, OPPOSITES[old]):
            if (word in MORE and new in MORE) or (word in LESS and new in LESS):
                return word if old in ("most", "fewest", "least", "top", "bottom") else new
        general = new in LESS
        return OPPOSITES[old] if general == (old in _LARGE) else old
    return new


_LARGE = frozenset(
    ["oldest", "newest", "tallest", "longest", "heaviest", "fastest", "latest", "hottest",
     "warmest"]
)  # fmt: skip


def _limit(question: str, remark: str, before: Reading) -> Change | None:
    """`top 3 instead`, `only the first 5`, `3 rows`."""
    found = re.search(
        r"\b(?:top|bottom|first|best|limit(?: to)?|show)\s+(\w+)\b"
        r"|^(?:only |just )?(?:the )?(\w+)(?: more)?(?: rows?| results| lines| groups| of them|$)",
        remark, re.IGNORECASE,
    )  # fmt: skip
    tokens = tokenize(found.group(1) or found.group(2)) if found else ()
    size = tokens[0].value if tokens and tokens[0].kind == "number" else None
    if not isinstance(size, int) or size < 1:
        return None
    if before.plan.limit is None:
        return None
    how = f"the first {size} instead of {before.plan.limit}"
    top = re.search(r"\b(top|bottom)\s+\w+", question, re.IGNORECASE)
    if top:
        return question[: top.start()] + f"{top.group(1)} {size}" + question[top.end() :], how
    number = re.compile(
        rf"\bthe\s+(?:\w+\s+)?((?:{'|'.join([*MORE, *LESS])}|\w+est))\b", re.IGNORECASE
    )
    return number.sub(lambda m: f"the {size} {m.group(1)}", question, count=1), how


def _aggregation(question: str, remark: str, before: Reading) -> Change | None:
    """`use the median`: another aggregate of the same column."""
    words = [
        t.lower for t in tokenize(re.sub(r"(?i)\b(?:instead of|rather than|not)\b.*", "", remark))
    ]
    wanted = [w for w in words if w in _AGGREGATES]
    if len(wanted) != 1:
        return None
    for token in tokenize(question):
        if token.lower in _AGGREGATES:
            return _replace(
                question, token.start, token.end, wanted[0]
            ), f"{wanted[0]} instead of {token.text}"
    for each, tokens in _links(question, before.table):
        name = each.columns[0] if each.kind == "column" and each.columns else ""
        if name and _column_of(before.table, name).role == "measure":
            start = tokens[each.start].start
            return _replace(question, start, start, f"{wanted[0]} "), f"the {wanted[0]} of {name}"
    return None


def _grouping(question: str, remark: str, before: Reading) -> Change | None:
    """`by region`, `per year instead`."""
    found = re.search(
        r"\b(?:by|per|for each|grouped by)\s+(.+?)(?:\s+instead)?$", remark, re.IGNORECASE
    )
    if not found:
        return None
    columns = [each for each, _ in _links(found.group(1), before.table) if each.kind == "column"]
    if len(columns) != 1:
        return None
    new = found.group(1).strip()
    old = re.search(
        r"\b(?:by|per|for each|for every|in each|of each)\s+(?:the\s+)?(\w+)",
        question,
        re.IGNORECASE,
    )
    if old and before.plan.groups:
        return _replace(question, old.start(1), old.end(1), new), f"grouped by {new}"
    return f"{question.rstrip(' ?.')} for each {new}", f"grouped by {new}"


def _filter(question: str, remark: str, before: Reading) -> Change | None:
    """`only V`, `in 1999`, `without V`: replaces a value of the same column, or adds one."""
    remark = re.sub(r"(?i)\bnot\s+.+?\bbut\b|\b(?:instead of|rather than|, not)\b.*", "", remark)
    found = [pair for pair in _links(remark, before.table) if pair[0].kind in ("value", "literal")]
    found = [pair for pair in found if pair[0].kind == "literal" or pair[0].values]
    if len(found) != 1:
        return None
    new, tokens = found[0]
    text = remark[tokens[new.start].start : tokens[new.end - 1].end]
    negated = re.search(r"\b(?:without|not|except|excluding|exclude)\b", remark, re.IGNORECASE)
    if negated:
        return f"{question.rstrip(' ?.')} not in {text}", f"without {text}"
    if new.kind == "literal" and not isinstance(new.literal, int | str):
        return None
    same = _same_kind(new)
    for each, old_tokens in _links(question, before.table):
        if same(each):
            start, end = old_tokens[each.start].start, old_tokens[each.end - 1].end
            return _replace(question, start, end, text), f"{text} instead of {question[start:end]}"
    preposition = re.search(r"\b(since|before|after|until)\b", remark, re.IGNORECASE)
    word = preposition.group(1).lower() if preposition else "in"
    return f"{question.rstrip(' ?.')} {word} {text}", f"only {word} {text}"


def _same_kind(new: Link) -> Callable[[Link], bool]:
    columns = {column for column, _ in new.values}
    if new.kind == "value":
        return lambda old: old.kind == "value" and bool(columns & {c for c, _ in old.values})
    years = isinstance(new.literal, int) and 1000 <= new.literal <= 2200
    return lambda old: (
        old.kind == "literal"
        and isinstance(old.literal, int)
        and (1000 <= old.literal <= 2200) == years
    )


def _column(question: str, remark: str, before: Reading) -> Change | None:
    """`use C instead`: another column of the same role."""
    asked = re.sub(r"(?i)\b(?:instead of|rather than|not)\b.*", "", remark)
    found = [each for each, _ in _links(asked, before.table) if each.kind == "column"]
    if len(found) != 1:
        return None
    new = _column_of(before.table, found[0].columns[0])
    for each, tokens in _links(question, before.table):
        if each.kind != "column":
            continue
        old = _column_of(before.table, each.columns[0])
        if old.name != new.name and old.role == new.role:
            start, end = tokens[each.start].start, tokens[each.end - 1].end
            return _replace(
                question, start, end, found[0].text
            ), f"{new.name} instead of {old.name}"
    return None


def _links(text: str, table: Table) -> list[tuple[Link, tuple[Token, ...]]]:
    tokens = tokenize(text)
    return [(each, tokens) for each in link(tokens, schema_of(table), prefer_table=True)]


def _column_of(table: Table, name: str) -> Column:
    return schema_of(table).by_name[name]


def _replace(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]
