"""Correlations: what goes with a column most, in which direction, what says the same, what does
not matter. Nothing here says that one thing causes another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from flows.analysis.methods.duplicates import SAME, copy_and_original, rescaled_of, twins_by_name
from flows.analysis.methods.findings import CorrelatedPair
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import listed, plain, some
from flows.analysis.team.rules.scope import TaskScope

STRONG, MODERATE, WEAK = 0.7, 0.4, 0.2
# Of a pair by itself this much is a little, where it is sure; less is hardly anything.
LITTLE: Final = 0.1
UNSURE: Final = 0.05
_FORM: Final = ".2f"
_NAMED: Final = 3
_DRIVERS: Final = 6
_TWINS: Final = 4
Pairs = Sequence[CorrelatedPair]


def correlations(
    sheet: Sheet, links: Pairs, scope: TaskScope, goal: BusinessGoal
) -> Iterator[Insight]:
    """What a list of coefficients, or a matrix of them, says."""
    target = target_of(links, goal, scope)
    pairs = [each for each in links if not target or each.has(target)]
    twins = twins_of(links, target)
    if len(pairs) == 1:
        yield _pair(sheet, pairs[0], goal, 9.0)
    elif target:
        yield from _of_target(sheet, pairs, target, twins, goal)
    else:
        yield from _of_all(sheet, pairs, twins)
    for at, twin in enumerate(twins[:_TWINS]):
        yield insight(_twin_words(sheet, twin, pairs, target), 6.5 - 0.1 * at, twin[0])


def target_of(links: Pairs, goal: BusinessGoal, scope: TaskScope) -> str:
    """The column that the question is about: the one in every pair, else the one it names first,
    else the one that the task is of."""
    common = set.intersection(*({each.first, each.second} for each in links)) - {""}
    if len(links) > 1 and len(common) == 1:
        return common.pop()
    names = dict.fromkeys(name for each in links for name in (each.first, each.second) if name)
    if not links[0].second:
        return next((each for each in (scope.target, *scope.fields) if each not in names), "")
    if found := goal.named(names):
        return found[-1] if len(links) == 1 and goal.kind == "effect" else found[0]
    if scope.target in names:
        return scope.target
    return links[0].second if len(links) == 1 else ""


Twin = tuple[str, str, CorrelatedPair | None]


def twins_of(links: Pairs, target: str = "") -> list[Twin]:
    """The columns beside the target that say the same as another: (copy, original, their pair)."""
    found: dict[str, Twin] = {}
    for each in links:
        if target and each.has(target):
            continue
        if abs(each.value) >= SAME and each.first and each.second:
            copy, original = copy_and_original(each.first, each.second)
            found.setdefault(copy, (copy, original, each))
    if target:
        values = {e.other(target): e.value for e in links if e.has(target)}
        for copy, original in twins_by_name(values).items():
            found.setdefault(copy, (copy, original, None))
    elif all(not each.second for each in links):
        for copy, original in twins_by_name({e.first: e.value for e in links}).items():
            found.setdefault(copy, (copy, original, None))
    return list(found.values())


def _twin_words(sheet: Sheet, twin: Twin, pairs: Pairs, target: str) -> str:
    copy, original, link = twin
    one, other = plain(copy), plain(original)
    if link is None:
        values = {each.other(target): _value(sheet, each) for each in pairs}
        return (
            f"{one} looks like {other} on another scale, since both go with "
            f"{plain(target) if target else 'the rest'} equally closely ({values[copy]} and "
            f"{values[original]}), so the two count as one"
        )
    scale = "is a rescaled copy of" if rescaled_of(copy, original) else "says the same as"
    return f"{one} {scale} {other} (correlation {_value(sheet, link)}), so the two count as one"


def _value(sheet: Sheet, link: CorrelatedPair) -> str:
    return sheet.cell(link.row, link.column).text(_FORM)


def strength(value: float) -> str:
    size = abs(value)
    if size >= STRONG:
        return "strong"
    return "moderate" if size >= MODERATE else "weak" if size >= LITTLE else "negligible"


def _pair(sheet: Sheet, link: CorrelatedPair, goal: BusinessGoal, weight: float) -> Insight:
    """One pair by itself."""
    one, other = link.first, link.second
    order = goal.named([each for each in (one, other) if each])
    alone = len(order) == 1 and goal.kind == "drivers"
    if (len(order) > 1 and order[0] == other) or (alone and order[0] == one and other):
        one, other = other, one
    what = plain(other) if other else "what it was compared with"
    value = _value(sheet, link)
    if abs(link.value) < LITTLE or (link.p is not None and link.p >= UNSURE):
        why = ", which may be chance" if (link.p or 0) >= UNSURE else ""
        text = f"{plain(one)} and {what} hardly go together: the correlation is {value}{why}"
        return insight(text, weight, link.first, link.second)
    less = "lower" if link.value < 0 else "higher"
    text = (
        f"where {plain(one)} is higher, {what} tends to be {less}: the correlation is {value}, "
        f"which is {strength(link.value)}"
    )
    if link.p is not None:
        text += " and unlikely to be chance"
    return insight(text, weight, link.first, link.second)


def ranked_links(pairs: Pairs, target: str, twins: Sequence[Twin]) -> list[CorrelatedPair]:
    """The pairs of the target, the strongest first, each copy left out beside its original."""
    names = {each.other(target) for each in pairs}
    copies = {copy for copy, original, _ in twins if original in names}
    kept = [each for each in pairs if each.other(target) not in copies]
    return sorted(kept, key=lambda each: -abs(each.value))


def _of_target(
    sheet: Sheet, pairs: Pairs, target: str, twins: Sequence[Twin], goal: BusinessGoal
) -> Iterator[Insight]:
    what = plain(target)
    copies = [each for each in pairs if is_copy_of(target, each)]
    for each in copies[:2]:
        text = f"{plain(each.other(target))} is a rescaled copy of {what} (correlation "
        yield insight(f"{text}{_value(sheet, each)}), so that it explains nothing", 6.4)
    order = [e for e in ranked_links(pairs, target, twins) if e not in copies]
    sure = [e for e in order if abs(e.value) >= WEAK and (e.p is None or e.p < UNSURE)]
    weak = [each for each in order if each not in sure]
    if not sure and order:
        top = order[0]
        text = f"no {'other ' if copies else ''}column goes clearly with {what}: the strongest "
        text += f"correlation, of {plain(top.other(target))}, is {_value(sheet, top)}"
        yield insight(text, 9.0)
        return
    yield from _strongest(sheet, sure, target)
    yield from _asked_for(sheet, order, target, goal)
    if weak and sure:
        names = some([plain(each.other(target)) for each in weak], _NAMED)
        verb = "says" if len(weak) == 1 else "say"
        text = f"{names} {verb} little about {what}: the strongest correlation among them is "
        text = text if len(weak) > 1 else f"{names} says little about {what}: the correlation is "
        yield insight(f"{text}{_value(sheet, weak[0])}", 4.5)


def is_copy_of(target: str, link: CorrelatedPair) -> bool:
    """Whether a pair of the target is the target itself on another scale."""
    other = link.other(target)
    return abs(link.value) >= SAME and rescaled_of(target, other) is not None


def _strongest(sheet: Sheet, sure: Pairs, target: str) -> Iterator[Insight]:
    what, first, rest = plain(target), sure[0], sure[1:]
    less = "lower" if first.value < 0 else "higher"
    name = plain(first.other(target))
    text = (
        f"{name} goes most closely with {what} (correlation {_value(sheet, first)}, "
        f"{strength(first.value)}): where {name} is higher, {what} tends to be {less}"
    )
    if abs(first.value) >= SAME:
        text += ", so nearly exactly that it may be a part or another measure of it"
    yield insight(text, 9.0, first.other(target))
    for sign, word, weight in ((1, "with", 8.0), (-1, "against", 7.5)):
        same = [each for each in rest if each.value * sign > 0][:_DRIVERS]
        if not same:
            continue
        names = listed([f"{plain(e.other(target))} ({_value(sheet, e)})" for e in same])
        tail = "higher" if sign > 0 else "lower"
        verb = "goes" if len(same) == 1 else "go"
        pronoun = "it is" if len(same) == 1 else "they are"
        how = "also " if sign * first.value > 0 else ""
        text = (
            f"{names} {how}{verb} {word} {what}: where {pronoun} higher, {what} tends to be {tail}"
        )
        yield insight(text, weight, *(each.other(target) for each in same))


def _asked_for(sheet: Sheet, order: Pairs, target: str, goal: BusinessGoal) -> Iterator[Insight]:
    """The column that the question names beside the target, if it is not told as the first."""
    by_name: Mapping[str, CorrelatedPair] = {each.other(target): each for each in order}
    for name in goal.named(by_name):
        if name != target and by_name[name] is not order[0]:
            yield _pair(sheet, by_name[name], goal, 8.5)


def _of_all(sheet: Sheet, links: Pairs, twins: Sequence[Twin]) -> Iterator[Insight]:
    """All pairs, none of which matters more."""
    copies = {copy for copy, _, _ in twins}
    kept = [e for e in links if e.first not in copies and e.second not in copies]
    order = sorted(kept, key=lambda each: -abs(each.value))
    for sign, word in ((1, "positive"), (-1, "negative")):
        same = [each for each in order if each.value * sign > 0 and abs(each.value) >= WEAK]
        if same:
            first = same[0]
            one, other = plain(first.first), plain(first.second)
            tail = "higher" if sign > 0 else "lower"
            text = (
                f"the strongest {word} correlation is that of {one} and {other} "
                f"({_value(sheet, first)}): where {one} is higher, {other} tends to be {tail}"
            )
            yield insight(text, 9.0 - (sign < 0), first.first, first.second)
            if rest := [f"{plain(e.first)} and {plain(e.second)} ({_value(sheet, e)})"
                        for e in same[1:_NAMED]]:  # fmt: skip
                are = "correlation is that" if len(rest) == 1 else "correlations are those"
                yield insight(f"the next {word} {are} of {'; '.join(rest)}", 7.0 - (sign < 0))
    if order and abs(order[0].value) < WEAK:
        text = "no two columns go clearly together: the strongest correlation is "
        yield insight(f"{text}{_value(sheet, order[0])}", 9.0)
