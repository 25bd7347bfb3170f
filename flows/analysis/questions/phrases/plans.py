"""What was planned and what came of it: `over budget`, `missed its target`, `overspent most`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import singular
from flows.analysis.questions.parts import (
    AgainstPart,
    DifferencePart,
    ExtremePart,
    MeasuredPart,
    PlacedPart,
)
from flows.analysis.questions.plans import PLANNED, PlanPair, plan_pairs
from flows.analysis.questions.text import Text
from flows.semantics.query import Operator

_COMPARED: Phrases[Operator] = Phrases({
    ">": "over|above|exceed|exceeded|exceeds|exceeding|go over|went over|gone over|goes over"
    "|ran over|run over|beat|beats|surpass|surpassed|blew|blew through|overshot|more than"
    "|longer than|slower than|later than|costlier than|more expensive than|larger than|bigger than"
    "|higher than|ahead of|go above|went above|going over",
    "<": "shorter than|quicker than|faster than|cheaper than|smaller than"
    "|under|below|missed|miss|misses|fell short of|fall short of|short of|less than|lower than"
    "|behind|stay under|stayed under|stay below|stayed below|came in under|finished under"
    "|came in below|failed to meet|failed to reach|failed to hit|went under|go under",
    "<=": "within|stay within|stayed within|kept within|keep within|remain within|remained within"
    "|stick to|stuck to|keep to|kept to|staying within|in",
    ">=": "met|meet|meets|hit|hits|reached|reach|reaches|achieved|achieve|achieves|made|make"
    "|fulfilled|fulfil|attained",
    "=": "on|exactly on|spot on|right on",
})  # fmt: skip
_SPENT: Phrases[bool] = Phrases({
    True: "overspent|overspend|overspends|overspending|overran|overrun|overruns|overspenders",
    False: "underspent|underspend|underspends|underspending|underran",
})  # fmt: skip
_VARIANCE: Phrases[bool] = Phrases({
    True: "variance to|variance from|variance against|variance vs|variance versus|deviation from"
    "|deviation to|difference to|difference from|gap to",
})  # fmt: skip
_OWN: Final = frozenset(["its", "their", "his", "her", "our", "my", "set"])
_PERIODS: Final = frozenset(
    [
        "daily",
        "weekly",
        "monthly",
        "quarterly",
        "annual",
        "yearly",
        "own",
        "planned",
        "agreed",
        "sales",
        "revenue",
        "cost",
    ]
)
# Words that ask which or how many rows are so, and those that ask by how much they are.
_HOLDING: Final = frozenset(
    ["many", "often", "which", "who", "list", "show", "percentage", "percent", "share", "any",
     "cases", "times", "did", "number", "never", "always"]
)  # fmt: skip
_MEASURING: Final = frozenset(
    ["much", "most", "least", "total", "average", "biggest", "largest", "worst", "sum", "by",
     "highest", "furthest", "mean", "median", "far"]
)  # fmt: skip
_INTENDED: Final = frozenset(
    ["plan", "planned", "planning", "budgeted", "expect", "expected", "intend", "intended",
     "supposed", "aim", "aimed", "hoped", "projected", "meant"]
)  # fmt: skip
_MOST: Phrases[bool] = Phrases({
    True: "most|by most|furthest|by furthest|by widest margin|worst|by largest amount",
    False: "least|by least",
})  # fmt: skip
_LARGEST: Final = frozenset(["biggest", "largest", "highest", "worst", "most", "furthest"])
_RATHER: Final = 0.3


def read_plan(text: Text, at: int) -> Iterator[PlacedPart]:
    """`over budget`, `did not meet its quota`, `within its quarterly budget`: of a row, or by how
    much it was more or less than planned."""
    for operator, pair, end, cost in _compared(text, at):
        against = 0.0 if _asks_which(text) else _RATHER
        yield PlacedPart(AgainstPart(operator, pair.plan, pair.actual), at, end, cost + against)
        if operator in (">", "<"):
            made = _difference(pair, operator == ">")
            yield PlacedPart(made, at, end, cost + _RATHER - against)
            most = text.phrase(_MOST, end)
            by = pair.excess if operator == ">" else pair.shortfall
            if most is not None:
                yield PlacedPart(ExtremePart(most[0], by=by), at, most[1], cost)


def read_variance(text: Text, at: int) -> Iterator[PlacedPart]:
    """`variance to budget`, `deviation from plan`: by how much it was more than planned."""
    found = text.phrase(_VARIANCE, at)
    if found is not None and singular(text.word(found[1])) in PLANNED:
        for pair, cost in _pairs_called(text, singular(text.word(found[1]))):
            yield PlacedPart(_difference(pair, True), at, found[1] + 1, cost / 2 + 0.01)


def read_intended(text: Text, at: int) -> Iterator[PlacedPart]:
    """`what did we plan to spend`: what was planned."""
    if text.word(at) not in _INTENDED or text.word(at + 1) != "to" or not text.word(at + 2):
        return
    for rank, pair in enumerate(plan_pairs(text.vocabulary)):
        yield PlacedPart(MeasuredPart(pair.plan), at, at + 3, 0.05 + 0.2 * rank)


def read_most_over(text: Text, at: int) -> Iterator[PlacedPart]:
    """`the biggest overspend`, `furthest over budget`: the first by how much it was over plan."""
    if text.word(at) not in _LARGEST:
        return
    for operator, pair, end, cost in _compared(text, at + 1):
        if operator in (">", "<"):
            by = pair.excess if operator == ">" else pair.shortfall
            yield PlacedPart(ExtremePart(True, by=by), at, end, cost)


def _compared(text: Text, at: int) -> Iterator[tuple[Operator, PlanPair, int, float]]:
    """How what came of a plan is compared with it at a place, with the place behind the words."""
    spent = text.phrase(_SPENT, at)
    found = text.phrase(_COMPARED, at)
    if spent is not None:
        for rank, pair in enumerate(plan_pairs(text.vocabulary)):
            operator: Operator = ">" if spent[0] else "<"
            yield operator, pair, spent[1], 0.05 + 0.1 * rank
    if found is None:
        return
    begin = found[1]
    begin += text.word(begin) in ("was", "were", "is")
    while text.word(begin) in _OWN or text.word(begin) in _PERIODS:
        begin += 1
    word = singular(text.word(begin))
    if word not in PLANNED:
        return
    for pair, cost in _pairs_called(text, word):
        yield found[0], pair, begin + 1, cost


def _pairs_called(text: Text, word: str) -> Iterator[tuple[PlanPair, float]]:
    """The pairs of whose plan a word speaks: by its name, else any there is."""
    pairs = list(plan_pairs(text.vocabulary))
    named = {each.operand: each.cost for each in text.vocabulary.fields([word])}
    own = [(pair, named[pair.plan]) for pair in pairs if pair.plan in named]
    if len(pairs) == 1:
        yield pairs[0], min([cost for _, cost in own] or [0.1]) / 5  # there is no other plan
        return
    yield from own or [(pair, 0.1 + 0.1 * rank) for rank, pair in enumerate(pairs)]


def _difference(pair: PlanPair, over: bool) -> DifferencePart:
    one, other = (pair.actual, pair.plan) if over else (pair.plan, pair.actual)
    return DifferencePart(one, other)


def _asks_which(text: Text) -> bool:
    """Whether it is asked which rows are so, and not by how much."""
    return bool(_HOLDING & set(text.lowers)) and not _MEASURING & set(text.lowers)
