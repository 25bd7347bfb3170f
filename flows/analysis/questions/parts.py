"""What the phrases of a question say, each as a part of the request that is to be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flows.core.observation import Cell
from flows.semantics.query import (
    Arithmetic,
    FieldRef,
    Function,
    Grain,
    MetricRef,
    Operator,
    Predicate,
)

Join = Literal["list", "range", "versus"]
# What is measured: a field, a metric, or the arithmetic of fields of one row.
Operand = FieldRef | MetricRef | Arithmetic


@dataclass(frozen=True, slots=True)
class NounPart:
    """The rows of a dataset are spoken of: `orders`, `employees`; with `via`, those to which other
    rows refer by this relationship: `support reps`."""

    dataset: str
    via: tuple[str, ...] = ()
    all_of: bool = False  # also those to which nothing refers: `per registered reader`


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A field or a metric stands there with nothing that says what is to be done with it."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class FigurePart:
    """One figure of many rows. Without an operand it is made of what the question measures."""

    function: Function
    operand: Operand | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class AmountPart:
    """`how many` (counted, or only `different` ones) or `how much` (summed up) of what the question
    goes on to name, or `of` what the word itself says: `headcount`."""

    counted: bool
    of: NounPart | None = None
    different: bool = False


@dataclass(frozen=True, slots=True)
class MeasuredPart:
    """A verb or an adjective that speaks of a measure: `earn`, `how old`."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class ComparativePart:
    """Two sides are compared: `more`, `versus`; `happier` and `more orders` also say by what."""

    operand: Operand | None = None
    counted: NounPart | None = None


@dataclass(frozen=True, slots=True)
class RestPart:
    """The rows for which what was said before does not hold, beside those: `against the rest`."""


@dataclass(frozen=True, slots=True)
class SpreadPart:
    """How many rows have each value of a field: `how are ratings spread`."""

    field: FieldRef


@dataclass(frozen=True, slots=True)
class BandsPart:
    """Ranges are announced that the question goes on to list: `by age group:`, `in each`."""

    field: Operand | None = None


@dataclass(frozen=True, slots=True)
class JudgementPart:
    """How something did, which leaves open by what figure: `how did Sales do`."""


@dataclass(frozen=True, slots=True)
class GroupingPart:
    """`by region`, `per customer`, `for each month`: one row for each of these. `averaged` says
    that what is typical of each is asked for, as `differ by` does, `asked` that one of them is:
    `which month`."""

    of: FieldRef | NounPart | Grain
    averaged: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True)
class UsualPeriodPart:
    """What a figure of a period usually is: `average monthly`, `daily average of`."""

    grain: Grain


@dataclass(frozen=True, slots=True)
class ValuePart:
    """Values of a field, which the rows have or, where not `holds`, do not have. Where `begun` they
    are all that begin with the word that is written."""

    field: FieldRef
    values: tuple[Cell, ...]
    holds: bool = True
    versus: bool = False
    begun: bool = False


@dataclass(frozen=True, slots=True)
class ContainingPart:
    """A word that stands in values of a field."""

    field: FieldRef
    text: str


@dataclass(frozen=True, slots=True)
class KnownPart:
    """A field has a value or, where not `holds`, none: `without an e-mail`, `still open`."""

    field: FieldRef
    holds: bool = True


@dataclass(frozen=True, slots=True)
class DenialPart:
    """What follows is not so: `never`, `did not`. With `datasets` no row of the first of them that
    fits belongs to a row (by the relationship `via`); where these are none, no row at all: `empty`.
    `listed`: they have no row to which a key refers: `not in the plane list`."""

    datasets: tuple[str, ...] | None = None
    via: tuple[str, ...] = ()
    listed: bool = False


@dataclass(frozen=True, slots=True)
class RolePart:
    """The values that follow are of the row that others refer to: `reports to`, `home team`."""

    relationship: str


@dataclass(frozen=True, slots=True)
class RepeatsPart:
    """Rows that are there more than once: `duplicates`, `entered twice`."""


@dataclass(frozen=True, slots=True)
class WhenPart:
    """A period of the time of the rows. `test` speaks of the field `TIME`, which stands for it."""

    test: Predicate


@dataclass(frozen=True, slots=True)
class BoundPart:
    """A number that something is compared with: a field, or without one what is measured."""

    operator: Operator
    number: float
    field: Operand | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class RangePart:
    """Two numbers between which something is, both included; with `below` without the second, with
    `above` without the first."""

    low: float
    high: float
    field: Operand | None = None
    unit: str = ""
    below: bool = False
    above: bool = False


@dataclass(frozen=True, slots=True)
class AgainstPart:
    """Two fields of a row compared: `cost above revenue`, `over budget`."""

    operator: Operator
    right: Operand
    left: Operand | None = None


@dataclass(frozen=True, slots=True)
class ExtremePart:
    """The first `n` by some figure: `the 3 highest`, `most expensive`, `top 5 by revenue`.

    `vague` are words that do not say by what figure: `best`. `judged` are those for which less of
    some figures is better: the worst delay is the longest. `each` is what is said of each one:
    `best paid`. `of` is what is ranked, where the phrase says it: `biggest spender`."""

    descending: bool
    n: int = 1
    by: Operand | None = None
    counted: NounPart | None = None
    place: int = 0
    vague: bool = False
    each: bool = False
    judged: bool = False
    of: FieldRef | NounPart | None = None
    sized: bool = False  # a word of size, of which no figure is said: `our biggest customers`


