"""The rules for the order of rows."""

from __future__ import annotations

import re

from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.language.phrases import Match
from flows.analysis.reading.draft import Draft, is_time
from flows.analysis.reading.grammar import Rule, rule
from flows.analysis.reading.plan import COUNT, Field, Measure, Order, Term


def _key(draft: Draft, text: str) -> Term | None:
    """What rows are sorted by: a column, an aggregate of one, or the number of rows."""
    slots = re.findall(r"C\d+", text)
    words = text.split()
    aggregation = next((AGGREGATIONS[word] for word in words if word in AGGREGATIONS), None)
    if "number of" in text or "count" in words or "how many" in text:
        if slots and draft.column(slots[0]).role == "measure":
            return Field(draft.column(slots[0]).name)
        return COUNT
    if not slots:
        return None
    field = Field(draft.column(slots[0]).name)
    if aggregation in ("minimum", "maximum", "average", "sum", "median"):
        return Measure(aggregation, field)
    return field


_FROM = r"(?:starting|beginning) (?:with|from)"


def _descending(text: str) -> bool:
    if re.search(
        r"(?<!\S)(?:big|larg|high|most|late|new|recent|great|long|old|z)\w*(?: \w+)? to (?!or)",
        text,
    ) or re.search(rf"{_FROM} (?:the )?(?:big|larg|high|most|late|new|recent|great|long)", text):
        return True
    return any(word in text for word in ("desc", "decreas", "reverse"))


def _order(draft: Draft, match: Match) -> str | None:
    for part in ("key", "key2"):
        text = match.groupdict().get(part)
        if not text:
            continue
        key = _key(draft, text)
        if key is None:
            return None
        columns = draft.columns(re.findall(r"C\d+", text)[0]) if "C" in text else []
        down = _descending(match.group())
        if len(columns) > 1 and isinstance(key, Field):
            draft.order += [Order(Field(column.name), down) for column in columns]
        else:
            draft.order.append(Order(key, down))
    return ""


def _order_plain(draft: Draft, match: Match) -> str | None:
    draft.order_by_first = _descending(match.group())
    draft.order_by_name = bool(re.search(r"alphabet|lexic", match.group()))
    return ""


def _order_first(draft: Draft, match: Match) -> str | None:
    """`highest first`: by what is asked for, from that end."""
    draft.order_by_first = match["way"] not in _LAST
    return ""


_LAST = frozenset(["lowest", "smallest", "fewest", "least", "oldest", "earliest", "worst"])


def _order_when(draft: Draft, match: Match) -> str | None:
    """`founded the earliest`: the row with the first or last time."""
    column = draft.column(match["c"])
    if not is_time(column) and column.type not in ("integer", "text"):
        return None
    if not is_time(column):
        draft.doubt += 0.15
    late = match["est"].startswith(("late", "most", "last"))
    draft.order.append(Order(Field(column.name), late))
    draft.limit = 1
    return ""


def _order_frequency(draft: Draft, match: Match) -> str | None:
    draft.order.append(Order(COUNT, _descending(match.group())))
    return ""


def _order_scale(draft: Draft, match: Match) -> str | None:
    scaled = draft.scaled(match["est"])
    if not scaled:
        return None
    draft.order.append(Order(Field(scaled[0].name), scaled[1]))
    return ""


_KEY = (
    r"(?:the |their |its |of |each |this |that )*"
    r"(?:(?:<AGG>|number of|count of|highest|lowest|how many) )*(?:the |different )*"
    r"(?:C\d+|T\d+|number|count)(?: of (?:the )?T\d+)?"
)


_KEYS = rf"(?P<key>{_KEY})(?:(?: ,| and| then)+(?: by)? (?P<key2>C\d+)(?= ?$| [.?]| in ))?"


_BY = (
    r"(?:sort|sorted|order|ordered|arrange|arranged|arranging|sorting|ordering|ranked|rank|"
    r"listed|list)(?: T\d+| them| the| these| results?| it| list| in| and| all| answer| "
    r"everything| records?)*"
)


_TAIL = (
    r"(?:(?: ,)? (?:in|from|with) (?:the |a |an )?(?:<DIR>(?:order)?|(?:the )?\w+ to (?:the )"
    r"?\w+)|(?: ,)? (?:ascending|descending|ascendingly|descendingly|alphabetically)(?: order)?"
    rf"|(?: ,)? {_FROM} (?:the )?<EST>(?: T\d+| one| first)?)?"
)


WHEN = (
    rule(
        "first or last",
        r"(?:(?:that|which|who) )?(?:(?:was|were|is) )?<C> (?:the )?"
        r"(?P<est>earliest|latest|most recently|first|last)"
        r"(?= ?$| ?[?.,]| and )",
        _order_when,
    ),
)


ORDERS: tuple[Rule, ...] = (
    rule(
        "order",
        rf"(?:{_BY} )?(?:in|by|with) (?:the |a |an )?<DIR>(?:order )?(?:of|by|on|"
        rf"according to) (?:<DIR>)?{_KEYS}(?:(?: ,)? {_FROM} (?:the )?<EST>"
        r"(?: T\d+| one| first)?)?",
        _order,
    ),
    rule(
        "order",
        rf"(?:and )?(?:also )?(?:please )?{_BY}(?: (?:the )?(?:results?|list))?(?: in)"
        rf"?(?: (?:<DIR>(?:order)?))?,? ?(?:by|(?<!list )of|on|using|according to|based on"
        rf"|in terms of)"
        rf" (?:<DIR>(?:order )?(?:of )?)?{_KEYS}{_TAIL}",
        _order,
    ),
    rule("order", rf"by (?:the )?<DIR>(?:order )?(?:of )?{_KEYS}", _order),
    rule(
        "order",
        rf"(?:{_BY} )?(?:(?:in )?(?:the )?<DIR>(?:order )?)?(?:of|by) (?:the |their )?"
        rf"(?:frequency|popularity|frequencies){_TAIL}",
        _order_frequency,
    ),
    rule("order", rf"by {_KEYS} in (?:the |a |an )?<DIR>(?:order)?", _order),
    rule(
        "order",
        rf"{_BY} from (?:the )?(?:most|least|highest|lowest|largest|smallest|high|low) to (?:the )?"
        r"(?:most|least|highest|lowest|largest|smallest|high|low)",
        _order_plain,
    ),
    rule("order", rf"{_BY} (?:(?:in|by) )?(?:the |a |an )?<DIR>(?:order)?", _order_plain),
    rule(
        "order",
        r"(?:, |and |with )*(?:the )?(?P<way>highest|largest|biggest|greatest|most|best|newest|"
        r"latest|lowest|smallest|fewest|least|oldest|earliest|worst)(?: ones?| values?| numbers?)? "
        r"(?:come |comes |coming )?first(?! [TCN]\d)",
        _order_first,
    ),
    rule(
        "order",
        r"(?:in|by) (?:the |a |an )?<DIR>order|alphabetically|in alphabetical order",
        _order_plain,
    ),
    rule(
        "order",
        r"(?:starting|sorted|ordered|order|sort|ranked|listed)?(?: by| with| from)* "
        r"?(?:the )?(?P<est><EST>) to (?:the )?<EST>",
        _order_scale,
    ),
    rule(
        "order",
        r"(?:starting|sorted|ordered|beginning) (?:with|from) (?:the )?(?P<est><EST>)"
        r"(?: T\d+| one| first)?",
        _order_scale,
    ),
)
