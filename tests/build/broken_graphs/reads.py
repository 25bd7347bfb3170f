"""Keys that are read before they are written, and keys that nothing reads."""

from __future__ import annotations

from tests.build.broken_graphs.rows import BrokenGraph, composite, row

KINDS = ("sequential", "circular", "parallel")
SOURCE = "topology.0.input_interface"
SINK = "topology.0.output_interface"
ADDED = "additional_transformations"


def of_kind(kind: str) -> list[BrokenGraph]:
    """The same mistakes in each kind of composite."""
    circle = kind == "circular"
    nothing = f"nothing {'gives it in the first round' if circle else 'before this step gives it'}"
    ends = "early_exit_key: null\n" if circle else ""

    def one(*steps: str, ports: str = "[n]", outputs: str = "null") -> str:
        return composite(*steps, ports=ports, outputs=outputs, kind=kind, more=ends)

    def reader(transformation: str, more: str = "") -> str:
        each = f"{{_target_: {transformation}, input_key: «k{more}}}"
        return f"any, input_interface: {{{ADDED}: [{each}]}}"

    def missing(name: str, transformation: str, more: str = "") -> BrokenGraph:
        return row(
            f"{kind}: {name}",
            one(reader(transformation, more), ports="{value: str, kind: str}"),
            f"{SOURCE}.{ADDED}.0.input_key: no key 'k': nothing before this step gives it",
            mend=("input_key: k", "input_key: value"),
        )

    return [
        row(f"{kind}: an input that nothing gives", one("«add", ports="[m]"),
            f"topology.0: add needs the input 'n', and {nothing}", mend=("[m]", "[n]")),
        row(f"{kind}: deleted, and never there",
            one("add, input_interface: {keys_to_delete: [«m]}"),
            f"{SOURCE}.keys_to_delete.0: nothing gives the key 'm' to delete, so it is left out",
            mend=("[m]", "[]")),
        row(f"{kind}: an input of another name", one("any", "«add", ports="[vlaue]"),
            "topology.1: add needs the input 'n'", mend=("[vlaue]", "[n]")),
        row(f"{kind}: renamed from a wrong name",
            one("add, input_interface: {keys_to_rename: {mm: «n}}", ports="[m]"),
            f"{SOURCE}.keys_to_rename.mm: nothing gives the key 'mm' that it is made of",
            mend=("mm:", "m:")),
        row(f"{kind}: copied from a wrong name",
            one("add, input_interface: {keys_to_copy: {mm: «n}}", ports="[m]"),
            f"{SOURCE}.keys_to_copy.mm: nothing gives the key 'mm' that it is made of",
            mend=("mm:", "m:")),
        row(f"{kind}: renamed to a wrong name",
            one("add, input_interface: «{keys_to_rename: {m: «nn}}", ports="[m]"),
            f"{SOURCE}: add needs the input 'n'",
            f"{SOURCE}.keys_to_rename.m: nothing reads the key 'nn'",
            mend=("nn", "n")),
        row(f"{kind}: deleted before it is read",
            one("add, input_interface: «{keys_to_delete: [n]}"),
            f"{SOURCE}: add needs the input 'n'", mend=("[n]}", "[]}")),
        row(f"{kind}: another key is selected",
            one("add, input_interface: «{keys_to_select: [m]}", ports="[n, m]"),
            f"{SOURCE}: add needs the input 'n'", mend=("select: [m]", "select: [n]")),
        row(f"{kind}: selects what is not there",
            one("add, input_interface: {keys_to_select: [n, «k]}"),
            f"{SOURCE}.keys_to_select.1: no key 'k': nothing before this step gives it",
            mend=(", k]", "]")),
        row(f"{kind}: selects what the flow does not give",
            one("sum, output_interface: {keys_to_select: [«totl]}"),
            f"{SINK}.keys_to_select.0: no key 'totl': sum does not give it",
            mend=("totl", "total")),
        row(f"{kind}: an output that no step gives", one("add", outputs="[n, «k]"),
            "output_interface.1: no step gives the output 'k'", mend=(", k]", "]")),
        row(f"{kind}: an output that was renamed",
            one("sum, output_interface: {keys_to_rename: {total: «all}}", outputs="[«total]"),
            "output_interface.0: no step gives the output 'total'",
            f"{SINK}.keys_to_rename.total: nothing reads the key 'all'",
            mend=("[total]", "[all]")),
        missing("JSON of no key", "Json2Obj", ", output_key: value"),
        missing("a value of no key to JSON", "Obj2Json", ", output_key: value"),
        missing("no key to search", "RegexFirstOccurrenceExtractor",
                ", output_key: value, regex: a"),
        missing("no key to look for the end in", "EndOfInteraction",
                ", output_key: value, end_of_interaction_string: end"),
        row(f"{kind}: no key to unnest", one(reader("UnNesting"), ports="{value: dict}"),
            f"{SOURCE}.{ADDED}.0.input_key: no key 'k'", mend=("input_key: k", "input_key: value")),
        row(f"{kind}: a set key that the flow does not take",
            one("any, input_interface: {keys_to_set: {valeu: «1}}", ports="[value]"),
            f"{SOURCE}.keys_to_set.valeu: nothing reads the key 'valeu'", mend=("valeu", "value")),
        row(f"{kind}: a set key that no step reads",
            one("add, output_interface: {keys_to_set: {done: «1}}", outputs="[n]"),
            f"{SINK}.keys_to_set.done: nothing reads the key 'done'",
            mend=("output_interface: [n]", "output_interface: [n, done]")),
        row(f"{kind}: renamed to what no step reads",
            one("sum, output_interface: {keys_to_rename: {total: «all}}", outputs="[calls]"),
            f"{SINK}.keys_to_rename.total: nothing reads the key 'all'",
            mend=("[calls]", "[all]")),
        row(f"{kind}: nothing to rename",
            one("sum, output_interface: {keys_to_rename: {totl: «all}}", outputs="[total]"),
            f"{SINK}.keys_to_rename.totl: nothing gives the key 'totl' to rename",
            mend=(("totl", "total"), ("[total]", "[all]"))),
    ]  # fmt: skip


