"""Keys of another type than what reads them takes."""

from __future__ import annotations

from tests.build.broken_graphs.rows import BrokenGraph, composite, row

SOURCE = "topology.0.input_interface"
ADDED = "additional_transformations"


def of_kind(kind: str) -> list[BrokenGraph]:
    """The same mistakes in each kind of composite."""
    ends = "early_exit_key: null\n" if kind == "circular" else ""

    def one(*steps: str, ports: str = "[n]", outputs: str = "null") -> str:
        return composite(*steps, ports=ports, outputs=outputs, kind=kind, more=ends)

    def port(declared: str) -> BrokenGraph:
        return row(
            f"{kind}: {declared} for a number", one("«add", ports=f"{{n: {declared}}}"),
            f"topology.0: add cannot take {declared} as its input 'n'",
            mend=(f"n: {declared}", "n: int"),
        )  # fmt: skip

    return [
        port("list"),
        port("dict"),
        row(f"{kind}: a text that is no number",
            one("add, input_interface: «{keys_to_set: {n: some}}"),
            f"{SOURCE}: add cannot take 'some' as its input 'n'", mend=("n: some", "n: '12'")),
        row(f"{kind}: a list that is set",
            one("sum, input_interface: «{keys_to_set: {n: [1, 2]}}"),
            f"{SOURCE}: sum cannot take [1, 2] as its input 'n'", mend=("[1, 2]}}", "1}}")),
        row(f"{kind}: null that is set",
            one("stop, input_interface: «{keys_to_set: {n: null}}"),
            f"{SOURCE}: stop cannot take null as its input 'n'", mend=("n: null", "n: 1")),
        row(f"{kind}: a list that is renamed",
            one("add, input_interface: «{keys_to_rename: {all: n}}", ports="{all: list}"),
            f"{SOURCE}: add cannot take list as its input 'n'", mend=("all: list", "all: float")),
        row(f"{kind}: a mapping that is copied",
            one("add, input_interface: «{keys_to_copy: {all: n}}", ports="{all: dict}"),
            f"{SOURCE}: add cannot take dict as its input 'n'", mend=("all: dict", "all: any")),
        row(f"{kind}: a number is no JSON",
            one(f"any, input_interface: {{{ADDED}: [{{_target_: Json2Obj, input_key: «value}}]}}",
                ports="{value: int}"),
            f"{SOURCE}.{ADDED}.0.input_key: 'value' must be text, and it is int",
            mend=("value: int", "value: str")),
        row(f"{kind}: a list cannot be searched",
            one(f"any, input_interface: {{{ADDED}: [{{_target_: RegexFirstOccurrenceExtractor, "
                "input_key: «all, output_key: value, regex: a}]}", ports="{all: list}"),
            f"{SOURCE}.{ADDED}.0.input_key: 'all' must be text, and it is list",
            mend=("all: list", "all: str")),
        row(f"{kind}: a text cannot be unnested",
            one(f"any, input_interface: {{{ADDED}: [{{_target_: UnNesting, input_key: «all}}]}}",
                ports="{all: str}"),
            f"{SOURCE}.{ADDED}.0.input_key: 'all' must be a mapping, and it is str",
            mend=("all: str", "all: dict")),
        row(f"{kind}: a key below a number",
            one("any, input_interface: {keys_to_select: [«value.deep]}", ports="{value: int}"),
            f"{SOURCE}.keys_to_select.0: no key 'value.deep'", mend=("value.deep", "value")),
        row(f"{kind}: what a text holds, as a number",
            one(f"add, input_interface: «{{{ADDED}: [{{_target_: KeySet, "
                "key2value: {n: {a: 1}}}]}"),
            f"{SOURCE}: add cannot take dict as its input 'n'", mend=("n: {a: 1}", "n: 1")),
    ]  # fmt: skip


IN_ORDER = [
    row("what a flow gives is no number",
        composite("sum", "add, input_interface: «{keys_to_rename: {calls: n}}"),
        "topology.1.input_interface: add cannot take list as its input 'n'",
        mend=("calls: n", "total: n")),
    row("what a flow writes over an input",
        composite("sum, output_interface: {keys_to_rename: {calls: n}}", "«add"),
        "topology.1: add cannot take list as its input 'n'", mend=("calls: n", "total: n")),
    row("through a composite below", """\
_target_: sequential
input_interface: {all: list}
subflows_config:
  inner:
    _target_: sequential
    input_interface: [n]
    subflows_config: {add: {_target_: T.Add}}
    topology:
      - «{goal: add, flow: add}
topology:
  - {goal: below, flow: inner, input_interface: {keys_to_rename: {all: n}}}
""",
        "subflows_config.inner.topology.0: add cannot take list as its input 'n'",
        mend=("all: list", "all: int")),
    row("the port of a composite below", """\
_target_: sequential
input_interface: {all: list}
subflows_config:
  inner:
    _target_: sequential
    input_interface: {n: int}
    subflows_config: {add: {_target_: T.Add}}
    topology: [{goal: add, flow: add}]
topology:
  - {goal: below, flow: inner, input_interface: «{keys_to_rename: {all: n}}}
""",
        "topology.0.input_interface: inner cannot take list as its input 'n'",
        mend=("all: list", "all: int")),
    row("of what a composite below returns", """\
_target_: sequential
input_interface: {n: int}
subflows_config:
  add: {_target_: T.Add}
  inner:
    _target_: sequential
    input_interface: [n]
    output_interface: [calls]
    subflows_config: {sum: {_target_: T.Accumulate}}
    topology: [{goal: sum, flow: sum}]
topology:
  - {goal: below, flow: inner, output_interface: {keys_to_rename: {calls: n}}}
  - «{goal: add, flow: add}
""",
        "topology.1: add cannot take list as its input 'n'",
        mend=(("[calls]", "[total]"), ("calls: n", "total: n"))),
    row("nested: a key of a mapping that is known",
        composite("sum, output_interface: {keys_to_rename: {calls: r.all}}",
                  "add, input_interface: «{keys_to_rename: {r.all: n}}"),
        "topology.1.input_interface: add cannot take list as its input 'n'",
        mend=("calls: r.all", "total: r.all")),
    row("nested: a key that a mapping has not",
        composite("sum, output_interface: {keys_to_rename: {calls: r.all}}",
                  "any, input_interface: {keys_to_select: [«r.al]}, "
                  "output_interface: {keys_to_delete: [value]}"),
        "topology.1.input_interface.keys_to_select.0: no key 'r.al'", mend=("r.al]", "r.all]")),
]  # fmt: skip
IN_KINDS = {kind: of_kind(kind) for kind in ("sequential", "circular", "parallel")}
