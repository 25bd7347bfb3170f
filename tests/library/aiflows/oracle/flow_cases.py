"""Cases of composites: order, rounds, early exit, reset, branches, default configs, methods."""

from __future__ import annotations

from typing import Any, Final

from tests.library.aiflows.oracle.case import (
    BASE,
    FRESH,
    Case,
    Tree,
    circle,
    composite,
    flow,
    give,
    keys,
    sequence,
    shown,
    step,
)

START: Final = {"n": 1}
_PICK: Final = keys(keys_to_select=["n"])
_MISSING: Final = "an output that no round has set is left out, and the run is unfinished"
_NONE: Final = "what a step returns is the state, also null"
_NOTHING: Final = "a step that returns nothing changes nothing"


def _adding(amount: int) -> Tree:
    return flow("Add", amount=amount)


def _order() -> list[Case]:
    three = {"x": _adding(1), "y": _adding(10), "z": _adding(100)}
    one = {"x": _adding(1)}
    nested = sequence({"in": circle(one, [step("x")], max_rounds=2, input_interface=["n"],
                                    output_interface=["n"])},
                      [step("in"), step("in")], input_interface=["n"])  # fmt: skip
    deep = one
    for _ in range(4):
        inner = next(iter(deep))
        deep = {
            f"{inner}x": sequence(
                deep, [step(inner)], input_interface=["n"], output_interface=["n"]
            )
        }
    last = next(iter(deep))
    return [
        Case("steps in order", sequence(three, [step("x"), step("y"), step("z")]), START),
        Case("a flow in several steps", sequence(three, [step("z"), step("x"), step("z")]), START),
        Case("rounds", circle(three, [step("x"), step("y")], max_rounds=4), START),
        Case("one round", circle(one, [step("x")], max_rounds=1), START),
        Case("the default number of rounds", circle(one, [step("x")]), START),
        Case("a circle in a sequence, called again", nested, START),
        Case("five flows in each other", sequence(deep, [step(last)], input_interface=["n"]),
             START),
        Case("outputs that are named", sequence(three, [step("x")], output_interface=["n"]),
             {"n": 1, "m": 2}),
        Case("an output in a mapping", sequence(
            {"give": give({"a": {"b": {"c": 1}}})}, [step("give", _PICK)],
            output_interface=["a.b", "n"]), START),
        Case("a flow that fails", sequence({"f": flow("Fails")}, [step("f", _PICK)]), START),
        Case("a step of a flow that is not there", sequence(one, [step("q")]), START),
        Case("a topology without steps", sequence(one, []), START),
        Case("a sequence of two rounds", sequence(one, [step("x")], max_rounds=2), START),
        Case("a goal that is missing", sequence(one, [{"flow": "x"}]), START),
        Case("a file in the wrapper", {"flow": sequence(three, [step("x")])}, START),
        Case("interfaces of the launcher", {
            "flow": sequence(three, [step("x")], output_interface=["n"]),
            "input_interface": keys(keys_to_rename={"number": "n"}),
            "output_interface": keys(keys_to_rename={"n": "answer"}),
        }, {"number": 5}),
    ]  # fmt: skip


