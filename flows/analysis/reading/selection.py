"""What a question asks for: the columns and aggregates that are left when filters are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.plan import Aggregation, Field, Measure, Term
from flows.analysis.reading.draft import TAKEN, Draft, is_numeric
from flows.data.tables import Column

_STAR = re.compile(
    r"(?<!\S)(?:all|any|full|the|every)? ?(?:the )?(?:information|info|details?|attributes|data|"
    r"columns?|fields?|records?|everything)"
    r"(?: (?:available|recorded|there is|known))?(?: (?:about|of|on|for|regarding|from))?(?!\S)"
)
_KEEP = frozenset(
    [
        "of",
        "the",
        "and",
        ",",
        "in",
        "a",
        "an",
        "their",
        "its",
        "number",
        "for",
        "each",
        "all",
        "T",
        "his",
        "her",
    ]
)


@dataclass
class _Scan:
    """What has been heard while walking the line and waits for its column."""

    aggregations: list[Aggregation] = field(default_factory=list)
    counting: bool = False
    distinct: bool = False
    carried: list[Aggregation] = field(default_factory=list)
    fresh: bool = False
    of: bool = False
    total: bool = False


def read_selection(draft: Draft) -> None:
    """Take what is asked for out of the line and into the draft."""
    line = draft.line
    if re.search(r"on average|in average|on the average|averagely", line):
        line = re.sub(r"on average|in average|on the average|averagely", TAKEN, line)
        draft.line = line = _average_everything(line)
    star = _STAR.search(line)
    if (
        star
        and not re.search(r"C\d+", line)
        and re.search(r"all|full|every|everything|information|details", star.group())
    ):
        draft.star = True
        line = _STAR.sub(TAKEN, line)
    scan = _Scan()
    rest: list[str] = []
    words = line.split()
    for place, word in enumerate(words):
        rest.append(_hear(draft, scan, word, words, place))
    if scan.counting and not _counted(draft):
        draft.select.append(Measure("count"))
    draft.line = " ".join(rest)


def _counted(draft: Draft) -> bool:
    return any(isinstance(t, Measure) and t.aggregation.startswith("count") for t in draft.select)


def _average_everything(line: str) -> str:
    line = re.sub(r"how (?:many|much|long|old|tall|far|heavy)", TAKEN, line)
    return re.sub(r"(C\d+)", r"average \1", line, count=1)


def _hear(draft: Draft, scan: _Scan, word: str, words: list[str], place: int) -> str:
    after = words[place + 1] if place + 1 < len(words) else ""
    before = words[place - 1] if place else ""
    if word in AGGREGATIONS and (word != "top"):
        if not scan.fresh:
            scan.aggregations = []
        scan.aggregations.append(AGGREGATIONS[word])
        scan.fresh, scan.carried = True, []
        return TAKEN
    if (
        word in ("number", "numbers", "count")
        and (after == "of" or word == "count" or after == "and")
    ) or (word in ("many", "much") and before == "how"):
        scan.counting = True
        scan.of = word != "many" and word != "much"
        scan.total = "sum" in scan.aggregations
        scan.aggregations = (
            [a for a in scan.aggregations if a != "sum"] if word != "much" else scan.aggregations
        )
        return TAKEN
    if word in ("different", "distinct", "unique"):
        scan.distinct = True
        return TAKEN
    if re.fullmatch(r"C\d+", word):
        whole = re.match(r"of (?:all |the |our |my )*T\d", " ".join(words[place + 1 : place + 6]))
        called = AGGREGATIONS.get(draft.slots[word].text)
        if whole and called and not scan.aggregations and not draft.groups:
            # `the total of all invoices`, where a column is called total
            scan.aggregations = [called]
        _column(draft, scan, word)
        return TAKEN
    if re.fullmatch(r"T\d+", word):
        _table(draft, scan, word)
        return word
    if word not in _KEEP:
        scan.carried = []
    return word


def _table(draft: Draft, scan: _Scan, slot: str) -> None:
    """`how many T` counts rows; of things that rows only mention by an id, the different ones."""
    if not scan.counting:
        return
    if scan.aggregations:
        draft.doubt += 1.0
    counted: Term = Measure("count")
    if draft.schema.joined:
        counted = draft.rows_of(draft.table_of(slot))
    elif draft.slots[slot].columns:
        column = draft.column(slot)
        own = (column.name,) == draft.schema.table.primary_key
        if not own and (scan.distinct or column.distinct < column.rows):
            counted = Measure("count_distinct", Field(column.name))
    if not _counted(draft):
        draft.select.append(counted)
    scan.counting, scan.distinct, scan.aggregations, scan.fresh = False, False, [], False


def _column(draft: Draft, scan: _Scan, slot: str) -> None:
    link = draft.slots[slot]
    for column in draft.columns(slot):
        terms = _terms(draft, scan, column)
        draft.select += [term for term in terms if term not in draft.select]
    draft.doubt += max(0.0, 0.75 - link.score)
    scan.carried = scan.aggregations or scan.carried
    scan.aggregations, scan.counting, scan.fresh = [], False, False


def _terms(draft: Draft, scan: _Scan, column: Column) -> list[Term]:
    chosen = Field(column.name)
    numeric = is_numeric(column)
    if scan.counting and scan.of and numeric and column.role == "measure" and not scan.total:
        heard = scan.aggregations
        return [Measure(aggregation, chosen) for aggregation in heard] if heard else [chosen]
    if scan.counting and not scan.aggregations:
        return [_count_of(draft, scan, column)]
    heard = scan.aggregations or (scan.carried if numeric else [])
    if heard:
        if not numeric and any(a in ("avg", "sum", "median") for a in heard):
            draft.doubt += 1.0
        return [Measure(aggregation, chosen) for aggregation in heard]
    if scan.distinct:
        draft.distinct = True
    return [chosen]


def _count_of(draft: Draft, scan: _Scan, column: Column) -> Term:
    """`how many C`: the number of different ones, or the total of a measure."""
    chosen = Field(column.name)
    if scan.distinct:
        return Measure("count_distinct", chosen)
    if is_numeric(column) and column.role == "measure":
        draft.note(f"how many {column.name} is read as their total")
        draft.doubt += 0.15
        return Measure("sum", chosen)
    if column.distinct == column.rows - column.missing and not scan.distinct:
        return Measure("count")
    if column.name in draft.schema.table.primary_key and not scan.distinct:
        return Measure("count")
    return Measure("count_distinct", chosen)
