"""Branches, early ends, parallel parts, maps and loops."""

from __future__ import annotations

from tests.build.broken_graphs.rows import BrokenGraph, composite, row


def branching(*steps: str, ports: str = "[n]") -> str:
    """A composite with a branching flow `pick`, whose branches give n, and total and calls."""
    text = f"""\
_target_: sequential
input_interface: {ports}
subflows_config:
  choose: {{_target_: T.Choose}}
  add: {{_target_: T.Add}}
  sum: {{_target_: T.Accumulate}}
  pick:
    _target_: branching
    subflows_config:
      even: {{_target_: T.Add}}
      odd: {{_target_: T.Accumulate}}
topology:
"""
    for step in steps:
        mark = "«" if step.startswith("«") else ""
        text += f"  - {mark}{{goal: do it, flow: {step.removeprefix('«')}}}\n"
    return text


UNNEST = "additional_transformations: [{_target_: UnNesting, input_key: branch_output_data}]"
PICK = f"pick, output_interface: {{{UNNEST}}}"
BRANCHES = [
    row("given by one branch alone",
        branching("choose, input_interface: {keys_to_rename: {m: n}}", PICK, "«add", ports="[m]"),
        "topology.2: nothing gives it when the branch is 'odd'",
        mend=("odd: {_target_: T.Accumulate}", "odd: {_target_: T.Double}")),
    row("selected, and given by one branch alone",
        branching("choose", f"pick, output_interface: {{{UNNEST}, keys_to_select: [«total]}}"),
        "topology.1.output_interface.keys_to_select.0: no key 'total' when the branch is 'even'",
        mend=("even: {_target_: T.Add}", "even: {_target_: T.Recount}")),
    row("given by no branch",
        branching("choose", f"pick, output_interface: {{{UNNEST}, keys_to_select: [«totl]}}"),
        "topology.1.output_interface.keys_to_select.0: no key 'totl': pick does not give it",
        mend=(("totl", "total"), ("even: {_target_: T.Add}", "even: {_target_: T.Recount}"))),
    row("of another type on all branches",
        branching("choose", PICK, "add, input_interface: «{keys_to_rename: {calls: n}}")
        .replace("even: {_target_: T.Add}", "even: {_target_: T.Recount}"),
        "topology.2.input_interface: add cannot take list as its input 'n'",
        mend=("calls: n", "total: n")),
    row("a branch that there is not",
        branching("pick, input_interface: {keys_to_set: {branch: «evn, "
                  "branch_input_data: {n: 1}}}"),
        "topology.0.input_interface.keys_to_set.branch: pick has no branch 'evn'",
        mend=("evn", "even")),
    row("no data for a branch",
        branching("pick, input_interface: {keys_to_set: {branch: odd, "
                  "branch_input_data: «{m: 1}}}"),
        "topology.0.input_interface.keys_to_set.branch_input_data: 'odd' needs the input 'n'",
        mend=("{m: 1}", "{n: 1}")),
    row("data of another type for a branch",
        branching("pick, input_interface: {keys_to_set: {branch: odd, branch_input_data: "
                  "«{n: [1]}}}"),
        "topology.0.input_interface.keys_to_set.branch_input_data: the branch 'odd' cannot take",
        mend=("{n: [1]}", "{n: 1}")),
    row("no name of a branch",
        branching("pick, input_interface: «{keys_to_set: {branch_input_data: {n: 1}}}"),
        "topology.0.input_interface: pick needs the input 'branch'",
        mend=("{branch_input_data", "{branch: odd, branch_input_data")),
    row("a number for the name of a branch",
        branching("pick, input_interface: «{keys_to_rename: {n: branch}}", ports="{n: int}"),
        "topology.0.input_interface: pick cannot take int as its input 'branch'",
        mend=("n: int", "n: str")),
    row("a text for the data of a branch",
        branching("pick, input_interface: «{keys_to_rename: {n: branch_input_data}, "
                  "keys_to_set: {branch: odd}}", ports="{n: str}"),
        "topology.0.input_interface: pick cannot take str as its input 'branch_input_data'",
        mend=("n: str", "n: dict")),
]  # fmt: skip