def _exits() -> list[Case]:
    three = {"x": give({"x": 1}), "y": give({"y": 1}), "z": give({"z": 1})}
    topology = [step("x", _PICK), step("y", _PICK), step("z", _PICK)]

    def leaving(about: str, where: str, value: Any, **more: Any) -> Case:
        flows = {**three, where: give({where: 1}, {where: 2, more.pop("key", "EARLY_EXIT"): value})}
        return Case(f"early exit {about}", circle(flows, topology, **more), START)

    endless = circle({"x": give({"x": 1}, {"x": 2}, {"EARLY_EXIT": True})}, [step("x", _PICK)],
                     max_rounds=None)  # fmt: skip
    own = [
        step("x", _PICK, keys(keys_to_rename={"x": "EARLY_EXIT"})),
        step("y", _PICK),
    ]
    inner = circle({"x": give({"x": 1, "EARLY_EXIT": True})}, [step("x", _PICK)],
                   output_interface=["x"], input_interface=["n"])  # fmt: skip
    return [
        leaving("at the first step", "x", True),
        leaving("at the second step", "y", True),
        leaving("at the last step", "z", True),
        leaving("for a text", "y", "enough"),
        leaving("for a mapping", "y", {"why": 1}),
        leaving("not for 0", "y", 0),
        leaving("not for null", "y", None),
        leaving("by another key", "y", True, key="stop", early_exit_key="stop"),
        leaving("not by a key that is not asked for", "y", True, early_exit_key="stop"),
        leaving("turned off", "y", True, early_exit_key=None),
        Case("early exit without a number of rounds", endless, START),
        Case("early exit of a sequence", sequence(three, own), START),
        Case("early exit by an input", circle(three, topology), {"n": 1, "EARLY_EXIT": True}),
        Case("early exit of the flow inside alone",
             circle({"in": inner, "y": give({"y": 1})}, [step("in"), step("y", _PICK)]), START),
        Case("early exit by a key in a mapping",
             circle({"x": give({"m": {"EARLY_EXIT": True}})}, [step("x", _PICK)]), START),
    ]  # fmt: skip


def _states() -> list[Case]:
    counted = give({"c": 1}, {"c": 2}, {"c": 3}, {"c": 4})
    inside = sequence({"g": counted}, [step("g", _PICK)], input_interface=["n"],
                      output_interface=["c"])  # fmt: skip
    keeps = sequence({"e": flow("Echo")}, [step("e", keys())], input_interface=["n"],
                     output_interface=["seen"])  # fmt: skip
    changed = {"x": _adding(5), "in": keeps}

    def again(about: str, flows: Tree, **more: Any) -> Case:
        name = next(iter(flows))
        return Case(about, circle(flows, [step(name, _PICK, **more)]), START)

    def writes(about: str, *gives: Tree, differs: str = "", here: Any = None, **more: Any) -> Case:
        file = circle({"g": give(*gives)}, [step("g", _PICK)], **more)
        return Case(about, file, START, differs=differs, here=here)

    return [
        again("a flow keeps its state", {"g": counted}),
        again("reset after each step", {"g": counted}, reset=True),
        again("a flow inside keeps its state", {"in": inside}),
        again("reset of a composite with all below it", {"in": inside}, reset=True),
        Case("a composite keeps its state",
             circle(changed, [step("in"), step("x")], input_interface=["n"]), START),
        Case("reset of a composite's own state",
             circle(changed, [step("in", reset=True), step("x")], input_interface=["n"]), START),
        Case("no reset after an early exit", circle(
            {"in": circle({"g": give({"c": 1, "EARLY_EXIT": 1}, {"c": 2})},
                          [step("g", _PICK, reset=True)], input_interface=["n"],
                          output_interface=["c"])},
            [step("in")], max_rounds=2), START,
             differs=FRESH, here={"n": 1, "c": 1}),
        writes("a later value", {"a": 1}, {"a": 2, "b": 1}),
        writes("null for a new key", {"a": None}),
        writes("null for a key that is there", {"a": 1}, {"a": None, "b": 2}, differs=_NONE,
               here={"n": 1, "a": None, "b": 2}),
        writes("a mapping in the place of a mapping", {"a": {"x": 1}}, {"a": {"y": 2}}),
        writes("a step that returns nothing", {}, differs=_NOTHING, here={"n": 1}),
        writes("an output that is not there", {"a": 1}, differs=_MISSING, here={"a": 1},
               output_interface=["a", "q"]),
    ]  # fmt: skip


