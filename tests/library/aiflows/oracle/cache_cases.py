"""Cases of `enable_cache`: which call is not made again; and keys that do nothing in either."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tests.library.aiflows.oracle.case import (
    FRESH,
    MAKER,
    Case,
    Tree,
    circle,
    flow,
    give,
    keys,
    kind,
    sequence,
    step,
)  # fmt: skip
from tests.library.aiflows.oracle.chat_cases import chat, prompt

_N: Final = keys(keys_to_select=["n"])
_BOTH: Final = keys(keys_to_select=["n", "m"])
_BOTH_CHANGING: Final = keys(
    additional_transformations=[
        kind("KeyCopy", old_key2new_key={"c": "m"}), kind("KeySelect", keys_to_select=["n", "m"])
    ]
)  # fmt: skip
_START: Final = {"n": 1, "m": 2}


def _hits() -> list[Case]:
    def twice(about: str, source: Tree = _N, sink: Tree | None = None, **given: Any) -> Case:
        topology = [step("k", source, sink)]
        return Case(f"cache of {about}", circle({"k": flow("Kept", **given)}, topology), _START)

    def two(about: str, *given: Tree) -> Case:
        flows = {f"k{number}": {**flow("Kept"), **each} for number, each in enumerate(given)}
        file = sequence(flows, [step(name, _N) for name in flows])
        return Case(f"cache of {about}", file, _START)

    changing = keys(keys_to_set={"m": 7})
    ignoring_inputs = {"keys_to_ignore_for_hash_input_data": ["m"]}
    hashed = ["name", "description", "amount"]
    reset = sequence({"k": flow("Kept", counts=True)}, [step("k", _N, reset=True)] * 2)
    return [
        twice("the same call"),
        twice("calls with other inputs", _BOTH, changing),
        twice("calls with other inputs that are ignored", _BOTH, changing, **ignoring_inputs),
        twice("calls with another state", counts=True),
        twice("calls with another state that is ignored", counts=True,
              keys_to_ignore_for_hash_flow_state=["number"]),
        twice("a flow that has it turned off", enable_cache=False),
        Case("cache of a flow that is reset", reset, _START),
        two("two flows with the same config", {}, {"name": "Other", "description": "Another."}),
        two("two flows with another config", {}, {"amount": 2}),
        two("two flows with another config that is ignored",
            {"keys_to_ignore_for_hash_flow_config": hashed},
            {"keys_to_ignore_for_hash_flow_config": hashed, "amount": 2}),
        two("two flows of which one names its class's own key",
            {}, {"keys_to_ignore_for_hash_input_data": ["n"]}),
    ]  # fmt: skip


def _refusals() -> list[Case]:
    lone = sequence({"e": flow("Echo", enable_cache=True)}, [step("e", _N)])
    whole = sequence({"k": flow("Kept")}, [step("k", _N)], enable_cache=True)
    return [
        Case("cache of a class that does not support it", lone, _START),
        Case("cache of a composite", whole, _START),
    ]


def _chats() -> list[Case]:
    def asked(about: str, answers: tuple[str, ...], reset: bool, **more: Any) -> Case:
        given = chat(system_message_prompt_template=prompt("Be kind."), enable_cache=True, **more)
        source = keys(keys_to_select=["query"])
        file = circle({"chat": given}, [step("chat", source, reset=reset)])
        return Case(f"cache of a chat {about}", file, {"query": "Why?"}, answers)

    return [
        asked("that begins anew", ("one",), True),
        asked("that goes on", ("one", "two", "three"), False),
        asked("that goes on, whatever was said", ("one",), False,
              keys_to_ignore_for_hash_flow_state=["previous_messages"]),
    ]  # fmt: skip


def _idle() -> list[Case]:
    """Keys that change nothing in aiflows."""

    def counted(about: str, **given: Any) -> Case:
        counts = give({"c": 1}, {"c": 2}, {"c": 3}, **given)
        return Case(about, circle({"g": counts}, [step("g", _N)], **given), _START)

    raw = chat(keep_raw_response=True)
    asked = sequence({"chat": raw}, [step("chat", keys(keys_to_select=["query"]))])
    return [
        counted("a state whose namespace is cleared", clear_flow_namespace_on_run_end=True),
        counted("a state whose namespace is not cleared", clear_flow_namespace_on_run_end=False),
        Case("a raw response that is kept", asked, {"query": "Why?"}, ("so",)),
    ]


def _composites() -> list[Case]:
    """Composites of classes that say that their calls can be kept."""

    def kept(name: str, *gives: Tree, **given: Any) -> Tree:
        file = sequence({"g": give(*gives)}, [step("g", _N)], enable_cache=True, **given)
        return {**file, "_target_": f"scripted.{name}.{MAKER}"}

    def twice(about: str, below: Tree, source: Tree = _N, **more: Any) -> Case:
        once = step("kept", source, **more)
        return Case(f"cache of a composite {about}", circle({"kept": below}, [once]), _START)

    def add(**given: Any) -> Tree:
        subflows = {"add": flow("Add")}
        keys_: Tree = {
            "name": "R",
            "description": "Runs.",
            "input_interface": ["n"],
            "output_interface": None,
            "enable_cache": True,
            "subflows_config": subflows,
        }
        return {"_target_": f"scripted.KeptRun.{MAKER}", **keys_, **given}

    counts: tuple[Tree, ...] = ({"c": 1}, {"c": 2}, {"c": 3})
    told = {"output_interface": ["c"]}
    no_state = {"keys_to_ignore_for_hash_flow_state": ["n", "c", "m"]}
    branches = {
        "_target_": f"scripted.KeptBranch.{MAKER}", "name": "B", "description": "Branches.",
        "enable_cache": True, "subflows_config": {"g": give(*counts)},
    }  # fmt: skip
    to_branch = keys(keys_to_set={"branch": "g", "branch_input_data": {"n": 1}},
                     keys_to_select=["branch", "branch_input_data"])  # fmt: skip
    return [
        twice("that is called again with its state", kept("KeptSequence", *counts, **told)),
        twice("whose state is ignored", kept("KeptSequence", *counts, **told, **no_state)),
        twice("that is reset", kept("KeptSequence", *counts, **told), reset=True),
        twice("that has it turned off",
              {**kept("KeptSequence", *counts, **told), "enable_cache": False}, reset=True),
        twice("with other inputs", kept("KeptSequence", *counts, **no_state), _BOTH_CHANGING),
        twice("with other inputs that are ignored",
              kept("KeptSequence", *counts, **no_state,
                   keys_to_ignore_for_hash_input_data=["m"]), _BOTH_CHANGING),
        twice("that returns its whole state", kept("KeptSequence", *counts, **no_state)),
        twice("that is a loop", kept("KeptLoop", *counts, max_rounds=2, **no_state)),
        replace(
            twice("that ends early", kept("KeptLoop", {"EARLY_EXIT": True, "c": 5}, {"c": 6},
                                          max_rounds=2, **told, **no_state)),
            differs=FRESH, here={"n": 1, "m": 2, "c": 5},
        ),
        twice("that branches", branches, to_branch),
        twice("with a run of its own", add()),
        twice("with a run of its own that is reset", add(), reset=True),
        twice("with a run of its own whose state is ignored",
              add(keys_to_ignore_for_hash_flow_state=["n", "once", "total"])),
        Case("cache of a composite at the top",
             kept("KeptSequence", *counts, **told), {"n": 1}),
        Case("cache of two composites with the same config",
             sequence({"a": kept("KeptSequence", *counts, **told),
                       "b": kept("KeptSequence", *counts, **told)},
                      [step("a", _N), step("b", _N)]), _START),
        Case("cache of two composites whose flows have another config",
             sequence({"a": kept("KeptSequence", {"c": 1}, **told),
                       "b": kept("KeptSequence", {"c": 2}, **told)},
                      [step("a", _N), step("b", _N, keys(keys_to_rename={"c": "d"}))]), _START),
    ]  # fmt: skip


CACHE_CASES: Final = (*_hits(), *_refusals(), *_composites(), *_chats(), *_idle())
