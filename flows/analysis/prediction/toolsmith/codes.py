"""The form of codes: which letters, digits and marks follow each other in them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from flows.analysis.prediction.planning.values import known_values
from flows.data.tables import Column

_RUN = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]+")
_MOST_RUNS = 9


@dataclass(frozen=True, slots=True)
class CodeForm:
    """A pattern with a group for each part that tells something. `numbers` are the labels of parts
    that are digits; `examples` are values with their parts as text."""

    pattern: str
    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    examples: tuple[tuple[str, tuple[str, ...]], ...]


def code_form(column: Column) -> CodeForm | None:
    """The form that most values have, None where none has parts that are worth a column."""
    values = [each.strip() for each in known_values(column)]
    shapes = Counter(_shape(each) for each in values)
    if not shapes:
        return None
    shape, _ = shapes.most_common(1)[0]
    kinds = [each for each in shape if each in "A9"]
    if len(kinds) < 2 or len(shape) > _MOST_RUNS:
        return None
    whole = re.compile("^" + "".join(_group(each) for each in shape))
    matched = [found for found in map(whole.match, values) if found]
    if len(matched) < 0.6 * len(values):
        return None
    kept = [at for at, kind in enumerate(kinds) if _tells([m[at + 1] for m in matched], kind)]
    if not kept:
        return None
    return _form(column.name, shape, kinds, kept, values)


def _shape(value: str) -> tuple[str, ...]:
    """The runs of a value: A for letters, 9 for digits, marks as they are."""
    runs = _RUN.findall(value)
    return tuple("A" if each[0].isalpha() and each.isascii() else
                 "9" if each[0].isdigit() else each for each in runs)  # fmt: skip


def _group(kind: str, *, kept: bool = True) -> str:
    inner = {"A": "[A-Za-z]+", "9": r"\d+"}.get(kind)
    if inner is None:
        return re.escape(kind)
    return f"({inner})" if kept else inner


def _tells(values: list[str], kind: str) -> bool:
    distinct = len(set(values))
    if distinct < 2:
        return False
    return kind == "9" or distinct <= max(10, 0.3 * len(values))


def _form(
    name: str, shape: tuple[str, ...], kinds: list[str], kept: list[int], values: list[str]
) -> CodeForm:
    written, place, places = [], 0, []
    for each in shape:
        is_part = each in "A9"
        written.append(_group(each, kept=place in kept) if is_part else _group(each))
        places += [place] if is_part else []
        place += is_part
    pattern = "^" + "".join(written)
    words = {"A": "letters", "9": "number"}
    labels = tuple(f"{name}_{words[kinds[at]]}_{at + 1}" for at in kept)
    numbers = tuple(label for label, at in zip(labels, kept, strict=True) if kinds[at] == "9")
    examples: list[tuple[str, tuple[str, ...]]] = []
    for value in values[:40]:
        found = re.match(pattern, value)
        if found and len(examples) < 4:
            parts = zip(labels, found.groups(), strict=True)
            told = [str(float(each)) if label in numbers else each for label, each in parts]
            examples.append((value, tuple(told)))
    return CodeForm(pattern, labels, numbers, tuple(examples))