def _branches() -> list[Case]:
    branching = composite("BranchingFlow", {"x": _adding(1), "e": flow("Echo")}, [])
    for key in ("topology", "input_interface", "output_interface"):
        del branching[key]
    inside = sequence({"b": branching}, [step("b", keys(keys_to_rename={
        "command": "branch", "command_args": "branch_input_data"}), keys(keys_to_rename={
            "branch_output_data": "observation"}))])  # fmt: skip
    twice = circle({"b": branching}, [step("b")], max_rounds=2)

    def branch(name: str, about: str, data: Any) -> Case:
        return Case(f"branch {about}", branching, {"branch": name, "branch_input_data": data})

    return [
        branch("x", "by its name", {"n": 1}),
        branch("e", "with what it is given", {"a": {"b": 1}, "c": [2]}),
        branch("q", "that is not there", {"n": 1}),
        branch("x", "without its input", {"m": 1}),
        Case("branch without data", branching, {"branch": "x"}),
        Case("branch without a name", branching, {"branch_input_data": {"n": 1}}),
        Case("branch as an executor", inside, {"command": "x", "command_args": {"n": 4}}),
        Case("branch in rounds", twice, {"branch": "x", "branch_input_data": {"n": 4}}),
    ]


def _configs() -> list[Case]:
    def told(about: str, name: str, **given: Any) -> Case:
        file = sequence({"s": flow(name, **given)}, [step("s", _PICK)])
        del file["subflows_config"]["s"]["description"]
        return Case(f"default config {about}", file, START)

    overrides = {
        "_target_": "scripted.AddTwice.instantiate_with_overrides",
        "overrides": {"name": "Mine", "subflows_config": {"second": {"amount": 1000}}},
    }
    private = {"n": 1, "key": "secret"}
    private_file = shown(keys())
    private_file["subflows_config"]["echo"]["private_keys"] = ["key"]
    return [
        told("beside its module", "Settings"),
        told("with a mapping over it", "Settings", settings={"b": {"d": "y"}, "f": 1}),
        told("with a list over it", "Settings", settings={"b": {"c": []}}),
        told("with null over it", "Settings", settings={"a": None}),
        told("over that of its base", "MoreSettings"),
        told("over that of its base, and a file over both", "MoreSettings",
             settings={"b": {"c": [4]}}, kind="mine"),
        Case("default config in the class", sequence({"x": flow("Add")}, [step("x")]), START),
        Case("default config of a composite",
             {"_target_": "scripted.AddTwice.instantiate_from_default_config"}, START),
        Case("default config of a composite, one key changed",
             {"_target_": "scripted.AddTwice.instantiate_from_default_config",
              "subflows_config": {"first": {"amount": 5}}}, START),
        Case("default config by instantiate_with_overrides", overrides, START),
        *(
            Case(f"default config {about}",
                 {"_target_": f"scripted.{name}.instantiate_from_default_config", **more}, START)
            for about, name, more in (
                ("in the class of a composite", "Written", {}),
                ("in the class of a composite, with keys over it", "Written",
                 {"max_rounds": 2, "enough": 1000, "subflows_config": {"add": {"amount": 5}}}),
                ("of the class above, and one in the class", "AddMore", {}),
                ("of the class above, with a key over it", "AddMore",
                 {"subflows_config": {"first": {"amount": 5}}}),
                ("of the classes above", "AddMost", {}),
            )
        ),
        *(
            Case(f"default config of a class of another module, {about}",
                 {"_target_": f"inherited.{name}.instantiate_from_default_config", **more}, START)
            for about, name, more in (
                ("a file over it", "far.flows.Far", {}),
                ("named by the package that imports it", "Far", {}),
                ("with a relative name", "far.flows.Far", {"subflows_config": {
                    "far": {"_target_": ".flows.More.instantiate_from_default_config",
                            "amount": 3}}}),
                ("named by its module", "far.flows.Changed", {}),
                ("by its whole name", "far.flows.Unchanged", {}),
                ("with a reference of its file changed", "far.flows.Unchanged", {"amount": 7}),
            )
        ),
        Case("default config of names of the module, without subflows", {
            "_target_": "inherited.near.Rounds.instantiate_from_default_config",
            "subflows_config": {"add": {
                "_target_": "inherited.far.flows.More.instantiate_from_default_config",
                "name": "A"}},
            "topology": [step("add")]}, START),
        Case("private keys reach the flow", private_file, private),
        Case("private keys at the top", sequence(
            {"x": _adding(1)}, [step("x")], private_keys=["key"]), private),
    ]  # fmt: skip


