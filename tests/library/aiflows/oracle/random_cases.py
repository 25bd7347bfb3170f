"""Cases that a generator makes from a seed: chains of transformations, and topologies."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from tests.library.aiflows.oracle.case import (
    Case,
    Tree,
    circle,
    flow,
    give,
    keys,
    kind,
    sequence,
    shown,
    step,
)

SEED: Final = 1807
_LEAVES: Final = ("a", "b", "c.d", "c.e.f", "g", "q", "c.q")
_NEW: Final = ("p", "r.s", "c.t", "a", "q")
_TEXTS: Final = ("one 12 two", "DONE", '{"k": [1, 2]}', "", "a\nb")


def random_cases(chains: int = 40, topologies: int = 40) -> tuple[Case, ...]:
    """As many of each; the same ones each time."""
    draw = Random(SEED)
    return (
        *(_chain(draw, number) for number in range(1, chains + 1)),
        *(_topology(draw, number) for number in range(1, topologies + 1)),
    )


def _data(draw: Random) -> Tree:
    return {
        "a": draw.randint(-9, 9),
        "b": draw.choice(_TEXTS),
        "c": {"d": draw.choice((None, True, 2.5)), "e": {"f": draw.choice(_TEXTS)}},
        "g": [draw.randint(0, 9), {"h": draw.choice(_TEXTS)}],
    }


def _chain(draw: Random, number: int) -> Case:
    """An interface whose keys never copy or delete a mapping, which is a difference of its own."""
    given: Tree = {}
    if draw.random() < 0.5:
        given["keys_to_copy"] = _pairs(draw)
    if draw.random() < 0.5:
        given["keys_to_set"] = {draw.choice(_NEW): draw.choice((1, "x", None, [2]))}
    given["additional_transformations"] = [_kind(draw) for _ in range(draw.randint(0, 3))]
    if draw.random() < 0.5:
        given["keys_to_select"] = draw.sample(_LEAVES[:5], draw.randint(1, 4))
    if draw.random() < 0.4:
        given["keys_to_delete"] = draw.sample(("a", "b", "g", "q"), draw.randint(1, 2))
    return Case(f"chain {number}", shown(keys(**given)), _data(draw))


def _pairs(draw: Random) -> dict[str, str]:
    return {draw.choice(_LEAVES): draw.choice(_NEW) for _ in range(draw.randint(1, 2))}


def _kind(draw: Random) -> Tree:
    key = draw.choice(("b", "b", "q"))
    output = draw.choice(("p", "b", "z"))
    return draw.choice(
        (
            kind("KeyRename", old_key2new_key=_pairs(draw)),
            kind("EndOfInteraction", input_key=key, output_key=output,
                 end_of_interaction_string="done"),
            kind("RegexFirstOccurrenceExtractor", regex=r"[a-z]+.", input_key=key,
                 output_key=output, assert_unique=False, strip=draw.random() < 0.5),
            kind("Json2Obj", input_key=key, output_key=output),
            kind("Obj2Json", input_key=draw.choice(("a", "c", "g")), output_key=output),
            kind("UnNesting", input_key=draw.choice(("c", "q"))),
        )
    )  # fmt: skip


def _topology(draw: Random, number: int) -> Case:
    return Case(f"topology {number}", _composite(draw, 0), {"n": draw.randint(0, 3)})


def _composite(draw: Random, depth: int) -> Tree:
    """Flows that add, that return what a script says, and composites, in any order."""
    flows = {f"f{index}{depth}": _flow(draw, depth) for index in range(draw.randint(1, 3))}
    names = [draw.choice(list(flows)) for _ in range(draw.randint(1, 4))]
    topology = [_step(draw, name) for name in names]
    more: dict[str, Any] = {"input_interface": ["n"]}
    if depth:
        more["output_interface"] = ["n"]
    if draw.random() < 0.5:
        return sequence(flows, topology, **more)
    return circle(flows, topology, max_rounds=draw.randint(1, 3), **more)


def _step(draw: Random, name: str) -> Tree:
    source = draw.choice((None, keys(keys_to_select=["n"])))
    sink = draw.choice((None, None, keys(keys_to_copy={"n": "last"})))
    return step(name, source, sink, **({"reset": True} if draw.random() < 0.3 else {}))


def _flow(draw: Random, depth: int) -> Tree:
    if depth < 2 and draw.random() < 0.3:
        return _composite(draw, depth + 1)
    if draw.random() < 0.4:
        gives: list[Tree] = [{"n": draw.randint(0, 9)} for _ in range(draw.randint(1, 3))]
        if draw.random() < 0.4:
            gives.append({"n": 0, "EARLY_EXIT": draw.choice((True, 1, "yes", False))})
        return give(*gives, input_interface=["n"])
    return flow("Add", amount=draw.randint(1, 5))
