"""What is known of rows, and in which state they are: `without an e-mail`, `still open`, `left`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import root, singular, split_identifier
from flows.analysis.questions.parts import KnownPart, PlacedPart, ValuePart
from flows.analysis.questions.phrases.lateness import VERBS
from flows.analysis.questions.roles import is_own_key
from flows.analysis.questions.states import PLANNED
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_LACKING: Phrases[bool] = Phrases({
    False: "without|without any|without known|with no|no|lacking|lack|lacks|missing|unknown|have no"
    "|has no|had no|having no|with missing|with unknown|with empty|not know|do not know"
    "|does not know|not we know|do not we know|we not know|not we have|not have|do not have"
    "|does not have|did not have|not have any|do not have any|did not give|did not state|not got"
    "|no known|is missing|are missing|miss|misses|with blank|does not have any|there is no"
    "|there are no",
    True: "with known|with given|with some|with any",
})  # fmt: skip
_AFTER: Phrases[bool] = Phrases({
    False: "unknown|missing|empty|blank|null|not known|not given|not filled in|not recorded"
    "|not available|not set|absent|is unknown|is missing|are missing|is empty|is blank|is null"
    "|is not known|is not given|is not filled in|is not recorded|is not set|is not there"
    "|was not recorded|was not given|are unknown|are not known|left blank|left empty|not filled"
    "|is left blank|is left empty|not stated|not entered|is not available|was unknown",
    True: "is known|is given|is filled in|is recorded|is set|known|was recorded|are known",
})  # fmt: skip
_TAIL: Phrases[str] = Phrases({
    "": "filled in|given|on record|recorded|known|at all|entered|noted|on file|available|listed|set"
    "|stated|whatsoever",
})  # fmt: skip
_STILL = frozenset(["still", "currently", "yet", "now", "already", "been", "ever", "are", "is",
                    "were", "was", "have", "has", "had", "who", "that", "which"])  # fmt: skip
_WITH_US = frozenset(["with", "w", "/", "here", "us", "at", "company", "now", "in", "hospital",
                      "house", "building", "clinic", "premises"])  # fmt: skip
_HAVING = frozenset(["have", "has", "had", "with", "having", "got"])
_NOT = frozenset(["not", "never", "excluding", "except", "ignoring"])

# Behind what happened they say when.
BEFORE_PERIODS = frozenset(["in", "on", "during", "since", "between", "before", "after", "from",
                            "until", "by", "this", "last", "within"])  # fmt: skip
_CLOCK = frozenset(["time", "date", "at", "on"])


def read_known(text: Text, at: int) -> Iterator[PlacedPart]:
    """`without an e-mail`, `we do not know the salary`, `the country is unknown`."""
    lacking = text.phrase(_LACKING, at)
    if text.word(at) == "without" and text.sees(at - 2, "with", "and"):
        return  # both sides are asked for
    if lacking is not None:
        begin = lacking[1] + (text.word(lacking[1]) in ("any", "their", "its", "his", "her"))
        for end, found in text.names(begin):
            if not isinstance(found.operand, FieldRef) or is_own_key(
                found.operand, text.vocabulary.model
            ):
                continue  # each row has its key: `ships without voyages`
            if found.cost < 0.4 and found.role != "flag":
                tail = text.phrase(_TAIL, end)
                last = end if tail is None else tail[1]
                yield PlacedPart(KnownPart(found.operand, lacking[0]), at, last, found.cost + 0.02)
            elif found.role == "flag" and begin > at + 1:
                yield from _flag_denied(text, found.operand, lacking[0], at, end)
            elif found.role == "flag" and text.word(at) == "without":
                yield from _flag_denied(text, found.operand, False, at, end)
    word = text.word(at)
    if lacking is not None or word in _NOT:
        return
    for end, found in text.names(at):
        after = text.phrase(_AFTER, end)
        if after is None or (text.word(after[1] - 1) == "missing" and any(text.names(after[1]))):
            continue  # `is any department missing a quarter`
        if isinstance(found.operand, FieldRef):
            yield PlacedPart(KnownPart(found.operand, after[0]), at, after[1], found.cost + 0.02)


def _flag_denied(text: Text, of: object, holds: bool, at: int, end: int) -> Iterator[PlacedPart]:
    """`without solar`: a column of yes and no does not say yes."""
    if isinstance(of, FieldRef) and (every := text.vocabulary.states.every_yes(of)):
        yield PlacedPart(ValuePart(of, every, holds), at, end, 0.03)
        if _is_unknown(text, end):
            yield PlacedPart(ValuePart(of, every, holds), at, end + 1, 0.12)


def read_flag(text: Text, at: int) -> Iterator[PlacedPart]:
    """`no shows`, `urgent orders`: the name of a column of yes and no says that it is so."""
    for end, found in text.names(at):
        operand = found.operand
        if found.role != "flag" or not isinstance(operand, FieldRef) or found.cost > 0.13:
            continue
        if text.word(at - 1) in ("by", "per", "each") or text.word(end) == "by":
            continue
        if yes := text.vocabulary.states.every_yes(operand):
            yield PlacedPart(ValuePart(operand, yes), at, end, found.cost)
            if text.word(at - 1) in _HAVING and _is_unknown(text, end):
                yield PlacedPart(ValuePart(operand, yes), at, end + 1, found.cost + 0.1)


def _is_unknown(text: Text, at: int) -> bool:
    """Whether a word in the plural that the data do not know stands last: `have solar panels`."""
    word = text.word(at)
    plural = singular(word) != word and not text.vocabulary.knows(word)
    return plural and at == len(text) - 1 and not any(text.names(at)) and not any(text.nouns(at))


def read_state(text: Text, at: int) -> Iterator[PlacedPart]:
    """`still open`, `have not been returned`, `people who left`, `still with us`."""
    begin, holds = at, True
    while text.word(begin) in _STILL or text.word(begin) in _NOT:
        holds = holds and text.word(begin) not in _NOT
        begin += 1
    word, end = text.word(begin), begin + 1
    if word in _WITH_US and text.word(begin - 1) == "still" and begin > at:
        word = "staying"
        while text.word(end) in _WITH_US:
            end += 1
    if not word or (word == "out" and begin == at):
        return
    if begin > at and text.word(at) in ("who", "that", "which") and at == 0:
        return  # the word that asks
    if begin > at:
        for of, value in text.vocabulary.values.kin(word)[:3]:  # `still open` of a `Status`
            yield PlacedPart(ValuePart(of, (value,), holds), at, end, 0.05)
    for field, yes, state, cost in text.vocabulary.states.of(word):
        is_so = state == holds
        if yes is None:
            cost += 0.05 * (is_so and text.word(end) in BEFORE_PERIODS)  # `returned in May`
            yield PlacedPart(KnownPart(field, is_so), at, end, cost)
        else:
            every = text.vocabulary.states.every_yes(field)
            yield PlacedPart(ValuePart(field, every, is_so), at, end, cost)


def read_happening(text: Text, at: int) -> Iterator[PlacedPart]:
    """`signed up`: a verb that is in the name of a time says that this time is known."""
    word = text.word(at)
    if not word.endswith("ed") or text.word(0) == "when":
        return
    for end, found in text.names(at):
        operand = found.operand
        if found.role != "time" or not isinstance(operand, FieldRef) or found.cost >= 0.3:
            continue
        if any(each.startswith(root(word)) for each in _words_of(text, operand)):
            yield PlacedPart(KnownPart(operand), at, end, found.cost + 0.08)


def _words_of(text: Text, field: FieldRef) -> Iterator[str]:
    for name in text.vocabulary.names:
        if name.operand == field:
            yield from name.words


def read_undone(text: Text, at: int) -> Iterator[PlacedPart]:
    """`never took off`, `were not delivered`: the time at which it happened is missing."""
    if text.word(at) not in ("never", "not"):
        return
    begin = at + 1 + (text.word(at + 1) in ("been", "yet", "actually", "even", "get", "got"))
    words = {root(each) for each in VERBS.get(text.word(begin), ())}
    for dataset in text.vocabulary.model.datasets if words else ():
        for field in dataset.fields:
            named = split_identifier(field.name)
            column = text.vocabulary.values.column(dataset.table, field.column)
            is_time = field.role == "time" or not _CLOCK.isdisjoint(named)
            if column is None or not column.missing or not is_time:
                continue
            if words & {root(each) for each in named} and not PLANNED & set(named):
                known = FieldRef(dataset=dataset.name, field=field.name)
                yield PlacedPart(KnownPart(known, False), at, begin + 1, 0.08)
