"""What a question is about as a figure: a column, what is computed of columns, a share of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import Token, split_identifier, tokenize
from flows.analysis.methods.breakdown.arguments import breaks_down
from flows.analysis.methods.method import words
from flows.analysis.questions.reader import read_question
from flows.analysis.reading.draft import is_numeric
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.wide_table import Wide, with_column
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    MetricRef,
    Missing,
    Not,
    Predicate,
)
from flows.semantics.row_values import NoRowHasIt, row_value
from flows.semantics.tree import parts

How = Literal["average", "sum", "share"]
# How much may have to be believed for the words of a figure.
_BELIEVED: Final = 0.35
_LONGEST: Final = 3
# Words that say what is wanted of a figure, and name none.
_WANTED: Final = words(
    """why how come what which who explain explains cause causes caused drive drives driving driven
    driver drivers fall fell fallen falling drop dropped dropping decline declined rise rose risen
    rising grow grew grown growing increase increased decrease decreased change changed changing
    become becoming worse better compared responsible behind since until between before after
    affect affects affecting influence influences determine determines matter matters depend
    depends improve reduce raise lower boost help focus should would could need want know look
    main key factor factors reason reasons most least much many more less best worst biggest
    largest high higher highest low lower lowest lately recently suddenly now year month quarter
    week day today anything something problem problems good bad"""
)
_OF_ROWS: Final = words("in of for from at within among by with per on across the our")
# Times that something takes are averaged, those that are worked or used are added up.
_TIMES: Final = words("minute minutes hour hours day days second seconds week weeks duration")
_USED: Final = words(
    "worked work overtime machine labor labour billable used usage booked paid flown"
)
# What is measured where a question names nothing: what is earned before what is counted.
_WORTH: Final = ("revenue", "sales", "sale", "turnover", "income", "amount", "total", "profit")

_JUDGED: Final = words("""score scores rating ratings grade grades mark marks satisfaction csat nps
    yield output efficiency performance points""")  # fmt: skip


@dataclass(frozen=True)
class TargetMeasure:
    """A column of a wide table and how it is summed up: of a share, the rows that count have the
    value `yes`, or any where that is empty. `words` are what the question calls it, `made_of` the
    columns that it is computed of."""

    wide: Wide
    column: str
    how: How
    yes: str = ""
    words: str = ""
    made_of: tuple[str, ...] = ()


def measure_of(goal: Goal) -> TargetMeasure | None:
    """The figure that a question names: the most words that can be read as one."""
    tokens, found = tokenize(goal.text), []
    for at, said in _spans(tokens):
        made = _read(said, goal)
        is_value = made is not None and made.yes != "" and made.yes.casefold() in " ".join(said)
        # `in Africa` says which rows are meant, and `get hired` what becomes of them.
        if made is not None and not (is_value and at and tokens[at - 1].lower in _OF_ROWS):
            found.append((not is_value, len(said), -at, made))
    best = max(found, key=lambda each: each[:3], default=None)
    if best is not None and best[0]:
        return best[3]
    scope = next(iter(goal.scopes), None)
    named = [c for c in scope.numbers if breaks_down(c)] if scope is not None else []
    if scope is None or not named:
        return best[3] if best is not None else None
    summed = is_summed(named[0].name, scope.wide, goal.model)
    return TargetMeasure(scope.wide, named[0].name, "sum" if summed else "average")


def main_measure(goal: Goal, wide: Wide) -> TargetMeasure | None:
    """What the rows of a table are worth by the model's metrics, else the first that adds up."""
    named = [
        each for each in goal.model.metrics
        if each.dataset == wide.base.name and isinstance(each.definition, Aggregate)
        and each.definition.function == "sum"
    ]  # fmt: skip

    def order(name: str) -> int:
        found = [_WORTH.index(each) for each in split_identifier(name) if each in _WORTH]
        return min(found, default=len(_WORTH))

    best = min(named, key=lambda each: order(each.name), default=None)
    if best is None or order(best.name) == len(_WORTH):
        return _judged(wide)
    assert isinstance(best.definition, Aggregate)
    return _of_aggregate(best.definition, best.name, wide)


def _judged(wide: Wide) -> TargetMeasure | None:
    """What the rows of a table are judged by: the one measure whose name says so."""
    found = [
        c for c in wide.table.columns
        if c.role == "measure" and is_numeric(c) and _JUDGED & set(split_identifier(c.name))
    ]  # fmt: skip
    most = max(found, key=lambda each: each.distinct, default=None)
    return None if most is None else TargetMeasure(wide, most.name, "average")


