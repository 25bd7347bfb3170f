"""Changes and courses: `by what percentage did X grow`, `cumulative`, `3 month moving average`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import GRAINS, Phrases
from flows.analysis.questions.parts import CoursePart, FormPart, GrowthPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.semantics.query import Grain

_PREVIOUS = "|".join(
    f"{lead} {which} {what}"
    for lead in ("against", "from", "to", "over", "compared to", "compared with", "vs", "versus",
                 "on", "relative to", "than")
    for which in ("previous", "prior", "preceding")
    for what in ("one", "period", "day", "week", "month", "quarter", "year")
)  # fmt: skip
_STEPS: Phrases[Grain] = Phrases({
    grain: "|".join(
        f"{lead} {grain} {behind}"
        for lead in ("to", "from", "on", "over", "against", "vs", "versus", "compared to",
                     "compared with", "relative to", "than")
        for behind in ("before", "earlier", "prior", "previously")
    )
    for grain in ("day", "week", "month", "quarter", "year")
})  # fmt: skip
_ALONG = frozenset(["over", "through", "across", "throughout", "along", "during"])
# What a course goes along, which says no more than that.
_ALL_ALONG = frozenset(["season", "year", "time", "period", "years", "way", "term", "campaign"])
_CHANGES: Phrases[GrowthPart] = Phrases({
    GrowthPart(): "up or down|rise or fall|increase or decrease|grow or shrink"
    "|change|changed|changes|develop|developed|evolve|evolved|compare|compared"
    "|comparison|by how much|differ|differed|move|moved|change over|changing|compare to",
    GrowthPart("change"): "change in|difference|difference in|difference between|absolute change"
    "|absolute change in|how much higher|how much more|how much lower|how much less|how many more"
    "|how many fewer|how much better|how much worse|how much bigger|how much smaller"
    "|net change in|delta|change of|" + _PREVIOUS,
    GrowthPart("growth"): "growth|growth of|growth in|growth rate|growth rate of|percentage change"
    "|percentage change in|percent change|percent change in|by what percentage|by what percent"
    "|by how many percent|percentage growth|relative change|relative change in|% change"
    "|% change in|rate of growth|how fast",
    GrowthPart("", True): "increase|increased|rise|rose|risen|go up|went up|gone up|grow|grew|grown"
    "|gain|gained|improve|improved|climb|climbed|increases|goes up",
    GrowthPart("change", True): "increase in|increase of|rise in",
    GrowthPart("", False): "decrease|decreased|decline|declined|drop|dropped|fall|fell|fallen"
    "|shrink|shrank|shrunk|go down|went down|gone down|sink|sank|lose|lost|worsen|worsened"
    "|goes down",
    GrowthPart("change", False): "decrease in|decrease of|drop in|decline in|fall in",
    GrowthPart("growth", True): "percentage increase|percentage increase in|percent increase in",
    GrowthPart("growth", False): "percentage decrease|percentage decrease in|percent decrease in",
    GrowthPart("growth", None, "year"): "yoy|yoy growth|annual growth|yearly growth"
    "|annual growth rate|year over year growth|year on year growth",
    GrowthPart("growth", None, "quarter"): "qoq|qoq growth|quarterly growth"
    "|quarter over quarter growth|quarter on quarter growth",
    GrowthPart("growth", None, "month"): "mom|mom growth|monthly growth|month over month growth"
    "|month on month growth|monthly growth rate",
    GrowthPart("growth", None, "week"): "wow|weekly growth|week over week growth",
})  # fmt: skip
_MORE = frozenset(["more", "fewer", "less", "higher", "lower", "better", "worse", "larger"])

_COURSES: Phrases[CoursePart] = Phrases({
    CoursePart("running"): "cumulative|cumulated|cumulatively|running total|running total of"
    "|running sum|running sum of|accumulated|so far|cumulative sum of|cumulative total of"
    "|cumulative sum|cumulative total|running|running count of|add up|adds up|accumulate"
    "|cumulating|running tally|running tally of|accumulating|rolling total|rolling total of"
    "|rolling sum|rolling sum of|accumulated total|accumulated total of|cumulated total"
    "|added up|added up as we go|adding up|as we go|as it adds up|how they add up|how it adds up"
    "|building up|summed up as we go|piling up|adds up over time|add up over time",
    CoursePart("index"): "indexed|as index|index of|index|indexed to|as indices",
})  # fmt: skip
_MOVING: Phrases[CoursePart] = Phrases({
    CoursePart("moving", 3): "moving average|rolling average|rolling mean|moving mean"
    "|moving averages|smoothed average|trailing average|running average",
})  # fmt: skip


def read_change(text: Text, at: int) -> Iterator[PlacedPart]:
    """`by what percentage did it go up`, `growth`, `quarter over quarter change`."""
    if (found := text.phrase(_CHANGES, at)) is not None:
        end = found[1] + (text.word(found[1]) == "between" and text.word(at) == "difference")
        yield PlacedPart(found[0], at, end, 0.02)
    elif (step := text.phrase(_STEPS, at)) is not None:
        yield PlacedPart(GrowthPart("change", None, step[0]), at, step[1], 0.02)
    elif text.word(at) in _MORE and "than" in text.lowers[at + 1 :]:
        yield PlacedPart(GrowthPart(), at, at + 1, 0.05)


def read_course(text: Text, at: int) -> Iterator[PlacedPart]:
    """`cumulative`, `so far`, `3 month moving average`, `moving average over 6 months`."""
    if (found := text.phrase(_COURSES, at)) is not None:
        end = found[1]
        yield PlacedPart(found[0], at, end, 0.02)
        if text.word(end) in _ALONG and text.word(end + 1) in _ALL_ALONG:
            yield PlacedPart(found[0], at, end + 2, 0.03)  # `cumulated over the season`
    if text.sees(at, "so", "far"):
        yield PlacedPart(FormPart(), at, at + 2, 0.03)  # one figure up to now
    yield from _window(text, at)
    length = _length(text, at)
    begin = length[2] if length else at
    if (moving := text.phrase(_MOVING, begin)) is None:
        return
    end = moving[1] + (text.word(moving[1]) == "of")
    behind = moving[1] + (text.word(moving[1]) in ("of", "over", "with", "across", "for"))
    behind += text.word(behind) in ("last", "previous", "past")
    if length is None and (length := _length(text, behind)) is not None:
        end = length[2] + (text.word(length[2]) == "of")
    n, grain = length[:2] if length else (3, None)
    yield PlacedPart(CoursePart("moving", n, grain), at, end, 0.0 if length else 0.1)


def _window(text: Text, at: int) -> Iterator[PlacedPart]:
    """`over 6 months`, behind what a moving average is of."""
    if text.word(at) not in ("over", "across", "of", "with", "for"):
        return
    length = _length(text, at + 1 + (text.word(at + 1) in ("last", "previous", "past")))
    if length is None or not any(text.phrase(_MOVING, place) for place in range(at)):
        return
    yield PlacedPart(CoursePart("moving", *length[:2]), at, length[2])


def _length(text: Text, at: int) -> tuple[int, Grain | None, int] | None:
    """A number of periods, with the place behind it: `3 months`, `7-day`, `12-period`."""
    number = text.number(at)
    if not isinstance(number, int) or not 1 < number <= 366:
        return None
    behind = at + 1 + (text.word(at + 1) == "-")
    if (grain := text.phrase(GRAINS, behind)) is not None:
        return number, grain[0], grain[1]
    if text.word(behind) in ("period", "periods", "point", "points", "step", "steps"):
        return number, None, behind + 1
    return None
