"""What a text says is to be predicted: the verbs and nouns that ask for a column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from flows.analysis.prediction.metrics import find_mentions
from flows.analysis.prediction.reading.columns import (
    ColumnMention,
    column_of,
    find_columns,
    names_of,
    words_of,
)
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.data.tables import Table, plain_name
from flows.errors import nearest

VERB: Final = re.compile(
    r"\b(?:predict\w*|forecast\w*|estimat\w*|classify\w*|classifi\w*|infer|determin\w*|guess\w*|"
    r"anticipate|regress\w*|model|vorher\w*|prognosti\w*|prognose\w*|schätz\w*|bestimm\w*|"
    r"klassifizier\w*|ermittel\w*|vorauszusagen|detect\w*|identify|label)\b",
    re.IGNORECASE,
)
# Words that ask, and do other things as well.
_WEAK_VERB: Final = re.compile(
    r"\b(?:understand\w*|explain\w*|assign\w*|tells? (?:us|me|whether|apart)|need|find out|learn|"
    r"what (?:will|is|are)|how likely|whether|if|interested in|do(?:es)? not know|score|judge|rank|"
    r"want|wissen|ob|sagen|erklär\w*|interessier\w*|brauchen|kennen .{0,20}nicht|welche\w*)\b",
    re.IGNORECASE,
)
_OF: Final = re.compile(
    r"\b(?:of|for|on|von|für|der|des)\s+(?:the\s+|den\s+)?[`\"'*]*$", re.IGNORECASE
)
_EQUATION: Final = re.compile(r"(?:^|\s)y\s*=\s*[`\"'*]*$", re.IGNORECASE)
NOUN: Final = re.compile(
    r"\b(?:target\w*|response|dependent variable|outcome(?: variable)?|output(?: variable)?|"
    r"label(?: column)?|"
    r"ground truth|(?:to be|being) predicted|to predict|predicted variable|y variable|"
    r"ziel(?:variable|spalte|größe|groesse|merkmal|wert|feld)?|abhängige variable|"
    r"vorherzusagen\w*|vorhergesagt\w*)\b",
    re.IGNORECASE,
)
STOP: Final = re.compile(
    r"\b(?:using|based on|from|given|with the help of|with|by means of|by|as a function of|"
    r"anhand|aus|mithilfe|mit|auf basis|for each|for every|for all|für jede\w*|für alle|per|pro|"
    r"identified|whose|where|out of|through|via|among)\b",
    re.IGNORECASE,
)
_BACKWARD: Final = re.compile(
    r"\b(?:vorher\w*|prognosti\w*|schätz\w*|bestimm\w*|ermittel\w*|klassifizier\w*|"
    r"vorauszusagen|(?:is|are|be) (?:predicted|forecast\w*|estimated|determined))\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:do not|don't|must not|never|cannot|not|nicht|kein\w*|ignore|drop)\b", re.IGNORECASE
)
_BRACKETS: Final = re.compile(r"\([^()]*\)")
_APART: Final = (STOP, _DENIED, re.compile(r"[.;]\s"))
LISTED: Final = re.compile(
    r"[\s,;&/`'\"*()+]*(?:\b(?:and|und|as well as|sowie|the|both|or|den|die|das|der|column|columns|"
    r"value|values|of|also)\b[\s,;&/`'\"*()+]*)*",
    re.IGNORECASE,
)
_GOAL: Final = re.compile(
    r"goal|task|objective|target|aufgabe|ziel|problem|overview|challenge|to do|predict",
    re.IGNORECASE,
)
_NAMES_TEXT: Final = (
    "target targets label labels y outcome response class ziel zielvariable zielwert"
)
TARGET_NAMES: Final = frozenset(_NAMES_TEXT.split())
# Where a text says what the target is in so many words; a verb before a name; a name alone.
_BY_NOUN, BY_VERB, _BY_WEAK_VERB, _BY_FIELD, _BY_NAME = 4.0, 3.0, 1.9, 4.0, 1.5
_FEATURE: Final = -0.5
CLEAR: Final = 1.2


def text_scores(
    texts: Sequence[TaskSentence], fields: Mapping[str, str], train: Table
) -> dict[str, float]:
    """How much the text says that a column is to be predicted; the most that one sentence says,
    and a little for each further one."""
    found: dict[str, list[float]] = {}
    for each in texts:
        for name, score in _of_sentence(each, names_of(train)):
            found.setdefault(name, []).append(score)
    for name, meaning in fields.items():
        if NOUN.search(meaning) and not _DENIED.search(meaning):
            found.setdefault(name, []).append(_BY_FIELD)
    for name in names_of(train):
        if name in found and set(words_of(name)) & TARGET_NAMES:
            found[name].append(_BY_NAME)
    return {name: max(each) + 0.1 * min(len(each), 5) for name, each in found.items()}


def _of_sentence(passage: TaskSentence, names: Sequence[str]) -> list[tuple[str, float]]:
    text = passage.text
    if passage.is_code:
        return []
    goal = 0.5 if _GOAL.search(passage.section) else 0.0
    found = []
    mentions = find_columns(text, names)
    for each in mentions:
        score = max(
            _noun_score(text, each, mentions),
            _verb_score(text, each, mentions),
            _weak_score(text, each, mentions),
        )
        if score or goal:
            found.append((each.column, score * each.weight + (goal if score >= 0 else 0.0)))
    return found


def _noun_score(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> float:
    """For `the target is X`, `X (target)`, `X is the target variable`."""
    for noun in NOUN.finditer(text):
        if noun.start() < mention.end and mention.start < noun.end():
            continue
        first, last = sorted(((noun.start(), noun.end()), (mention.start, mention.end)))
        if any(first[1] <= each.start and each.end <= last[0] for each in mentions):
            continue
        between = without_brackets(text[first[1] : last[0]])
        if len(between) <= 45 and not any(each.search(between) for each in _APART):
            return _BY_NOUN - 0.02 * len(between)
    return 0.0


def _verb_score(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> float:
    """For `predict X`, and for words that ask behind it, as in German."""
    before = [each for each in VERB.finditer(text) if each.end() <= mention.start]
    if before:
        between = text[before[-1].end() : mention.start]
        if STOP.search(between):
            return _FEATURE
        if _DENIED.search(text[max(before[-1].start() - 20, 0) : before[-1].start()]):
            return 0.0
        return BY_VERB - 0.01 * min(len(between), 200)
    after = next((each for each in _BACKWARD.finditer(text) if each.start() >= mention.end), None)
    if after is None or _is_given(text, mention, mentions):
        return 0.0
    between = text[mention.end : after.start()]
    return BY_VERB - 0.5 - 0.01 * min(len(between), 150)


def _weak_score(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> float:
    """For `we need X`, `y = X`, `X ~ a + b`, `the RMSE of X`."""
    before, after = text[: mention.start], text[mention.end :]
    if _EQUATION.search(before) or re.match(r"[`\"'*]*\s*~", after):
        return _BY_NOUN
    if _is_given(text, mention, mentions):
        return 0.0
    if _OF.search(before) and find_mentions(before) and not VERB.search(text):
        return _BY_WEAK_VERB
    verbs = [each.end() for each in _WEAK_VERB.finditer(text, 0, mention.start)]
    if not verbs or any(verbs[-1] <= e.start and e.end <= mention.start for e in mentions):
        return 0.0
    between = text[verbs[-1] : mention.start]
    return 0.0 if STOP.search(between) else _BY_WEAK_VERB - 0.001 * min(len(between), 100)


def _is_given(text: str, mention: ColumnMention, mentions: Sequence[ColumnMention]) -> bool:
    """Whether it stands in a list behind `of`, as b in `of a and b the height is predicted`."""
    stops = [each.end() for each in STOP.finditer(text, 0, mention.start)]
    if not stops:
        return False
    rest, at = "", stops[-1]
    for each in mentions:
        if stops[-1] <= each.start < mention.start:
            rest, at = rest + text[at : each.start], each.end
    return bool(_GIVEN.fullmatch(rest + text[at : mention.start]))


_GIVEN: Final = re.compile(
    rf"(?:{LISTED.pattern}|\b(?:von|vom|dem|des|columns?|features?|spalten?|merkmale?n?|its?)\b)*",
    re.IGNORECASE,
)


def without_brackets(text: str) -> str:
    """A text without what it says in brackets."""
    return _BRACKETS.sub(" ", text)


_ASKED: Final = re.compile(
    r"(?:predict\w*|forecast\w*|estimat\w*|target(?: variable| column)?(?: is)?|"
    r"ziel(?:variable|spalte)?(?: ist)?)\s*[:=]?\s+"
    r"(?:the\s+|a\s+|die\s+|der\s+|das\s+)?(?:column\s+|value of\s+)?"
    r"[`\"*\u201c]{1,2}([\w .-]{1,40}?)[`\"*\u201d]{1,2}",
    re.IGNORECASE,
)


def named_target(texts: Sequence[TaskSentence], train: Table) -> str:
    """What the text calls the target in quotes, where train has no such column; else ""."""
    for each in texts:
        for match in _ASKED.finditer(each.text):
            if column_of(train, match[1]) is None:
                near = nearest(match[1], names_of(train))
                if near is None or plain_name(near) != plain_name(match[1]):
                    return match[1]
    return ""
