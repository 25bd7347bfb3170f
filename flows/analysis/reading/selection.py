"""What a question asks for: the columns and aggregates that are left when filters are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from flows.analysis.language.lexicon import AGGREGATIONS
from flows.analysis.language.words import singular
from flows.analysis.reading.draft import TAKEN, Draft, is_numeric
from flows.analysis.reading.plan import Field, Measure, Term
from flows.data.tables import Column
from flows.semantics.query import Function

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

    aggregations: list[Function] = field(default_factory=list)
    counting: bool = False
    distinct: bool = False
    carried: list[Function] = field(default_factory=list)
    fresh: bool = False
    of: bool = False
    total: bool = False
    asked: bool = True
    listed: bool = False
    mentioned: list[str] = field(default_factory=list)


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
    if scan.aggregations and scan.fresh:
        draft.note(f"nothing is found for {' and '.join(scan.aggregations)}")
        draft.doubt += _UNUSED
    _mentioned(draft, scan)
    draft.distinct = draft.distinct or scan.distinct
    draft.line = " ".join(rest)


# `the total sales`, where sales are only the table: there is no total of it.
_UNUSED = 0.6


def _mentioned(draft: Draft, scan: _Scan) -> None:
    """Columns that only stand in a clause are asked for where nothing else is."""
    if draft.select or draft.groups or draft.order or draft.star:
        draft.doubt += 0.2 * len(scan.mentioned)
        for slot in scan.mentioned:
            draft.note(f"{draft.slots[slot].text} is mentioned, not asked for")
        return
    for slot in scan.mentioned:
        _column(draft, scan, slot)


# What leads to a column that is spoken of without being asked for.
_CLAUSES = frozenset(
    (
        *("in", "from", "at", "on", "by", "to", "with", "have", "has", "had", "having"),
        *("under", "during", "among", "between", "that", "who", "whose", "where", "when"),
        *("into", "within", "through", "via", "using", "without", "against"),
    )
)
_PASSED = frozenset(["the", "a", "an", "any", "some", "all", "one", "own", "this"])


def _is_asked(draft: Draft, scan: _Scan, words: list[str], place: int) -> bool:
    """Whether the column at a place of the line is asked for, by what leads to it."""
    said = draft.slots[words[place]].text
    grouped = all(Field(each.name) in draft.groups for each in draft.columns(words[place]))
    if grouped and scan.counting:
        return False
    if scan.aggregations or scan.counting or scan.distinct:
        return True
    before = place - 1
    while before >= 0 and words[before] in _PASSED:
        before -= 1
    if before < 0:
        return True
    if re.fullmatch(r"T\d+", words[before]) and said.split()[0].endswith(("ed", "ing")):
        return False
    if words[before] in ("and", ",", "or"):
        return scan.asked
    if words[before] in ("is", "are", "was", "were", "been") and before > 1:
        return words[before - 1] not in ("that", "which", "who", "they", "has", "have")
    if words[before] == "which":
        return before == 0 or words[before - 1] in (".", ",", "and", "in", TAKEN)
    return words[before] not in _CLAUSES


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
        word == "number"
        and after in ("and", ",")
        and (set(words[place + 2 : place + 3]) & set(AGGREGATIONS))
    ):
        draft.select.append(Measure("count"))
        return TAKEN
    if (
        word in ("number", "numbers", "count")
        and (after in ("of", "and", TAKEN, ",") or word == "count" or not after)
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
        if whole and called and not scan.aggregations:
            # `the total of all invoices`, where a column is called total
            scan.aggregations = [called]
        scan.asked = _is_asked(draft, scan, words, place)
        if not scan.asked:
            scan.mentioned.append(word)
            return TAKEN
        if _is_beside(draft, scan, words, place):
            draft.note(f"{draft.column(word).name} is only spoken of")
            draft.doubt += _BESIDE
            return TAKEN
        _column(draft, scan, word)
        return TAKEN
    if re.fullmatch(r"T\d+", word):
        said = draft.slots[word].text
        counted = scan.counting and after[:1] == "T" and singular(said) != said
        if counted or not re.fullmatch(r"[CT]\d+", after):
            # in `the company names` and `the movie ratings` the first only says whose
            _table(draft, scan, words, place)
        return word
    if word not in _KEEP:
        scan.carried = []
    return word


# The doubt about a column that is passed over.
_BESIDE = 0.12
_LISTS = frozenset(["and", ",", "or", "with", "plus", "along", "than", "well", ":", ";", ".", "?",
                    "list", "show", "give", "return", "report", "display", "include"])  # fmt: skip
_ARTICLES = frozenset(["the", "a", "an", "their", "its", "his", "her", "any", "some", "all"])


def _is_beside(draft: Draft, scan: _Scan, words: list[str], place: int) -> bool:
    """`how many drivers were assigned to a truck`: behind what is counted or averaged, a column
    that no `and` ties to it is not asked for."""
    if scan.aggregations or scan.counting or not draft.select or draft.groups or draft.order:
        return False
    if any(isinstance(each, Field) for each in draft.select) or draft.having:
        return False
    before = [word for word in words[:place] if word not in _ARTICLES]
    return bool(before) and before[-1] not in _LISTS


def _table(draft: Draft, scan: _Scan, words: list[str], place: int) -> None:
    """`how many T` counts rows; of things that rows only mention by an id, the different ones."""
    if not scan.counting:
        scan.listed = _list_rows(draft, scan, words, place)
        return
    if scan.aggregations:
        draft.doubt += 1.0
    slot = words[place]
    counted: Term = Measure("count")
    if draft.schema.joined:
        counted = draft.rows_of(draft.table_of(slot))
    elif draft.slots[slot].columns:
        column = draft.column(slot)
        own = column.name in draft.schema.table.primary_key
        if not own and (scan.distinct or column.distinct < column.rows):
            counted = Measure("count distinct", Field(column.name))
    elif scan.distinct and (told := _numbered_by(draft, slot)):
        counted = Measure("count distinct", Field(told))
    if not _counted(draft) or (draft.schema.joined and counted not in draft.select):
        draft.select.append(counted)
    rest = " ".join(words[place + 1 : place + 4])
    again = draft.schema.joined and re.match(r"(?:and|,) (?:the |different )?T\d", rest)
    scan.counting = bool(again)
    scan.distinct, scan.aggregations, scan.fresh = False, [], False


_OF_THEIRS = frozenset(["the", "their", "its", "his", "her", "respective", "corresponding"])


def _numbered_by(draft: Draft, slot: str) -> str:
    """The column that numbers what words for the rows begin with: `students enrolled in courses`
    are different by their student_id."""
    first = singular(draft.slots[slot].text.split()[0])
    table = draft.schema.table
    away = {c for join in table.joins if join.table != table.name for c in join.columns}
    own = set(table.primary_key)
    found = [name for name, words in draft.schema.words_by_name.items()
             if words == (first, "id") and (name in away or name not in own)]  # fmt: skip
    return found[0] if found else ""


# What follows a thing that is not asked for: `resident count`, `and the tracks were in Spain`.
_TOLD_OF = frozenset(["count", "counts", "number", "is", "are", "was", "were", "has", "have"])


def _list_rows(draft: Draft, scan: _Scan, words: list[str], place: int) -> bool:
    """`the grapes, counties and wines`: in a list of columns the rows are meant by their name."""
    before = next((each for each in reversed(words[:place]) if each not in _OF_THEIRS), "")
    start = re.fullmatch(
        r"(?:(?:what|who|show|list|give|find|return|are|is|me|all|the|different) )*",
        "".join(f"{word} " for word in words[:place]),
    )
    ahead = re.match(r"and (?:the |their |its )?C\d", " ".join(words[place + 1 : place + 5]))
    tail = before in ("and", ",") and scan.asked and any(isinstance(t, Field) for t in draft.select)
    counted = bool(set(words[place + 1 : place + 2]) & _TOLD_OF)
    if scan.listed or scan.aggregations or counted or not (tail or (start and ahead)):
        return False
    slot = words[place]
    label = draft.label(draft.table_of(slot)) if draft.schema.joined else draft.label()
    if draft.slots[slot].columns or not label or re.match(r"C\d", words[place - 1]):
        return False
    draft.doubt += 0.1
    draft.select += [f for c in label if (f := Field(c.name)) not in draft.select]
    draft.note(f"{draft.slots[slot].text} are shown by their names")
    return True


# The doubt about a column that is asked for twice: one of both may be another's.
_TWICE = 0.2


def _column(draft: Draft, scan: _Scan, slot: str) -> None:
    link = draft.slots[slot]
    for column in draft.columns(slot):
        terms = _terms(draft, scan, column, link.text)
        draft.doubt += _TWICE * sum(isinstance(t, Field) and t in draft.select for t in terms)
        draft.select += [term for term in terms if term not in draft.select]
    draft.doubt += max(0.0, 0.75 - link.score)
    scan.carried = scan.aggregations or scan.carried
    scan.distinct = False
    scan.aggregations, scan.counting, scan.fresh = [], False, False


def _terms(draft: Draft, scan: _Scan, column: Column, said: str) -> list[Term]:
    chosen = Field(column.name)
    numeric = is_numeric(column)
    measured = column.role == "measure" or _counts_things(draft, column)
    amount = numeric and measured and not scan.distinct
    if scan.counting and scan.of and amount and not scan.total:
        heard = scan.aggregations or scan.carried
        return [Measure(each, chosen) for each in heard] or [chosen]
    if scan.counting and scan.total and amount and scan.aggregations:
        return [Measure(each, chosen) for each in (*scan.aggregations, "sum")]
    if scan.counting and not scan.aggregations:
        return [_count_of(draft, scan, column, said)]
    heard = scan.aggregations or (scan.carried if numeric else [])
    if heard:
        if not numeric and any(a in ("average", "sum", "median") for a in heard):
            draft.doubt += 1.0
        return [Measure(aggregation, chosen) for aggregation in heard]
    if scan.distinct:
        draft.distinct = True
    return [chosen]


def _counts_things(draft: Draft, column: Column) -> bool:
    """Whether a column says how many: `room_count`, `no_of_customers`."""
    words = draft.schema.words_by_name[column.name]
    if column.type != "integer" or len(words) < 2:
        return False
    return words[-1] == "count" or (words[0] in _HOW_MANY and (words[1] == "of" or len(words) == 2))


_HOW_MANY = frozenset(["num", "number", "no", "nb", "nr", "count", "total"])


def _count_of(draft: Draft, scan: _Scan, column: Column, said: str) -> Term:
    """`how many C`: the number of different ones, or the total of a measure; of a time that is a
    verb (`how many members joined`) the rows."""
    chosen = Field(column.name)
    if scan.distinct:
        return Measure("count distinct", chosen)
    if column.role == "time" and not said.casefold().endswith("s"):
        return draft.rows_of(draft.schema.home(column.name))
    if is_numeric(column) and (column.role == "measure" or _counts_things(draft, column)):
        draft.note(f"how many {column.name} is read as their total")
        draft.doubt += 0.15
        return Measure("sum", chosen)
    if column.distinct == column.rows - column.missing and not scan.distinct:
        return draft.rows_of(draft.schema.home(column.name))
    if (column.name,) == draft.schema.key(draft.schema.home(column.name)) and not scan.distinct:
        return draft.rows_of(draft.schema.home(column.name))
    return Measure("count distinct", chosen)