IN_ORDER = [
    row("what a later step gives", composite("any", "«sum", "add", ports="[value]"),
        "topology.1: sum needs the input 'n'", mend=("[value]", "[value, n]")),
    row("the first round of a circle",
        composite("«add", "any, output_interface: {keys_to_rename: {value: n}}",
                  ports="[value]", kind="circular", more="early_exit_key: null\n"),
        "topology.0: nothing gives it in the first round", mend=("[value]", "[value, n]")),
    row("a renamed key of the first round",
        composite("add, input_interface: «{keys_to_rename: {total: n}}", "sum", ports="[m]",
                  kind="circular", more="early_exit_key: null\n"),
        "topology.0.input_interface: nothing gives it in the first round",
        mend=("[m]", "[total]")),
    row("a step that does not come after the one that gives it",
        composite("sum", "add, input_interface: {keys_to_rename: {total: «n}}", kind="parallel",
                  outputs="[n]"),
        "topology.1.input_interface.keys_to_rename.total: nothing gives the key 'total'",
        mend=("flow: add", "flow: add, after: [sum]")),
    row("the same key twice is said once",
        composite("«sum", "add", ports="[m]"), "topology.0: sum needs the input 'n'",
        mend=("[m]", "[n]")),
    row("all faults in one pass",
        composite("«add", "any, input_interface: {keys_to_select: [«k]}",
                  "stop, output_interface: {keys_to_set: {x: «1}}", ports="[m]",
                  outputs="[n, «y]"),
        "output_interface.1: no step gives the output 'y'", "topology.0: add needs the input 'n'",
        "topology.1.input_interface.keys_to_select.0: no key 'k'",
        "topology.2.output_interface.keys_to_set.x: nothing reads the key 'x'",
        mend=(("[m]", "[n, k]"), ("y]", "x]"))),
]  # fmt: skip
IN_KINDS = {kind: of_kind(kind) for kind in KINDS}
