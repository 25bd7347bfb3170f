"""The tasks of a question that wants to know what some columns do to another."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.arguments import plots
from flows.analysis.methods.supervised import is_class
from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.team.goals.aims import SHOWN_GROUPS, target_of
from flows.analysis.team.goals.builder import (
    Restriction,
    analysis,
    figure,
    figures,
    picture,
)
from flows.analysis.team.goals.comparison import by_group
from flows.analysis.team.goals.drivers import model_of
from flows.analysis.team.goals.kinds import asks_same
from flows.analysis.team.goals.scope import TableScope, makes_groups
from flows.analysis.team.goals.steps import Steps
from flows.data.tables import Column
from flows.semantics.query import Aggregate, Comparison, Constant
from flows.semantics.request import Analysis, Chart


def plan_effect(steps: Steps, scope: TableScope, text: str) -> Column | None:
    """What some columns do to another: correlation, picture, regression."""
    target = target_of(scope, text)
    if target is None:
        return None
    causes = [each for each in scope.columns if each.name != target.name]
    groups = [each for each in causes if makes_groups(each)]
    numbers = [each for each in causes if is_numeric(each) and not is_time(each)]
    if not numbers and not groups:
        return None
    if len(numbers) > 1:  # what else there is may stand behind both
        steps.extract(scope.wide.whole(), scope.period)
    else:
        names = [each.name for each in (*(numbers or groups[:1]), target, *groups)]
        steps.extract(scope.wide, scope.period, [*names, *(e.column for e in scope.entities)])
    if not numbers and not is_numeric(target):
        _of_classes(steps, scope, groups[0], target)
    elif not numbers:
        by_group(steps, scope.wide, [target], groups[0], scope.entities)
    elif not is_numeric(target):
        by_group(steps, scope.wide, numbers[:3], target, scope.entities)
    else:
        correlated = _correlated(steps, scope, numbers, target)
        if asks_same(text):
            _in_halves(steps, scope, numbers, target)
        else:
            _modelled(steps, scope, numbers, target)
        for each in correlated:
            steps.tell_of(each)
        if len(numbers) > 1:
            steps.tell("regression")
    return target


def _correlated(
    steps: Steps, scope: TableScope, causes: Sequence[Column], target: Column
) -> list[Analysis]:
    """The correlations of the target with each cause, and a picture of the first."""
    where, pairs = scope.entities, [(each.name, target.name) for each in causes[:3]]
    asked = [analysis("correlation", scope.wide, where, fields=each) for each in pairs]
    found = [each for each in asked if each is not None and steps.compute(each)]
    if target.distinct > 2 or not _rates(steps, scope, causes[0], target):
        steps.draw(picture("scatter", scope.wide, [causes[0].name, target.name], where))
    return found


def _rates(steps: Steps, scope: TableScope, cause: Column, target: Column) -> bool:
    """How often a yes-or-no column is yes, for each of a few amounts."""
    if cause.distinct > SHOWN_GROUPS:
        return False
    mean = figure(scope.wide, "average", target.name)
    asked = figures(scope.wide, [mean], scope.wide.expression(cause.name), scope.filters)
    return steps.query(asked) and steps.draw(Chart(of=asked, type="bar"), over=asked)


def _modelled(steps: Steps, scope: TableScope, causes: Sequence[Column], target: Column) -> None:
    """What each of several causes does while the others, and all else, stay the same."""
    names, where = tuple(each.name for each in causes), scope.entities
    classes = not plots(target) or is_class(target)
    own = analysis("key_drivers", scope.wide, where, target=target.name, fields=names,
                   classes=classes)  # fmt: skip
    line = analysis("regression", scope.wide, where, target=target.name, fields=names)
    if len(causes) > 1:
        steps.compute(line)
        steps.compute(model_of(scope.wide.whole(), target, where), own, learn=True)
    else:
        steps.compute(own, line, learn=True)


def _in_halves(steps: Steps, scope: TableScope, causes: Sequence[Column], target: Column) -> None:
    """The effect of the first cause where the last one is small, and where it is large."""
    split = causes[-1]
    if split.quantiles is None:
        return
    middle = Constant(value=float(f"{split.quantiles.p50:.4g}"))
    half = scope.wide.expression(split.name)
    for operator in ("<=", ">"):
        test = Comparison(left=half, operator=operator, right=middle)
        where = [*scope.entities, Restriction(split.name, (), test)]
        asked = analysis("regression", scope.wide, where, target=target.name,
                         fields=(causes[0].name,))  # fmt: skip
        if asked is not None and steps.compute(asked):
            steps.tell_of(asked)


def _of_classes(steps: Steps, scope: TableScope, cause: Column, target: Column) -> None:
    wide, where = scope.wide, scope.entities
    asked = analysis("hypothesis_test", wide, where, fields=(target.name,), group=cause.name,
                     variant="independence")  # fmt: skip
    steps.compute(asked)
    one, other = wide.expression(cause.name), wide.expression(target.name)
    bars = figures(wide, [Aggregate(function="count")], one, where)
    both = bars.model_copy(update={"by": (one, other)})
    steps.draw(Chart(of=both, type="stacked"), Chart(of=both, type="bar"))
    steps.tell("hypothesis_test")
