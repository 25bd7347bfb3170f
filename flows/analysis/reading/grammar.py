"""Rules: regular expressions over a question's line, each with what it means for the plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from flows.analysis.language.lexicon import LESS, MORE, ORDINALS
from flows.analysis.language.phrasebook import COMPARISONS, SHORT_COMPARISONS
from flows.analysis.language.phrases import Match as Match
from flows.analysis.language.phrases import PhrasePattern
from flows.analysis.language.vocabulary import COMPARATIVES, LONG_ADJECTIVES, SUPERLATIVES
from flows.analysis.reading.draft import TAKEN, Draft
from flows.analysis.reading.plan import Comparison

# An action takes what its rule matched into the draft, and says what stays in the line; None means
# that the rule does not apply after all.
Action = Callable[[Draft, Match], str | None]

# Phrases that compare and that rules of their own read, for denials and for times.
_ELSEWHERE = frozenset({
    "since", "until", "starting from", "from at least", "not before", "not after", "not above",
    "not over", "not", "anything but", "the same as",
})  # fmt: skip
_COMPARED = [each for each in COMPARISONS.pattern().split("|") if each not in _ELSEWHERE]

_MACROS = {
    "DET": r"(?:(?:the|a|an|its|their|his|her|all|of|any|some|that|overall) )*",
    "BE": r"(?:(?:is|are|was|were|be|been|being|has|have|had|of|that|which|who|with|a|an|the|value"
    r"|values|its|to|set|equal|equals|as|in|number|at|it|=|:|do|does|did) )*",
    "CMP": f"(?:{'|'.join(_COMPARED)}|{SHORT_COMPARISONS.pattern()})",
    "SUP": "(?:" + "|".join(dict.fromkeys([*MORE, *LESS])) + ")",
    "EST": "(?:"
    + "|".join([*SUPERLATIVES, *(f"(?:most|least) {word}" for word in LONG_ADJECTIVES)])
    + ")",
    "ER": "(?:"
    + "|".join([*COMPARATIVES, *(f"(?:more|less) {word}" for word in LONG_ADJECTIVES)])
    + ")",
    "ORD": "(?:" + "|".join(ORDINALS) + ")",
    "AGG": r"(?:average|mean|median|total|sum|combined|maximum|max|minimum|min)",
    "DIR": r"(?:(?:ascending|descending|increasing|decreasing|alphabetical|alphabetic|lexicographic"
    r"|lexicographical|chronological|reverse|reversed|asc|desc|ascend|descend|alphabetically"
    r"|age|numerical|order|lexical|ascending,?) ?)+",
    "NOT": r"(?:not|other than|except|except for|excluding|outside|without|never|neither|nor"
    r"|no longer|rather than)",
}
_NAMED = re.compile(r"<(DET|BE|CMP|SUP|EST|ER|ORD|AGG|DIR|NOT|[A-Z]\d?)>")


@dataclass(frozen=True, slots=True)
class Rule:
    """A phrase and its meaning. `name` says in explanations what was read.

    Without `trace` nothing marks the place in the line where it was read.
    """

    name: str
    phrase: PhrasePattern
    action: Action
    trace: bool = True


def rule(name: str, phrase: str, action: Action, *, trace: bool = True) -> Rule:
    """A rule from a phrase with macros in angle brackets and slots such as `<C>`, `<N2>`."""

    def expand(match: Match) -> str:
        word = match.group(1)
        if word in _MACROS:
            return _MACROS[word]
        letter, place = word[0], word[1:]
        if letter == "L":
            return rf"(?P<l{place}>[VQU]\d+)"
        return rf"(?P<{letter.lower()}{place}>{letter}\d+)"

    pattern = _NAMED.sub(expand, phrase)
    outline = _NAMED.sub(_in_outline, phrase)
    return Rule(name, PhrasePattern(rf"(?<!\S)(?:{pattern})(?!\S)", outline=outline), action, trace)


def _in_outline(match: Match) -> str:
    """The letter of a slot, and any words for a macro."""
    word = match.group(1)
    return ".*" if word in _MACROS or word[0] == "L" else rf"{word[0]}\d+"


def apply(rules: tuple[Rule, ...], draft: Draft) -> None:
    """Apply each rule wherever it matches, in order, and take what it understood."""
    for each in rules:

        def take(match: Match, each: Rule = each) -> str:
            rest = each.action(draft, match)
            if rest is None:
                return match.group()
            draft.note(f"{each.name}: {shown(draft, match.group())}")
            if rest and not each.trace:
                return rest
            return f"{TAKEN} {rest}".strip() if rest else TAKEN

        draft.line = each.phrase.sub(take, draft.line)


def shown(draft: Draft, phrase: str) -> str:
    """A phrase of the line as the person wrote it."""
    words = [draft.slots[w].text if w in draft.slots else w for w in phrase.split() if w != TAKEN]
    return '"' + " ".join(words) + '"'


def comparison(phrase: str) -> Comparison:
    """What a phrase of comparison means."""
    meaning = COMPARISONS.read(phrase) or SHORT_COMPARISONS.read(phrase)
    if meaning is None:
        raise ValueError(f"{phrase!r} is not a comparison")
    return meaning


def descends(word: str, draft: Draft) -> bool | None:
    """Whether the first row by a superlative is that of the largest value; None if unknown."""
    if word in LESS:
        return False
    if word in MORE:
        return True
    scaled = draft.scaled(word)
    return scaled[1] if scaled else None


def adjective(phrase: str) -> tuple[str, bool]:
    """The adjective of a superlative or comparative phrase, and whether `least` turns it round."""
    words = phrase.split()
    return words[-1], words[0] in ("least", "less")
