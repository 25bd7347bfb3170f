"""What agents that ask a model have in common: a chat by a role, and its limits."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from flows.core.flow import FlowConfig, Parts, Ports, Service
from flows.core.reply import Reply
from flows.library.blocks.chat import ChatConfig, ChatFlow, Context


class AgentChatConfig(FlowConfig):
    """The keys that every agent with a chat has."""

    model: Service | None = Field(default=None, description="its own model; the run's without it")
    system_prompt: str
    human_prompt: str
    turns: int = Field(
        default=3, ge=1, le=10, description="how often its model is asked until a reply can be used"
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="how long a reply of its model may be"
    )


def agent_chat(
    config: AgentChatConfig,
    parts: Parts,
    role: str,
    inputs: type[Ports],
    reply: type[Reply] | None = None,
    *,
    prompts: Path,
    context: tuple[Context, ...] = (),
) -> ChatFlow:
    """The chat by which an agent asks its model. A `reply` is the shape of a reply in JSON;
    `prompts` is the folder of the prompts that come with the agent."""
    chat = ChatConfig(
        role=role,
        description=config.description,
        system_prompt=config.system_prompt,
        human_prompt=config.human_prompt,
        context=context,
        json_reply=reply is not None,
        max_tokens=config.max_tokens,
    )
    folders = (*parts.prompt_folders, prompts)
    below = Parts(name=role, services=parts.services, prompt_folders=folders)
    return ChatFlow(chat, below, inputs, reply)