def profit_of(goal: Goal, wide: Wide) -> TargetMeasure | None:
    """What is left of what the rows of a table are worth, where the model has it as a difference
    of two sums."""
    for metric in goal.model.metrics:
        made = metric.definition
        if metric.dataset != wide.base.name or not isinstance(made, Arithmetic):
            continue
        if made.operator != "-" or metric.additive != "all":
            continue
        try:
            of = row_value(metric, goal.model)
        except NoRowHasIt:
            continue
        return _of_aggregate(Aggregate(function="sum", of=of), metric.name, wide)
    return None


def is_summed(name: str, wide: Wide, model: SemanticModel) -> bool:
    """Whether the model adds a measure of a table up."""
    metric = model.metric(name)
    return metric is not None and metric.dataset == wide.base.name and metric.additive != "none"


def _spans(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The words that may name a figure, with where they stand: none that only says what is
    wanted."""
    named = [t.kind == "word" and t.lower not in _WANTED for t in tokens]
    for start in range(len(tokens)):
        for size in range(_LONGEST, 0, -1):
            said = [token.lower for token in tokens[start : start + size]]
            if len(said) < size or not all(named[start : start + size]):
                continue
            if said[0] in FUNCTION_WORDS or said[-1] in FUNCTION_WORDS:
                continue
            yield start, tuple(said)


def _read(said: Sequence[str], goal: Goal) -> TargetMeasure | None:
    """The figure that words name by themselves, or with `rate` behind them."""
    for text in (" ".join(said), f"{' '.join(said)} rate"):
        found = read_question(text, goal.tables, goal.model)
        if found is None or found.cost > _BELIEVED or found.skipped or found.query.by:
            continue
        wide = next((s.wide for s in goal.scopes if s.wide.base.name == found.query.dataset), None)
        if wide is None or len(found.query.metrics) > 1:
            continue
        if found.query.metrics:
            made = _of_metric(found.query.metrics[0], " ".join(said), wide, goal.model)
        else:
            made = _of_state(found.query.where, " ".join(said), wide)
        if made is not None:
            return made
    return None


def _of_metric(
    metric: Expression, said: str, wide: Wide, model: SemanticModel
) -> TargetMeasure | None:
    if isinstance(metric, MetricRef):
        known = model.metric(metric.metric)
        if known is None or not isinstance(known.definition, Aggregate):
            return None
        metric = known.definition
    return _of_aggregate(metric, said, wide) if isinstance(metric, Aggregate) else None


def _of_aggregate(made: Aggregate, said: str, wide: Wide) -> TargetMeasure | None:
    if made.function == "share":
        return _of_state(made.where, said, wide)
    if made.function not in ("sum", "average") or made.where is not None:
        return None
    how: How = "sum" if made.function == "sum" else "average"
    if isinstance(made.of, FieldRef):
        name = wide.names.get((made.of.dataset, made.of.field))
        if name is None or not (breaks_down(wide.of(name)) or is_numeric(wide.of(name))):
            return None
        numbered = wide.of(name).type == "integer" and not breaks_down(wide.of(name))
        called = set(split_identifier(name))
        how = "average" if called & _TIMES and not called & _USED else how
        return None if numbered else TargetMeasure(wide, name, how)
    if not isinstance(made.of, Arithmetic):
        return None
    known = wide.names
    fields = [(e.dataset, e.field) for e in parts(made.of) if isinstance(e, FieldRef)]
    made_of = tuple(known[each] for each in fields if each in known)
    expression: Expression = made.of
    times = {wide.of(each).type for each in made_of if wide.of(each).role == "time"}
    shown = said
    if times == {"timestamp"}:  # a difference of times is one of days
        expression = Arithmetic(operator="*", left=expression, right=Constant(value=24))
    if times:
        shown, how = f"{said} ({'hours' if times == {'timestamp'} else 'days'})", "average"
    more = with_column(wide, (said, expression))
    return (
        TargetMeasure(more, said, how, words=shown, made_of=made_of) if said in more.home else None
    )


def _of_state(where: Predicate | None, said: str, wide: Wide) -> TargetMeasure | None:
    """The share of the rows that are in a state: a value of a column, or that it is known."""
    match where:
        case Comparison(left=FieldRef() as of, operator="=", right=Constant(value=value)):
            yes = str(value)
        case Not(of=Missing(of=FieldRef() as of)):
            yes = ""
        case _:
            return None
    name = wide.names.get((of.dataset, of.field))
    if name is None or not (yes or wide.of(name).missing):
        return None
    return TargetMeasure(wide, name, "share", yes, said)
