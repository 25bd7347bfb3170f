"""What is late and what is early: `more than 30 minutes late`, `left early`, `on time`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import root, split_identifier
from flows.analysis.questions.concepts import word_table
from flows.analysis.questions.parts import AgainstPart, BoundPart, Operand, PlacedPart
from flows.analysis.questions.phrases.numbers import comparison_at
from flows.analysis.questions.phrases.units import unit_at
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import unit_of
from flows.semantics.query import FieldRef, Operator

_LATE: Phrases[Operator] = Phrases({
    ">": "late|delayed|behind schedule|too late|with delay|overdue|behind time",
    "<": "early|too early|ahead of schedule|ahead of time|before time",
    "<=": "early or on time|on time or early|early or punctual"
    "|on time|in time|punctual|punctually|on schedule|without delay|not late|not delayed",
})  # fmt: skip
_VERBS_TEXT = """
    left departed depart departs leave leaves departing started start leaving took off: dep
        departure start
    arrived arrive arrives arriving landed land came delivered deliver: arr arrival delivered
        delivery
    picked pickup collected: pickup collected
    finished finish completed complete closed resolved paid shipped:
        finished completed closed resolved paid shipped
    returned return returns brought: returned return back
"""
_NOUNS = {"arrival": ("arr", "arrival"), "departure": ("dep", "departure"),
          "delivery": ("delivery", "delivered"), "landing": ("arr", "arrival")}  # fmt: skip
_HOURS = frozenset(["hour", "hours"])
_AUXILIARIES = frozenset(["were", "was", "are", "is", "be", "being", "been", "got", "that"])
# Words of times that were only meant to be, and of those at which something came to its end.
_MEANT = frozenset(
    ["promised", "promise", "due", "deadline", "scheduled", "sched", "planned", "plan", "expected",
     "estimated", "target", "required", "agreed", "requested", "eta"]
)  # fmt: skip
_DONE = (
    "delivered", "arrived", "arrival", "completed", "finished", "resolved", "closed", "returned",
    "back", "paid", "shipped", "done", "actual", "ended", "end",
)  # fmt: skip
_DELAYS = frozenset(["delay", "late", "lateness", "delays"])


VERBS = word_table(_VERBS_TEXT)


def read_lateness(text: Text, at: int) -> Iterator[PlacedPart]:
    """`arrived late`, `left more than 30 minutes late`, `delivered on time`, `delayed by 10 or
    more minutes`."""
    begin = at
    while text.word(begin) in _AUXILIARIES and begin < at + 2:
        begin += 1
    verb = VERBS.get(text.word(begin), ())
    begin += bool(verb)
    bound = comparison_at(text, begin)
    after = bound[1] if bound is not None else begin
    unit, end = "", after
    if bound is not None:
        end, unit = unit_at(text, after)
    late = text.phrase(_LATE, end)
    if late is None or (bound is not None and late[0] == "<="):
        return
    operator, end = late
    if bound is None:
        behind = end + (text.word(end) == "by")
        bound = comparison_at(text, behind) if operator == ">" else None
        if bound is not None:
            end, unit = unit_at(text, bound[1])
    if text.word(end) in ("on", "at", "in") and not verb:
        verb = _NOUNS.get(text.word(end + 1), ())
        end += 2 * bool(verb)
    number, compared = (bound[0][1], bound[0][0]) if bound is not None else (0.0, operator)
    if operator == "<" and bound is not None:
        number, compared = -number, "<" if compared in (">", ">=") else ">"
    for field, cost in _delays(text, verb):
        if unit in _HOURS and not unit_of(field, text.vocabulary):
            # Delays are kept in minutes where nothing says otherwise.
            yield PlacedPart(BoundPart(compared, 60 * number, field), at, end, cost + 0.12)
        else:
            yield PlacedPart(BoundPart(compared, number, field, unit), at, end, cost)
    if bound is None:
        for done, meant, cost in _pairs(text, verb):
            yield PlacedPart(AgainstPart(operator, meant, done), at, end, cost)


def late_at(text: Text, at: int) -> tuple[int, Operand] | None:
    """The measure of how late something was where it is called at a place, `arrive late`, with the
    place behind the words."""
    found = [
        (each.cost, each.end, each.part.field)
        for each in read_lateness(text, at)
        if isinstance(each.part, BoundPart) and each.part.number == 0 and each.part.field
    ]
    return min(found, key=lambda each: each[0])[1:] if found else None


def _delays(text: Text, verb: tuple[str, ...]) -> Iterator[tuple[Operand, float]]:
    """The measures of how late something was, those of what the verb says first."""
    found = [
        each
        for each in text.vocabulary.names
        if each.role == "measure" and _DELAYS & set(each.words)
    ]
    for each in dict.fromkeys(one.operand for one in found):
        words = {word for one in found if one.operand == each for word in one.words}
        if verb and set(verb) & words:
            yield each, 0.02
        elif not verb or not any(_says(one.words) for one in found):
            # Said of nothing, it is rather how late it came in the end.
            yield each, 0.05 + (0.04 if words & set(VERBS["left"]) else 0.0)


def _says(words: tuple[str, ...]) -> bool:
    return any(set(words) & set(each) for each in VERBS.values())


def _pairs(text: Text, verb: tuple[str, ...]) -> Iterator[tuple[FieldRef, FieldRef, float]]:
    """When rows were done and when they were meant to be."""
    for dataset in text.vocabulary.model.datasets:
        times = [
            (each, split_identifier(each.name)) for each in dataset.fields
            if each.role == "time" and each.type in ("date", "timestamp", "time")
        ]  # fmt: skip
        meant = [each for each, words in times if _MEANT & set(words)]
        stems = [root(each) for each in (verb or _DONE)]
        done = [
            each for each, words in times
            if each not in meant and {root(word) for word in words} & set(stems)
        ]  # fmt: skip
        if meant and done:
            refs = [FieldRef(dataset=dataset.name, field=each.name) for each in (done[0], meant[0])]
            yield refs[0], refs[1], 0.06