def below(inner: str, *steps: str, kind: str = "sequential") -> str:
    """A composite of two steps, whose first is a composite that can end early."""
    return f"""\
_target_: {kind}
input_interface: [m]
subflows_config:
  add: {{_target_: T.Add}}
  inner:
    _target_: {inner}
    input_interface: [n]
    output_interface: [total]
    early_exit_key: EARLY_EXIT
    subflows_config: {{stop: {{_target_: T.Stop}}, sum: {{_target_: T.Accumulate}}}}
    topology: [{{goal: end, flow: stop}}, {{goal: sum, flow: sum}}]
topology:
""" + "".join(f"  - {{goal: do it, flow: {step}}}\n" for step in steps)


INNER = "inner, input_interface: {keys_to_rename: {m: n}}"
LATE = "add, input_interface: «{keys_to_rename: {total: n}}"
ALWAYS = "any, output_interface: {keys_to_set: {EARLY_EXIT: %s}}"
ENDS = [
    *(row(f"{kind}: lost when it ends early", below(kind, INNER, LATE),
          "topology.1.input_interface: add needs the input 'n', and nothing gives it",
          mend=("[{goal: end, flow: stop}, {goal: sum, flow: sum}]",
                "[{goal: sum, flow: sum}, {goal: end, flow: stop}]"))
      for kind in ("sequential", "circular")),
    *(row(f"{kind}: an end that no step gives",
          composite("add", kind=kind, more="early_exit_key: «done\n"),
          "early_exit_key: no step gives the key 'done', so it can never end the flow",
          mend=("flow: add", "flow: add, output_interface: {keys_to_copy: {n: done}}"))
      for kind in ("sequential", "circular")),
    *(row(f"{kind}: an end of another name",
          composite("stop", kind=kind, more="early_exit_key: «EARLY_EXT\n"),
          "early_exit_key: no step gives the key 'EARLY_EXT'", mend=("EARLY_EXT\n", "EARLY_EXIT\n"))
      for kind in ("sequential", "circular")),
    *(row(f"{kind}: an end that an interface takes away",
          composite("stop, output_interface: {keys_to_delete: [EARLY_EXIT]}", kind=kind,
                    more="early_exit_key: «EARLY_EXIT\n"),
          "early_exit_key: stop does, and its output_interface takes it away",
          mend=(", output_interface: {keys_to_delete: [EARLY_EXIT]}", ""))
      for kind in ("sequential", "circular")),
    *(row(f"{kind}: an end that is never true",
          composite(ALWAYS % "false", kind=kind, more="early_exit_key: «EARLY_EXIT\n",
                    ports="[value]"),
          "early_exit_key: the key 'EARLY_EXIT' is never a true value",
          mend=("{keys_to_set: {EARLY_EXIT: false}}", "{keys_to_copy: {value: EARLY_EXIT}}"))
      for kind in ("sequential", "circular")),
    *(row(f"{kind}: a step behind one that always ends it",
          composite(ALWAYS % "true", "«add", kind=kind, more="early_exit_key: EARLY_EXIT\n",
                    ports="[value, n]"),
          "topology.1: add is never taken: any before it always ends the flow",
          mend=("{keys_to_set: {EARLY_EXIT: true}}", "{keys_to_copy: {value: EARLY_EXIT}}"))
      for kind in ("sequential", "circular")),
]  # fmt: skip
LOOPS = [
    row("no end at all",
        composite("add", kind="circular", more="max_rounds: «null\nearly_exit_key: null\n"),
        "max_rounds: the loop has no end", mend=("max_rounds: null", "max_rounds: 3")),
    row("no end, and no step gives the default key",
        composite("add", kind="circular", more="max_rounds: «null\n"),
        "max_rounds: no step gives the early exit key 'EARLY_EXIT'",
        mend=("flow: add}", "flow: add}\n  - {goal: end, flow: stop}")),
    row("no end, and the key is never true",
        composite(ALWAYS % "0", kind="circular", more="max_rounds: «null\n", ports="[value]"),
        "max_rounds: the loop has no end", mend=("null\nsub", "4\nsub")),
    row("no end, and no limit of the run",
        composite("add", kind="circular", more="max_rounds: «null\nearly_exit_key: null\n"),
        "max_rounds: the loop has no end",
        mend=("max_rounds: null", "limits: {rounds: 5}\nmax_rounds: null")),
    row("no end, and no time limit",
        composite("add", kind="circular", more="max_rounds: «null\nearly_exit_key: null\n"),
        "max_rounds: the loop has no end",
        mend=("max_rounds: null", "timeout: 5\nmax_rounds: null")),
    row("another type in the second round",
        composite("«add, output_interface: {keys_to_set: {n: many}}", kind="circular",
                  more="early_exit_key: null\n"),
        "topology.0: add cannot take 'many' as its input 'n'", mend=("n: many", "n: 3")),
    row("another type in the second round, from a step behind",
        composite("«add", "sum, output_interface: {keys_to_rename: {calls: n}}", kind="circular",
                  more="early_exit_key: null\n"),
        "topology.0: add cannot take list as its input 'n'", mend=("{calls: n}", "{total: n}")),
    row("steps that wait for each other",
        composite("add, after: [sum]", "sum, after: [add]", kind="parallel")
        .replace("topology:\n  - {", "topology:\n  «- {"),
        "topology: the steps add, sum wait for each other in a circle",
        mend=(", after: [sum]", "")),
]  # fmt: skip


