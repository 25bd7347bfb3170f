"""The rules for filters on text and on values that the data holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.phrases import Match
from flows.analysis.language.words import singular
from flows.analysis.reading.conditions import AUX, NOT, add, is_negated, marker
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Rule, rule
from flows.analysis.reading.plan import AnyOf, Comparison, Field
from flows.core.observation import Cell
from flows.data.tables import Column


def _missing(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    test: Comparison = "present" if is_negated(match) else "missing"
    if test == "missing" and not column.missing:
        draft.doubt += 0.5  # of this column nothing is missing: something else is meant
    return marker(draft) if add(draft, column, test, []) else None


def _text(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    found = match.groupdict().get("l") or match.groupdict().get("w") or match.groupdict().get("n")
    if column.type in ("integer", "real") or not found:
        return None
    text = draft.slots[found].text if found in draft.slots else found
    verb = match["verb"]
    test: Comparison = (
        "starts" if verb.startswith(("start", "begin", "prefix"))
        else "ends" if verb.startswith(("end", "finish")) else "contains"
    )  # fmt: skip
    return marker(draft) if add(draft, column, test, [text], is_negated(match)) else None


def _value_of_column(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    slots = re.findall(r"[VQU]\d+", match["list"])
    if re.search(r"(?<!\S)(?:called|named|titled)(?!\S)", match.group()):
        known = {name for slot in slots for name, _ in draft.slots[slot].values}
        if any(c.name in known and c != column for c in draft.label()):
            return None
    kindred = _kindred(draft, slots, draft.slots[match["c"]].text)
    if kindred:
        column = kindred
    values = [_spelled(draft, slot, column) for slot in slots]
    if any(value is None for value in values):
        return None
    chosen: list[Cell] = [value for group in values if group for value in group]
    test: Comparison = "=" if len(chosen) == 1 else "in"
    if kindred and re.search(r"(?:many|number of|number|total) ?$", match.string[: match.start()]):
        return f"{marker(draft)} {match['c']}" if add(draft, column, test, chosen) else None
    if match.string[: match.start("c")].split()[-1:] in (["each"], ["every"], ["per"]):
        draft.groups.append(Field(column.name))
    return marker(draft) if add(draft, column, test, chosen, is_negated(match)) else None


def _kindred(draft: Draft, slots: Sequence[str], said: str) -> Column | None:
    """The column that holds the values where it is also called so: `oak doors`, a door type."""
    shared = set.intersection(*[{name for name, _ in draft.slots[slot].values} for slot in slots])
    words = {singular(word) for word in said.split()}
    fitting = [name for name in shared if words <= set(draft.schema.words_by_name[name])]
    return draft.schema.by_name[fitting[0]] if len(fitting) == 1 else None


def _spelled(draft: Draft, slot: str, column: Column) -> list[Cell] | None:
    """A slot's value as the column spells it; as it was written where unseen values may be."""
    link = draft.slots[slot]
    found: list[Cell] = [value for name, value in link.values if name == column.name]
    if found:
        return found
    if column.type not in ("text", "other", "date", "timestamp", "time"):
        return None
    if link.quoted and not (link.values and column.values_complete):
        return [link.text]
    if slot[0] == "U" and not column.values_complete:
        return [link.text]
    if slot[0] == "U":
        draft.note(f"{link.text!r} does not occur in {column.name}")
        draft.doubt += 0.2
        return [link.text]
    return None


def _value_alone(draft: Draft, match: Match) -> str | None:
    led = match.string[: match.start() + len(match.group()) - len(match["list"])]
    both = re.search(r"(?:number|numbers|count|amount) of (?:the )?$", led)
    both = both or re.search(r"(?:average|mean|median) (?:C\d+ )?(?:of|for) (?:the )?$", led)
    slots = re.findall(r"[VQ]\d+", match["list"])
    shared = set.intersection(*[{name for name, _ in draft.slots[slot].values} for slot in slots])
    if not shared:
        return _values_apart(draft, match, slots)
    column = _likeliest(draft, shared, match.group().split())
    values: list[Cell] = [
        v for slot in slots for name, v in draft.slots[slot].values if name == column.name
    ]
    if both and len(slots) > 1 and " and " in match["list"]:
        draft.groups.append(Field(column.name))
    draft.note(f"{', '.join(map(str, values))} is a value of {column.name}")
    test: Comparison = "=" if len(values) == 1 else "in"
    return marker(draft) if add(draft, column, test, values, is_negated(match)) else None


