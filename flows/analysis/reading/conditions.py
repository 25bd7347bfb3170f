"""The rules for filters on numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.phrases import Match
from flows.analysis.language.vocabulary import MEASURING
from flows.analysis.reading.draft import Draft, is_numeric, is_time
from flows.analysis.reading.generic_nouns import THING
from flows.analysis.reading.grammar import Rule, adjective, comparison, rule
from flows.analysis.reading.placeholder import Placeholder
from flows.analysis.reading.plan import AnyOf, Comparison, Condition, Field
from flows.core.observation import Cell
from flows.data.tables import Column

_OPPOSITE: dict[Comparison, Comparison] = {
    "=": "!=", "!=": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">", "in": "not in",
    "contains": "not contains", "starts": "not starts", "ends": "not ends",
    "between": "not between", "missing": "present", "present": "missing",
    "during": "not during",
}  # fmt: skip


def add(
    draft: Draft, column: Column, test: Comparison, values: Sequence[Cell], negated: bool = False
) -> bool:
    """Add a condition if the column can be compared so; years are compared with dates' years."""
    field = Field(column.name)
    if test in ("in", "not in", "=", "!=") and not values:
        return False
    if negated:
        test = _OPPOSITE[test]
    numbers = all(isinstance(value, int | float) for value in values)
    if any(isinstance(value, Placeholder) for value in values):
        if test not in _SAME and _is_plain_text(column):
            return False
        draft.filters.append(AnyOf((Condition(field, test, tuple(values)),)))
        return True
    if column.type in ("date", "timestamp") and values and numbers:
        if not all(_is_year(value) for value in values):
            return False
        field = Field(column.name, "year")
    elif column.type == "text" and numbers and values and test not in ("=", "!=", "in", "not in"):
        if not _holds_numbers(column):
            return False
    elif column.type == "text" and numbers and values:
        values = tuple(_as_text(column, value) for value in values)
    elif not _are_comparable(column, test, values):
        return False
    draft.filters.append(AnyOf((Condition(field, test, tuple(values)),)))
    return True


_SAME = frozenset(["=", "!=", "in", "not in"])


def _is_plain_text(column: Column) -> bool:
    """Whether a column holds words, of which none is more than another."""
    return column.type == "text" and column.role not in ("measure", "time") and not (
        _holds_numbers(column)
    )  # fmt: skip


def _are_comparable(column: Column, test: Comparison, values: Sequence[Cell]) -> bool:
    """Whether a database can compare a column of numbers or dates with these values."""
    if column.type in ("integer", "real"):
        return not any(isinstance(value, str) for value in values)
    return column.type not in _CLOCKS or test not in _EXACT or all(map(_is_date, values))


_CLOCKS = ("date", "timestamp", "time")
_EXACT = frozenset(["=", "!=", "in", "not in", ">", ">=", "<", "<=", "between", "not between"])


def _is_date(value: Cell) -> bool:
    """Whether a database can read a text as a date or time."""
    return bool(re.match(r"\d{4}-\d{1,2}-\d{1,2}\b|\d{1,2}:\d{2}\b", str(value)))


def _is_year(value: Cell) -> bool:
    return isinstance(value, Placeholder) or (isinstance(value, int) and 1000 <= value <= 2200)


def _holds_numbers(column: Column) -> bool:
    seen = [value for value in column.values[:20] if value]
    return bool(seen) and all(re.fullmatch(r"-?\d+(\.\d+)?", value) for value in seen)


def _as_text(column: Column, value: Cell) -> Cell:
    """A number for a column of text, as that column writes it."""
    text = f"{value}"
    return text if column.type == "text" else value


def marker(draft: Draft) -> str:
    """What stays in the line where a filter was read, so that an `or` between two is seen."""
    return f"F{len(draft.filters) - 1}"


def is_negated(match: Match) -> bool:
    return bool(match.groupdict().get("not"))


