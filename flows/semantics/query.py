"""The query: rows, groups and figures of one dataset and of those that belong to it.

Expressions are trees over the fields of a semantic model; a query is made of them. Everything here
names datasets, fields, relationships and metrics of a model, never words of a question and never
text of SQL.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from flows.core.observation import Cell
from flows.core.reply import UNION
from flows.semantics.node import Node

# The length of a period, or the place of a time in a longer one. `week` begins on Monday, and a
# `fiscal year` with the month that the model's calendar says; it is called by the year it ends in.
Grain = Literal[
    "year", "half", "quarter", "month", "week", "day", "hour",
    "quarter of year", "month of year", "day of month", "weekday", "hour of day",
    "fiscal year", "fiscal quarter",
]  # fmt: skip
Function = Literal[
    "count", "count distinct", "sum", "average", "median", "minimum", "maximum", "percentile",
    "deviation", "share",
]  # fmt: skip
Place = Literal["contains", "starts", "ends"]
Operator = Literal["=", "!=", ">", ">=", "<", "<="]


class FieldRef(Node):
    """A field of a dataset.

    `via` are the names of the relationships that lead from the query's dataset to this one, in
    their order; empty where the field is the dataset's own or only one shortest way leads there. A
    relationship of a dataset with itself leads from the row that refers to the one referred to;
    with `-` before its name it leads back.
    """

    kind: Literal["field"] = "field"
    dataset: str
    field: str
    via: tuple[str, ...] = ()


class Constant(Node):
    """A value that the question gives. Dates and times are in ISO form."""

    kind: Literal["constant"] = "constant"
    value: Cell


class Arithmetic(Node):
    """Two numbers made one; of two times, `-` gives the days from the second to the first, with a
    fraction where one of them has a time of day.

    Dividing by zero gives no value.
    """

    kind: Literal["arithmetic"] = "arithmetic"
    operator: Literal["+", "-", "*", "/"]
    left: Expression
    right: Expression


class Period(Node):
    """The period that a time lies in: the number of its `year` or `fiscal year`; the first day (or
    hour) of its `half`, `quarter`, `fiscal quarter`, `month`, `week`, `day` or `hour`; or the
    number of the `quarter of year`, `month of year`, `day of month`, `weekday` (1 is Monday) or
    `hour of day`. A column of a result holds its name where it has one: `2025-Q1`, `Thursday`.
    """

    kind: Literal["period"] = "period"
    of: Expression
    grain: Grain


class Bin(Node):
    """The range that a number lies in, by its lower end: steps of `width` from nought."""

    kind: Literal["bin"] = "bin"
    of: Expression
    width: float = Field(gt=0)


class Cast(Node):
    """A text read as a number; text that is none gives no value."""

    kind: Literal["cast"] = "cast"
    of: Expression


class DateOf(Node):
    """The day of a year, a month and a day that are numbers, as a semantic model makes it of
    columns; no value where there is no such day. A request names the field that it makes."""

    kind: Literal["date of"] = "date of"
    year: Expression
    month: Expression
    day: Expression


class Aggregate(Node):
    """One figure of many rows. Missing values are left out.

    `count` without `of` counts rows, `share` is the percentage of rows (of different values of `of`
    where it is given) for which `where` holds. Any other function takes only the rows for which
    `where` holds. `percentile` needs `at`, from 0 to 100, and lies between two values where it has
    to; `deviation` is that of a sample (n - 1).

    With `dataset` the rows are those of another dataset that refer to the rows of the query: the
    number of orders of customers. `via` leads there from the query's rows, as that of a field does.
    Each of them counts once in a group, and `of` and `where` lead from there: a row without a
    partner there is left out. A count of none is nought.
    """

    kind: Literal["aggregate"] = "aggregate"
    function: Function
    of: Expression | None = None
    where: Predicate | None = None
    at: float | None = Field(default=None, ge=0, le=100)
    dataset: str = ""
    via: tuple[str, ...] = ()


class MetricRef(Node):
    """A metric of the semantic model: of the query's dataset, or of one whose rows refer to it."""

    kind: Literal["metric"] = "metric"
    metric: str


class Scalar(Node):
    """The one value that a query gives, such as the average of all rows."""

    kind: Literal["scalar"] = "scalar"
    query: Query


Expression = Annotated[
    FieldRef
    | Constant
    | Arithmetic
    | Period
    | Bin
    | Cast
    | DateOf
    | Aggregate
    | MetricRef
    | Scalar,
    Field(discriminator="kind", json_schema_extra={UNION: "Expression"}),
]


class Comparison(Node):
    """Two values compared. With a missing value no comparison holds.

    A moment is compared with a day by the day that it is in, also in `Between` and `OneOf`: until
    the 31st means until the end of the 31st.
    """

    kind: Literal["comparison"] = "comparison"
    left: Expression
    operator: Operator
    right: Expression


class Between(Node):
    """From `low` to `high`, both ends included."""

    kind: Literal["between"] = "between"
    of: Expression
    low: Expression
    high: Expression


class OneOf(Node):
    """One of the values that the question lists."""

    kind: Literal["one of"] = "one of"
    of: Expression
    values: tuple[Cell, ...] = Field(min_length=1)


class Match(Node):
    """A text that contains, starts with or ends with another one; case does not matter."""

    kind: Literal["match"] = "match"
    of: Expression
    place: Place
    text: str


class Missing(Node):
    """There is no value."""

    kind: Literal["missing"] = "missing"
    of: Expression


