"""Which words of the made companies' questions the lexicons of flows explain.

    python benchmarks/interpreter_words.py [--lexicon FILE] [--show] [--json]

A paraphrase speaks of a function or a field in words that the functions do not use themselves.
Such a word is explained where a lexicon of `flows/` gives one of the functions' own words for it:
an entry `word: other words` of a text, an item of a mapping, or what rules take for its meanings.
General English explains some of them for any company. Where it explains many more for a company
that rules are tuned on than for the one held back, its wordings were copied into a lexicon.
`--lexicon` shows what a text of such entries would add.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from interpreter import HALVES, TEXTS, World, functions_of
from report import table

from flows.analysis.functions.matching import text_of
from flows.analysis.functions.meanings import meanings
from flows.analysis.functions.terms import term

Entries = Mapping[str, frozenset[str]]
FLOWS: Final = Path(__file__).resolve().parent.parent / "flows"
_WORD: Final = re.compile(r"[a-z]{3,}")
_SLOT: Final = re.compile(r"\{\w+\}(?:'s)?")
_ENTRY: Final = re.compile(r"([a-z][a-z ]*):([a-z\- ]+)")
# Where lexicons of questions and data are kept.
_ROOMS: Final = ("analysis", "semantics", "library", "tools")
# Words of questions that stand for no function and no field.
_BARE: Final = frozenset(
    each
    for line in (
        "the and for with from that this our ours your you their they them his her who whose whom",
        "what which when where why how are was were been being have has had does did done will",
        "would can could shall should may might must not out into onto over under about after",
        "before during until upon all any each every some many much more most one two other",
        "another there here tell give get got say says know please need want let show list name",
        "find between among also too very then than whoever everybody somebody per its off",
    )
    for each in line.split()
)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a company's paraphrases that its functions do not use, and those of them that a
    lexicon explains by a word that they do use."""

    company: str
    half: str
    foreign: frozenset[str]
    explained: frozenset[str]

    @property
    def share(self) -> float:
        return len(self.explained) / len(self.foreign) if self.foreign else 0.0


def words_of(
    name: str, half: str, wordings: Iterable[str], own: frozenset[str], entries: Entries
) -> Words:
    """`own` are the terms of all that the functions say of themselves."""
    said = {
        word
        for wording in wordings
        for word in _WORD.findall(_SLOT.sub(" ", wording).lower())
        if word not in _BARE
    }
    foreign = frozenset(each for each in said if term(each) not in own)
    explained = frozenset(
        each for each in foreign if own & (meanings(each) | entries.get(term(each), frozenset()))
    )
    return Words(name, half, foreign, explained)


def words_of_world(name: str, half: str, world: World, entries: Entries) -> Words:
    own: set[str] = set()
    for each in functions_of(world.make(world.seed)):
        own.update(text_of(each.description).worth)
    wordings: Mapping[str, list[str]] = json.loads((TEXTS / f"{name}.json").read_text())
    answered = [
        each for kind, some in wordings.items() if not kind.startswith("missing") for each in some
    ]
    return words_of(name, half, answered, frozenset(own), entries)


def lexicon_entries(more: str) -> Entries:
    """The terms that texts and mappings of `flows/`, and one more text, give for a term."""
    found: dict[str, set[str]] = {}
    for words, others in (*_of_text(more), *_of_flows()):
        for word in words:
            found.setdefault(term(word), set()).update(map(term, others))
    return {word: frozenset(others) for word, others in found.items()}


def _of_flows() -> Iterator[tuple[list[str], list[str]]]:
    for room in _ROOMS:
        for file in (FLOWS / room).rglob("*.py"):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.Assign | ast.AnnAssign):
                    yield from _of_constant(node)


def _of_text(text: str) -> Iterator[tuple[list[str], list[str]]]:
    for words, others in _ENTRY.findall(text):
        yield _WORD.findall(words), _WORD.findall(others)


def _of_constant(node: ast.AST) -> Iterator[tuple[list[str], list[str]]]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield from _of_text(each.value)
        elif isinstance(each, ast.Dict):
            for key, value in zip(each.keys, each.values, strict=True):
                if key is not None:
                    yield _texts(key), _texts(value)


def _texts(node: ast.AST) -> list[str]:
    held = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    return [word for each in held if isinstance(each, str) for word in _WORD.findall(each)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--lexicon", type=Path, help="entries to count as if flows had them")
    parser.add_argument("--show", action="store_true", help="print the words")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    entries = lexicon_entries(asked.lexicon.read_text() if asked.lexicon else "")
    found = [
        words_of_world(name, half, world, entries)
        for half, worlds in HALVES.items()
        for name, world in worlds.items()
    ]
    if asked.json:
        print(json.dumps([{**asdict(each), "share": each.share} for each in found], default=sorted))
        return
    rows = [
        [each.company, each.half, str(len(each.foreign)), str(len(each.explained)),
         f"{each.share:.0%}"]
        for each in found
    ]  # fmt: skip
    print(table(["company", "half", "other words", "explained", "share"], rows))
    for each in found if asked.show else ():
        print(f"\n{each.company}: {' '.join(sorted(each.explained))}")
        print(f"  not explained: {' '.join(sorted(each.foreign - each.explained))}")


if __name__ == "__main__":
    main()