def _methods() -> list[Case]:
    def loop(about: str, source: str, sink: str, **more: Any) -> Case:
        topology = [step("x", {"_target_": source}, {"_target_": sink})]
        file = circle({"x": _adding(1)}, topology, enough=10, max_rounds=5, **more)
        file["_target_"] = "scripted.Loop.instantiate_from_default_config"
        return Case(f"payload {about}", file, START)

    own = flow("OwnRun", subflows_config={"add": _adding(5)})
    again = {"in": own}
    counts = {"c": flow("Counts", input_interface=["n"], output_interface=None)}

    def lasting(about: str, *gives: Tree, **more: Any) -> Case:
        file = circle({"g": give(*gives)}, [step("g", _PICK)], enough=10, **more)
        file["_target_"] = "scripted.Lasting.instantiate_from_default_config"
        return Case(f"what a class does {about}", file, START)

    return [
        Case("a state that a class begins with", circle(counts, [step("c")]), START),
        Case(
            "a state that a class begins with, after a reset",
            circle(counts, [step("c", reset=True)]),
            START,
        ),
        lasting("after its last round", {"a": 1}, max_rounds=2),
        lasting("after its last round, but for an early exit", {"EARLY_EXIT": True}),
        Case(
            "instantiate_from_config",
            {
                "_target_": f"{BASE}.CircularFlow.instantiate_from_config",
                "config": {
                    **circle({"x": _adding(1)}, [step("x")], max_rounds=2, early_exit_key=None),
                    "private_keys": [],
                    "enable_cache": False,
                    "clear_flow_namespace_on_run_end": True,
                },
            },
            START,
        ),
        Case("a run of one's own", own, START),
        Case(
            "a run of one's own that is called again",
            circle(again, [step("in", _PICK)], max_rounds=3),
            START,
        ),
        Case(
            "a run of one's own that is reset",
            circle(again, [step("in", _PICK, reset=True)], max_rounds=3),
            START,
        ),
        loop("built and read by methods", "Loop.build", "Loop.read"),
        loop("read by a method that reads and changes the state", "Loop.build", "Loop.counting"),
        Case(
            "an early exit that a class says itself",
            {
                **circle({"x": _adding(1)}, [step("x")], enough=2, max_rounds=9),
                "_target_": "scripted.Leaving.instantiate_from_default_config",
            },
            START,
        ),
        loop("read by a method that asks who sent it", "Loop.build", "Loop.nothing"),
    ]


def _doubts() -> list[Case]:
    """Where aiflows takes what ours checks."""
    whole = sequence({"e": give({"a": 1}, input_interface=["m"])}, [step("e", keys())])
    return [
        Case("inputs that a flow does not name", whole, {"n": 1, "m": 2}),
        Case("an unknown key", sequence({"x": _adding(1)}, [step("x")], max_roundz=1), START),
        Case("an unknown key of a step", sequence({"x": _adding(1)}, [step("x", resett=1)]), START),
        Case("a class by its submodule", {
            **sequence({"x": _adding(1)}, [step("x")]),
            "_target_": f"{BASE}.sequential.SequentialFlow.instantiate_from_default_config"},
            START),
    ]  # fmt: skip


FLOW_CASES: Final = (
    *_order(), *_exits(), *_states(), *_branches(), *_configs(), *_methods(), *_doubts(),
)  # fmt: skip
