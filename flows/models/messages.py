"""Messages, tools and pictures of a request in the JSON of OpenAI's protocol."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from flows.core.chat import ChatRequest, ImagePart, Message, ToolCall
from flows.core.pictures import media_type_of
from flows.errors import ModelRefused
from flows.models.text import valid_text
from flows.models.tool_names import ToolNames, sent_name


def sent_messages(request: ChatRequest) -> list[dict[str, Any]]:
    """The parameter `messages`. Errors: `ModelRefused` for a picture that is not at hand."""
    return [_message(each, request.pictures) for each in request.messages]


def tool_parameters(request: ChatRequest) -> dict[str, Any]:
    """The parameters `tools` and `tool_choice`; none where no function is offered.

    Errors: `ModelRefused` for a choice of a function that is not offered.
    """
    names, choice = ToolNames(request.tools), request.tool_choice
    if not len(names):
        return {}
    sent: dict[str, Any] = {"tools": names.sent()}
    if choice in ("none", "required"):
        sent["tool_choice"] = choice
    elif choice != "auto":
        name = sent_name(choice)
        if name not in {each["function"]["name"] for each in sent["tools"]}:
            raise ModelRefused(f"the function {choice!r} has to be called, and is not offered")
        sent["tool_choice"] = {"type": "function", "function": {"name": name}}
    return sent


def _message(message: Message, pictures: Mapping[str, bytes]) -> dict[str, Any]:
    text = valid_text(message.content)
    if message.tool_calls:
        calls = [_tool_call(each) for each in message.tool_calls]
        return {"role": message.sent_role, "content": text or None, "tool_calls": calls}
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}
    if not message.images:
        return {"role": message.sent_role, "content": text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts += [_picture(each, pictures) for each in message.images]
    return {"role": message.sent_role, "content": parts}


def _tool_call(call: ToolCall) -> dict[str, Any]:
    arguments = valid_text(json.dumps(dict(call.arguments), ensure_ascii=False))
    function = {"name": sent_name(call.name), "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _picture(image: ImagePart, pictures: Mapping[str, bytes]) -> dict[str, Any]:
    url = image.url
    if not url:
        content = pictures.get(image.artifact)
        kind = media_type_of(content) if content is not None else None
        if content is None or kind is None:
            raise ModelRefused(f"the picture {image.artifact!r} is not at hand")
        url = f"data:{kind};base64,{b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}
