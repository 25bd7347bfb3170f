"""What is not so: `never`, `not a single`, `nobody`, `no orders`, `empty`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.verbs import is_verb
from flows.analysis.questions.deeds import recorded
from flows.analysis.questions.parts import DenialPart, PlacedPart, RepeatsPart
from flows.analysis.questions.roles import deeds_of
from flows.analysis.questions.text import Text
from flows.semantics.path import BACK

_DENIALS: Phrases[str] = Phrases({
    "nobody": "nobody|no one|noone|none|no customer|no client|no user|no person",
    "not": "never|not|never ever|not ever|not once|not yet|did not|have not|has not|had not|do not"
    "|does not|was not|were not|is not|are not|have never|has never|had never|were never"
    "|was never|but never|but not|but did not|but have not|but has not",
    "no": "no|without|without any|with no|have no|has no|had no|having no|without single|zero"
    "|not have|not have any|do not have any|did not have any|does not have any|do not have"
    "|does not have|did not have|not got any|not any|no associated|lacking|not single",
})  # fmt: skip
_UNLISTED: Phrases[str] = Phrases({
    "": "missing from|are missing from|is missing from|absent from|are absent from|not in"
    "|are not in|is not in|not listed in|are not listed in|is not listed in|not found in"
    "|not contained in"
    "|not included in|not part of|do not appear in|does not appear in|do not exist in"
    "|does not exist in|do not have in|does not have in|have no entry in|has no entry in|not on"
    "|are not on|is not on|not among|unknown to|not known in|have no record in|has no record in",
})  # fmt: skip
_SHEETS = frozenset(["table", "list", "file", "sheet", "register", "master", "directory",
                     "dataset", "data", "catalog", "catalogue"])  # fmt: skip
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
# What belongs to a verb that stands before it: `took out`, `stood still`, `broke down`.
_PARTICLES = frozenset(["out", "up", "down", "off", "still", "back"])
_TO = frozenset(["to", "in", "on", "at", "for", "with"])
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
    yield from _unlisted(text, at)
    if text.word(at + 1) in ("no", "nothing", "zero"):  # `sold no tickets`
        for end in {at + 2, *(end for end, _ in text.names(at + 2) if end == at + 3)}:
            nothing = text.word(at + 1) == "nothing"
            datasets = recorded(text.word(at), text)
            if datasets and nothing == (end == at + 2):
                yield PlacedPart(DenialPart(datasets), at, end, 0.03)
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
            behind = _behind(text, begin + 1)
            yield PlacedPart(DenialPart(datasets), at, behind, 0.04)
            while text.word(behind) in _TO or text.word(behind) in _OBJECTS:
                behind += 1
            for last, dataset, cost in text.nouns(behind) if behind > begin + 1 else ():
                if dataset not in datasets:  # `not assigned to any project`
                    yield PlacedPart(DenialPart(datasets), at, last, cost + 0.02)
        for each in deeds_of(word, text.vocabulary.model):  # `never sent`: as the sender
            behind = _behind(text, begin + 1)
            ends = [last for last, dataset, _ in text.nouns(behind) if dataset == each.dataset]
            part = DenialPart((each.dataset,), (each.name,))
            yield PlacedPart(part, at, max(ends, default=behind), 0.04)
        if word not in _LIGHT and not is_verb(word):
            break
        begin += 1
    if kind == "nobody":
        yield from _unused(text, at, end)
    for each in text.vocabulary.model.relationships:  # `without any reports`
        if kind == "no" and each.dataset == each.to and each.back == text.word(end):
            yield PlacedPart(DenialPart((each.dataset,), (BACK + each.name,)), at, end + 1, 0.02)
    for start in {end, begin} if kind != "nobody" else ():
        for last, dataset, cost in text.nouns(start):
            yield PlacedPart(DenialPart((dataset,)), at, last, cost + 0.03)


def _unused(text: Text, at: int, begin: int) -> Iterator[PlacedPart]:
    """`nobody has signed up for` behind the noun of rows: nothing refers to them."""
    while text.word(begin) in ("has", "have", "had", "ever", "yet"):
        begin += 1
    word = text.word(begin)
    if not any(end == at for start in range(max(at - 3, 0), at) for end, _, _ in text.nouns(start)):
        return
    if (is_verb(word) or word.endswith("ed")) and not recorded(word, text):
        end = _behind(text, begin + 1)
        end += text.word(end) in _TO
        if end == len(text):
            yield PlacedPart(DenialPart(()), at, end, 0.12)


def _unlisted(text: Text, at: int) -> Iterator[PlacedPart]:
    """`missing from the airports table`, `not in the plane list`."""
    if (found := text.phrase(_UNLISTED, at)) is None:
        return
    for last, dataset, cost in text.nouns(found[1]):
        sheet = text.word(last) in _SHEETS
        extra = 0.0 if sheet else 0.04
        yield PlacedPart(DenialPart((dataset,), listed=True), at, last + sheet, cost + extra)


def _behind(text: Text, at: int) -> int:
    """The place behind words for just anything: `out anything at all`, `a single one`."""
    at += text.word(at) in _PARTICLES
    while text.word(at) in _OBJECTS:
        at += 1
    return at


def read_repeats(text: Text, at: int) -> Iterator[PlacedPart]:
    """`duplicate rows`, `entered twice`."""
    if (found := text.phrase(_REPEATS, at)) is not None:
        yield PlacedPart(RepeatsPart(), at, found[1], 0.03)
