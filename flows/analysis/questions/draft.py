"""What a question says, before it is said of which dataset's rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from flows.analysis.questions.parts import (
    AgainstPart,
    BoundPart,
    ContainingPart,
    CoursePart,
    DenialPart,
    EventPart,
    ExtremePart,
    FormPart,
    GrowthPart,
    KnownPart,
    LatestPart,
    NounPart,
    Operand,
    PeriodsPart,
    RangePart,
    ValuePart,
    WhenPart,
)
from flows.semantics.query import (
    Expression,
    FieldRef,
    Function,
    Grain,
    MetricRef,
    Predicate,
)

IMPLIED: Final = 0.25  # what it costs that something has to be thought of


class Impossible(Exception):
    """The parts of a question do not fit each other, or the rows that are tried."""


@dataclass(slots=True)
class DraftMeasure:
    """A figure of many rows: of an operand, or the number of rows of a dataset; `per` is what it is
    divided by. `test` is what is so of the rows of which a share is asked."""

    function: Function | None
    operand: Operand | None
    dataset: str = ""
    at: float | None = None
    place: int = 0
    per: Operand | NounPart | None = None
    test: Predicate | None = None
    period: str = ""
    usual: Grain | None = None  # it is that of a usual period of this length
    expression: Expression | None = None  # the figure itself, where another question made it
    each: bool = False  # said of each one, as `earn` is
    scale: float = 1.0  # how many times it is taken
    repeats: bool = False  # of each thing as often as there are rows of it, if the rows say so
    limit: bool = False  # what it is divided by is the limit of each row, or of one it leads to


Entity = FieldRef | NounPart | Grain
Condition = (
    ValuePart
    | ContainingPart
    | WhenPart
    | BoundPart
    | RangePart
    | AgainstPart
    | PeriodsPart
    | LatestPart
    | KnownPart
)


@dataclass(slots=True)
class QuestionDraft:
    """What a question says, before it is said of which dataset's rows. `denied` are the conditions
    that do not hold together where there is a `denial`."""

    measures: list[DraftMeasure] = field(default_factory=list)
    groups: list[Entity] = field(default_factory=list)
    subject: Entity | None = None
    shown: list[FieldRef] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    denial: DenialPart | None = None
    denied: list[Condition] = field(default_factory=list)
    repeats: bool = False
    called: str | None = None  # the rows that the value at the beginning calls: `houses with`
    persons: tuple[str, ...] = ()
    extreme: ExtremePart | None = None
    compared: bool = False
    banded: bool = False
    beside: Condition | None = None  # the rows without it are told beside those with it
    judged: bool = False  # how something did is asked, by no figure
    spoken: Operand | None = None  # a measure that is spoken of and not asked for
    spread: FieldRef | None = None
    asked: str = ""
    form: FormPart | None = None
    event: EventPart | None = None
    change: GrowthPart | None = None
    course: CoursePart | None = None
    usual: Grain | None = None  # the length of the periods of which a usual one is asked for
    # Of a share: the conditions of the part, which is one of what the other conditions leave.
    share: tuple[Condition, ...] | None = None
    cost: float = 0.0
    notes: list[str] = field(default_factory=list)


def row_value(operand: Operand) -> Expression:
    """An operand as a value of one row."""
    if isinstance(operand, MetricRef):
        raise Impossible("a metric is no value of a row")
    return operand
