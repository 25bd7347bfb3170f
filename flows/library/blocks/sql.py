"""A question about tables, answered with SQL that the model writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Service
from flows.core.observation import Observation
from flows.core.reply import Reply
from flows.core.run import Run
from flows.core.values import Values
from flows.data.query import Engine
from flows.errors import FlowsError, QueryFailed, QueryRefused, StepFailed
from flows.library.blocks.chat import ChatConfig, ChatFlow
from flows.library.blocks.correction import TrialFailed, propose
from flows.library.blocks.query import QueryConfig, QueryFlow
from flows.library.blocks.reading import Prose, ReplyProblem, reader_of
from flows.library.blocks.rewrite import NAME as GLOSSARY
from flows.library.blocks.rewrite import rewriting_flow
from flows.library.blocks.warning import Warned
from flows.semantics.request import Request


class SqlConfig(FlowConfig):
    """The keys of a SQL agent."""

    description: str = "Answers a question about the data tables with one SQL query."
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str = "sql.system.j2"
    human_prompt: str = "sql.human.j2"
    correction_prompt: str = "chat.correction.j2"
    max_rows: int = Field(default=200, ge=1, le=100_000, description="rows kept of a result")
    query_timeout: float = Field(default=30.0, gt=0, description="seconds for one query")
    engine: Engine = Field(default="auto", description="which database may answer")
    corrections: int = Field(default=2, ge=0, le=10, description="further tries after a fault")


class SqlInputs(Ports):
    """A question. `request` is what it was read as, where somebody has read it already."""

    question: str = Field(
        min_length=1, description="the whole question, in words, about the data tables"
    )
    request: Request | None = Field(default=None, json_schema_extra={"argument": False})


class SqlOutputs(Ports):
    observation: Observation


class SqlReply(Reply):
    """A query, or why there can be none. `confidence` is from 0 to 1."""

    sql: str | None = None
    explanation: Prose = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    warnings: tuple[Warned, ...] = ()
    cannot: str | None = None


class SqlChatInputs(Ports):
    """A question that one query answers, or a task, which may be a part of a question.

    `request` is what the question was read as, where somebody has read it. `dialects` are those
    that may be used, in words; `error` is what the last query failed with, and the query. Replies
    with a `SqlReply`.
    """

    question: str = ""
    request: Request | None = None
    task: str = ""
    context: str = ""
    dialects: str = ""
    error: str = ""
    correction: str = ""


async def query_with_model(
    run: Run,
    chat: Flow,
    query: Flow,
    asked: Mapping[str, Any],
    *,
    corrections: int,
    otherwise: Callable[[str], FlowsError],
    speaker: str = "",
) -> tuple[SqlReply, Values | None]:
    """The reply of a chat that writes SQL, and the outputs of `query`, which has run it.

    There are none where the model says that there can be no query. What does not run is asked
    anew. Errors: `QueryRefused` or `QueryFailed` of the last query; what `otherwise` makes of
    replies that cannot be used.
    """

    async def check(reply: SqlReply) -> tuple[SqlReply, Values | None]:
        if not _is_said(reply.sql):
            if _is_said(reply.cannot):
                return reply, None
            raise ReplyProblem('the object must have "sql" with a query, or "cannot" with a reason')
        try:
            return reply, await run.call(query, {"sql": reply.sql})
        except StepFailed as failure:
            root = failure.root
            if not isinstance(root, QueryRefused | QueryFailed):
                raise
            if speaker:
                run.notice(f"The query did not run: {root}")
            raise TrialFailed(root, error=f"{root} (the query was: {reply.sql})") from failure

    return await propose(
        run, chat, {**asked, "error": ""}, reader_of(SqlReply), check,
        corrections=corrections, otherwise=otherwise, speaker=speaker,
    )  # fmt: skip


class SqlFlow(CompositeFlow):
    """Asks the model for SQL and runs it; a fault goes back to the model, with its reason."""

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "glossary": "glossary",
        "semantics": "semantics",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = SqlConfig
    Inputs: ClassVar[type[Ports]] = SqlInputs
    Outputs: ClassVar[type[Ports]] = SqlOutputs

    def __init__(self, config: SqlConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        chat = ChatConfig(
            role="sql",
            description="Writes the SQL.",
            system_prompt=config.system_prompt,
            human_prompt=config.human_prompt,
            correction_prompt=config.correction_prompt,
            context=("tables",),
            json_reply=True,
        )
        query = QueryConfig(
            description="Runs the SQL.",
            max_rows=config.max_rows,
            query_timeout=config.query_timeout,
            engine=config.engine,
        )
        self.write = ChatFlow(chat, _named(parts, "write"), SqlChatInputs, SqlReply)
        self.query = QueryFlow(query, _named(parts, "query"))
        self.subflows = {"write": self.write, "query": self.query}
        self.rewrite = rewriting_flow(parts)
        if self.rewrite is not None:
            self.subflows[GLOSSARY] = self.rewrite
        self.dialects = "DuckDB and SQLite" if config.engine == "auto" else config.engine

    async def run(self, inputs: SqlInputs, run: Run) -> Values:
        question, chosen = inputs.question, None
        if self.rewrite is not None:
            rewritten = await run.call(self.rewrite, {"question": question})
            question, chosen = rewritten["question"], rewritten["request"]
        # What other words were read as says nothing of these.
        request = chosen or (inputs.request if question == inputs.question else None)
        asked = {"question": question, "dialects": self.dialects, "request": request}
        reply, gave = await query_with_model(
            run, self.write, self.query, asked, corrections=self.config.corrections,
            otherwise=_no_sql,
        )  # fmt: skip
        if gave is not None:
            return {"observation": _with_warnings(gave["observation"], reply)}
        text = f"The question cannot be answered: {reply.cannot}"
        return {"observation": Observation(kind="error", text=text)}


def _with_warnings(observation: Observation, reply: SqlReply) -> Observation:
    """The observation with what the model says is to be minded of it."""
    told = [f"Warning: {each.text}" for each in reply.warnings if each.text]
    return observation.model_copy(update={"text": "\n".join([observation.text, *told])})


def _is_said(text: str | None) -> bool:
    return bool(text and text.strip())


def _no_sql(problems: str) -> QueryFailed:
    return QueryFailed(f"the model gave no usable SQL: {problems}")


def _named(parts: Parts, name: str) -> Parts:
    return Parts(name=name, services=parts.services, prompt_folders=parts.prompt_folders)