def _called(draft: Draft, match: Match, slots: Sequence[str]) -> str | None:
    """`named "X" or "Y"`: the names of rows, also those that the known values do not hold."""
    label = draft.label()
    called = re.search(r"(?<!\S)(?:named|called|titled)(?!\S)", match.group())
    if not called or len(label) != 1 or any(slot[0] != "Q" for slot in slots):
        return None
    values: list[Cell] = [each for slot in slots for each in _spelled(draft, slot, label[0]) or ()]
    test: Comparison = "=" if len(values) == 1 else "in"
    return marker(draft) if add(draft, label[0], test, values, is_negated(match)) else None


def _part_of_values(draft: Draft, match: Match) -> str | None:
    """`from Kentucky`, where a column holds cities with their states: a part of its values."""
    text = draft.slots[match["u"]].text
    word = re.compile(rf"(?<!\w){re.escape(text.casefold())}(?!\w)")
    names = {
        name for key, found in draft.schema.values.items() if word.search(key) for name, _ in found
    }
    if len(names) != 1:
        return None
    column = draft.schema.by_name[names.pop()]
    draft.doubt += 0.15
    draft.note(f"{text!r} is a part of values of {column.name}")
    return marker(draft) if add(draft, column, "contains", [text], is_negated(match)) else None


def _values_apart(draft: Draft, match: Match, slots: Sequence[str]) -> str | None:
    """`from Chicago, Illinois`: values of different columns, each of which must hold."""
    if len(slots) == 1:
        return _called(draft, match, slots)
    if re.search(r"(?<!\S)(?:or|nor)(?!\S)", match["list"]) or is_negated(match):
        return _called(draft, match, slots)
    if not all(draft.slots[slot].values for slot in slots):
        return None
    for slot in slots:
        names = {name for name, _ in draft.slots[slot].values}
        column = _likeliest(draft, names, match.group().split())
        value = next(v for name, v in draft.slots[slot].values if name == column.name)
        add(draft, column, "=", [value])
        draft.note(f"{value} is a value of {column.name}")
    return ""


# A participle that ties a value to what stands before it: `customers based in Oslo`. Behind these
# words it says which rows are meant: `of returned parcels`.
_TYING = r"(?<!\bof )(?<!\bfor )(?<!\bthe )(?<!\bmany )(?<!\ball )(?<!\bany )\w+ed"
_WAYS = {
    "to": {"destination", "dest", "to", "arrival", "target", "end"},
    "from": {"origin", "from", "source", "departure", "start", "nationality", "country"},
}


def _likeliest(draft: Draft, names: set[str], words: Sequence[str]) -> Column:
    """The column that a value's preposition speaks for, else the first of those with the fewest
    values."""
    columns = [each for each in draft.schema.table.columns if each.name in names]
    for word in reversed(words):
        ways = _WAYS.get(word, set())
        fitting = [c for c in columns if ways & set(draft.schema.words_by_name[c.name])]
        if len(fitting) == 1:
            return fitting[0]
    if len(columns) > 1:
        draft.doubt += 0.3
    return min(columns, key=lambda each: (each.role == "text", each.distinct))


def _either(draft: Draft, match: Match) -> str | None:
    """`F0 or F1`: one of both; the later one is emptied and dropped when the plan is made."""
    one, other = int(match["f1"][1:]), int(match["f2"][1:])
    merged = (*draft.filters[one].conditions, *draft.filters[other].conditions)
    draft.filters[one], draft.filters[other] = AnyOf(merged), AnyOf(())
    return match["f1"]


EITHER: tuple[Rule, ...] = (
    rule(
        "either",
        r"<F1>(?: _| ,)* or (?:(?:_|that|which|who|are|is|have|has|with|in|from|the|whose|had|a|"
        r"an|of|by|on|at|be|was|were|either|did|do|number|to|been|for|those|ones|T\d+) )*"
        r"(?:(?!and|but|not)[a-z]+ (?:(?:in|at|by|on) )?)?<F2>",
        _either,
    ),
) * 3


_LIST = (
    r"(?P<list>(?:<any>)(?:(?: ,| or| and| nor| and/or|, or)+(?: the| in| from| either)* "
    r"(?:<any>))*)"
)