def conflict(name: str, one: str, two: str, key: str, mend: tuple[str, str]) -> BrokenGraph:
    first, second = one.split(",")[0], two.split(",")[0]
    return row(
        name, composite(one, f"«{two}", kind="parallel", ports="[n, value]"),
        f"topology.1: {first} and {second} both write {key!r} and neither comes after",
        mend=mend,
    )  # fmt: skip


PICK = """\
_target_: parallel
input_interface: {n: int, branch: str, data: dict}
subflows_config:
  add: {_target_: T.Add}
  pick:
    _target_: branching
    subflows_config: {a: {_target_: T.Add}, b: {_target_: T.Echo}}
topology:
  - {goal: add, flow: add}
  - «{goal: pick, flow: pick, input_interface: {keys_to_rename: {data: branch_input_data}},
     output_interface: {additional_transformations:
       [{_target_: UnNesting, input_key: branch_output_data}]}}
"""
EARLY = """\
_target_: parallel
input_interface: {n: int}
subflows_config:
  add: {_target_: T.Add}
  two:
    _target_: sequential
    early_exit_key: EARLY_EXIT
    input_interface: {n: int}
    output_interface: [m, EARLY_EXIT]
    subflows_config: {stop: {_target_: T.Stop}, add: {_target_: T.Add}}
    topology:
      - {goal: stop, flow: stop}
      - {goal: add, flow: add, output_interface: {keys_to_rename: {n: m}}}
topology:
  - {goal: add, flow: add}
  - «{goal: two, flow: two, output_interface: {keys_to_rename: {m: n}}}
"""
AT_ONCE = [
    row("perhaps, on one branch of two", PICK,
        "topology.1: add and pick perhaps both write 'n' (not when the branch is 'b')",
        mend=("flow: pick", "flow: pick, after: [add]")),
    row("perhaps, if it does not end early", EARLY,
        "topology.1: add and two perhaps both write 'n' (not when two ends early)",
        mend=("flow: two", "flow: two, after: [add]")),
    conflict("both give it", "add", "double", "n", ("flow: double", "flow: double, after: [add]")),
    conflict("one renames to it", "sum, output_interface: {keys_to_rename: {total: n}}", "add",
             "n", ("total: n", "total: all")),
    conflict("one copies to it", "any, output_interface: {keys_to_copy: {value: n}}", "add", "n",
             ("value: n", "value: all")),
    conflict("one sets it", "any, output_interface: {keys_to_set: {n: 1}}", "add", "n",
             ("{n: 1}", "{m: 1}")),
    conflict("both set it", "any, output_interface: {keys_to_set: {x: 1}}",
             "stop, output_interface: {keys_to_set: {x: 2}}", "x", ("{x: 2}", "{y: 2}")),
    row("two of three", composite("add", "«double", "sum, after: [add, double]", kind="parallel"),
        "topology.1: add and double both write 'n'",
        mend=("flow: double", "flow: double, after: [add]")),
]  # fmt: skip


def each_of(more: str) -> str:
    return f"""\
_target_: map
input_interface: {{rows: list}}
{more}subflows_config:
  one: {{_target_: T.Add}}
"""


def rows_of(kind: str, elements: str, more: str) -> str:
    """A map over elements that the step before it sets."""
    return f"""\
_target_: {kind}
input_interface: [value]
subflows_config:
  any: {{_target_: T.Echo}}
  each:
    _target_: map
    input_interface: {{rows: list}}
    {more}
    subflows_config: {{one: {{_target_: T.Add}}}}
topology:
  - {{goal: set, flow: any, output_interface: {{keys_to_set: {{rows: {elements}}}}}}}
  - {{goal: map, flow: each}}
"""


