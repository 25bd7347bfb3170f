"""What a report says, whatever it is written as."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from flows.core.documents import Passage
from flows.core.observation import Caution
from flows.semantics.findings import TaskResult, Told

Answered = Literal["answered", "partly", "unanswered"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class SourceTable(_Frozen):
    """A table of a source: its name in queries, in Python code, and in its own database."""

    name: str
    frame: str
    physical: str
    rows: int = 0


class SourceUsed(_Frozen):
    """A data source that was read: its tables, and the SHA-256 of its content.

    `where` is the absolute path, or a server's address without its password; `options` how the
    config says that a file is to be read. `plain` says that it can be read as its kind usually is.
    """

    name: str
    sha256: str = ""
    tables: tuple[SourceTable, ...] = ()
    kind: str = ""
    where: str = ""
    options: dict[str, str | bool] = {}
    plain: bool = False

    @property
    def rows(self) -> int:
        return sum(each.rows for each in self.tables)


class Cost(_Frozen):
    """What the run used up to the report: wall time in seconds, and models' calls and tokens.

    `dollars` is None when a price is unknown.
    """

    seconds: float = 0.0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = None
    model: str = ""


class Report(_Frozen):
    """Everything a report shows. Tables, figures and models are names of the run's artifacts.

    `understood` says how the question was read (glossary, documents, plan), `changes` how the task
    list was changed on the way, `limits` what a reader must not conclude. `answered` says whether
    the summary answers the question. `made_at` is a time in ISO form.
    """

    run_id: str
    question: str
    understood: tuple[str, ...] = ()
    answered: Answered = "answered"
    summary: Told
    results: tuple[TaskResult, ...] = ()
    changes: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    cautions: tuple[Caution, ...] = ()
    limits: tuple[str, ...] = ()
    sources: tuple[SourceUsed, ...] = ()
    cost: Cost = Cost()
    made_with: str = ""
    made_at: str = ""
