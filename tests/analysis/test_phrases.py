"""A phrase that is found not to be possible is never one that would have matched."""

from __future__ import annotations

import random
import re
from importlib import import_module
from pkgutil import iter_modules

import pytest

from flows.analysis import reading
from flows.analysis.language.phrases import PhrasePattern, needed_by
from flows.analysis.methods.catalog import ASKED
from flows.analysis.reading.grammar import Rule
from tests.analysis.statistics.questions import QUESTIONS
from tests.analysis.test_read import CASES

SLOTS = ("C0", "C1", "N0", "N1", "V0", "T0", "Q0", "U0")
WORDS = ("the", "most", "than", "more", "not", "at", "least", "between", "and", "or", "each", "by",
         "with", "per", "in", "average", "highest", "number", "of", "who", "after")  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "needed"),
    [
        ("sold", (("sold",),)),
        ("colou?r", (("colo",), ("r",))),
        ("(?:sum|total) of", (("sum", "total"), (" of",))),
        ("(?:the )?sum", (("sum",),)),
        ("(?:sum|)", ()),
        ("sum(?: of)+", (("sum",), (" of",))),
        ("a|b|", ()),
        (r"(?P<n>\d+) rows(?= of)", ((" rows",),)),
        (r"(?<!\S)(?:no|not any) \w+", (("no", "not any"), (" ",))),
        (r"[ab]c{2}d{0,3}\.e", (("c",), (".e",))),
        (r"[\](]x\u201cy", (("x",), ("y",))),
        ("(?i)sum", ()),
        ("(x)?(?(1)y|z)", ()),
    ],
)
def test_what_an_expression_needs_is_read_from_it(
    expression: str, needed: tuple[tuple[str, ...], ...]
) -> None:
    assert needed_by(expression) == needed


def phrases() -> list[PhrasePattern]:
    """All phrases of the grammar of questions, and of the words that ask for statistics."""
    found = [each.cue.phrase(kind) for each in ASKED for kind in ("words", "hint", "noun")]
    found += [each.phrase for operation in ASKED for each in operation.cue.settings]
    found += [each.only for operation in ASKED for each in operation.cue.settings]
    for module in iter_modules(reading.__path__):
        for value in vars(import_module(f"{reading.__name__}.{module.name}")).values():
            rules = value if isinstance(value, tuple) else (value,)
            found += [each.phrase for each in rules if isinstance(each, Rule)]
    return [each for each in found if each is not None]


def lines() -> list[str]:
    """Questions as they are asked, and lines with slots as rules see them."""
    chance = random.Random(7)
    asked = [*(each.text for each in QUESTIONS), *(text for text, _ in CASES)]
    slotted = [
        " ".join(chance.choice(SLOTS) if chance.random() < 0.25 else word for word in text.split())
        for text in (each.lower() for each in asked)
    ]
    made = [" ".join(chance.choices((*WORDS, *SLOTS), k=7)) for _ in range(300)]
    return [*asked, *slotted, *made, "WHICH \u017ftore \u0130S the BEST"]


@pytest.mark.long("analyses computed over their data")
def test_no_phrase_is_ruled_out_that_matches() -> None:
    every, texts = phrases(), lines()
    found = [(each, text) for each in every for text in texts if each.pattern.search(text)]
    assert len(every) > 200
    assert len({id(each) for each, _ in found}) > 100
    assert [(each.text, text) for each, text in found if not each.is_possible(text)] == []


def test_a_phrase_is_not_compiled_for_a_text_without_its_words() -> None:
    phrase = PhrasePattern(r"\b(?:slope|trend) of\b", re.IGNORECASE)
    assert phrase.search("total revenue for each region") is None
    assert phrase.sub("x", "total revenue") == "total revenue"
    assert "pattern" not in vars(phrase)
    assert phrase.sub("x", "the SLOPE of it") == "the x it"