def compare(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    value = draft.literal(match["n"])
    test = comparison(match["cmp"]) if "cmp" in match.re.groupindex else "="
    scaled = draft.scaled((match.groupdict().get("cmp") or " ").partition(" ")[0])
    if column.role == "id" and scaled and scaled[0] != column:
        return None
    if test == "=" and not _may_equal(draft, column, value, match.group()):
        return None
    if test == ">" and is_time(column) and re.match(r"over (?:the )?C\d+ of", match.group()):
        return None  # `over the months of 2024` is a stretch of time
    return marker(draft) if add(draft, column, test, [value], is_negated(match)) else None


def _may_equal(draft: Draft, column: Column, value: Cell, phrase: str) -> bool:
    """Whether a column is likely to be set equal to a number: no measure to a year."""
    if not isinstance(value, int | float):
        return True
    if column.type == "text":
        known = f"{value}" in column.values
        return known or (column.role != "text" and not column.values_complete)
    if (
        is_time(column)
        or not _is_year(value)
        or not re.search(r"(?:in|during|of|for|at) (?:the )?(?:years? )?N\d+$", phrase)
    ):
        return True
    return not any(is_time(other) for other in draft.schema.table.columns)


def _postfix(draft: Draft, match: Match) -> str | None:
    test: Comparison = ">=" if _is_upward(match["way"], draft) else "<="
    named = match.groupdict().get("c")
    scaled = draft.scaled(match["way"])
    column = draft.column(named) if named else scaled[0] if scaled else None
    if column is None and match["way"] in ("later", "after", "earlier", "before"):
        column = draft.time_column()
    if column is None:
        return None
    return marker(draft) if add(draft, column, test, [draft.literal(match["n"])]) else None


def _is_upward(word: str, draft: Draft) -> bool:
    if word in ("more", "higher", "greater", "above", "over", "later", "after", "larger", "up"):
        return True
    scaled = draft.scaled(word)
    return scaled[1] if scaled else False


def _adjective_than(draft: Draft, match: Match) -> str | None:
    word, turned = adjective(match["er"])
    scaled = draft.scaled(word)
    if not scaled:
        return None
    test: Comparison = ">" if scaled[1] != turned else "<"
    return (
        marker(draft)
        if add(draft, scaled[0], test, [draft.literal(match["n"])], is_negated(match))
        else None
    )


def _column_adjective_than(draft: Draft, match: Match) -> str | None:
    """`age older than 20`: the column is named, the adjective only gives the direction."""
    word, turned = adjective(match["er"])
    scaled = draft.scaled(word)
    column = draft.column(match["c"])
    if column.role == "id" and scaled and scaled[0] != column:
        return None  # `the ids of those older than 20`
    upward = scaled[1] if scaled and scaled[0] == column else word not in _LESSER
    test: Comparison = ">" if upward != turned else "<"
    return (
        marker(draft)
        if add(draft, column, test, [draft.literal(match["n"])], is_negated(match))
        else None
    )


_LESSER = frozenset(
    ["younger", "shorter", "lighter", "cheaper", "smaller", "slower", "earlier", "colder"]
)


def _between(draft: Draft, match: Match) -> str | None:
    low, high = draft.literal(match["n1"]), draft.literal(match["n2"])
    named = match.groupdict().get("c")
    column = draft.column(named) if named else column_of_years(draft, low, high)
    if column is None:
        return None
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        low, high = high, low
    return marker(draft) if add(draft, column, "between", [low, high], is_negated(match)) else None


def column_of_years(draft: Draft, *values: Cell) -> Column | None:
    if all(_is_year(value) or isinstance(value, str) for value in values):
        return draft.time_column()
    return None


def _measuring(draft: Draft, match: Match) -> str | None:
    """`that cost more than 160`: the verb speaks of a column."""
    column = measured(draft, match["verb"])
    if column is None:
        return None
    numbers = [draft.literal(slot) for slot in re.findall(r"N\d+", match.group())]
    test: Comparison = (
        "between" if len(numbers) == 2 else comparison(match["cmp"]) if match["cmp"] else "="
    )
    draft.note(f"{match['verb']} is read as a matter of {column.name}")
    draft.doubt += 0.1
    return marker(draft) if add(draft, column, test, numbers, is_negated(match)) else None


def measured(draft: Draft, verb: str) -> Column | None:
    """The column of numbers that a verb of measure speaks of."""
    schema = draft.schema
    for word in MEASURING.get(verb, ()):
        for column, parts in zip(schema.table.columns, schema.column_words, strict=True):
            if is_numeric(column) and (word in parts or parts[-1].endswith(word)):
                return column
    return None


def _aged(draft: Draft, match: Match) -> str | None:
    """`people under 40`: a number of years where the table has an age."""
    column = measured(draft, "aged")
    if column is None or column.name in {
        slot for each in draft.slots.values() for slot in each.columns
    }:
        return None
    draft.doubt += 0.2
    value = draft.literal(match["n"])
    return marker(draft) if add(draft, column, comparison(match["cmp"]), [value]) else None


VERBS = "|".join(MEASURING)


# A verb may follow what denies it: `not living in`, `do not have`.
NOT = (
    r"(?:(?P<not><NOT>) (?:(?!in|to|from|by|with|on|at|for|of|only)[a-z]+ "
    r"(?=(?:in|to|from|by|with|on|at|for|of|the|[CVQUN]\d+) ?))?)?"
)


AUX = r"(?:(?:is|are|was|were|do|does|did|has|have|had|that|who|which|with|the|a|an|any|be) )*"


NUMBERS: tuple[Rule, ...] = (
    rule(
        "range",
        rf"<C> <BE>{NOT}<BE>(?:between|from|in the range(?: of| from| between)?|"
        rf"ranging from|"
        r"ranges? (?:from|of|between)|ranged from|range) <DET><N1> (?:and|to|-|through) "
        r"<DET><N2>",
        _between,
    ),
    rule(
        "range",
        rf"<C> <BE>{NOT}<BE>(?P<cmp>(?:more|greater|larger|higher|bigger|older) than|"
        rf"over|above) <N1> "
        r"(?:and|but) <DET>(?:less|lower|smaller|fewer|younger) than <N2>",
        lambda d, m: _open_range(d, m),
    ),
    rule(
        "range", r"(?:between|from) <DET><N1> (?:and|to|-|through) <DET><N2>(?: <BE><C>)", _between
    ),
    rule(
        "years",
        rf"{NOT}(?:(?:in|during|for|over) )?(?:between|from) <DET>(?:years? )?<N1> "
        rf"(?:and|to|until|through|-) <DET><N2>",
        _between,
    ),
    rule(
        "either",
        r"<C> <BE>(?P<cmp><CMP>) <DET><N1> or <BE>(?P<cmp2><CMP>) <DET><N2>",
        lambda d, m: _two_ends(d, m),
    ),
    rule("comparison", rf"<C> <BE>{NOT}<BE>(?P<cmp><CMP>) <DET><N>", compare),
    rule("comparison", rf"<C> <BE>{NOT}<BE>(?P<er><ER>) than <DET><N>", _column_adjective_than),
    rule("comparison", r"(?P<cmp><CMP>) (?:the )?<C> (?:of )?<N>", compare),
    rule(
        "comparison",
        r"<C> <BE><N> (?:or|and) (?P<way>more|above|over|higher|greater|larger|"
        r"less|fewer|lower|"
        r"below|under|later|after|earlier|before|older|younger|up|smaller)(?! N)",
        _postfix,
    ),
    rule(
        "comparison",
        rf"{AUX}{NOT}<BE>(?P<er><ER>) than <DET><N>(?: years?(?: old)?)?",
        _adjective_than,
    ),
    rule("comparison", rf"{AUX}{NOT}<BE>(?P<cmp><CMP>) <DET><N> (?:of |in )?<DET><C>", compare),
    rule(
        "comparison",
        r"<BE><N>(?: years?)? (?:or|and) (?P<way>more|above|over|higher|greater|"
        r"less|fewer|lower|below|"
        r"older|younger|later|after|earlier|before)(?! N)(?: <DET><C>)?",
        _postfix,
    ),
    rule("comparison", rf"<BE>{NOT}<N> (?:or|and) (?P<way>more|less|fewer) <C>", _postfix),
    rule(
        "measure",
        rf"(?:(?:that|which|who|and|can|could|may|to) )*{NOT}(?P<verb>{VERBS}) (?:(?P<cmp><CMP>) "
        rf"<DET><N>|between <N1> (?:and|to) <N2>|<N3> (?:to|-) <N4>)(?: {THING}(?!\S))?(?! C)",
        _measuring,
    ),
    rule(
        "age",
        r"(?:(?:are|is|who|that|aged?) )*(?P<cmp>(?:older|younger) than|over|under|above|below) "
        r"<N>(?: years?)?(?: old| of age)?(?= ?$| [?.,_]| for| in| and| or| by)",
        _aged,
    ),
)


def _open_range(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    low, high = draft.literal(match["n1"]), draft.literal(match["n2"])
    if add(draft, column, ">", [low]) and add(draft, column, "<", [high]):
        return marker(draft)
    return None


def _two_ends(draft: Draft, match: Match) -> str | None:
    """`before 1950 or after 1990` of one column."""
    column = draft.column(match["c"])
    for which, test in (("n1", match["cmp"]), ("n2", match["cmp2"])):
        if not add(draft, column, comparison(test), [draft.literal(match[which])]):
            return None
    last = draft.filters.pop()
    draft.filters[-1] = AnyOf((*draft.filters[-1].conditions, *last.conditions))
    return marker(draft)
