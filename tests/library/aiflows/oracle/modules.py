"""The modules that the files of the cases name: classes for aiflows, in a folder of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.library.aiflows.oracle.inherited import INHERITED

SCRIPTED: Final = '''
import copy
import logging

from aiflows.base_flows import (
    AtomicFlow, BranchingFlow, CircularFlow, CompositeFlow, SequentialFlow
)
from aiflows.data_transformations.abstract import DataTransformation
from aiflows.interfaces import KeyInterface

CALLS = logging.getLogger("scripted")


def note(flow, data):
    """As aiflows logs a message: without the private keys."""
    told = {key: data[key] for key in data if key not in flow.flow_config["private_keys"]}
    CALLS.info(flow.name, copy.deepcopy(told))


class Echo(AtomicFlow):
    """Returns what it was given."""

    def run(self, input_data):
        note(self, input_data)
        return {"seen": input_data}


class Give(AtomicFlow):
    """Returns one mapping of `gives` after the other, the last one again and again."""

    def run(self, input_data):
        note(self, input_data)
        number = self.flow_state.get("number", 0)
        self.flow_state["number"] = number + 1
        gives = self.flow_config["gives"]
        return copy.deepcopy(gives[min(number, len(gives) - 1)])


class Kept(AtomicFlow):
    """Returns what it was given and its `amount`; its calls can be kept. It counts them in its
    state, if it is to."""

    SUPPORTS_CACHING = True
    __default_flow_config = {
        "description": "Is kept.",
        "amount": 1,
        "enable_cache": True,
        "counts": False,
        "input_interface": [],
        "output_interface": None,
    }

    def run(self, input_data):
        note(self, input_data)
        if self.flow_config["counts"]:
            self.flow_state["number"] = self.flow_state.get("number", 0) + 1
        return {"seen": [input_data, self.flow_config["amount"], self.flow_state.get("number")]}


class Add(AtomicFlow):
    """Adds `amount` to `n`; the default stands in the class."""

    __default_flow_config = {
        "description": "Adds.",
        "amount": 1,
        "input_interface": ["n"],
        "output_interface": ["n"],
    }

    def run(self, input_data):
        note(self, input_data)
        return {"n": input_data["n"] + self.flow_config["amount"]}


class Settings(AtomicFlow):
    """Returns its own settings; the default is the file beside its module."""

    def run(self, input_data):
        note(self, input_data)
        return {"settings": self.flow_config["settings"], "kind": self.flow_config["kind"]}


class MoreSettings(Settings):
    """The same, with a default config over that of its base."""


class KeptSequence(SequentialFlow):
    """A sequence whose calls can be kept."""

    SUPPORTS_CACHING = True


class KeptLoop(CircularFlow):
    """A loop whose calls can be kept."""

    SUPPORTS_CACHING = True


class KeptBranch(BranchingFlow):
    """Branches whose calls can be kept."""

    SUPPORTS_CACHING = True


class Fails(AtomicFlow):
    def run(self, input_data):
        note(self, input_data)
        raise ValueError("it fails")


class AddTwice(SequentialFlow):
    """Its default config lies beside its module."""


class AddMore(AddTwice):
    """The same, with a default config in the class over that of its base."""

    __default_flow_config = {"subflows_config": {"second": {"amount": 1000}}}


class AddMost(AddMore):
    """The same, without anything of its own."""


class Written(CircularFlow):
    """Its default config stands in the class."""

    __default_flow_config = {
        "name": "Written",
        "description": "Adds until it is enough.",
        "max_rounds": 4,
        "early_exit_key": "EARLY_EXIT",
        "enough": 25,
        "input_interface": ["n"],
        "output_interface": ["n"],
        "subflows_config": {
            "add": {"_target_": "scripted.Add.instantiate_from_default_config", "name": "A",
                    "amount": 10},
        },
        "topology": [
            {"goal": "add", "flow": "add", "output_interface": {"_target_": "Written.read"}},
        ],
    }

    @CircularFlow.output_msg_payload_processor
    def read(self, output_payload, src_flow):
        n = output_payload["n"]
        return {"n": n, "EARLY_EXIT": n > self.flow_config["enough"]}


class Loop(CircularFlow):
    @CircularFlow.input_msg_payload_builder
    def build(self, flow_state, dst_flow):
        return {"n": flow_state["n"] * 2}

    @CircularFlow.output_msg_payload_processor
    def read(self, output_payload, src_flow):
        n = output_payload["n"]
        return {"n": n, "EARLY_EXIT": self.is_enough(n)}

    @CircularFlow.output_msg_payload_processor
    def nothing(self, output_payload, src_flow):
        return {"told": src_flow.name}

    def is_enough(self, n):
        return n > self.flow_config["enough"]

    @CircularFlow.output_msg_payload_processor
    def counting(self, output_payload, src_flow):
        times = self.flow_state.get("times", 0) + 1
        self.flow_state["seen"] = self.flow_state["n"]
        return {"n": output_payload["n"], "times": times}


class Counts(AtomicFlow):
    """Counts its calls in a state that it begins with."""

    def set_up_flow_state(self):
        super().set_up_flow_state()
        self.flow_state.update(number=10, seen=set(), pair=(1, 2))

    def run(self, input_data):
        note(self, input_data)
        self.flow_state["number"] += 1
        self.flow_state["seen"].add(self.flow_state["pair"] + (self.flow_state["number"],))
        return {"number": self.flow_state["number"], "seen": len(self.flow_state["seen"])}


class Leaving(CircularFlow):
    """Says itself when it is enough."""

    def _early_exit(self):
        return self.flow_state["n"] > self.flow_config["enough"]


class Lasting(CircularFlow):
    """Begins with a state of its own, and changes it after its last round."""

    def set_up_flow_state(self):
        super().set_up_flow_state()
        self.flow_state["begun"] = self.flow_config["enough"]

    def _on_reach_max_rounds(self):
        self._state_update_dict({"status": "unfinished", "name": self.flow_config["name"]})


class OwnRun(CompositeFlow):
    """Calls its subflows as it likes: with a message, from its state, and by their `run`."""

    def run(self, input_data):
        self._state_update_dict(update_data=input_data)
        _, data = self._call_flow_from_state(
            goal="add",
            input_interface=KeyInterface(keys_to_select=["n"]),
            flow=self.subflows["add"],
            output_interface=KeyInterface(keys_to_rename={"n": "once"}),
        )
        self._state_update_dict(update_data=data)
        message = self._package_input_message(
            payload={"n": self.flow_state["once"]}, dst_flow=self._get_subflow("add")
        )
        answer = self.subflows["add"](message)
        self._log_message(answer)
        total = self.flow_state.get("total", 0) + answer.data["output_data"]["n"]
        self._state_update_dict(update_data={"total": total})
        return {"n": total, "name": self.name}


class KeptRun(OwnRun):
    """The same, whose calls can be kept."""

    SUPPORTS_CACHING = True


class Negate(DataTransformation):
    def __init__(self, key):
        super().__init__()
        self.key = key

    def __call__(self, data_dict, **kwargs):
        data_dict[self.key] = -data_dict[self.key]
        return data_dict


class Doubled(KeyInterface):
    """An interface that does something more after its keys."""

    def __call__(self, goal, src_flow, dst_flow, data_dict, **kwargs):
        changed = super().__call__(goal, src_flow, dst_flow, data_dict, **kwargs)
        changed["n"] = changed["n"] * 2
        changed["goal"] = goal
        return changed
'''
FILES: Final = {
    "Settings.yaml": (
        "description: Tells.\nkind: base\ninput_interface: []\noutput_interface: null\n"
        "settings: {a: 1, b: {c: [1, 2], d: x}, e: [7]}\n"
    ),
    "MoreSettings.yaml": "kind: more\nsettings: {b: {c: [3]}, e: null}\n",
    "AddTwice.yaml": """