@dataclass(frozen=True, slots=True)
class AskedPart:
    """What kind of thing is asked for, and how many of them: `which 3`. `persons` are the words for
    those who do what is said."""

    word: Literal["who", "which", "what", "when", "where", "whether"]
    persons: tuple[str, ...] = ()
    n: int = 1


@dataclass(frozen=True, slots=True)
class FormPart:
    """How the answer is to be written."""

    decimals: int | None = None
    scale: float = 1.0
    unit: str = ""
    currency: str = ""
    percent: bool = False

    def joined(self, other: FormPart) -> FormPart:
        """The form that two phrases ask for together."""
        return FormPart(
            decimals=self.decimals if other.decimals is None else other.decimals,
            scale=self.scale * other.scale,
            unit=other.unit or self.unit,
            currency=other.currency or self.currency,
            percent=self.percent or other.percent,
        )


@dataclass(frozen=True, slots=True)
class PeriodsPart:
    """Periods of one grain: a list (`Q1 and Q2`), the ends of a range, or `2023 vs 2024`."""

    grain: Grain
    values: tuple[Cell, ...]
    join: Join = "list"


@dataclass(frozen=True, slots=True)
class LatestPart:
    """The last period of which there are rows: `the last year we have data for`."""

    grain: Grain


@dataclass(frozen=True, slots=True)
class EventPart:
    """What happened at the time of a field, a `noun`: `signups`; or not yet: `current`."""

    field: FieldRef
    noun: bool = False
    happened: bool = True


@dataclass(frozen=True, slots=True)
class GrowthPart:
    """How a figure changes: by how much (`change`), by what percentage (`growth`), or not said.
    `up` says in which direction, `grain` from which period to the next."""

    operation: Literal["", "change", "growth"] = ""
    up: bool | None = None
    grain: Grain | None = None

    def joined(self, said: GrowthPart) -> GrowthPart:
        """Two words of one change: `by what percentage` did it `go up`."""
        operations = {self.operation, said.operation}
        return GrowthPart(
            "growth" if "growth" in operations else "change" if "change" in operations else "",
            self.up if said.up is None else said.up,
            self.grain or said.grain,
        )


@dataclass(frozen=True, slots=True)
class CoursePart:
    """A figure along time: the sum so far, the average of the last `n` periods, an index."""

    operation: Literal["running", "moving", "index"]
    n: int = 1
    grain: Grain | None = None


@dataclass(frozen=True, slots=True)
class SharePart:
    """The percentage of a whole; `part` is what the word itself says: `cancellation rate`."""

    part: ValuePart | KnownPart | None = None


@dataclass(frozen=True, slots=True)
class LinkPart:
    """The verb between a whole and its part: `comes from`, `goes to`, `is`."""


@dataclass(frozen=True, slots=True)
class PerPart:
    """What a figure is divided by; of a `period` it is one already: `per seat and month`."""

    of: Operand | NounPart
    period: str = ""
    percent: bool = False
    scale: float = 1.0  # `per 1000 inhabitants`


@dataclass(frozen=True, slots=True)
class RatePart:
    """The part of the rows of a dataset of which something is so: `attrition rate`."""

    dataset: str
    test: Predicate


@dataclass(frozen=True, slots=True)
class DifferencePart:
    """One measure less another; `relative`: as a part of the other."""

    left: Operand
    right: Operand
    relative: bool = False


@dataclass(frozen=True, slots=True)
class RatioPart:
    """One figure divided by another, `scale` times."""

    above: Operand
    below: Operand
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class ProductPart:
    """An amount times the price of one of it. Where `stated`, the question says in brackets what
    the figure is made of that it speaks of."""

    amount: FieldRef
    price: FieldRef
    stated: bool = False

    @property
    def expression(self) -> Arithmetic:
        return Arithmetic(operator="*", left=self.amount, right=self.price)


@dataclass(frozen=True, slots=True)
class WeightPart:
    """By what an average is weighted."""

    by: Operand


Part = (
    NounPart | NamedPart | FigurePart | AmountPart | MeasuredPart | GroupingPart | ValuePart
    | ContainingPart | WhenPart | BoundPart | RangePart | AgainstPart | ExtremePart | AskedPart
    | FormPart | PeriodsPart | LatestPart | EventPart | GrowthPart | CoursePart | SharePart
    | LinkPart | PerPart | DifferencePart | WeightPart | RatePart | RatioPart | ProductPart
    | UsualPeriodPart | KnownPart | DenialPart | RolePart | RepeatsPart | ComparativePart
    | SpreadPart | BandsPart | JudgementPart | RestPart
)  # fmt: skip

# Stands in the test of a period for the time of the rows that are asked about.
TIME = FieldRef(dataset="", field="")


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part from its first token to behind its last; `cost`: to believe it (0: nothing)."""

    part: Part
    start: int
    end: int
    cost: float = 0.0
