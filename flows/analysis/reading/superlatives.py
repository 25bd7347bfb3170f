"""The rules for superlatives: an order with a limit."""

from __future__ import annotations

import re

from flows.analysis.language.lexicon import AGGREGATIONS, LESS
from flows.analysis.language.phrases import Match
from flows.analysis.language.vocabulary import SCALES
from flows.analysis.reading import ordering, row_limits
from flows.analysis.reading.additivity import of_each
from flows.analysis.reading.conditions import VERBS, measured
from flows.analysis.reading.draft import Draft, is_numeric, is_time
from flows.analysis.reading.generic_nouns import THING
from flows.analysis.reading.grammar import Rule, adjective, descends, rule
from flows.analysis.reading.grouping import counted_things
from flows.analysis.reading.plan import COUNT, Field, Measure, Order, Term
from flows.analysis.reading.row_limits import limit
from flows.data.tables import Column
from flows.semantics.inference.quantities import adds_up


def _most_common(draft: Draft, match: Match) -> str | None:
    """`the most common C`: groups by C, orders by the number of rows."""
    column = draft.column(match["c"])
    field = Field(column.name)
    draft.groups.append(field)
    if field not in draft.select:
        draft.select.append(field)
    draft.order.append(Order(COUNT, not _is_least(match)))
    limit(draft, match)
    return ""


def _is_least(match: Match) -> bool:
    """Whether a phrase asks for the smallest: `the fewest`, `bottom 3`."""
    words = match["sup"].split() or match.group().split()[:2]
    return bool(words) and bool({words[0], words[-1]} & set(LESS))


def _most_things(draft: Draft, match: Match) -> str | None:
    """`the C where the most THINGS live`, and how many each C has."""
    column = draft.column(match["c"])
    if column.type == "real" or (column.role == "measure" and column.distinct * 2 > column.rows):
        return None
    if counted_things(draft, match) != COUNT:
        return None
    taken = _most_common(draft, match)
    return match.groupdict().get("which") or taken


def _measured_superlative(draft: Draft, match: Match) -> str | None:
    """`that can hold the most people`, `lasts the longest`: the verb speaks of a column."""
    column = measured(draft, match["verb"])
    if column is None:
        return None
    draft.order.append(Order(Field(column.name), match["sup"] not in (*LESS, "shortest")))
    draft.limit = 1
    draft.doubt += 0.1
    draft.note(f"{match['verb']} is read as a matter of {column.name}")
    return ""


def _group_superlative(draft: Draft, match: Match) -> str | None:
    """`which C has the highest average M`: groups by C, orders by the aggregate."""
    column, measured = draft.column(match["c1"]), draft.column(match["c2"])
    if measured.role in ("category", "text", "boolean"):
        return None
    aggregation = AGGREGATIONS[match["agg"]]
    if aggregation in ("minimum", "maximum"):
        return None
    field = Field(column.name)
    down = descends(match["sup"], draft)
    draft.groups.append(field)
    draft.select.append(field)
    draft.order.append(Order(Measure(aggregation, Field(measured.name)), down is not False))
    limit(draft, match)
    return ""


def _row_superlative(draft: Draft, match: Match) -> str | None:
    """`with the highest C`: orders the rows by C; a sum of each group where groups are named."""
    column = draft.column(match["c"])
    if column.role in ("category", "text", "boolean", "id") and column.type not in (
        "integer",
        "real",
        "date",
        "timestamp",
    ):
        return None
    down = descends(match["sup"], draft)
    draft.order.append(Order(Field(column.name), down is not False))
    limit(draft, match)
    return ""


def _most_of(draft: Draft, match: Match) -> str | None:
    """`which C1 has the most C2`: a sum over C1's rows where C1 repeats, else its own row."""
    column, measured = draft.column(match["c1"]), draft.column(match["c2"])
    down = match["sup"] not in LESS
    field = Field(column.name)
    if measured.role in ("category", "text", "id") and measured.type not in ("real", "date"):
        if column.role != "category" or column.distinct >= measured.distinct:
            return None
        draft.groups.append(field)
        draft.select.append(field)
        draft.order.append(Order(Measure("count distinct", Field(measured.name)), down))
        draft.doubt += 0.1
        limit(draft, match)
        return ""
    if measured.type not in ("integer", "real") or measured.role == "id":
        return None
    if column.distinct * 2 > column.rows or column.role != "category":
        draft.order.append(Order(Field(measured.name), down))
        limit(draft, match)
        return match["c1"]
    draft.groups.append(field)
    draft.select.append(field)
    draft.order.append(Order(Measure("sum", Field(measured.name)), down))
    draft.note(f"the most {measured.name} is read as the largest total for each {column.name}")
    limit(draft, match)
    return ""


