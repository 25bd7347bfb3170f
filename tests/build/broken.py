"""Broken graphs: YAML that composes, and what building it must say, and where.

The rows are those of tests/config/broken.py; «...» marks where the error must point.
"""

from __future__ import annotations

from pathlib import Path

from flows.build.builder import build
from tests.config.broken import RUN, Case

TRUST = ("tests", "json")
T = "tests.flows_for_tests"


def act(folder: Path, case: Case) -> object:
    return build(folder / RUN, case.overrides, trust=TRUST)


def graph(
    topology: str = "[{goal: a, flow: a}]",
    subflows: str = "a: {_target_: T.Add}",
    ports: str = "[n]",
    kind: str = "sequential",
    more: str = "",
) -> dict[str, str | bytes]:
    text = (
        f"_target_: {kind}\ninput_interface: {ports}\n"
        f"subflows_config:\n  {subflows}\n  b: {{_target_: T.Double}}\n"
        f"topology: {topology}\n{more}"
    )
    return {RUN: text.replace("T.", f"{T}.")}


def row(name: str, files: dict[str, str | bytes], problem: str, **more: object) -> Case:
    return Case(name, files, problem, act=act, **more)  # type: ignore[arg-type]


def one(text: str) -> dict[str, str | bytes]:
    return {RUN: text.replace("T.", f"{T}.")}


