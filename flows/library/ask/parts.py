"""The steps of an ask flow that are made from its config."""

from __future__ import annotations

from pathlib import Path

from flows.core.flow import Parts, Ports
from flows.core.observation import Cell
from flows.library.ask.config import AskConfig
from flows.library.ask.proposal import schema_by
from flows.library.blocks.chat import ChatConfig, ChatFlow
from flows.library.blocks.code import CodeConfig, CodeFlow
from flows.library.blocks.query import QueryConfig, QueryFlow
from flows.library.blocks.sql import QuestionInputs
from flows.semantics.request import Request

PROMPTS = Path(__file__).parent / "prompts"


class NarratorInputs(Ports):
    """A result to tell: its columns, first rows, and the name by which references name it.

    `request` is what the question was read as, where that can be said so.
    """

    question: str
    request: Request | None = None
    sql: str | None = None
    code: str | None = None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    total_rows: int = 0
    result: str | None = None
    warnings: tuple[str, ...] = ()
    explanation: str = ""
    output: str = ""
    correction: str = ""


def analyst_flow(config: AskConfig, parts: Parts) -> ChatFlow:
    chat = ChatConfig(
        role="analyst",
        description="Reads the question.",
        system_prompt=config.system_prompt,
        human_prompt=config.human_prompt,
        context=("tables", "semantics", "form", "methods"),
        json_reply=True,
    )
    schema = schema_by(config.by)
    return ChatFlow(chat, _named(parts, "analyst"), QuestionInputs, schema)


def narrator_flow(config: AskConfig, parts: Parts) -> ChatFlow:
    chat = ChatConfig(
        role="narrator",
        description="Tells the result.",
        system_prompt=config.narrator_system_prompt,
        human_prompt=config.narrator_human_prompt,
        context=("tables",),
    )
    return ChatFlow(chat, _named(parts, "narrator"), NarratorInputs)


def query_flow(config: AskConfig, parts: Parts) -> QueryFlow:
    query = QueryConfig(
        description="Runs the SQL.",
        max_rows=config.max_rows,
        query_timeout=config.query_timeout,
        engine=config.engine,
        keep="all" if config.keep else "json",
    )
    return QueryFlow(query, _named(parts, "query"))


def code_flow(config: AskConfig, parts: Parts) -> CodeFlow:
    code = CodeConfig(description="Runs the code.", seconds=config.seconds)
    return CodeFlow(code, _named(parts, "code"))


def _named(parts: Parts, name: str) -> Parts:
    folders = (*parts.prompt_folders, PROMPTS)
    return Parts(name=name, services=parts.services, prompt_folders=folders)