def _highest_total(draft: Draft, match: Match) -> str | None:
    """`which C1 has the highest C2`: by the sum over C1's rows where C1 repeats and C2 adds up."""
    column, measured = draft.column(match["c1"]), draft.column(match["c2"])
    if not _repeats(column) or measured.role != "measure" or not adds_up(measured):
        return None
    field = Field(column.name)
    draft.groups.append(field)
    draft.select.append(field)
    down = descends(match["sup"], draft) is not False
    draft.order.append(Order(Measure("sum", Field(measured.name)), down))
    of = f"the {match['sup']} total for each {column.name}"
    draft.note(f"the {match['sup']} {measured.name} is read as {of}")
    limit(draft, match)
    return ""


def _adjective_superlative(draft: Draft, match: Match) -> str | None:
    word, turned = adjective(match["est"])
    scaled = draft.scaled(word)
    if not scaled:
        return None
    following = match.groupdict().get("c")
    if following and (draft.column(following) == scaled[0] or _is_when(draft, following)):
        others = set(re.findall(r"C\d+", match.string)) - {following}
        if others:
            draft.order.append(Order(Field(draft.column(following).name), scaled[1] != turned))
            limit(draft, match)
            return ""
        largest = scaled[1] != turned
        draft.select.append(
            Measure("maximum" if largest else "minimum", Field(draft.column(following).name))
        )
        return ""
    draft.order.append(Order(Field(scaled[0].name), scaled[1] != turned))
    draft.note(f"{match['est']} is read as a matter of {scaled[0].name}")
    limit(draft, match)
    return following or match.groupdict().get("t") or ""


def _is_when(draft: Draft, slot: str) -> bool:
    """Whether a column says when, by its type or at least by its name."""
    column = draft.column(slot)
    said = set(draft.schema.words_by_name[column.name]) | set(draft.slots[slot].text.split())
    return is_time(column) or (column.type == "text" and bool(said & {"date", "year", "time"}))


def _row_superlative_after(draft: Draft, match: Match) -> str | None:
    """`was the C of V the lowest`: the order comes after what narrows the rows."""
    taken = _row_superlative(draft, match)
    return None if taken is None else match["between"]


def _top(draft: Draft, match: Match) -> str | None:
    """`top 5 T by C`."""
    column = draft.column(match["c"])
    down = "bottom" not in match.group().split()[:3] and not re.search(
        r"lowest|smallest|least", match.group()
    )
    agg = AGGREGATIONS.get(match.groupdict().get("agg") or "")
    field = Field(column.name)
    by: Term = Measure(agg, field) if agg in ("average", "sum", "median") else field
    if "number of" in match.group() and column.role != "measure":
        by = COUNT
    named, rows = match.groupdict().get("c1"), match.groupdict().get("t")
    if named and by == field and _shares(draft.column(named)) and is_numeric(column):
        by = of_each(draft, field)
        draft.note(f"{column.name} of the rows of each {draft.column(named).name}")
    if isinstance(by, Measure) and named:
        draft.groups.append(Field(draft.column(named).name))
    elif isinstance(by, Measure) and rows and draft.table_of(rows) != draft.home(column):
        draft.group_by_rows_of(draft.table_of(rows))
    draft.order.append(Order(by, down))
    limit(draft, match)
    if named and by == field and _repeats(draft.column(named)) and column.role == "measure":
        draft.doubt += 0.1
    return named or match.groupdict().get("t") or ""


def _shares(column: Column) -> bool:
    return column.distinct * 2 <= column.rows


def _repeats(column: Column) -> bool:
    return column.role == "category" and column.distinct * 2 <= column.rows