def _list(letters: str) -> str:
    return _LIST.replace("<any>", rf"[{letters}]\d+")


TEXTS: tuple[Rule, ...] = tuple(
    rule(
        "text",
        rf"<C> <BE>(?P<not>not |without )? ?(?:(?:{negation}) )*<BE>(?P<verb>{verbs})"
        rf"(?: with| in| by| from| the| a| an| word| words"
        rf"| substring| letter| letters| string| text| phrase| character| characters| keyword| "
        rf"term| prefix| name)* {what}",
        _text,
    )
    for verbs, negation in (
        (
            r"contains?|containing|contained|including|includes?|like|starts?|starting|started|"
            r"begins?|beginning|ends?|ending|ended|finish\w*",
            "do|does|that",
        ),
        (
            r"(?:has|have|having|with|is|in)(?: the| a| an)* (?:word|substring|letters?|string|"
            r"phrase|prefix|keyword)",
            "do|does|that",
        ),
    )
    for what in ("<L>", "<N>", r"(?P<w>[a-z0-9]+)")
    # `the fee by carrier including tax` says what a figure holds, not what a name does
    if what[0] == "<" or "including" not in verbs
)


TEXTS = (
    *TEXTS,
    *(
        rule(
            "text",
            rf"(?:(?:that|which|who|whose|do|does) )*(?P<not>not |without )?(?:(?:with|has|have|"
            rf"having|containing|contain|contains|including|the|a|an|starting|ending) )"
            rf"*(?P<verb>substring|letters?|word|string|phrase|characters?) {what} (?:anywhere )"
            rf"?in (?:their|its|the|his|her)? ?<C>",
            _text,
        )
        for what in ("<L>", r"(?P<w>[a-z0-9]+)")
    ),
)


TEXTS = (
    *TEXTS,
    *(
        rule(
            "text",
            rf"(?:(?:that|which|who|whose|do|does) )*(?P<not>not )?(?P<verb>have|has|having|with|"
            rf"include|includes)(?: the| an?)* {what} (?:in|as) (?:a )?(?:part of )?(?:the |their |"
            rf"its |his |her )*<C>",
            _text,
        )
        for what in ("(?P<l>[QU]\\d+)", r"(?P<w>[a-z](?= in))")
    ),
)


VALUES: tuple[Rule, ...] = (
    rule(
        "value",
        rf"{AUX}(?P<not><NOT>) (?:of |from |in |have |has |with |the |a |an |by )*<C> "
        rf"<BE>{_list('VQU')}",
        _value_of_column,
    ),
    rule(
        "value",
        rf"(?:and )?(?:whose |with |where |has |have |having |in |by |under |use |"
        rf"using )*<DET><C> (?:(?:name|code) )?<BE>{NOT}"
        rf"(?:either |both |from |in |on |for |by |named |called |located |<BE>)*{_list('VQU')}",
        _value_of_column,
    ),
    rule(
        "value",
        rf"{AUX}{NOT}(?:(?:from|in|of|as|either|for|by|at|on|to|the|a|an|both|with|"
        rf"use|using|belong|located|named|called|titled|born) )*{_list('VQU')} "
        rf"(?:(?:as|for) (?:a |an |the |their )*)?<C>",
        _value_of_column,
    ),
    rule(
        "value",
        rf"{AUX}{NOT}(?:(?:from|in|of|as|either|for|by|at|on|to|the|a|an|both|be|"
        rf"belong|named|called|located|titled|part|parts|member|members|one|{_TYING}) )"
        rf"*{_list('VQ')}",
        _value_alone,
    ),
    rule(
        "part of a value",
        rf"{AUX}{NOT}(?:(?:from|in|of|at|by|on|to|the|named|called|{_TYING}) )+<U>",
        _part_of_values,
    ),
    rule(
        "missing",
        r"(?:with|have|has|are|is|that|who|which|do|does|where|whose)? ?<C> (?:is |"
        r"are |was |values? )*(?P<not>not )?(?:missing|null|empty|unknown|blank)",
        _missing,
    ),
    rule(
        "missing",
        r"(?:with|have|has|having) (?:no|missing|unknown|null) (?:values? (?:for|in|"
        r"of) )?<DET><C>",
        _missing,
    ),
    rule("missing", r"(?:do|does|did) (?P<x>not) have (?:a |an |any )?<C>", _missing),
)