def pick_of(kind: str, branch: str, data: str) -> str:
    """A branch that the step before it names, with its data."""
    return f"""\
_target_: {kind}.sequential
input_interface: [value]
subflows_config:
  any: {{_target_: T.Echo}}
  pick:
    _target_: {kind}.branching
    subflows_config: {{a: {{_target_: T.Add}}, b: {{_target_: T.Accumulate}}}}
topology:
  - {{goal: set, flow: any, output_interface:
      {{keys_to_set: {{branch: {branch}, branch_input_data: {data}}}}}}}
  - {{goal: pick, flow: pick}}
""".replace("_target_: ours.", "_target_: ")


SET = "topology.0.output_interface.keys_to_set"
CHOSEN = [
    *(row(f"{kind}: no such branch is set", pick_of(kind, "«c", "{n: 1}"),
          f"{SET}.branch: pick has no branch 'c'", mend=("branch: c", "branch: a"))
      for kind in ("ours", "aiflows")),
    *(row(f"{kind}: data that lack an input", pick_of(kind, "b", "«{}"),
          f"{SET}.branch_input_data: the branch 'b' needs the input 'n'",
          mend=("data: {}", "data: {n: 1}"))
      for kind in ("ours", "aiflows")),
    *(row(f"{kind}: data of another type", pick_of(kind, "b", "«{n: many}"),
          f"{SET}.branch_input_data: the branch 'b' cannot take 'many' as its input 'n'",
          mend=("n: many", "n: 3"))
      for kind in ("ours", "aiflows")),
    row("ours: data that no input takes", pick_of("ours", "b", "«{n: 1, m: 2}"),
        f"{SET}.branch_input_data: the branch 'b' has no input 'm'", mend=(", m: 2", "")),
    *(row(f"{kind}: through a composite of aiflows, of another type",
          f"""\
_target_: sequential
input_interface: [value]
subflows_config:
  any: {{_target_: T.Echo}}
  in:
    _target_: aiflows.{kind}
    input_interface: [n]
    subflows_config: {{add: {{_target_: T.Add}}}}
    topology: [«{{goal: add, flow: add}}]
topology:
  - {{goal: set, flow: any, output_interface: {{keys_to_set: {{n: many}}}}}}
  - {{goal: in, flow: in}}
""",
          "subflows_config.in.topology.0: add cannot take 'many' as its input 'n'",
          mend=("n: many", "n: 3"))
      for kind in ("sequential", "circular")),
]  # fmt: skip
MAPS = [
    row("elements that the subflow does not take",
        rows_of("sequential", "[1, many]", "over: rows\n    as: «n"),
        "subflows_config.each.as: one cannot take 'many' as its input 'n'",
        mend=("[1, many]", "[1, 2]")),
    row("elements without a key", rows_of("sequential", "«[{n: 1}, {m: 1}]", "over: rows"),
        f"{SET}.rows: one needs the input 'n', and not each element has it",
        mend=("{m: 1}", "{n: 3}")),
    row("no element has the key",
        rows_of("circular", "«[{m: 1}]", "over: rows"),
        f"{SET}.rows: one needs the input 'n', and no element has it",
        mend=("{m: 1}", "{n: 3}")),
    row("a key of elements of another type", rows_of("sequential", "«[{n: x}]", "over: rows"),
        f"{SET}.rows: one cannot take 'x' as its input 'n'", mend=("n: x", "n: 3")),
    row("no such input for an element", each_of("over: rows\nas: «m\n"),
        "as: one has no input 'm'",
        mend=("as: m", "as: n")),
    row("neither the list nor the input of an element is there",
        each_of("over: «row\nas: «m\n"),
        "over: the map has no input 'row' to go over", "as: one has no input 'm'",
        mend=(("over: row", "over: rows"), ("as: m", "as: n"))),
    row("no such output to collect", each_of("over: rows\nas: n\ncollect: «m\n"),
        "collect: one has no output 'm'", mend=("collect: m", "collect: n")),
    row("another input of the element", each_of("over: rows\nas: «value\n"),
        "as: one has no input 'value'",
        mend=("T.Add", "T.Echo")),
    row("no list to go over", each_of("over: «row\nas: n\n"),
        "over: the map has no input 'row' to go over", mend=("over: row\n", "over: rows\n")),
]  # fmt: skip
