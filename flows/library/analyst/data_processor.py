"""The agent that gets data: one SQL query, its whole result, and what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import FlowConfig, Parts
from flows.core.run import Run
from flows.data.findings import Caution, Finding, OutputType
from flows.data.query import Engine
from flows.errors import QueryFailed, QueryRefused, StepFailed
from flows.library.analyst.agent import AgentConfig, AgentFlow, AgentInputs, found
from flows.library.analyst.asking import ask_action
from flows.library.analyst.extract import ExtractConfig, ExtractFlow
from flows.library.analyst.writing import read_sql, rows_words, with_new_columns
from flows.library.blocks.correction import TrialFailed

ACTION, DESCRIBE = "sql_generation", "data_dictionary_generator"


class DataProcessorConfig(AgentConfig):
    """The keys of a data processor."""

    description: str = (
        "Gets data out of the tables with one SQL query: extracts columns and rows, filters, joins "
        "and aggregates. Gives a table."
    )
    max_rows: int = Field(
        default=10_000, ge=1, le=100_000,
        description="rows of a result that answers can cite; all rows are kept as Parquet",
    )  # fmt: skip
    query_timeout: float = Field(default=60.0, gt=0, description="seconds for one query")
    engine: Engine = Field(default="auto", description="which database may answer")


class DataProcessorSQLAgentFlow(AgentFlow):
    """Has a model write SQL and runs it; what is refused or fails goes back with its reason."""

    actions: ClassVar[tuple[str, ...]] = (ACTION, DESCRIBE)
    gives: ClassVar[OutputType] = "table"
    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = DataProcessorConfig

    def __init__(self, config: DataProcessorConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.write, self.describe = (self.subflows[name] for name in self.actions)
        extract = ExtractConfig(
            max_rows=config.max_rows, query_timeout=config.query_timeout, engine=config.engine
        )
        self.extract = ExtractFlow(extract, Parts("extract", services=parts.services))
        self.subflows["extract"] = self.extract

    async def run(self, inputs: AgentInputs, run: Run) -> dict[str, Any]:
        reply, got = await self._queried(inputs, run)
        observation, table = got["observation"], got["observation"].table
        made = {"task": inputs.task, "code": table.sql or ""}
        dictionary = await with_new_columns(
            run, self.describe, made, got["dictionary"], got["new"], table, self.config.corrections
        )
        warned = _cautions(reply)
        if observation.kind == "empty":
            warned = (*warned, Caution(code="empty", text="The query found no rows."))
        response = rows_words(table) if observation.kind == "ok" else observation.text
        explained = str(reply.get("explanation") or "").strip()
        return found(
            Finding(
                output_type="table", response=f"{response} {explained}".strip(), sql=table.sql,
                table=table, dictionary=dictionary, cautions=warned, data_used=got["sources"],
                confidence=_confidence(reply),
            )
        )  # fmt: skip

    async def _queried(
        self, inputs: AgentInputs, run: Run
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The reply whose query ran, and what it gave. Errors: of the last query; `Cannot`."""
        asked = {"task": inputs.task, "question": inputs.question, "context": inputs.context}
        asked["error"] = ""

        def read(reply: dict[str, Any]) -> dict[str, Any]:
            return {**reply, "sql": read_sql(reply)}

        async def ran(reply: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
            try:
                return reply, await run.call(self.extract, {"sql": reply["sql"]})
            except StepFailed as failure:
                root = failure.root
                if not isinstance(root, QueryRefused | QueryFailed):
                    raise
                run.notice(f"The query did not run: {root}")
                told = f"{root} (the query was: {reply['sql']})"
                raise TrialFailed(root, error=told) from failure

        return await ask_action(run, self.write, asked, read, self.config.corrections, ran)


def _cautions(reply: Mapping[str, Any]) -> tuple[Caution, ...]:
    """The warnings of a reply, those that are warnings."""
    warned = reply.get("warnings")
    entries = warned if isinstance(warned, list) else []
    return tuple(
        Caution(code=str(each.get("code") or "note"), text=str(each["text"]))
        for each in entries
        if isinstance(each, dict) and str(each.get("text") or "").strip()
    )


def _confidence(reply: Mapping[str, Any]) -> float | None:
    value = reply.get("confidence")
    is_share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if is_share and value is not None else None
