"""Which step of a flow writes its reply, known before the flow runs."""

from __future__ import annotations

from flows.core.flow import Flow
from flows.core.interface import KeyInterface
from flows.core.sequential import SequentialFlow
from flows.library.blocks.chat import ChatFlow
from flows.services.run_reply import SAID

_CHAT_TEXT = "api_output"


def reply_step(flow: Flow) -> str | None:
    """The path of the chat with a model whose text is the reply of the flow, as it is; None where
    no one chat writes it, or something is made of its text before it is the reply."""
    names = flow.output_names()
    keys: list[str] = [each for each in SAID if each in names]
    if not keys and len(names) == 1:
        keys = [*names]
    return _writer(flow, keys[0]) if keys and "*" not in names else None


def _writer(flow: Flow, key: str) -> str | None:
    """The path of the chat that writes an output of a flow."""
    if isinstance(flow, ChatFlow):
        return flow.path if key == _CHAT_TEXT and not flow.config.json_reply else None
    if type(flow) is not SequentialFlow:
        return None
    for step in reversed(flow.steps):
        made = _name_before(step.sink, key)
        names = step.flow.output_names()
        if made is None or "*" in names:
            return None
        if made in names:
            return _writer(step.flow, made)
    return None


def _name_before(sink: KeyInterface | None, key: str) -> str | None:
    """What a step's flow calls the output that becomes the key; "" for one that does not, None
    where the interface makes something else of it."""
    if sink is None:
        return key
    config = sink.config
    if config.target or config.additional_transformations or key in config.keys_to_set:
        return None
    if key in config.keys_to_delete or (config.keys_to_select and key not in config.keys_to_select):
        return ""
    copied = {new: old for old, new in config.keys_to_copy.items()}
    renamed = {new: old for old, new in config.keys_to_rename.items()}
    key = copied.get(key, key)
    return renamed.get(key, "" if key in config.keys_to_rename else key)
