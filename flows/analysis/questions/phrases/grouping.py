"""Groups: `by region`, `per customer and month`, `monthly`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import (
    Phrases,
)
from flows.analysis.questions.parts import (
    FormPart,
    GroupingPart,
    NounPart,
    PlacedPart,
    UsualPeriodPart,
)
from flows.analysis.questions.roles import roles_of
from flows.analysis.questions.text import Text
from flows.semantics.query import (
    FieldRef,
    Grain,
)

_BY: Phrases[str] = Phrases({
    "each": "by|per|for each|for every|in each|in every|on each|on every|of each|of every|each"
    "|every|across|broken down by|split by|grouped by|within each|and by|depending on"
    "|over each|at each|with each|for the different|from each|to each|among",
})  # fmt: skip

_DIFFERENT: Phrases[str] = Phrases({
    "differ": "differ by|differs by|vary by|varies by|differ between|vary between|differ across"
    "|vary across|differ among|vary with|varies with|depend on|depends on|different by",
})  # fmt: skip

# Of these an average is rather that of all than of each: `average spend per customer`.
_PERSONS = frozenset(
    [
        "customer",
        "client",
        "user",
        "buyer",
        "guest",
        "member",
        "household",
        "account",
        "subscriber",
        "visitor",
        "passenger",
        "agent",
        "patient",
        "student",
        "player",
        "donor",
        "employee",
        "person",
    ]
)
_MEANS = frozenset(["average", "avg", "mean"])
_OF_TOTALS = _MEANS | {"median", "percentile", "quartile", "decile", "quantile", "maximum",
                       "minimum", "typical", "highest", "lowest", "deviation"}  # fmt: skip
_GRAIN_WORDS: Phrases[Grain] = Phrases({
    "month": "monthly|month after month"
    "|month by month|month over month|month on month|by month|each month"
    "|month to month|from month to month",
    "quarter": "quarterly|quarter after quarter"
    "|quarter by quarter|quarter over quarter|quarter on quarter"
    "|quarter to quarter|from quarter to quarter",
    "year": "yearly|annual|annually|year after year"
    "|year by year|year over year|year on year|per annum"
    "|year to year|from year to year",
    "week": "weekly|week after week|week by week|week to week|from week to week",
    "day": "daily|day after day|day by day|day to day|from day to day", "hour of day": "hourly",
})  # fmt: skip

BY_GRAINS: Phrases[Grain] = Phrases({
    "weekday": "weekday|day of the week|days of the week|day of week|weekdays",
    "hour of day": "hour of the day|hour of day|hour|hours|time of day|time of the day",
    "month of year": "month of the year|calendar month", "day of month": "day of the month",
    "fiscal year": "fiscal year|financial year", "fiscal quarter": "fiscal quarter",
    "year": "year|years|calendar year", "half": "half year|half", "quarter": "quarter|quarters",
    "month": "month|months", "week": "week|weeks|calendar week", "day": "day|days|date",
})  # fmt: skip

_LENGTHS: dict[Grain, tuple[str, ...]] = {
    "day": ("daily",), "week": ("weekly",), "month": ("monthly",), "quarter": ("quarterly",),
    "year": ("yearly", "annual"), "hour": ("hourly",),
}  # fmt: skip
_USUAL: Phrases[Grain] = Phrases({
    grain: "|".join(
        f"{mean} {each}|{each} {mean}|{each} {mean} of|{mean} {each} number of"
        f"|{each} {mean} number of|{mean} number of {each}"
        for mean in ("average", "avg", "mean")
        for each in said
    )
    for grain, said in _LENGTHS.items()
})  # fmt: skip
_SPLITS = frozenset(["split", "breakdown", "mix"])


def read_group(text: Text, at: int) -> Iterator[PlacedPart]:
    """`by region`, `per customer and month`, `monthly`."""
    if (grain := text.phrase(_GRAIN_WORDS, at)) is not None:
        # `average monthly revenue` is one figure of all months.
        cost = 0.5 if _is_of_totals(text, at) else 0.0
        yield PlacedPart(GroupingPart(grain[0]), at, grain[1], cost)
    if text.word(at - 1) in ("which", "what") and (asked := text.phrase(BY_GRAINS, at)) is not None:
        end = asked[1] + (text.word(asked[1]) == "of")
        yield PlacedPart(GroupingPart(asked[0], asked=True), at, end, 0.02)
    if (differs := text.phrase(_DIFFERENT, at)) is not None:
        for end, item, cost in _group_items(text, differs[1]):
            yield PlacedPart(GroupingPart(item, averaged=True), at, end, cost)
    marked = text.phrase(_BY, at)
    if marked is None:
        return
    rather_divided = text.word(at) == "per" and not _MEANS.isdisjoint(text.lowers)
    over_all = text.word(at) == "across" and not (_MEANS | {"median"}).isdisjoint(text.lowers[:at])
    for end, item, cost in _group_items(text, marked[1]):
        if rather_divided and text.phrase(BY_GRAINS, marked[1]) is not None:
            if isinstance(item, str) and item in _LENGTHS:
                yield PlacedPart(UsualPeriodPart(item), at, end, cost)  # `average pieces per day`
            cost += 0.08
        if over_all:  # `median price across regions`: one figure of all
            yield PlacedPart(FormPart(), at, end, cost + 0.1)
            cost += 0.15
        rarely = rather_divided and text.word(end - 1) in _PERSONS
        yield PlacedPart(GroupingPart(item), at, end, cost + (0.1 if rarely else 0.0))


def _is_of_totals(text: Text, at: int) -> bool:
    """Whether the length of a period behind a function says of what it is one: of the totals of
    such periods, as in `median quarterly spend`."""
    before = at - 1 - (text.word(at - 1) == "of")
    return text.word(before) in _OF_TOTALS


def read_usual_period(text: Text, at: int) -> Iterator[PlacedPart]:
    """`average monthly`, `daily average number of`: a figure of a usual period."""
    if (usual := text.phrase(_USUAL, at)) is not None:
        yield PlacedPart(UsualPeriodPart(usual[0]), at, usual[1], 0.0)


def read_split(text: Text, at: int) -> Iterator[PlacedPart]:
    """`gender split`, `breakdown by region` read as `by gender`, `by region`."""
    for end, found in text.names(at):
        if text.word(end) in _SPLITS and isinstance(found.operand, FieldRef):
            yield PlacedPart(GroupingPart(found.operand), at, end + 1, found.cost)
    if text.word(at) in _SPLITS and (marked := text.phrase(_BY, at + 1)) is not None:
        for end, item, cost in _group_items(text, marked[1]):
            yield PlacedPart(GroupingPart(item), at, end, cost)


def read_more_groups(text: Text, at: int) -> Iterator[PlacedPart]:
    """The second of `by region and month`; it has to stand behind a first."""
    if not (text.sees(at, "and") or text.sees(at, ",")):
        return
    for end, item, cost in _group_items(text, at + 1):
        yield PlacedPart(GroupingPart(item), at, end, cost + 0.02)


def _group_items(text: Text, at: int) -> Iterator[tuple[int, FieldRef | NounPart | Grain, float]]:
    if (grain := text.phrase(BY_GRAINS, at)) is not None:
        yield grain[1], grain[0], 0.02
    for end, dataset, cost in text.nouns(at):
        yield end, NounPart(dataset), cost
    for end in range(min(at + 3, len(text)), at, -1):
        for role, cost in roles_of(text.lowers[at:end], text.vocabulary.model):
            yield end, NounPart(role.to, (role.name,)), cost
    for end, found in text.names(at):
        if isinstance(found.operand, FieldRef):
            extra = 0.1 if found.role == "measure" else 0.0
            if text.vocabulary.refers(found.operand):
                extra = 0.05  # the rows that it refers to have names
            yield end, found.operand, found.cost + extra
            yield from _of_role(text, end, found.operand, found.cost)


def _of_role(
    text: Text, at: int, key: FieldRef, cost: float
) -> Iterator[tuple[int, FieldRef, float]]:
    """A field of the row to which a key refers: `destination city`, `billing address country`."""
    for each in text.vocabulary.model.relationships:
        if (each.dataset, each.fields) == (key.dataset, (key.field,)):
            for end, found in text.names(at):
                operand = found.operand
                if isinstance(operand, FieldRef) and operand.dataset == each.to:
                    via = operand.model_copy(update={"via": (each.name,)})
                    yield end, via, cost + found.cost