class During(Node):
    """A time within a period that is counted from today: `length` periods of `grain`, the first
    of them `first` from the current one (0 this, -1 the last, 1 the next). With `to_date` it ends
    today."""

    kind: Literal["during"] = "during"
    of: Expression
    grain: Literal[
        "year", "half", "quarter", "month", "week", "day", "fiscal year", "fiscal quarter"
    ]
    first: int
    length: int = Field(default=1, ge=1)
    to_date: bool = False


class Exists(Node):
    """A row has rows of another dataset that belong to it, for which `where` holds.

    `via` leads there from the row; `where` leads on from the rows there.
    """

    kind: Literal["exists"] = "exists"
    dataset: str
    via: tuple[str, ...] = ()
    where: Predicate | None = None


class Among(Node):
    """A value that is in the one column of a query's result, whose missing values do not count."""

    kind: Literal["among"] = "among"
    of: Expression
    query: Query


class Not(Node):
    """The opposite. Where a value is missing, neither a comparison nor its opposite holds."""

    kind: Literal["not"] = "not"
    of: Predicate


class And(Node):
    kind: Literal["and"] = "and"
    of: tuple[Predicate, ...] = Field(min_length=2)


class Or(Node):
    kind: Literal["or"] = "or"
    of: tuple[Predicate, ...] = Field(min_length=2)


Predicate = Annotated[
    Comparison | Between | OneOf | Match | Missing | During | Exists | Among | Not | And | Or,
    Field(discriminator="kind", json_schema_extra={UNION: "Predicate"}),
]


class Order(Node):
    by: Expression
    descending: bool = False


class Rank(Node):
    """The first `n` rows in the order `by`, after the first `skip`; of each group where `within`
    names some. With `ties` also those that are equal to the last of them. Without `by` the order
    is that of the query's `sort`; without that either, any `n` rows."""

    by: tuple[Order, ...] = ()
    n: int = Field(ge=1)
    skip: int = Field(default=0, ge=0)
    ties: bool = False
    within: tuple[Expression, ...] = ()


class Transform(Node):
    """A column computed from the rows of the result, in the order of `along`.

    `share` is the percentage of the total, `rank` the place from the highest (a missing value has
    the last), `difference` what is left after taking `base` away; these go along no order. Along
    one go `running`, the sum so far, `moving`, the average of the last `n` rows, `change` and
    `growth` (in percent), the step from `n` rows before, and `index`, the percentage of the first
    row. Rows that are equal in the order follow by their groups, or by the key of their dataset.
    Each is made within the groups of `within`.
    """

    operation: Literal[
        "share", "rank", "running", "moving", "change", "growth", "index", "difference"
    ]
    of: Expression
    along: tuple[Order, ...] = ()
    within: tuple[Expression, ...] = ()
    n: int = Field(default=1, ge=1)
    base: Expression | None = None


class Scope(Node):
    """Some of the rows, with the name that they have in the answer."""

    name: str
    where: Predicate


class Compare(Node):
    """Two scopes side by side: each figure in `a` and in `b`, and the difference a - b.

    Rows that are in neither are left out. Groups are tested, sorted and ranked by figures of both
    scopes together, unless these say otherwise.
    """

    a: Scope
    b: Scope


class Combine(Node):
    """Rows of another query of as many columns: added to this one's, in both, or taken away."""

    operation: Literal["union", "intersect", "except"]
    query: Query


class Query(Node):
    """Figures of groups, figures of all rows, or rows.

    `dataset` is whose rows are taken. Each is joined with the rows that the fields of other
    datasets lead to, wherever the query names them: a row without a partner is left out, and one
    with several comes several times. A field in `where` leads to one row at most, or stands
    elsewhere too: for "has a row for which" there is `Exists`.

    With `metrics` the result has a row for each group of `by` (one row where there is no `by`).
    With `by` alone its rows are the groups; with neither they are the rows that were taken. `show`
    are the columns of the result in their order; empty stands for `by` and then `metrics`, and for
    all fields of the dataset where there is neither. `identity` are fields that tell groups of
    equal names apart and are not shown. `where` holds for rows, `having` for groups. `transforms`
    are columns behind those, made of all groups for which `having` holds; `compare` gives each
    metric three columns: in `a`, in `b`, and the difference a - b. Then `sort` orders the rows and
    `rank` takes the first of them. `unique` leaves out rows that repeat. `combine` adds, keeps or
    takes away the rows of others, before they are sorted; equal rows are one then. `decimals`
    rounds what is computed. Missing values come last in any order.
    """

    kind: Literal["query"] = "query"
    dataset: str
    metrics: tuple[Expression, ...] = ()
    by: tuple[Expression, ...] = ()
    show: tuple[Expression, ...] = ()
    identity: tuple[FieldRef, ...] = ()
    where: Predicate | None = None
    having: Predicate | None = None
    transforms: tuple[Transform, ...] = ()
    compare: Compare | None = None
    combine: tuple[Combine, ...] = ()
    sort: tuple[Order, ...] = ()
    rank: Rank | None = None
    unique: bool = False
    decimals: int | None = Field(default=None, ge=0, le=12)


for _each in (Arithmetic, Period, Bin, Cast, DateOf, Aggregate, Scalar, Comparison, Between, OneOf,
              Match, Missing, During, Exists, Among, Not, And, Or, Order, Rank, Transform, Scope,
              Compare, Combine, Query):  # fmt: skip
    _each.model_rebuild()


def conjuncts(where: Predicate | None) -> tuple[Predicate, ...]:
    """The conditions that must all hold."""
    if where is None:
        return ()
    return where.of if isinstance(where, And) else (where,)


def conjunction(tests: Iterable[Predicate | None]) -> Predicate | None:
    """That all of these hold, of which some may be none; None without any."""
    flat = tuple(inner for each in tests for inner in conjuncts(each))
    return And(of=flat) if len(flat) > 1 else next(iter(flat), None)
