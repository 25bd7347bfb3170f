"""The toolsmith: makes tools for the data at hand, and keeps those that tests and validation bear
out."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.prediction.plan import Planning
from flows.core.flow import Ports
from flows.core.reply import Reply
from flows.library.blocks.agent_chat import AgentChatConfig


class ToolSmithConfig(AgentChatConfig):
    """The keys of a toolsmith."""

    description: str = "Makes tools for the data at hand."
    system_prompt: str = "toolsmith.system.j2"
    human_prompt: str = "toolsmith.human.j2"
    most_tools: int = Field(default=8, ge=1, le=40)


class ToolDesignInputs(Ports):
    """What tools are made for, typed for rules and in words for a model."""

    given: Planning
    background: str = ""
    data: str = ""
    documents: str = ""
    experience: str = ""
    correction: str = ""


class DraftReply(BaseModel):
    """A tool as its maker wrote it, and what in the data calls for it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    source: str
    why: str = ""


class ToolDesignReply(Reply):
    tools: tuple[DraftReply, ...] = ()
