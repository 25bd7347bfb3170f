"""How rows are spread over values: `1 unit, 2 units and so on`, `their 20s and 30s`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import BandsPart, PlacedPart, RangePart, SpreadPart
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_ONWARDS: Phrases[bool] = Phrases({True: "and so on|and so forth|etc|et cetera|and more|or more"})
_BANDS: Phrases[bool] = Phrases({
    True: "by size|by band|by bracket|by range|by value|by amount|in each"
    "|in each of them|in each band|in each group|in each range|break|broken down|into bands"
    "|into brackets|into ranges|bands|brackets|distributed|distribution|distribution of|histogram"
    "|distribute",
})  # fmt: skip
_GROUPS = frozenset(
    [
        "group",
        "groups",
        "band",
        "bands",
        "bracket",
        "brackets",
        "range",
        "ranges",
        "class",
        "classes",
        "size",
        "sizes",
    ]
)
_SPREAD = frozenset(["spread", "distributed", "split"])
_MOST_VALUES = 40  # above it each value says little


def read_series(text: Text, at: int) -> Iterator[PlacedPart]:
    """`1 unit, 2 units, 3 units and so on`: the rows with each value of a field are counted."""
    if text.number(at) is None:
        return
    for end, found in text.names(at + 1):
        if not isinstance(found.operand, FieldRef):
            continue
        last, items = end, 1
        while (following := _next_item(text, last, found.operand)) is not None:
            last, items = following, items + 1
        onwards = text.phrase(_ONWARDS, last + (text.word(last) == ","))
        if items > 1 and onwards is not None:
            yield PlacedPart(SpreadPart(found.operand), at, onwards[1], found.cost)


def _next_item(text: Text, at: int, field: FieldRef) -> int | None:
    """The place behind the next `, 2 units` of a series; None where none stands there."""
    begin = at
    while text.word(begin) in (",", "and", "or"):
        begin += 1
    if text.phrase(_ONWARDS, at) is not None or text.number(begin) is None or begin == at:
        return None
    named = [end for end, found in text.names(begin + 1) if found.operand == field]
    return named[0] if named else begin + 1


def read_spread(text: Text, at: int) -> Iterator[PlacedPart]:
    """`ratings spread from 1 to 5`, `distribution of ratings`, and `20s` for an age."""
    if text.word(at) == "distribution" and text.word(at + 1) in ("of", "for"):
        for end, found in text.names(at + 2):
            if isinstance(found.operand, FieldRef) and _few_values(text, found.operand):
                yield PlacedPart(SpreadPart(found.operand), at, end, found.cost)
    for end, found in text.names(at):
        behind = end + (text.word(end) in ("are", "is"))
        if (
            text.word(behind) in _SPREAD
            and isinstance(found.operand, FieldRef)
            and _few_values(text, found.operand)
        ):
            low, high = text.number(behind + 2), text.number(behind + 4)
            from_to = text.word(behind + 1) in ("from", "between") and low is not None
            last = behind + 5 if from_to and high is not None else behind + 1
            yield PlacedPart(SpreadPart(found.operand), at, last, found.cost)
    decade = text.word(at).removesuffix("s").rstrip("'\u2019")
    if text.word(at).endswith("s") and decade.isdigit() and len(decade) == 2 and decade[1] == "0":
        yield PlacedPart(
            RangePart(int(decade), int(decade) + 10, None, "age", below=True), at, at + 1
        )


def read_bands(text: Text, at: int) -> Iterator[PlacedPart]:
    """`break orders down by size`, `in each`: ranges are to follow."""
    if (found := text.phrase(_BANDS, at)) is not None:
        yield PlacedPart(BandsPart(), at, found[1], 0.02)
    elif text.word(at) == "by":
        for end, named in text.names(at + 1):
            if text.word(end) in _GROUPS and named.role == "measure":
                yield PlacedPart(BandsPart(named.operand), at, end + 1, named.cost)
    elif text.word(at) == "down" and "break" in text.lowers[: at - 1]:
        yield PlacedPart(BandsPart(), at, at + 1)


def _few_values(text: Text, field: FieldRef) -> bool:
    return 0 < text.vocabulary.distinct(field) <= _MOST_VALUES
