"""A question about tables, answered with SQL that the model writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Service
from flows.core.observation import Caution, Observation
from flows.core.reply import Reply, ReplySchema
from flows.core.run import Run
from flows.core.values import Values
from flows.data.query import Engine
from flows.errors import FlowsError, QueryFailed, QueryRefused, StepFailed
from flows.library.blocks.chat import ChatConfig, ChatFlow
from flows.library.blocks.compile import CompileConfig, CompileFlow, CompileOutputs
from flows.library.blocks.correction import TrialFailed, propose
from flows.library.blocks.query import QueryConfig, QueryFlow
from flows.library.blocks.reading import Prose, ReplyProblem, reader_of, without_nulls
from flows.library.blocks.rewrite import NAME as GLOSSARY
from flows.library.blocks.rewrite import rewriting_flow
from flows.semantics.request import Request, Tabular

# How a language model may answer: with a request alone, with SQL or code of its own, or as it sees
# fit.
By = Literal["auto", "request", "sql"]
_WITHOUT: Final[Mapping[By, frozenset[str]]] = {
    "auto": frozenset(), "request": frozenset({"sql", "code"}), "sql": frozenset({"request"}),
}  # fmt: skip


def without(by: By) -> frozenset[str]:
    """The keys of a reply that a model which answers so may not give."""
    return _WITHOUT[by]


class SqlConfig(FlowConfig):
    """The keys of a SQL agent."""

    description: str = "Answers a question about the data tables with one SQL query."
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str = "analyst.system.j2"
    human_prompt: str = "analyst.human.j2"
    correction_prompt: str = "chat.correction.j2"
    by: By = Field(
        default="auto",
        description="whether a language model answers with a request, with SQL of its own, or with "
        "either; with `sql` it is asked even where the request is known",
    )
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
    """A query, as a request or as SQL, or why there can be none. `confidence` is from 0 to 1."""

    request: Annotated[Tabular | None, BeforeValidator(without_nulls)] = None
    sql: str | None = None
    explanation: Prose = ""
    confidence: float | None = Field(default=None, ge=0, le=1)
    warnings: tuple[Caution, ...] = ()
    cannot: str | None = None


class Found(Reply):
    """What was tried for the question and found wanting: the SQL or code, and what came of it."""

    tried: str
    kind: Literal["empty", "failed"]
    said: str


class QuestionInputs(Ports):
    """A question, or a task, which may be a part of a question.

    `request` is what it was read as, where somebody has read it. `alone` says that all of the
    answer is wanted, and not the rows alone that others go on with. `dialects` are those that may
    be used, in words; `found` is what was tried before; `answer_above` and `ask_above` are the
    confidence below which to ask back or to say no.
    """

    question: str = ""
    request: Request | None = None
    task: str = ""
    context: str = ""
    by: By = "auto"
    alone: bool = False
    dialects: str = ""
    found: tuple[Found, ...] = ()
    answer_above: float = 0.0
    ask_above: float = 0.0
    correction: str = ""


class Known(NamedTuple):
    """What a request was compiled to and what its query gave: None for one that no query answers,
    or whose query did not run, which `found` then says."""

    compiled: CompileOutputs
    gave: Values | None = None
    found: tuple[Found, ...] = ()


async def query_for(
    run: Run, compiling: Flow, query: Flow, request: Request, **more: bool
) -> Known:
    """What the outputs of `query` are for a request that somebody has read; no model is asked.
    `more` are further inputs of `compiling`."""
    made = await run.call(compiling, {"request": request, **more})
    compiled = CompileOutputs.model_validate(made)
    if compiled.sql is None:
        return Known(compiled)
    try:
        return Known(compiled, await run.call(query, {"sql": compiled.sql}))
    except StepFailed as failure:
        if not isinstance(failure.root, QueryRefused | QueryFailed):
            raise
        said = str(failure.root)
    return Known(compiled, None, (Found(tried=compiled.sql, kind="failed", said=said),))


async def query_with_model(
    run: Run,
    chat: Flow,
    compiling: Flow,
    query: Flow,
    asked: Mapping[str, Any],
    *,
    corrections: int,
    otherwise: Callable[[str], FlowsError],
    speaker: str = "",
) -> tuple[SqlReply, Values | None]:
    """The reply of a chat that asks for a query, and the outputs of `query`, which has run it. A
    request is made SQL by `compiling`.

    There are none where the model says that there can be no query. What does not run is asked
    anew. Errors: `QueryRefused` or `QueryFailed` of the last query; what `otherwise` makes of
    replies that cannot be used.
    """

    async def check(reply: SqlReply) -> tuple[SqlReply, Values | None]:
        sql = reply.sql or ""
        if reply.request is not None:
            made = CompileOutputs.model_validate(
                await run.call(compiling, {"request": reply.request})
            )
            if made.sql is None:
                raise ReplyProblem(made.problem or "what is asked then must be a query")
            sql, reply = made.sql, reply.model_copy(update={"explanation": made.words})
        if not _is_said(sql):
            if _is_said(reply.cannot):
                return reply, None
            raise ReplyProblem('the object must have "request", "sql" with a query, or "cannot" '
                               "with a reason")  # fmt: skip
        try:
            return reply, await run.call(query, {"sql": sql})
        except StepFailed as failure:
            root = failure.root
            if not isinstance(root, QueryRefused | QueryFailed):
                raise
            if speaker:
                run.notice(f"The query did not run: {root}")
            failed = Found(tried=sql, kind="failed", said=str(root))
            raise TrialFailed(root, found=(failed,)) from failure

    return await propose(
        run, chat, asked, reader_of(SqlReply), check,
        corrections=corrections, otherwise=otherwise, speaker=speaker,
    )  # fmt: skip


class SqlFlow(CompositeFlow):
    """Runs the query that a question was read as; where nobody has read it, asks the model for a
    query, as a request or as SQL. A fault goes back to the model, with its reason."""

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
            context=("tables", "semantics", "form", "methods"),
            json_reply=True,
        )
        query = QueryConfig(
            description="Runs the SQL.",
            max_rows=config.max_rows,
            query_timeout=config.query_timeout,
            engine=config.engine,
        )
        schema = ReplySchema.of(SqlReply, without(config.by))
        self.write = ChatFlow(chat, parts.below("write"), QuestionInputs, schema)
        self.compile = CompileFlow(CompileConfig(), parts.below("compile"))
        self.query = QueryFlow(query, parts.below("query"))
        self.subflows = {"write": self.write, "compile": self.compile, "query": self.query}
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
        if request is not None and self.config.by != "sql":
            # With the values that its first rows rest on, where the database takes that.
            for more in ({"evidence": True}, {}):
                known = await query_for(run, self.compile, self.query, request, **more)
                if known.gave is not None:
                    warnings = known.compiled.warnings
                    return {"observation": _with_warnings(known.gave["observation"], warnings)}
                if not known.found:
                    break
        asked = {"question": question, "dialects": self.dialects, "by": self.config.by}
        reply, gave = await query_with_model(
            run, self.write, self.compile, self.query, {**asked, "request": request},
            corrections=self.config.corrections, otherwise=_no_sql,
        )  # fmt: skip
        if gave is not None:
            return {"observation": _with_warnings(gave["observation"], reply.warnings)}
        text = f"The question cannot be answered: {reply.cannot}"
        return {"observation": Observation(kind="error", text=text)}


def _with_warnings(observation: Observation, warnings: Sequence[Caution]) -> Observation:
    """The observation with what is to be minded of it."""
    told = [f"Warning: {each.text}" for each in warnings if each.text]
    return observation.model_copy(update={"text": "\n".join([observation.text, *told])})


def _is_said(text: str | None) -> bool:
    return bool(text and text.strip())


def _no_sql(problems: str) -> QueryFailed:
    return QueryFailed(f"the model gave no usable SQL: {problems}")
