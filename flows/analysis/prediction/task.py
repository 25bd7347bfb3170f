"""What is to be predicted, of which tables, and how it is judged."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["regression", "binary", "multiclass"]
Predicted = Literal["label", "probability", "number"]

# The tables of a task, as code and tools know them.
TRAIN: Final = "train"
TEST: Final = "test"
SAMPLE: Final = "sample"


class SubmissionFormat(BaseModel):
    """The columns of the file to hand in, in order. `predictions` maps a column to the target that
    it holds, or to TARGET=CLASS for the probability of a class."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    identifier: str | None = None
    predictions: dict[str, str] = Field(default={})
    values: Predicted = "label"
    rows: int | None = None


class PredictionTask(BaseModel):
    """A task of prediction, read from its text and its tables, and checked against them.

    `metric` is a name of `flows.analysis.prediction.metrics`, or one's own, whose source is `own`.
    `group` is a column whose rows belong together, `time` one by which test rows come later than
    those that are learned from.
    `reasons` says of what each part was read; `doubts` what could not be settled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = ""
    background: str = ""
    targets: tuple[str, ...]
    identifier: str | None = None
    kind: Kind
    metric: str
    greater_is_better: bool
    own: str = ""
    group: str | None = None
    time: str | None = None
    has_test: bool = True
    submission: SubmissionFormat | None = None
    fields: dict[str, str] = Field(default={})
    reasons: dict[str, str] = Field(default={})
    doubts: tuple[str, ...] = ()
