"""The agent that gets data: one SQL query, its whole result, and what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.observation import Caution
from flows.core.run import Run
from flows.core.values import Values
from flows.data.query import Engine
from flows.library.analyst.action_calls import unusable
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs, found
from flows.library.analyst.extract import ExtractConfig, ExtractFlow
from flows.library.analyst.writing import Cannot, rows_words, with_new_columns
from flows.library.blocks.compile import CompileConfig, CompileFlow
from flows.library.blocks.sql import Found, SqlReply, query_for, query_with_model
from flows.semantics.findings import Finding, OutputType

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


class DataProcessorSQLAgentFlow(CompositeFlow):
    """Runs the query that a task asks for; where that is not known yet, or no query can say it, has
    a model write one. What is refused or fails goes back to it with its reason."""

    required: ClassVar[tuple[str, ...]] = (ACTION, DESCRIBE)
    gives: ClassVar[OutputType] = "table"
    needs: ClassVar[Mapping[str, str]] = {"data": "data", "semantics": "semantics"}
    Config: ClassVar[type[FlowConfig]] = DataProcessorConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def __init__(self, config: DataProcessorConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.write, self.describe = (self.subflows[name] for name in self.required)
        extract = ExtractConfig(
            max_rows=config.max_rows, query_timeout=config.query_timeout, engine=config.engine
        )
        self.extract = ExtractFlow(extract, Parts("extract", services=parts.services))
        compiling = Parts("compile", services=parts.services)
        self.compile = CompileFlow(CompileConfig(), compiling)
        self.subflows |= {"extract": self.extract, "compile": self.compile}

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        reply, got = await self._queried(inputs, run)
        observation, table = got["observation"], got["observation"].table
        made = {"task": inputs.task, "code": table.sql or ""}
        dictionary = await with_new_columns(
            run, self.describe, made, got["dictionary"], got["new"], table, self.config.corrections
        )
        warned = tuple(
            Caution(code=each.code, text=each.text) for each in reply.warnings if each.text
        )
        if observation.kind == "empty":
            warned = (*warned, Caution(code="empty", text="The query found no rows."))
        if got["left_out"]:
            warned = (*warned, Caution(code="no_partner", text=got["left_out"]))
        response = rows_words(table) if observation.kind == "ok" else observation.text
        return found(
            Finding(
                output_type="table", response=f"{response} {reply.explanation}".strip(),
                sql=table.sql,
                table=table, dictionary=dictionary, cautions=warned, data_used=got["sources"],
                confidence=reply.confidence,
            )
        )  # fmt: skip

    async def _queried(self, inputs: AgentInputs, run: Run) -> tuple[SqlReply, Values]:
        """The query that ran and what it gave: that of the task's request, where it has one that a
        query answers; else of the model. Errors: of the last query; `Cannot`."""
        found: tuple[Found, ...] = ()
        if inputs.request is not None:
            known = await query_for(run, self.compile, self.extract, inputs.request, by_figure=True)
            if known.gave is not None:
                return SqlReply(sql=known.compiled.sql), known.gave
            found = known.found
        asked = {
            "task": inputs.task, "request": inputs.request, "question": inputs.question,
            "context": inputs.context, "found": found,
        }  # fmt: skip
        reply, gave = await query_with_model(
            run, self.write, self.compile, self.extract, asked, corrections=self.config.corrections,
            otherwise=unusable(self.write), speaker=f"The reply of {self.write.name}",
        )  # fmt: skip
        if gave is None:
            raise Cannot(f"this cannot be done: {reply.cannot}")
        return reply, gave