name: AddTwice
description: Adds two times.
input_interface: [n]
output_interface: [n]
subflows_config:
  first: {_target_: scripted.Add.instantiate_from_default_config, name: F, amount: 10}
  second: {_target_: scripted.Add.instantiate_from_default_config, name: S, amount: 100}
topology:
  - {goal: first, flow: first}
  - {goal: second, flow: second}
""",
}
# FlowVerse's chat is not in the package. This is it as its documentation says, on the package's own
# prompts and its own backend; what it sends is what the file says.
CHAT: Final = """
import hydra

from aiflows.base_flows import AtomicFlow


class ChatAtomicFlow(AtomicFlow):
    SUPPORTS_CACHING = True
    __default_flow_config = {
        "description": "Chats.",
        "input_interface": ["query"],
        "output_interface": ["api_output"],
        "system_name": "system",
        "user_name": "user",
        "assistant_name": "assistant",
        "previous_messages": {"first_k": None, "last_k": None},
        "system_message_prompt_template": None,
        "init_human_message_prompt_template": None,
        "human_message_prompt_template": {
            "_target_": "aiflows.prompt_template.JinjaPrompt",
            "template": "{{query}}",
            "input_variables": ["query"],
        },
    }

    def __init__(self, flow_config):
        super().__init__(flow_config=flow_config)
        made = {
            key: self.made(flow_config[f"{key}_prompt_template"])
            for key in ("system_message", "init_human_message", "human_message")
        }
        self.system, self.first, self.human = made.values()
        self.backend = self.made(flow_config["backend"])

    def made(self, config):
        return config and hydra.utils.instantiate(config, _convert_="partial")

    def get_interface_description(self):
        config = self.flow_config
        begun = bool(self.flow_state.get("previous_messages"))
        key = "input_interface_initialized" if begun else "input_interface_non_initialized"
        taken = config.get(key) or config["input_interface"]
        return {"input": taken, "output": config["output_interface"]}

    def say(self, role, text):
        self.flow_state.setdefault("previous_messages", []).append(
            {"role": self.flow_config[f"{role}_name"], "content": text}
        )

    def render(self, prompt, data):
        return prompt.format(**{key: data[key] for key in prompt.input_variables})

    def kept(self):
        said = self.flow_state["previous_messages"]
        window = self.flow_config["previous_messages"]
        first, last = window["first_k"], window["last_k"]
        if first is None and last is None:
            return said
        return (said[:first] if first else []) + (said[-last:] if last else [])

    def run(self, input_data):
        if self.flow_state.get("previous_messages"):
            prompt = self.human
        else:
            prompt = self.first or self.human
            if self.system:
                self.say("system", self.render(self.system, input_data))
            for each in input_data.get("demonstrations") or []:
                self.say("user", each["query"])
                self.say("assistant", each["response"])
        self.say("user", self.render(prompt, input_data))
        answers = self.backend(messages=self.kept())
        self.say("assistant", answers[0]["content"])
        return {"api_output": answers[0]["content"]}
"""
LITELLM: Final = '''
"""LiteLLM, as far as a chat goes: the endpoint of OpenAI's protocol at `api_base` is asked."""

import json
import urllib.request


def completion(*, model, messages, api_base, api_key, api_version=None, **more):
    body = {"model": model, "messages": messages, **more}
    request = urllib.request.Request(
        f"{api_base}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {api_key}"},
    )
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)


def embedding(**given):
    raise NotImplementedError
'''


def write_classes(folder: Path) -> None:
    """Lay what both need into a folder: the classes and their default configs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scripted.py").write_text(SCRIPTED, encoding="utf-8")
    for name, text in {**FILES, **INHERITED}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def write_package(folder: Path) -> None:
    """Lay what aiflows needs beside that: FlowVerse's chat, and LiteLLM."""
    write_classes(folder)
    verse = folder / "flow_modules" / "aiflows"
    verse.mkdir(parents=True)
    (verse / "ChatFlowModule.py").write_text(CHAT, encoding="utf-8")
    (folder / "litellm.py").write_text(LITELLM, encoding="utf-8")
