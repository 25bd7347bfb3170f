"""What a team of data agents works with: its tasks, and what each of them found."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.observation import Caution, Observation, Preview
from flows.data.answers.citations import Citation, Traced
from flows.data.meaning.dictionary import DataDictionary
from flows.semantics.request import Asked, Request, Unparsed

TaskStatus = Literal["planned", "done", "failed", "skipped", "dropped"]
OutputType = Literal["table", "figure", "insights", "model", "text", "goal"]


class _Frozen(BaseModel):
    # NaN and infinity are told apart from null in the journal.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Task(_Frozen):
    """One entry of a task list. `name` is the agent's; `data_dependency` is the `task_id` of the
    task whose output is this one's input, None for one that begins with the data itself.

    `request` is what is to be done, typed; `description` says it in words. Without one, as in a
    task that a person or a language model wrote, the words are read once; what could not be read
    of them stays as `Unparsed`.
    """

    task_id: int = Field(ge=0)
    name: str = Field(min_length=1)
    description: str = Field(min_length=1)
    data_dependency: int | None = None
    request: Request | None = None

    @property
    def asked(self) -> Asked | None:
        """The request, if there is one that was read whole."""
        return None if isinstance(self.request, Unparsed) else self.request


class Told(_Frozen):
    """A text that is told, with the origin of each number in it.

    `source` is the text as it was written, whose numbers are references to cells.
    """

    text: str
    source: str = ""
    citations: tuple[Citation, ...] = ()
    traced: Traced | None = None


class ModelMetric(_Frozen):
    """How good a model is by one measure: on rows that it has not seen, in cross-validation, and
    what guessing the mean or the most frequent class comes to."""

    name: str
    held_out: float | None = None
    cross_validated: float | None = None
    baseline: float | None = None


class Weight(_Frozen):
    """How much a column counts in a model. `effect` is the direction and size by which the target
    changes with it, in the target's unit for one standard deviation; None where it has none."""

    feature: str
    importance: float
    effect: float | None = None


class ModelCard(_Frozen):
    """A model that was learned: of what, from how many rows, how good, and what counts in it.

    `artifact` is the saved model (skops), "" for none; `predictions` the table of those rows that
    it was judged on.
    """

    kind: str
    target: str
    features: tuple[str, ...] = ()
    rows: int = 0
    learned_rows: int = 0
    held_out_rows: int = 0
    metrics: tuple[ModelMetric, ...] = ()
    importances: tuple[Weight, ...] = ()
    artifact: str = ""
    predictions: str = ""


class Finding(_Frozen):
    """What one agent found, whichever it is.

    `response` says it in words (of a failure: why). `table` are the first rows of its main table,
    whose `artifact` holds all; `figures` are names of artifacts; `data_used` those of the tables
    that it was given, or of the sources that it read. `insights` have the cells of their numbers.
    Of a goal that a team of its own worked on, `parts` are the results of its tasks.
    """

    output_type: OutputType
    response: str
    plan: tuple[str, ...] = ()
    sql: str | None = None
    code: str | None = None
    table: Preview | None = None
    dictionary: DataDictionary | None = None
    figures: tuple[str, ...] = ()
    insights: tuple[Told, ...] = ()
    model: ModelCard | None = None
    cautions: tuple[Caution, ...] = ()
    data_used: tuple[str, ...] = ()
    confidence: float | None = None
    parts: tuple[TaskResult, ...] = ()
    changes: tuple[str, ...] = ()

    def observation(self) -> Observation:
        """The finding as a controller sees it."""
        said = [self.response, *(each.text for each in self.insights)]
        said += [f"Warning: {each.text}" for each in self.cautions]
        return Observation(
            kind="ok",
            text="\n".join(dict.fromkeys(filter(None, said))),
            table=self.table,
            figures=self.figures,
            told=tuple(each.source for each in self.insights if each.source),
            cautions=self.cautions,
        )


class TaskResult(_Frozen):
    """A task, what came of it, and how long it took. `finding` of a failed one holds only why."""

    task: Task
    status: TaskStatus
    agent_description: str = ""
    finding: Finding
    seconds: float = 0.0
