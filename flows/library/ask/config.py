"""The keys of an ask flow."""

from __future__ import annotations

from pydantic import Field

from flows.core.flow import FlowConfig, Service
from flows.data.query import Engine
from flows.library.blocks.sql import By


class AskConfig(FlowConfig):
    """The keys of an ask flow."""

    description: str = "Answers one question over data."
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str = "analyst.system.j2"
    human_prompt: str = "analyst.human.j2"
    narrator_system_prompt: str = "narrator.system.j2"
    narrator_human_prompt: str = "narrator.human.j2"
    by: By = Field(
        default="auto",
        description="how a language model answers: with a request, with SQL or Python of its own, "
        "or with either",
    )
    answer_above: float = Field(
        default=0.4, ge=0, le=1, description="with less confidence the model asks back"
    )
    ask_above: float = Field(
        default=0.2, ge=0, le=1, description="with less confidence nothing is answered or asked"
    )
    corrections: int = Field(default=2, ge=0, le=10, description="corrective messages a reply")
    tries: int = Field(default=3, ge=1, le=10, description="queries tried for a question")
    max_rows: int = Field(default=10_000, ge=1, le=100_000, description="rows kept of a result")
    query_timeout: float = Field(default=30.0, gt=0, description="seconds for one query")
    engine: Engine = Field(default="auto", description="which database may answer")
    seconds: float | None = Field(
        default=None, gt=0, description="wall time of code, if not the sandbox's"
    )
    draw: bool = Field(default=False, description="draw every result that a chart fits")
    keep: bool = Field(
        default=True, description="keep results as Parquet and CSV too, with what columns are"
    )