def _participle_superlative(draft: Draft, match: Match) -> str | None:
    """`the highest rated T`: the participle names the column, the superlative the end."""
    column = measured(draft, match["est"])
    if column is None:
        return None
    draft.order.append(Order(Field(column.name), match["sup"] not in LESS))
    draft.note(f"{match['est']} is read as a matter of {column.name}")
    draft.doubt += 0.1
    draft.limit = 1
    return match["t"] or ""


_LIMIT = r"(?:<O> )?(?:<N> )?".replace("<O>", r"(?P<o><ORD>)")


_COMMON = (
    r"(?:common|commonly|popular|frequent|frequently|often|typical|prevalent|widespread|used|"
    r"widely used|commonly used|"
    r"times|occurring)"
)


_HAS = (
    r"(?:that |which |who )*(?:has|have|had|with|having|contains?|includes?|gets?|got|earn(?:s|"
    r"ed)?|holds?|is used by|are used by|appears in|receives?|received|saw|is|was|are|were|made|"
    r"makes?|use|used by|(?:that|which|who) (?:can |could |did |has |have )?[a-z]+)"
)


_MOST = (
    r"(?P<sup>most|fewest|least|(?:largest|highest|greatest|smallest|lowest|biggest|maximum|"
    r"minimum|most|least|fewest) (?:total )?(?:number|numbers|amount|amounts|count) of)"
)


_SUPER = r"(?:the )?(?P<sup><SUP>)"


_ADJECTIVES = "|".join(SCALES)


