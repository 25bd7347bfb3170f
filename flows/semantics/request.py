"""The request: what was asked, typed, for rules, language models, plans and follow-ups alike."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from flows.core.reply import REPLY
from flows.semantics.node import Node
from flows.semantics.query import Constant, Expression, FieldRef, Predicate, Query

ChartType = Literal[
    "", "bar", "line", "area", "stacked", "scatter", "histogram", "box", "pie", "heatmap"
]  # fmt: skip


class Argument(Node):
    """What a method is given under a name: fields, values or other expressions."""

    name: str
    values: tuple[Expression, ...]


class Analysis(Node):
    """A method applied to rows: `over` says to which, of its dataset.

    `method` is a name that the table of methods knows; what arguments it takes, its own model says.
    """

    kind: Literal["analysis"] = "analysis"
    method: str
    over: Query
    arguments: tuple[Argument, ...] = ()

    def values(self, name: str) -> tuple[Expression, ...]:
        """The values of an argument; empty where it is not given."""
        return next((each.values for each in self.arguments if each.name == name), ())

    def fields(self, name: str) -> tuple[str, ...]:
        """The names of the fields that an argument holds."""
        return tuple(each.field for each in self.values(name) if isinstance(each, FieldRef))

    def text(self, name: str) -> str:
        """The first value of an argument as text; empty where it is not given."""
        first = next(iter(self.values(name)), None)
        return str(first.value) if isinstance(first, Constant) else ""


class Chart(Node):
    """A picture of what a query gives or an analysis finds. An empty `type` leaves the choice."""

    kind: Literal["chart"] = "chart"
    of: Query | Analysis = Field(discriminator="kind")
    type: ChartType = ""
    x: Expression | None = None
    y: Expression | None = None
    color: Expression | None = None


class Describe(Node):
    """What the data hold: all `tables`, a dataset's `profile`, its `columns`, the `values` of a
    field, or the `definition` of a metric, a field or a dataset."""

    kind: Literal["describe"] = "describe"
    subject: Literal["tables", "profile", "columns", "values", "definition"]
    dataset: str = ""
    field: str = ""
    metric: str = ""


class Derive(Node):
    """A new column that is computed from others of its row."""

    kind: Literal["derive"] = "derive"
    name: str
    of: Expression


class Keep(Node):
    """Only the rows for which a predicate holds."""

    kind: Literal["keep"] = "keep"
    where: Predicate


class Encode(Node):
    """Categories as numbers: a column for each of them, or the place in their order."""

    kind: Literal["encode"] = "encode"
    field: FieldRef
    way: Literal["one-hot", "ordinal"] = "one-hot"


class Impute(Node):
    """Missing values of a field filled in."""

    kind: Literal["impute"] = "impute"
    field: FieldRef
    way: Literal["mean", "median", "most frequent", "value"] = "median"
    value: Constant | None = None


class Split(Node):
    """The rows divided by chance into a part to learn from and one to test with."""

    kind: Literal["split"] = "split"
    test: float = Field(default=0.2, gt=0, lt=1)
    seed: int = 0


Step = Annotated[Derive | Keep | Encode | Impute | Split, Field(discriminator="kind")]


class Prepare(Node):
    """A working table made step by step, and what is then asked of it."""

    kind: Literal["prepare"] = "prepare"
    dataset: str
    steps: tuple[Step, ...] = Field(min_length=1)
    then: Query | Analysis = Field(discriminator="kind")


class Unparsed(Node):
    """A text that could not be read whole.

    `words` are those that nothing stands for, `reason` says why it could not be read. `understood`
    is what was read of it, `nearest` are up to three requests near to it that can be answered.
    """

    model_config = ConfigDict(json_schema_extra={REPLY: False})

    kind: Literal["unparsed"] = "unparsed"
    text: str
    reason: str
    words: tuple[str, ...] = ()
    understood: Request | None = None
    nearest: tuple[Request, ...] = Field(default=(), max_length=3)


class Compound(Node):
    """Several requests in one text, each answered by itself, in their order."""

    kind: Literal["compound"] = "compound"
    requests: tuple[Request, ...] = Field(min_length=2)


# What a table answers: it is one query.
Tabular = Annotated[Query | Prepare, Field(discriminator="kind")]
# What is asked and was read.
Asked = Annotated[
    Query | Analysis | Chart | Describe | Prepare | Compound, Field(discriminator="kind")
]
Request = Annotated[
    Query | Analysis | Chart | Describe | Prepare | Compound | Unparsed,
    Field(discriminator="kind"),
]

Unparsed.model_rebuild()
Compound.model_rebuild()

REQUEST: TypeAdapter[Request] = TypeAdapter(Request)
