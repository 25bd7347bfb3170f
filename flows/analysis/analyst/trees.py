"""Small decision trees, each correcting those before it, that tell how likely something is."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# No chance that is told is higher: nothing that is fitted is certain.
_MOST: Final = 0.98


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a tree: a sign of at most `threshold` goes on at `low`, any other at `high`. A leaf
    has no sign, and adds its `value`."""

    sign: str
    threshold: float
    low: int
    high: int
    value: float


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """The sum of what the trees add to `base` is the logarithm of the odds."""

    base: float
    trees: tuple[tuple[TreeNode, ...], ...]

    def chance(self, signs: Mapping[str, float]) -> float:
        """How likely it is, from 0 to 1. Errors: `KeyError` for a sign that is not given."""
        score = self.base + sum(_value(tree, signs) for tree in self.trees)
        return round(min(_MOST, 1 / (1 + math.exp(-score))), 4)


def _value(tree: Sequence[TreeNode], signs: Mapping[str, float]) -> float:
    at = tree[0]
    while at.sign:
        at = tree[at.low if signs[at.sign] <= at.threshold else at.high]
    return at.value


def read_trees(file: Path) -> dict[str, BoostedTrees]:
    """The ensembles of a file, by their names: `{name: {base, trees: [[node]]}}`, where a node is
    `[sign, threshold, low, high]`, or the value of a leaf."""
    known = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: BoostedTrees(
            float(of["base"]), tuple(tuple(map(_branch, tree)) for tree in of["trees"])
        )
        for name, of in known.items()
    }


def _branch(node: float | Sequence[object]) -> TreeNode:
    match node:
        case [str(sign), float() | int() as threshold, int(low), int(high)]:
            return TreeNode(sign, float(threshold), low, high, 0.0)
        case float() | int():
            return TreeNode("", 0.0, 0, 0, float(node))
    raise ValueError(f"{node!r} is no node of a tree")