STEP = "[{goal: a, flow: a, %s}]"
TARGETS = [
    row("no target", one("«name»: x\n"), "x has no _target_", path="", allowed=("sequential",)),
    row(
        "unknown target",
        one("_target_: «sequentail»\n"),
        "there is no flow named 'sequentail'",
        path="_target_",
        allowed=("circular", "sequential"),
        meant="sequential",
    ),
    row(
        "unknown target below",
        graph(subflows="a: {_target_: «brnaching»}"),
        "there is no flow named 'brnaching'",
        path="subflows_config.a._target_",
        allowed=("branching",),
        meant="branching",
    ),
    row(
        "no target below",
        graph(subflows="a: «{»amount: 1}"),
        "a has no _target_",
        path="subflows_config.a",
        allowed=("parallel",),
    ),
    row(
        "an early exit key that no step gives",
        graph(kind="circular", more="early_exit_key: «nope»\n"),
        "no step gives the key 'nope'",
        path="early_exit_key",
    ),
    row(
        "a truth for a number",
        graph(kind="circular", more="max_rounds: «true»\n"),
        "a whole number",
        path="max_rounds",
    ),
    row(
        "a limit that is a truth",
        graph(more="limits: {model_calls: «yes»}\n"),
        "a whole number",
        path="limits.model_calls",
    ),
    row(
        "a name with control characters",
        one('name: «"a\\0b"»\n_target_: T.Add\n'),
        "control characters",
        path="name",
    ),
    row(
        "a target without its lines",
        one("«target»: sequential\n"),
        "flow has no _target_, but 'target'",
        path="target",
        meant="_target_",
    ),
    row(
        "a text for a flow",
        graph(subflows="a: «T.Add»"),
        "a must be a mapping with a _target_, as in a: {_target_: tests",
    ),
    row(
        "another kind of name",
        graph(subflows="a: {_target_: «model.offline»}"),
        "only a model",
        path="subflows_config.a._target_",
    ),
    row(
        "not trusted",
        graph(subflows="a: {_target_: «os.getcwd»}"),
        "--trust os",
        path="subflows_config.a._target_",
    ),
    row(
        "not a flow",
        graph(subflows="a: {_target_: «json.JSONDecoder»}"),
        "JSONDecoder is not a flow",
        path="subflows_config.a._target_",
    ),
    row(
        "not in the package",
        graph(subflows="a: {_target_: «T.Nothing»}"),
        "cannot be loaded",
        path="subflows_config.a._target_",
    ),
    row("a name that is no text", one("name: «7»\n_target_: T.Add\n"), "must be text", path="name"),
    row(
        "a slash in a name",
        graph(subflows="a: {_target_: T.Add}\n  c/d: «{»_target_: T.Add}"),
        "the name of a subflow cannot hold # or /",
        path="subflows_config.c/d",
    ),
]
KEYS = [
    row(
        "unknown key",
        graph(subflows="a: {_target_: T.Add, «amonut»: 3}"),
        "'amonut'",
        path="subflows_config.a.amonut",
        allowed=("amount", "retry", "timeout"),
        meant="amount",
    ),
    row(
        "wrong value",
        graph(subflows="a: {_target_: T.Add, amount: «much»}"),
        "whole number",
        path="subflows_config.a.amount",
    ),
    row(
        "unknown key of the flow",
        graph(more="«topologie»: []\n"),
        "'topologie'",
        path="topologie",
        meant="topology",
    ),
    row(
        "unknown key of retry",
        graph(subflows="a: {_target_: T.Add, retry: {«attempt»: 3}}"),
        "'attempt'",
        path="subflows_config.a.retry.attempt",
        meant="attempts",
    ),
    row(
        "no time at all",
        graph(subflows="a: {_target_: T.Add, timeout: «0»}"),
        "greater than 0",
        path="subflows_config.a.timeout",
    ),
    row(
        "unknown limit",
        graph(more="limits: {«round»: 3}\n"),
        "'round'",
        path="limits.round",
        allowed=("model_calls", "rounds", "tokens", "wall_time"),
        meant="rounds",
    ),
    row(
        "no rounds",
        graph(kind="circular", more="max_rounds: «0»\n"),
        "greater than or equal to 1",
        path="max_rounds",
    ),
    row(
        "subflows as a list",
        one("_target_: sequential\nsubflows_config: «[»a]\ntopology: []\n"),
        "a mapping",
        path="subflows_config",
    ),
    row(
        "a branching flow has no topology",
        one("_target_: branching\n«topology»: []\n"),
        "'topology'",
        path="topology",
    ),
]
TOPOLOGY = [
    row(
        "unknown flow",
        graph("[{goal: a, flow: «aa»}]"),
        "there is no subflow 'aa'",
        path="topology.0.flow",
        allowed=("a", "b"),
        meant="a",
    ),
    row("no steps", graph("«[»]"), "the topology has no steps", path="topology"),
    row("no goal", graph("[«{»flow: a}]"), "goal", path="topology.0.goal"),
    row(
        "unknown key of a step",
        graph("[{goal: a, flow: a, «rest»: true}]"),
        "'rest'",
        path="topology.0.rest",
        allowed=("goal", "flow", "reset"),
        meant="reset",
    ),
    row(
        "a missing input",
        graph("[«{»goal: a, flow: a}]", ports="[m]"),
        "a needs the input 'n'",
        path="topology.0",
        allowed=("m",),
        meant=None,
    ),
    row(
        "a missing output",
        graph(more="output_interface: [n, «totl»]\n"),
        "no step gives the output 'totl'",
        path="output_interface.1",
        allowed=("n",),
    ),
    row(
        "a key of parallel only",
        graph("[{goal: a, flow: a, «after»: []}]"),
        "'after'",
        path="topology.0.after",
    ),
]
INTERFACES = [
    row(
        "unknown operation",
        graph(STEP % "input_interface: {«keys_to_renam»: {}}"),
        "'keys_to_renam'",
        path="topology.0.input_interface.keys_to_renam",
        allowed=("keys_to_rename", "keys_to_copy"),
        meant="keys_to_rename",
    ),
    row(
        "a list to rename",
        graph(STEP % "input_interface: {keys_to_rename: «[»a]}"),
        "a mapping",
        path="topology.0.input_interface.keys_to_rename",
    ),
    row(
        "cannot apply",
        graph(STEP % "input_interface: {keys_to_select: [«m»]}"),
        "no key 'm'",
        path="topology.0.input_interface.keys_to_select.0",
        allowed=("n",),
    ),
    row(
        "unknown interface",
        graph(STEP % "output_interface: {_target_: «KeyInterfac»}"),
        "there is no interface named 'KeyInterfac'",
        path="topology.0.output_interface._target_",
        meant="KeyInterface",
    ),
    row(
        "unknown transformation",
        graph(STEP % "input_interface: {additional_transformations: [{_target_: «Json2Ob»}]}"),
        "there is no transformation named 'Json2Ob'",
        path="topology.0.input_interface.additional_transformations.0._target_",
        allowed=("Json2Obj", "UnNesting"),
        meant="Json2Obj",
    ),
    row(
        "a transformation without a target",
        graph(STEP % "input_interface: {additional_transformations: [«{»input_key: n}]}"),
        "this transformation has no _target_",
        path="topology.0.input_interface.additional_transformations.0",
        allowed=("KeyMatchInput",),
    ),
    row(
        "a key of a transformation",
        graph(
            STEP % "output_interface: {additional_transformations: "
            "[{_target_: Json2Obj, input_key: n, «outputkey»: m}]}"
        ),
        "'outputkey'",
        path="topology.0.output_interface.additional_transformations.0.outputkey",
        meant="output_key",
    ),
    row(
        "not a regular expression",
        graph(
            STEP % "output_interface: {additional_transformations: [{_target_: "
            "RegexFirstOccurrenceExtractor, input_key: n, output_key: m, regex: «'('»}]}"
        ),
        "not a regular expression",
        path="topology.0.output_interface.additional_transformations.0.regex",
    ),
    row(
        "not a transformation",
        graph(STEP % "input_interface: {additional_transformations: [{_target_: «json.dumps»}]}"),
        "json.dumps is not a transformation",
        path="topology.0.input_interface.additional_transformations.0._target_",
    ),
]
BOTH = "{goal: a, flow: a}, «{»goal: b, flow: b}"
ORDERED = "{goal: a, flow: a}, {goal: b, flow: b, after: [a]}"
PARALLEL = [
    row(
        "both write",
        graph(f"[{BOTH}]", kind="parallel"),
        "a and b both write 'n'",
        path="topology.1",
    ),
    row(
        "unknown in after",
        graph("[{goal: a, flow: a}, {goal: b, flow: b, after: [«c»]}]", kind="parallel"),
        "there is no step 'c' to come after",
        path="topology.1.after.0",
        allowed=("a", "b"),
    ),
    row(
        "twice",
        graph("[{goal: a, flow: a}, {goal: a, flow: «a»}]", kind="parallel"),
        "'a' stands in the topology twice",
        path="topology.1.flow",
    ),
    row(
        "after itself",
        graph("«[»{goal: a, flow: a, after: [a]}]", kind="parallel"),
        "wait for each other in a circle",
        path="topology",
    ),
    row(
        "nothing at once",
        graph(f"[{ORDERED}]", kind="parallel", more="max_concurrency: «0»\n"),
        "greater than or equal to 1",
        path="max_concurrency",
    ),
]
PORTS = [
    row(
        "unknown type",
        graph(ports="«{»n: intt}"),
        "port 'n' has an unknown type 'intt'; did you mean 'int'?",
        path="input_interface",
    ),
    row("named twice", graph(ports="«[»n, n]"), "named twice", path="input_interface"),
    row("reserved", graph(ports="«[»n, _x]"), "keep for themselves", path="input_interface"),
]
SERVICES = [
    row(
        "no model",
        one("«_target_»: chat\nsystem_prompt: null\n"),
        "needs a model, and the run has none",
    ),
    row(
        "unknown model",
        one("_target_: human.feedback\nhuman: {_target_: «human.nevr»}\n"),
        "there is no human named 'human.nevr'",
        path="human._target_",
        allowed=("human.never",),
        meant="human.never",
    ),
    row(
        "a service by its name alone",
        one("_target_: human.feedback\nhuman: «never»\n"),
        "choose it with defaults: [{human: never}, _self_], or describe it, human: {_target_",
        path="human",
    ),
    row(
        "data without a name",
        one("_target_: human.feedback\nhuman: {_target_: human.never}\ndata: «[»sales.csv]\n"),
        "each source has a name, as in data: {sales: sales.csv}",
        path="data",
    ),
    row(
        "a file that is not there",
        one("_target_: human.feedback\nhuman: {_target_: human.never}\ndictionary: «none.csv»\n"),
        "there is no file none.csv",
        path="dictionary",
    ),
    row(
        "a service without a target",
        one("_target_: human.feedback\nhuman: «{»a: 1}\n"),
        "this human has no _target_",
        path="human._target_",
        allowed=("human.never",),
    ),
    row(
        "a key of a service",
        one("_target_: human.feedback\nhuman: {_target_: human.never, «a»: 1}\n"),
        "'a'",
        path="human.a",
    ),
    row(
        "no executor",
        one(
            "_target_: autogpt\nexecutor: «Exector»\nsubflows_config:\n"
            "  Executor: {_target_: executor}\ntopology: [{goal: x, flow: Executor}]\n"
        ),
        "the subflow 'Exector' is no executor",
        path="executor",
        allowed=("Executor",),
        meant="Executor",
    ),
    row(
        "a branching flow as executor",
        one(
            "_target_: autogpt\nexecutor: «Executor»\nsubflows_config:\n"
            "  Executor: {_target_: branching}\ntopology: [{goal: x, flow: Executor}]\n"
        ),
        "the subflow 'Executor' is no executor",
        path="executor",
    ),
]
CASES = [
    *((f"targets-{case.name}", case) for case in TARGETS),
    *((f"keys-{case.name}", case) for case in KEYS),
    *((f"topology-{case.name}", case) for case in TOPOLOGY),
    *((f"interfaces-{case.name}", case) for case in INTERFACES),
    *((f"parallel-{case.name}", case) for case in PARALLEL),
    *((f"ports-{case.name}", case) for case in PORTS),
    *((f"services-{case.name}", case) for case in SERVICES),
]
