"""The semantic model: what the data mean, whichever files or databases they are in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Cell
from flows.semantics.query import Expression

Role = Literal["identifier", "category", "measure", "time", "flag", "text", "place"]
DataType = Literal["integer", "real", "text", "boolean", "date", "timestamp", "time", "other"]
Direction = Literal["", "up", "down"]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Number(Part):
    """A text read as a number: signs of currency, blanks and `thousands` are left out, and before
    them the texts `left_out` (a unit in its spellings); `decimal` is the mark before decimals,
    brackets mean a negative number; `scale` is 0.01 for percentages meant as parts of one."""

    kind: Literal["number"] = "number"
    decimal: Literal[".", ","] = "."
    thousands: Literal["", ",", ".", " ", "'"] = ""
    scale: float = 1.0
    left_out: tuple[Annotated[str, Field(min_length=1)], ...] = ()


class Time(Part):
    """A text read as a date or a time, by a format of `strftime`; by the first of `others` that
    fits where this one does not."""

    kind: Literal["time"] = "time"
    format: str
    others: tuple[str, ...] = ()


class Unknown(Part):
    """Values that stand for a missing one, such as `n/a` or -99."""

    kind: Literal["unknown"] = "unknown"
    values: tuple[Cell, ...] = Field(min_length=1)


class Fold(Part):
    """Categories that are written in several ways: trimmed, and each way of writing as `names` has
    it; pairs of what stands in the data and what is meant."""

    kind: Literal["fold"] = "fold"
    names: tuple[tuple[str, str], ...] = ()


Cleaning = Annotated[Number | Time | Unknown | Fold, Field(discriminator="kind")]


class SemanticField(Part):
    """A column and what it means.

    `column` is its physical name, `cleaning` what is done with its values, in this order, before
    anything is asked of them; `type` is their type after that. `expression` makes a field that has
    no column of its own from others of its row. `values` are known values, in their order where
    `ordered`. `words` are what people call it besides its name. `least` and `most` are the ends of
    what was found in the data once they are cleaned; no file says them.
    """

    name: str
    role: Role
    type: DataType
    column: str = ""
    cleaning: tuple[Cleaning, ...] = ()
    expression: Expression | None = None
    unit: str = ""
    words: tuple[str, ...] = ()
    description: str = ""
    values: tuple[str, ...] = ()
    ordered: bool = False
    least: Cell = None
    most: Cell = None
    inferred: bool = True

    @property
    def spelled(self) -> SemanticField:
        """The field with its spellings folded and nothing else done: what totals are told by,
        where the rest of the column holds dates or numbers."""
        folds = tuple(each for each in self.cleaning if isinstance(each, Fold))
        return self if folds == self.cleaning else self.model_copy(
            update={"cleaning": folds, "type": "text"}
        )  # fmt: skip


class Dataset(Part):
    """A table and what a row of it is.

    `noun` and `plural` are what a row and rows are called ("order", "orders"), `words` other names
    for them. `key` identifies a row, `unique` are further keys, `label` is the field that names a
    row to people, `time` the field that says when it happened. `totals` says which rows are sums
    of others (values of a field as it is `spelled`), and are left out.
    """

    name: str
    source: str
    table: str
    noun: str
    plural: str
    words: tuple[str, ...] = ()
    description: str = ""
    fields: tuple[SemanticField, ...]
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    label: str = ""
    time: str = ""
    totals: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def find(self, name: str) -> SemanticField | None:
        return next((each for each in self.fields if each.name == name), None)


class Relationship(Part):
    """Rows of one dataset that refer to a row of another, or of the same.

    Many rows of `dataset` may refer to one of `to`; one at most where `single`. `role` is what the
    referred row is to the one that refers ("manager", "departure airport"); `back` what the
    referring rows are to it ("reports").
    """

    name: str
    dataset: str
    fields: tuple[str, ...] = Field(min_length=1)
    to: str
    to_fields: tuple[str, ...] = Field(min_length=1)
    single: bool = False
    role: str = ""
    back: str = ""
    inferred: bool = True


class Cumulative(Part):
    """A metric summed up along time: since the beginning, within the last `window` periods of
    `grain`, or from the beginning of the current `grain`.

    In a query by a period of the dataset's time it is summed up to the end of each period, else up
    to today (and over all rows where there is no `grain`)."""

    kind: Literal["cumulative"] = "cumulative"
    metric: str
    grain: Literal["", "year", "half", "quarter", "month", "week", "day"] = ""
    window: int = Field(default=0, ge=0)


class Conversion(Part):
    """The percentage of entities with a `base` event that have a `converted` event at that time or
    later, within so many days (0: whenever). Both are names of metrics, whose rows are the events;
    `entity` is a field of the datasets of both."""

    kind: Literal["conversion"] = "conversion"
    base: str
    converted: str
    entity: str
    days: int = Field(default=0, ge=0)


class Metric(Part):
    """A figure that has a name.

    `additive` says whether the figures of parts sum up to that of the whole: `all`, `not over time`
    (a balance) or `none` (a rate, a price). `better` says which way is good.
    """

    name: str
    dataset: str
    definition: Annotated[Expression | Cumulative | Conversion, Field(discriminator="kind")]
    unit: str = ""
    additive: Literal["all", "not over time", "none"] = "all"
    better: Direction = ""
    words: tuple[str, ...] = ()
    description: str = ""
    inferred: bool = True

    @property
    def type(self) -> Literal["simple", "ratio", "derived", "cumulative", "conversion"]:
        """What kind of metric it is, in the words of dbt."""
        made = self.definition
        if isinstance(made, Cumulative | Conversion):
            return made.kind
        if made.kind == "aggregate":
            return "simple"
        return "ratio" if made.kind == "arithmetic" and made.operator == "/" else "derived"


class Calendar(Part):
    """How time is counted. `today` is the last date in the data, the clock's, or a date; a fiscal
    year begins with the month `fiscal_start`, a week on the day `week_start`."""

    today: Literal["data", "clock"] | date = "data"
    fiscal_start: int = Field(default=1, ge=1, le=12)
    week_start: Literal["monday", "sunday"] = "monday"


class SemanticModel(Part):
    """Datasets, how they belong together, and what is measured.

    Names are unique: of datasets, of relationships, of metrics, and of fields in their dataset.
    """

    name: str = "data"
    description: str = ""
    datasets: tuple[Dataset, ...]
    relationships: tuple[Relationship, ...] = ()
    metrics: tuple[Metric, ...] = ()
    calendar: Calendar = Calendar()

    def dataset(self, name: str) -> Dataset | None:
        return next((each for each in self.datasets if each.name == name), None)

    def metric(self, name: str) -> Metric | None:
        return next((each for each in self.metrics if each.name == name), None)

    def relationship(self, name: str) -> Relationship | None:
        return next((each for each in self.relationships if each.name == name), None)

    def neighbours(self, dataset: str) -> Iterator[tuple[Relationship, str]]:
        """The relationships of a dataset, each with the dataset at its other end; one of a dataset
        with itself comes once."""
        for each in self.relationships:
            if each.dataset == dataset:
                yield each, each.to
            elif each.to == dataset:
                yield each, each.dataset
