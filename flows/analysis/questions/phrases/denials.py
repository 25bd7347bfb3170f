"""What is not so: `never`, `not a single`, `nobody`, `no orders`, `empty`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.verbs import is_verb
from flows.analysis.questions.deeds import recorded
from flows.analysis.questions.parts import DenialPart, PlacedPart, RepeatsPart
from flows.analysis.questions.text import Text

_DENIALS: Phrases[str] = Phrases({
    "nobody": "nobody|no one|noone|none|no customer|no client|no user|no person",
    "not": "never|not|never ever|not ever|not once|not yet|did not|have not|has not|had not|do not"
    "|does not|was not|were not|is not|are not|have never|has never|had never|were never"
    "|was never|but never|but not|but did not|but have not|but has not",
    "no": "no|without|without any|with no|have no|has no|had no|having no|without single|zero"
    "|not have|not have any|do not have any|did not have any|does not have any|do not have"
    "|does not have|did not have|not got any|not any|no associated|lacking|not single",
})  # fmt: skip
_LIGHT_TEXT = """
    ever yet been be once even have has had do does did get got gotten made make take took taken
    out up placed place put on in to given any single one anything something some at all
    received assigned opened filed recorded used using
"""
_LIGHT = frozenset(_LIGHT_TEXT.split())
_USED = frozenset(["used", "needed", "involved", "assigned", "referenced", "touched"])
_OBJECTS_TEXT = """
    anything something any single one even ever yet it them at all before so far from us
"""
_OBJECTS = frozenset(_OBJECTS_TEXT.split())
_REPEATS: Phrases[str] = Phrases({
    "": "duplicate|duplicates|duplicated|duplicate rows|duplicated rows|duplicate records"
    "|duplicate lines|duplicate entries|entered twice|recorded twice|in there twice|listed twice"
    "|double entries|doubled|entered more than once|recorded more than once|appear twice"
    "|appears twice|repeated rows|repeated lines|exact copies|copies of others|were entered twice"
    "|extra lines|extra rows|extra copies|surplus rows|redundant rows",
})  # fmt: skip


def read_denial(text: Text, at: int) -> Iterator[PlacedPart]:
    """`never bought anything`, `nobody has bought`, `without orders`, `did not`."""
    if text.word(at) == "empty":
        yield PlacedPart(DenialPart(()), at, at + 1, 0.05)
        return
    denied = text.phrase(_DENIALS, at)
    if denied is None:
        return
    kind, end = denied
    if kind == "not":
        yield PlacedPart(
            DenialPart(), at, end + (text.word(end) in ("have", "had", "go", "went", "stay")), 0.05
        )
    begin = end
    while kind != "no" and begin < min(end + 6, len(text)):
        word = text.word(begin)
        if word in _USED and not recorded(word, text):
            yield PlacedPart(DenialPart(()), at, _behind(text, begin + 1), 0.05)
        if datasets := recorded(word, text):
            yield PlacedPart(DenialPart(datasets), at, _behind(text, begin + 1), 0.04)
        if word not in _LIGHT and not is_verb(word):
            break
        begin += 1
    for start in {end, begin} if kind != "nobody" else ():
        for last, dataset, cost in text.nouns(start):
            yield PlacedPart(DenialPart((dataset,)), at, last, cost + 0.03)


def _behind(text: Text, at: int) -> int:
    """The place behind words for just anything: `anything at all`, `a single one`."""
    while text.word(at) in _OBJECTS:
        at += 1
    return at


def read_repeats(text: Text, at: int) -> Iterator[PlacedPart]:
    """`duplicate rows`, `entered twice`."""
    if (found := text.phrase(_REPEATS, at)) is not None:
        yield PlacedPart(RepeatsPart(), at, found[1], 0.03)