SUPERLATIVES: tuple[Rule, ...] = (
    rule(
        "measure",
        rf"(?:(?:that|which|who) )?(?:can |could |did |does )?(?P<verb>{VERBS}) (?:for )?(?:the )?"
        rf"(?P<sup>most|least|longest|shortest|fewest|largest|highest|lowest)"
        rf"(?: (?:number|amount) of)?(?: (?:{THING}|time|money))?(?= ?$| [?.,_]| and | in )",
        _measured_superlative,
    ),
    *ordering.WHEN,
    rule(
        "most common",
        rf"<DET>(?:top )?{_LIMIT}(?:top )?(?P<sup>most|least) {_COMMON} (?:\w+ed |\w+ing )?(?:_ )?"
        rf"(?:type of |types of )?<C>(?: across| of| among| for)?",
        _most_common,
    ),
    rule(
        "most common",
        rf"<C>(?: \w+)?? (?:that |which |who )*(?:is |are |was |were |has been |"
        rf"have been |appears? |occurs? |used |shows? )*(?:used |listed |found |"
        rf"seen |shared |held )*(?:the )?(?P<sup>most|least|fewest) {_COMMON}(?: "
        rf"used| time| times)?",
        _most_common,
    ),
    rule(
        "most common",
        r"<C> (?:for |of |is |are |was |that |do |does |belongs? |corresponds? |"
        r"by )*(?:to )?(?:the )?(?P<sup>most|fewest|least)(?: number of)? T\d+",
        _most_common,
    ),
    rule(
        "most common",
        rf"<C> (?:\w+ )?{_HAS} (?:the )?(?:{_LIMIT}(?P<sup>most|fewest|least|"
        rf"largest|highest|greatest|smallest|lowest|maximum|minimum|biggest) "
        rf"(?:(?:number|amount|count|numbers) of |number )?(?:different )?)T\d+",
        _most_common,
    ),
    rule(
        "most",
        rf"<C>(?: (?!and |or |number |how )[a-z]+| T\d+){{0,5}}? (?:the )?{_LIMIT}{_MOST} "
        r"(?:of )?(?:the )?"
        r"(?:different |distinct |corresponding |other |such )*(?P<which>V\d+ )?"
        rf"(?:T\d+|(?P<ct>C\d+)|(?P<thing>{THING})(?= ?$| [?.]| [a-z]+| _| [A-Z]))",
        _most_things,
    ),
    rule(
        "most",
        r"<C>(?: T\d+)? (?:[a-z]+ )?(?:[a-z]+ed|been [a-z]+|appears?|occurs?) (?:the )?"
        r"(?P<sup>most|least) ?(?:often|times?|frequently)?(?= ?$| [?.]| in | on | at | by | _)",
        _most_common,
    ),
    rule(
        "group superlative",
        rf"<C1> (?:\w+ )??{_HAS} (?:the )?{_LIMIT}{_SUPER} (?P<agg><AGG>) "
        rf"<DET><C2>(?: of T\d+)?(?: on average)?",
        _group_superlative,
    ),
    rule(
        "superlative",
        rf"<C1> (?:\w+ )??{_HAS} (?:the )?{_LIMIT}(?P<sup>most|fewest|least) "
        rf"(?:number of )?<C2>",
        _most_of,
    ),
    rule(
        "superlative",
        rf"<C1> (?:\w+ )??{_HAS} (?:the )?{_LIMIT}(?P<sup>highest|largest|greatest|biggest|lowest|"
        r"smallest) (?:number of |amount of )?<C2>",
        _highest_total,
    ),
    rule(
        "top",
        r"(?:the )?(?:top|bottom) <N> (?:<T>|(?P<c1>C\d+)) (?:\w+ )??(?:by|with|in|for|"
        r"having|of|based on|in terms of|according to|ranked by|ordered by|that have|"
        r"which have|sorted by)(?: the| a| their)*(?: <SUP>)?(?: (?P<agg><AGG>))?(?: "
        r"number of)? <DET><C>",
        _top,
    ),
    rule(
        "superlative",
        rf"(?:and )?(?:that |which |who |whose )*(?:with|has|have|had|having|of|"
        rf"by|at|got|earn(?:s|ed|ing)?|receiv\w+|achiev\w+|obtain\w+|gain\w+|by|"
        rf"spent|made|paid|charges?|holds?|reach\w*|uses?|scored?) (?:the )"
        rf"?(?:top )?{_LIMIT}{_SUPER} (?:number of |amount of |value of |amount )"
        rf"?<DET><C>",
        _row_superlative,
    ),
    rule(
        "superlative",
        rf"(?:that|which|who) (?:can |could |did |has |have )?[a-z]+ (?:the )?{_LIMIT}{_SUPER} "
        r"(?:number of |amount of )?<DET><C>",
        _row_superlative,
    ),
    rule(
        "superlative",
        rf"(?:whose |that |which |who )?<C> (?:value )?(?:is|was|are|were|being) "
        rf"(?:the )?{_LIMIT}{_SUPER}",
        _row_superlative,
    ),
    rule(
        "superlative",
        r"(?:that |which |who )*(?:with|has|have|had|having) (?:the )?top <N> "
        r"(?P<sup>)<C>",
        _row_superlative,
    ),
    rule(
        "superlative",
        r"(?:that |which |who )*(?:with|has|have|had|having) (?:the )"
        r"?(?P<sup><EST>) <C>",
        _row_superlative,
    ),
    rule(
        "superlative",
        rf"<DET>(?:<N> )?(?:top )?{_LIMIT.replace('(?:<N> )?', '')}(?P<est><EST>)"
        rf"(?: (?:<T>|<C>))?",
        _adjective_superlative,
    ),
    rule(
        "superlative",
        r"(?:is|was|are|were|did|does|do) (?:the )?<C> (?P<between>(?:(?:of|in|for|at|by|from) "
        rf"(?:the )?[VQUN]\d+ )+)(?:\w+ )?(?:the )?{_LIMIT}{_SUPER}(?= ?$| ?[?.,])",
        _row_superlative_after,
    ),
    rule(
        "top groups",
        r"(?:the )?(?:top|bottom) (?:<N> )?<C> (?:by|with|in|based on|in terms of) "
        r"(?:the )?"
        r"(?:most |highest |largest )?(?P<sup>)(?:number|numbers|count|amount) of "
        r"(?:the |their )?T\d+",
        _most_common,
    ),
    rule(
        "top rows",
        rf"<DET>top <N> (?:most )?(?P<est>{_ADJECTIVES}) (?:<T>|{THING})",
        _adjective_superlative,
    ),
    *row_limits.LIMITS,
    rule(
        "superlative",
        r"<DET>(?P<sup><SUP>) (?:- )?(?P<est>rated|paid|priced|scoring|earning|ranked)(?: <T>)?",
        _participle_superlative,
    ),
)
